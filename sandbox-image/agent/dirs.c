#include "agent.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As getdents64(2) writes them. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len;
    uint8_t type;
    char name[];
};

bool
dir_open(struct dir *d, int parent_fd, const char *path)
{
    d->at = d->end = 0;
    d->fd = openat(parent_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return d->fd >= 0;
}

const char *
dir_next(struct dir *d)
{
    for (;;) {
        const struct entry *e;

        if (d->at == d->end) {
            long n = syscall(SYS_getdents64, d->fd, d->bytes, sizeof d->bytes);

            if (n <= 0)
                return NULL;
            d->at = 0;
            d->end = (size_t)n;
        }
        e = (const struct entry *)(const void *)(d->bytes + d->at);
        d->at += e->len;
        if (strcmp(e->name, ".") != 0 && strcmp(e->name, "..") != 0)
            return e->name;
    }
}

void
dir_close(struct dir *d)
{
    close_fd(&d->fd);
}
