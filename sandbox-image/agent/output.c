#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    REST_MS = 10,    /* between reads of a background process that prints without end */
    RING_MIN = 1024, /* enough to find the last line in */
};

/* What is kept of a stream of the active step: its first bytes and, in a ring, its last. */
struct window {
    size_t head_max, head_len, head_asked, tail_asked, ring_len;
    uint8_t head[WINDOW_BYTES], ring[WINDOW_BYTES];
};

static struct tap taps[TAPS_MAX];
static size_t taps_end; /* none is used from here on */
static struct window windows[2];
static int64_t heard_ms;
static int talker; /* stream of the active step that printed last */

static void
window_begin(struct window *w, const struct job_step *s)
{
    w->head_asked = s->head_bytes;
    w->tail_asked = s->tail_bytes;
    w->head_max = w->head_asked < WINDOW_BYTES ? w->head_asked : WINDOW_BYTES;
    w->ring_len = w->tail_asked > RING_MIN ? w->tail_asked : RING_MIN;
    w->head_len = 0;
}

/* before: bytes seen before these. */
static void
window_add(struct window *w, uint64_t before, const uint8_t *bytes, size_t len)
{
    size_t room = w->head_max - w->head_len;

    if (room > 0) {
        size_t n = len < room ? len : room;

        memcpy(w->head + w->head_len, bytes, n);
        w->head_len += n;
    }
    if (len > w->ring_len) {
        before += len - w->ring_len;
        bytes += len - w->ring_len;
        len = w->ring_len;
    }
    while (len > 0) {
        size_t to = (size_t)(before % w->ring_len);
        size_t n = w->ring_len - to < len ? w->ring_len - to : len;

        memcpy(w->ring + to, bytes, n);
        before += n;
        bytes += n;
        len -= n;
    }
}

/* Copies n bytes that begin `from` bytes into the stream and are still in the ring. */
static void
ring_copy(const struct window *w, uint64_t from, uint8_t *to, size_t n)
{
    while (n > 0) {
        size_t at = (size_t)(from % w->ring_len);
        size_t part = w->ring_len - at < n ? w->ring_len - at : n;

        memcpy(to, w->ring + at, part);
        from += part;
        to += part;
        n -= part;
    }
}

/* ---- taps --------------------------------------------------------------------------- */

static void
tap_settle(struct tap *t)
{
    for (int i = 0; i < 2 && !t->active; i++)
        if (t->s[i].fd < 0)
            log_close(&t->s[i].log);
    if (t->active || !output_ended(t))
        return;
    t->used = false;
    while (taps_end > 0 && !taps[taps_end - 1].used)
        taps_end--;
}

struct tap *
output_open(const struct job_step *s, uint64_t call, bool quiet, int ret_ends[2])
{
    struct tap *t = taps;
    int out[2], err[2];

    while (t < taps + TAPS_MAX && t->used)
        t++;
    if (t == taps + TAPS_MAX) {
        errno = EAGAIN;
        return NULL;
    }
    if (pipe2(out, O_CLOEXEC) < 0)
        return NULL;
    if (pipe2(err, O_CLOEXEC) < 0) {
        close(out[0]);
        close(out[1]);
        return NULL;
    }
    *t = (struct tap){.used = true, .active = true, .s = {{.fd = out[0]}, {.fd = err[0]}}};
    ret_ends[0] = out[1];
    ret_ends[1] = err[1];
    for (int i = 0; i < 2; i++) {
        fcntl(t->s[i].fd, F_SETFL, O_NONBLOCK);
        window_begin(&windows[i], s);
    }
    if (quiet)
        t->s[0].log = t->s[1].log = (struct log){.fd = -1, .lacking = true};
    else
        logs_open(&t->s[0].log, &t->s[1].log, call);
    for (size_t i = 0; i < taps_end; i++)
        for (int k = 0; k < 2; k++)
            log_drop_removed(&taps[i].s[k].log);
    if (t >= taps + taps_end)
        taps_end = (size_t)(t - taps) + 1;
    return t;
}

void
output_retire(struct tap *t)
{
    t->active = false;
    tap_settle(t);
}

bool
output_ended(const struct tap *t)
{
    return t->s[0].fd < 0 && t->s[1].fd < 0;
}

int64_t
output_heard_ms(void)
{
    return heard_ms;
}

