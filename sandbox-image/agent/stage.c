#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    IN_MEMORY_BYTES = 1 << 20, /* more than that is kept on disk until it is used */
};

static void
spool_release(struct spool *s)
{
    close_fd(&s->fd);
    *s = (struct spool){.fd = -1};
}

void
stage_discard(struct job *j)
{
    if (j->has_input)
        spool_release(&j->input);
    for (size_t i = 0; i < j->file_count; i++)
        spool_release(&j->files[i].bytes);
    for (size_t i = 0; i < j->step_count; i++)
        spool_release(&j->steps[i].input);
    j->staged = j->has_input = false;
    j->file_count = j->step_count = j->watch_count = 0;
    j->filling = NULL;
}

static void
bad(struct job *j, const char *why)
{
    if (!j->bad[0])
        snprintf(j->bad, sizeof j->bad, "%s", why);
}

/* An unlinked file beside the logs: content of many MiB in memory would count against the
 * sandbox's limit. */
static int
disk_file(void)
{
    char path[LOG_PATH_MAX + 32];
    int fd;

    snprintf(path, sizeof path, "%s/.spool-XXXXXX", logs_dir());
    if (!files_make_dirs(logs_dir(), true))
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static void
spool_begin(struct job *j, struct spool *s, uint64_t size)
{
    *s = (struct spool){.fd = -1, .size = size};
    if (size > IN_MEMORY_BYTES)
        s->fd = disk_file();
    if (s->fd < 0)
        s->fd = memfd_create("input", MFD_CLOEXEC);
    if (s->fd < 0)
        s->error = errno;
    if (size > 0)
        j->filling = s;
}

static void
spool_add(struct job *j, const uint8_t *bytes, size_t len)
{
    struct spool *s = j->filling;

    if (!s || len > s->size - s->got) {
        bad(j, "more data than was announced");
        return;
    }
    s->got += len;
    if (s->got == s->size)
        j->filling = NULL;
    while (len > 0 && s->error == 0) {
        ssize_t n = write(s->fd, bytes, len);

        if (n < 0 && errno != EINTR)
            s->error = errno;
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
}

/* A string without NUL bytes. */
static const char *
get_text(struct wire_get *g, size_t *ret_len)
{
    const char *s = wire_get_str(g, ret_len);

    if (*ret_len > 0 && memchr(s, '\0', *ret_len))
        g->bad = true;
    return s;
}

static const char *
get_path(struct wire_get *g, size_t *ret_len)
{
    const char *s = get_text(g, ret_len);

    if (*ret_len == 0 || *ret_len >= PATH_MAX || s[0] != '/')
        g->bad = true;
    return s;
}

static void
take_begin(struct job *j, const struct wire_frame *f)
{
    struct wire_get g = {.at = f->payload, .left = f->len};
    size_t used = 0;
    uint32_t n;

    j->flags = wire_get_u32(&g);
    j->previous = wire_get_u64(&g);
    n = wire_get_u32(&g);
    if (n > WATCH_MAX) {
        bad(j, "more than 32 watched paths");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        size_t len;
        const char *path = get_path(&g, &len);

        if (g.bad || len + 1 > sizeof j->watch - used) {
            bad(j, "watched paths that are too long or not absolute");
            return;
        }
        memcpy(j->watch + used, path, len);
        j->watch[used + len] = '\0';
        used += len + 1;
    }
    j->watch_count = n;
    if (g.bad || g.left > 0)
        bad(j, "a BEGIN that is not understood");
}

static void
take_file(struct job *j, const struct wire_frame *f)
{
    struct wire_get g = {.at = f->payload, .left = f->len};
    struct job_file *file = &j->files[j->file_count];
    const char *path;
    uint64_t size;
    size_t len;

    if (j->file_count == FILES_MAX) {
        bad(j, "more than 4 files");
        return;
    }
    file->mode = wire_get_u32(&g);
    size = wire_get_u64(&g);
    path = get_path(&g, &len);
    if (g.bad || g.left > 0 || file->mode > 07777) {
        bad(j, "a FILE that is not understood");
        return;
    }
    if (size > FILE_BYTES_MAX) {
        bad(j, "a file of more than 64 MiB");
        return;
    }
    memcpy(file->path, path, len);
    file->path[len] = '\0';
    j->file_count++;
    spool_begin(j, &file->bytes, size);
}

static void
take_input(struct job *j, const struct wire_frame *f)
{
    struct wire_get g = {.at = f->payload, .left = f->len};
    uint64_t size = wire_get_u64(&g);

    if (g.bad || g.left > 0 || j->has_input) {
        bad(j, "a STDIN that is not understood");
        return;
    }
    if (size > FILE_BYTES_MAX) {
        bad(j, "input of more than 64 MiB");
        return;
    }
    j->has_input = true;
    spool_begin(j, &j->input, size);
}

/* Limits of a step that are not the payload's form. */
static const char *
step_flaw(const struct job *j, const struct job_step *s)
{
    if (s->timeout_ms == 0 || s->timeout_ms > TIMEOUT_MAX_MS)
        return "a time limit of 0 or of more than 24 h";
    if (s->head_bytes > HEAD_MAX || s->tail_bytes > TAIL_MAX)
        return "more than 1 MiB of head or 64 KiB of tail asked for";
    if (s->has_input != j->has_input)
        return "a STEP and its STDIN do not go together";
    return NULL;
}

/* argc or envc strings; those of the environment must be NAME=value. */
static uint32_t
check_strings(struct wire_get *g, bool environment)
{
    uint32_t n = wire_get_u32(g);

    if (n > STRINGS_MAX)
        g->bad = true;
    for (uint32_t i = 0; i < n && !g->bad; i++) {
        size_t len;
        const char *s = get_text(g, &len);
        const char *equals = len > 0 ? memchr(s, '=', len) : NULL;

        if (environment && (!equals || equals == s))
            g->bad = true;
    }
    return n;
}

static void
take_step(struct job *j, const struct wire_frame *f)
{
    struct wire_get g = {.at = f->payload, .left = f->len};
    struct job_step *s = &j->steps[j->step_count];
    const char *flaw;
    uint32_t argc;
    size_t len;

    if (j->step_count == STEPS_MAX) {
        bad(j, "more than 4 steps");
        return;
    }
    s->timeout_ms = wire_get_u32(&g);
    s->head_bytes = wire_get_u32(&g);
    s->tail_bytes = wire_get_u32(&g);
    s->has_input = wire_get_u32(&g) != 0;
    memcpy(s->text, g.at, g.left);
    s->text_len = g.left;
    get_path(&g, &len);
    argc = check_strings(&g, false);
    check_strings(&g, true);
    if (g.bad || g.left > 0 || argc == 0) {
        bad(j, "a STEP that is not understood");
        return;
    }
    flaw = step_flaw(j, s);
    if (flaw) {
        bad(j, flaw);
        return;
    }
    s->input = j->input;
    j->input = (struct spool){.fd = -1};
    j->has_input = false;
    j->step_count++;
}

/* Strings move towards the front as each is ended by a NUL: the 4 bytes of its length make
 * the room. */
static char *
next_string(struct wire_get *g, uint8_t **to)
{
    uint8_t *own = *to;
    size_t len;
    const char *s = wire_get_str(g, &len);

    memmove(own, s, len);
    own[len] = '\0';
    *to = own + len + 1;
    return (char *)own;
}

void
stage_strings(struct job_step *s, const char **ret_cwd, char **argv, char **env,
              size_t *ret_env_count)
{
    struct wire_get g = {.at = s->text, .left = s->text_len};
    uint8_t *to = s->text;
    uint32_t n;

    *ret_cwd = next_string(&g, &to);
    n = wire_get_u32(&g);
    for (uint32_t i = 0; i < n; i++)
        argv[i] = next_string(&g, &to);
    argv[n] = NULL;
    n = wire_get_u32(&g);
    for (uint32_t i = 0; i < n; i++)
        env[i] = next_string(&g, &to);
    *ret_env_count = n;
}

static void
stage_begin(struct job *j, const struct wire_frame *f)
{
    stage_discard(j);
    j->call = f->call;
    j->staged = true;
    j->broken = false;
    j->bad[0] = '\0';
    j->next_seq = 0;
    j->input = (struct spool){.fd = -1};
}

static uint32_t
check_run(struct job *j, const struct wire_frame *f)
{
    struct wire_get g = {.at = f->payload, .left = f->len};
    uint32_t frames = wire_get_u32(&g);

    if (j->broken || g.bad || g.left > 0 || frames != f->seq)
        return WIRE_REFUSED_BROKEN;
    if (j->filling || j->has_input)
        bad(j, "data or steps are missing");
    return j->bad[0] ? WIRE_REFUSED_BAD : 0;
}

bool
stage_frame(struct job *j, const struct wire_frame *f, int64_t now_ms, uint32_t *ret_refusal)
{
    *ret_refusal = 0;
    if (f->type == WIRE_BEGIN)
        stage_begin(j, f);
    if (!j->staged || j->call != f->call) {
        *ret_refusal = WIRE_REFUSED_BROKEN;
        return false;
    }
    j->heard_ms = now_ms;
    if (f->seq != j->next_seq++)
        j->broken = true;
    if (f->type == WIRE_RUN) {
        *ret_refusal = check_run(j, f);
        return *ret_refusal == 0;
    }
    if (j->broken || j->bad[0])
        return false;
    if (j->filling && f->type != WIRE_DATA)
        bad(j, "less data than was announced");
    else if (f->type == WIRE_BEGIN)
        take_begin(j, f);
    else if (f->type == WIRE_FILE)
        take_file(j, f);
    else if (f->type == WIRE_STDIN)
        take_input(j, f);
    else if (f->type == WIRE_DATA)
        spool_add(j, f->payload, f->len);
    else if (f->type == WIRE_STEP)
        take_step(j, f);
    else
        bad(j, "a frame of an unknown type");
    return false;
}
