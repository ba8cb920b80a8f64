#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECES = 8, /* of scratch, at a time */
};

/* Where one file of the job is on its way. */
struct target {
    char path[PATH_MAX]; /* with symlinks followed */
    char temp[PATH_MAX]; /* beside it, or "" */
    bool direct;         /* cannot be replaced: path itself is written to, in the second round */
    int fd;              /* the one being written, or -1 */
    off_t done;
};

static struct target targets[FILES_MAX];
static size_t targets_used;
static size_t at; /* the file being written */
static bool second_round;

/* Makes one directory of a path cut short at its slash; one that exists will do. */
static bool
make_dir(const char *path)
{
    struct stat st;

    if (mkdir(path, 0755) == 0)
        return true;
    if (errno != EEXIST)
        return false;
    if (stat(path, &st) < 0)
        return false;
    errno = ENOTDIR;
    return S_ISDIR(st.st_mode);
}

bool
files_make_dirs(const char *path, bool whole)
{
    char part[PATH_MAX];
    struct stat st;
    size_t len = strlen(path);

    if (len >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, len + 1);
    if (!whole) {
        char *slash = strrchr(part, '/');

        if (!slash || slash == part)
            return true;
        *slash = '\0';
    }
    if (stat(part, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!make_dir(part))
            return false;
        *slash = '/';
    }
    return make_dir(part);
}

void
files_begin(const struct job *j)
{
    targets_used = j->file_count;
    for (size_t i = 0; i < targets_used; i++) {
        targets[i].fd = -1;
        targets[i].temp[0] = '\0';
        targets[i].direct = false;
        targets[i].done = 0;
    }
    at = 0;
    second_round = false;
}

void
files_abort(void)
{
    for (size_t i = 0; i < targets_used; i++) {
        close_fd(&targets[i].fd);
        if (targets[i].temp[0])
            unlink(targets[i].temp);
    }
    targets_used = 0;
    give_back(targets, sizeof targets);
}

/* Opens a new file beside the target. A name of fixed length: the target's own may be as
 * long as names can be. */
static bool
open_temp(struct target *t)
{
    const char *slash = strrchr(t->path, '/');
    int dir_len = slash ? (int)(slash - t->path) : 0;
    int len = snprintf(t->temp, sizeof t->temp, "%.*s/.backtalk-XXXXXX", dir_len, t->path);

    if (len < 0 || (size_t)len >= sizeof t->temp) {
        errno = ENAMETOOLONG;
        t->temp[0] = '\0';
        return false;
    }
    t->fd = mkostemp(t->temp, O_CLOEXEC);
    if (t->fd < 0)
        t->temp[0] = '\0';
    return t->fd >= 0;
}

static bool
open_direct(struct target *t, uint32_t mode)
{
    /* O_NONBLOCK: a FIFO or a device must not hold the agent up */
    t->fd = open(t->path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, mode);
    return t->fd >= 0;
}

/* Decides how the file is written and opens what is written to, unless it is direct. */
static bool
open_target(struct target *t, const struct job_file *f)
{
    size_t len = strlen(f->path);
    struct stat st;

    if (f->path[len - 1] == '/') {
        errno = EISDIR;
        return false;
    }
    if (!files_make_dirs(f->path, false))
        return false;
    if (stat(f->path, &st) < 0) {
        if (errno != ENOENT)
            return false;
        memcpy(t->path, f->path, len + 1);
        t->direct = lstat(f->path, &st) == 0; /* a symlink to nothing yet: the kernel follows it */
        return t->direct || (open_temp(t) && fchmod(t->fd, f->mode) == 0);
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!realpath(f->path, t->path))
        return false;
    t->direct = !S_ISREG(st.st_mode) || st.st_nlink > 1;
    if (!t->direct && !open_temp(t)) {
        /* nothing can be made beside it (as in /proc), but perhaps it can be written to */
        if (errno != ENOENT && errno != EACCES && errno != EPERM && errno != EROFS)
            return false;
        t->direct = true;
    }
    return t->direct ||
           (fchown(t->fd, st.st_uid, st.st_gid) == 0 && fchmod(t->fd, st.st_mode & 07777) == 0);
}

/* Copies a few pieces. False with errno; *ret_whole when nothing is left. */
static bool
copy_pieces(struct target *t, const struct spool *from, bool *ret_whole)
{
    for (int i = 0; i < PIECES; i++) {
        ssize_t n = pread(from->fd, scratch, SCRATCH_BYTES, t->done);

        if (n < 0)
            return false;
        if (n == 0)
            break;
        n = write(t->fd, scratch, (size_t)n);
        if (n <= 0)
            return false;
        t->done += n;
    }
    *ret_whole = t->done >= (off_t)from->size;
    return true;
}

static bool
close_whole(int *fd)
{
    int was = *fd;

    *fd = -1;
    return close(was) == 0;
}

/* One file in one round. */
static enum files_state
write_one(struct target *t, const struct job_file *f)
{
    bool whole = false;

    if (second_round && !t->direct)
        return FILES_DONE;
    if (t->fd < 0 && !(second_round ? open_direct(t, f->mode) : open_target(t, f)))
        return FILES_FAILED;
    if (t->fd < 0)
        return FILES_DONE;
    if (!copy_pieces(t, &f->bytes, &whole))
        return FILES_FAILED;
    if (!whole)
        return FILES_MORE;
    if (!close_whole(&t->fd))
        return FILES_FAILED;
    return FILES_DONE;
}

/* Puts a finished file in its place. One that is a mount point cannot be replaced and is
 * written to instead. */
static bool
commit(struct target *t)
{
    if (!t->temp[0])
        return true;
    if (rename(t->temp, t->path) == 0) {
        t->temp[0] = '\0';
        return true;
    }
    if (errno != EBUSY && errno != EXDEV)
        return false;
    unlink(t->temp);
    t->temp[0] = '\0';
    t->direct = true;
    t->done = 0;
    return true;
}

static enum files_state
failed(const struct job_file *f, int *ret_errno, const char **ret_path)
{
    *ret_errno = errno ? errno : EIO;
    *ret_path = f->path;
    files_abort();
    return FILES_FAILED;
}

enum files_state
files_write(struct job *j, int *ret_errno, const char **ret_path)
{
    for (; at < j->file_count; at++) {
        struct job_file *f = &j->files[at];
        enum files_state state = FILES_FAILED;

        errno = f->bytes.error;
        if (errno == 0)
            state = write_one(&targets[at], f);
        if (state == FILES_FAILED)
            return failed(f, ret_errno, ret_path);
        if (state == FILES_MORE)
            return FILES_MORE;
    }
    if (second_round)
        return FILES_DONE;
    for (size_t i = 0; i < j->file_count; i++)
        if (!commit(&targets[i]))
            return failed(&j->files[i], ret_errno, ret_path);
    second_round = true;
    at = 0;
    return FILES_MORE;
}