/* One read. Returns how much it was; 0 when nothing is there or the stream has ended. */
static size_t
stream_read(struct tap *t, int i, int64_t now_ms)
{
    struct stream *s = &t->s[i];
    ssize_t n = read(s->fd, scratch, WINDOW_BYTES);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0) {
        close_fd(&s->fd);
        tap_settle(t);
        return 0;
    }
    log_add(&s->log, scratch, (size_t)n);
    if (t->active) {
        window_add(&windows[i], s->seen, scratch, (size_t)n);
        heard_ms = now_ms;
        talker = i;
    } else if (s->log.lacking) {
        s->rest_ms = now_ms + REST_MS;
    }
    s->seen += (uint64_t)n;
    return (size_t)n;
}

void
output_drain(struct tap *t, int64_t now_ms)
{
    for (int i = 0; i < 2; i++) {
        int left = 0;

        if (t->s[i].fd >= 0)
            ioctl(t->s[i].fd, FIONREAD, &left);
        while (left > 0 && t->s[i].fd >= 0) {
            size_t n = stream_read(t, i, now_ms);

            if (n == 0)
                break;
            left -= (int)n;
        }
        if (t->s[i].fd >= 0) /* sees the end, if it is there */
            stream_read(t, i, now_ms);
    }
}

size_t
output_poll(struct pollfd *p, int64_t now_ms, int64_t *due_ms)
{
    size_t n = 0;

    for (size_t i = 0; i < taps_end; i++)
        for (int k = 0; k < 2 && taps[i].used; k++) {
            const struct stream *s = &taps[i].s[k];

            if (s->fd >= 0 && s->rest_ms > now_ms)
                *due_ms = earlier(*due_ms, s->rest_ms);
            else if (s->fd >= 0)
                p[n++] = (struct pollfd){.fd = s->fd, .events = POLLIN};
        }
    return n;
}

/* Nothing is opened or closed between output_poll and here, so the order is the same. */
void
output_polled(const struct pollfd *p, size_t n, int64_t now_ms)
{
    size_t at = 0, end = taps_end;

    for (size_t i = 0; i < end && at < n; i++)
        for (int k = 0; k < 2 && at < n; k++) {
            if (!taps[i].used || taps[i].s[k].fd != p[at].fd)
                continue;
            if (p[at++].revents)
                stream_read(&taps[i], k, now_ms);
        }
}

void
output_give_back(void)
{
    give_back(windows, sizeof windows);
}

/* ---- what is reported --------------------------------------------------------------- */

/* A head longer than the memory for it is read back from the log, if the log has it. */
void
output_excerpt(const struct tap *t, int stream, struct excerpt *ret)
{
    const struct window *w = &windows[stream];
    const struct stream *s = &t->s[stream];
    size_t head = s->seen < w->head_asked ? (size_t)s->seen : w->head_asked;
    uint64_t rest;

    if (head > w->head_len && s->log.bytes < head)
        head = w->head_len;
    rest = s->seen - head;
    *ret = (struct excerpt){.seen = s->seen, .head_len = head};
    ret->tail_len = rest < w->tail_asked ? (size_t)rest : w->tail_asked;
    log_path_if_whole(&s->log, s->seen, ret->log);
}

void
output_copy(const struct tap *t, int stream, const struct excerpt *e, bool tail, size_t offset,
            uint8_t *to, size_t n)
{
    const struct window *w = &windows[stream];

    if (tail) {
        ring_copy(w, e->seen - e->tail_len + offset, to, n);
        return;
    }
    while (n > 0) {
        ssize_t part = -1;

        if (offset < w->head_len) {
            part = (ssize_t)(w->head_len - offset < n ? w->head_len - offset : n);
            memcpy(to, w->head + offset, (size_t)part);
        } else {
            part = pread(t->s[stream].log.fd, to, n, (off_t)offset);
        }
        if (part <= 0) { /* the sandbox cut its own log short */
            memset(to, '?', n);
            return;
        }
        offset += (size_t)part;
        to += part;
        n -= (size_t)part;
    }
}

size_t
output_last_line(const struct tap *t, char to[LINE_TEXT])
{
    uint8_t text[RING_MIN];
    uint64_t seen = t->s[talker].seen;
    size_t len = seen < sizeof text ? (size_t)seen : sizeof text;
    size_t begin;

    ring_copy(&windows[talker], seen - len, text, len);
    while (len > 0 && text[len - 1] <= ' ')
        len--;
    begin = len;
    while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r')
        begin--;
    len = text_clean((char *)text + begin, len - begin, LINE_TEXT);
    memcpy(to, text + begin, len);
    return len;
}
