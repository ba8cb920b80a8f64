#include "config.h"

#include "base/clock.h"
#include "core/http_head.h"
#include "io/attach.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool
broken(struct attach *at, struct fault *f, const char *what)
{
    fault_set(f, FAULT_ENGINE, "the container engine cannot be reached");
    snprintf(f->detail, sizeof f->detail, "attach: %s: %s", what, strerror(errno));
    attach_close(at);
    return false;
}

static bool
connect_to(struct attach *at, const char *socket_path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};

    if (strlen(socket_path) >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(to.sun_path, socket_path, strlen(socket_path) + 1);
    at->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return at->fd >= 0 && connect(at->fd, (const struct sockaddr *)&to, sizeof to) == 0;
}

/* Reads until the head of the answer is whole; what follows it stays in `in`. */
static bool
read_head(struct attach *at, int64_t deadline_ms, long *ret_status)
{
    struct http_head head;

    while (at->end < sizeof at->in && clock_left_ms(deadline_ms) > 0) {
        struct pollfd fd = {.fd = at->fd, .events = POLLIN};
        ssize_t n;

        if (poll(&fd, 1, clock_left_ms(deadline_ms)) <= 0)
            continue;
        n = read(at->fd, at->in + at->end, sizeof at->in - at->end);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        at->end += n > 0 ? (size_t)n : 0;
        switch (http_head_parse((const char *)at->in, at->end, &head)) {
        case HTTP_HEAD_WHOLE:
            at->start = head.len;
            *ret_status = head.status;
            return true;
        case HTTP_HEAD_BAD:
            errno = EPROTO;
            return false;
        case HTTP_HEAD_MORE:
            break;
        }
    }
    errno = ETIMEDOUT;
    return false;
}

bool
attach_open(struct attach *at, const char *socket_path, const char *path, int64_t deadline_ms,
            long *ret_status, struct fault *f)
{
    char request[512];
    int len;

    at->fd = -1;
    at->start = at->end = 0;
    demux_init(&at->demux);
    if (!connect_to(at, socket_path))
        return broken(at, f, "connect");
    len = snprintf(request, sizeof request,
                   "POST %s HTTP/1.1\r\nHost: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
                   "Content-Length: 0\r\n\r\n",
                   path);
    if (len < 0 || (size_t)len >= sizeof request ||
        send(at->fd, request, (size_t)len, MSG_NOSIGNAL) != len)
        return broken(at, f, "send");
    if (!read_head(at, deadline_ms, ret_status))
        return broken(at, f, "answer");
    if (*ret_status != 101 && *ret_status != 200)
        attach_close(at);
    return true;
}

void
attach_close(struct attach *at)
{
    if (at->fd >= 0)
        close(at->fd);
    at->fd = -1;
}

size_t
attach_send(struct attach *at, const void *bytes, size_t len)
{
    ssize_t n = send(at->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n >= 0)
        return (size_t)n;
    return errno == EAGAIN || errno == EINTR ? 0 : SIZE_MAX;
}

void
attach_wait(struct attach *at, bool want_send, int timeout_ms)
{
    struct pollfd fd = {.fd = at->fd, .events = POLLIN};

    if (at->start < at->end)
        return;
    if (want_send)
        fd.events |= POLLOUT;
    poll(&fd, 1, timeout_ms);
}

enum attach_event
attach_receive(struct attach *at, const uint8_t **ret, size_t *ret_len)
{
    for (;;) {
        ssize_t n;

        while (at->start < at->end) {
            size_t used =
                demux_next(&at->demux, at->in + at->start, at->end - at->start, ret, ret_len);

            at->start += used;
            if (*ret_len > 0)
                return ATTACH_DATA;
            if (used == 0)
                break;
        }
        if (at->demux.bad)
            return ATTACH_END;
        at->start = at->end = 0;
        n = read(at->fd, at->in, sizeof at->in);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return ATTACH_MORE;
        if (n <= 0)
            return ATTACH_END;
        at->end = (size_t)n;
    }
}
