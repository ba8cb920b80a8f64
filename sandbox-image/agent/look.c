#include "agent.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ENTRIES_MAX = 20000,
    LOOK_MS = 50,
    DEPTH_MAX = 32,
    CLOCK_STEP_MS = 500, /* the wall clock was set: file times say nothing */
};

const char *
look_work_dir(void)
{
    const char *dir = getenv("BACKTALK_WORK");

    return dir && dir[0] == '/' ? dir : DEFAULT_WORK;
}

void
look_moment(struct moment *ret)
{
    clock_gettime(CLOCK_REALTIME_COARSE, &ret->coarse);
    ret->offset_ms =
        (int64_t)ret->coarse.tv_sec * 1000 + ret->coarse.tv_nsec / 1000000 - clock_now_ms();
}

static bool
since(const struct stat *st, const struct moment *m)
{
    if (st->st_ctim.tv_sec != m->coarse.tv_sec)
        return st->st_ctim.tv_sec > m->coarse.tv_sec;
    return st->st_ctim.tv_nsec >= m->coarse.tv_nsec;
}

static uint32_t
tree_changed(const char *root, const struct moment *m)
{
    static struct dir level[DEPTH_MAX];
    int64_t until_ms = clock_now_ms() + LOOK_MS;
    uint32_t entries = 0, answer = 0;
    int depth = 0;
    struct stat st;

    if (lstat(root, &st) < 0)
        return 1; /* removed, or never there: the next call makes it anew */
    if (since(&st, m))
        return 1;
    if (!dir_open(&level[0], AT_FDCWD, root))
        return 2;
    while (depth >= 0 && answer == 0) {
        struct dir *d = &level[depth];
        const char *name = dir_next(d);

        if (!name) {
            dir_close(d);
            depth--;
        } else if (++entries > ENTRIES_MAX || (entries % 64 == 0 && clock_now_ms() > until_ms)) {
            answer = 2;
        } else if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || since(&st, m)) {
            answer = 1;
        } else if (S_ISDIR(st.st_mode)) {
            if (depth + 1 == DEPTH_MAX || !dir_open(&level[depth + 1], d->fd, name))
                answer = 2;
            else
                depth++;
        }
    }
    for (; depth >= 0; depth--)
        dir_close(&level[depth]);
    return answer;
}

uint32_t
look_changed(const struct moment *m, const struct job *j)
{
    const char *path = j->watch;
    struct moment now;
    struct stat st;

    for (size_t i = 0; i < j->watch_count; i++, path += strlen(path) + 1)
        if (stat(path, &st) == 0 && since(&st, m))
            return 1;
    look_moment(&now);
    if (llabs(now.offset_ms - m->offset_ms) > CLOCK_STEP_MS)
        return 2;
    return tree_changed(look_work_dir(), m);
}

/* The number after "oom_kill " in one of the files that may hold it; cgroup v2, then v1. */
uint64_t
look_oom_kills(void)
{
    static const char *const paths[] = {
        "/sys/fs/cgroup/memory.events",
        "/sys/fs/cgroup/memory/memory.oom_control",
    };
    static const char key[] = "oom_kill ";

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
        char text[512];
        ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        const char *at;

        close_fd(&fd);
        if (n <= 0)
            continue;
        text[n] = '\0';
        at = strstr(text, key);
        if (at)
            return strtoull(at + sizeof key - 1, NULL, 10);
    }
    return 0;
}
