#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LOGS_KEPT = 20,           /* steps */
    LOG_BYTES_MAX = 16 << 20, /* all logs of a call together */
};

/* Log space of one call. Background processes of many calls may print at the same time. */
struct purse {
    uint64_t call;
    uint32_t users, left;
};

static struct purse purses[TAPS_MAX];
static uint32_t newest; /* number of the newest step's logs */

const char *
logs_dir(void)
{
    const char *dir = getenv("BACKTALK_LOG_DIR");

    return dir && dir[0] == '/' && strlen(dir) < LOG_PATH_MAX - 32 ? dir : DEFAULT_LOG_DIR;
}

static void
log_path(char to[LOG_PATH_MAX], uint32_t number, int stream)
{
    snprintf(to, LOG_PATH_MAX, "%s/%u.%s", logs_dir(), number, stream == 0 ? "out" : "err");
}

static void
remove_logs(uint32_t number)
{
    char path[LOG_PATH_MAX];

    for (int i = 0; i < 2; i++) {
        log_path(path, number, i);
        unlink(path);
    }
}

/* "17.out" -> 17; 0 when it is no log. */
static uint32_t
log_number(const char *name)
{
    char *end;
    unsigned long n;

    if (name[0] < '1' || name[0] > '9')
        return 0;
    n = strtoul(name, &end, 10);
    if (n >= UINT32_MAX || (strcmp(end, ".out") != 0 && strcmp(end, ".err") != 0))
        return 0;
    return (uint32_t)n;
}

/* Numbers go on where an earlier life of the container left off. */
void
logs_start(void)
{
    struct dir d;
    const char *name;

    if (!dir_open(&d, AT_FDCWD, logs_dir()))
        return;
    while ((name = dir_next(&d)) != NULL)
        if (log_number(name) > newest)
            newest = log_number(name);
    dir_close(&d);
    if (!dir_open(&d, AT_FDCWD, logs_dir()))
        return;
    while ((name = dir_next(&d)) != NULL)
        if (log_number(name) > 0 && log_number(name) + LOGS_KEPT <= newest)
            remove_logs(log_number(name));
    dir_close(&d);
}

/* A call's purse, also when none of its steps prints any more; else a new one in the place of
 * one that nobody uses. There are as many as taps, so there is one. */
static uint16_t
purse_take(uint64_t call)
{
    size_t free_one = 0;

    for (size_t i = 0; i < TAPS_MAX; i++) {
        if (purses[i].call == call) {
            purses[i].users++;
            return (uint16_t)i;
        }
        if (purses[i].users == 0 && purses[free_one].users > 0)
            free_one = i;
    }
    purses[free_one] = (struct purse){.call = call, .users = 1, .left = LOG_BYTES_MAX};
    return (uint16_t)free_one;
}

void
logs_open(struct log *ret_out, struct log *ret_err, uint64_t call)
{
    newest++;
    if (newest > LOGS_KEPT)
        remove_logs(newest - LOGS_KEPT);
    *ret_out = (struct log){.fd = -1, .number = newest, .purse = purse_take(call)};
    *ret_err = *ret_out;
    ret_err->stream = 1;
    purse_take(call);
}

void
log_drop_removed(struct log *l)
{
    if (l->number == 0 || l->number + LOGS_KEPT > newest)
        return;
    l->lacking = true;
    close_fd(&l->fd);
}

void
log_close(struct log *l)
{
    close_fd(&l->fd);
    if (l->number > 0 && purses[l->purse].users > 0)
        purses[l->purse].users--;
    l->number = 0;
}

/* What lies at the path may be the sandbox's own doing: it is removed, never opened. */
static int
create_log(const struct log *l)
{
    char path[LOG_PATH_MAX];
    int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
    int fd;

    log_path(path, l->number, l->stream);
    unlink(path);
    fd = open(path, flags, 0644);
    if (fd < 0 && errno == ENOENT && files_make_dirs(logs_dir(), true))
        fd = open(path, flags, 0644);
    return fd;
}

void
log_add(struct log *l, const void *bytes, size_t len)
{
    struct purse *purse = &purses[l->purse];
    const char *from = bytes;

    if (l->lacking)
        return;
    if (l->fd < 0)
        l->fd = create_log(l);
    l->lacking = l->fd < 0 || len > purse->left;
    if (len > purse->left)
        len = purse->left;
    while (l->fd >= 0 && len > 0) {
        ssize_t n = write(l->fd, from, len);

        if (n <= 0) {
            l->lacking = true;
            break;
        }
        from += n;
        len -= (size_t)n;
        l->bytes += (uint64_t)n;
        purse->left -= (uint32_t)n;
    }
}

void
log_path_if_whole(const struct log *l, uint64_t seen, char ret[LOG_PATH_MAX])
{
    ret[0] = '\0';
    if (seen > 0 && !l->lacking && l->bytes == seen)
        log_path(ret, l->number, l->stream);
}
