#include "config.h"

#include "core/frames.h"
#include <stdio.h>
#include <string.h>

/* Places that an installer changes: a call that touched one counts as having changed something. */
static const char *const watched[] = {
    "/var/lib/dpkg/status",
    "/usr/local/bin",
    "/usr/local/lib/python3.13/dist-packages",
    "/usr/local/lib/node_modules",
    "/usr/local/share/npm/lib/node_modules",
    "/root/.local/bin",
    "/root/.local/lib/python3.13/site-packages",
    "/root/.cargo/bin",
    "/root/go/bin",
    "/var/lib/gems",
};

/* ---- a call as frames --------------------------------------------------------------- */

/* One pass counts (out NULL), the next one writes. */
struct writer {
    uint8_t *out;
    size_t len;
    uint64_t nonce;
    uint32_t seq;
    uint8_t payload[WIRE_PAYLOAD_MAX];
    struct wire_put put;
    bool bad; /* a payload was too large */
};

static struct wire_put *
open_frame(struct writer *w)
{
    w->put = (struct wire_put){.at = w->payload, .cap = sizeof w->payload};
    return &w->put;
}

static void
add_frame(struct writer *w, uint8_t type, const void *payload, size_t len)
{
    if (w->out)
        wire_encode(w->out + w->len, type, w->nonce, w->seq, payload, len);
    w->len += WIRE_HEADER + len;
    w->seq++;
}

static void
close_frame(struct writer *w, uint8_t type)
{
    w->bad |= w->put.bad;
    add_frame(w, type, w->put.at, w->put.len);
}

static void
put_text(struct wire_put *p, const char *text)
{
    wire_put_str(p, text, strlen(text));
}

static void
put_list(struct wire_put *p, const char *const *list)
{
    uint32_t n = 0;

    while (list && list[n])
        n++;
    wire_put_u32(p, n);
    for (uint32_t i = 0; i < n; i++)
        put_text(p, list[i]);
}

static void
add_data(struct writer *w, const char *bytes, size_t len)
{
    while (len > 0) {
        size_t n = len < WIRE_PAYLOAD_MAX ? len : WIRE_PAYLOAD_MAX;

        add_frame(w, WIRE_DATA, bytes, n);
        bytes += n;
        len -= n;
    }
}

static void
add_file(struct writer *w, const struct plan_file *file)
{
    struct wire_put *put = open_frame(w);

    wire_put_u32(put, file->mode);
    wire_put_u64(put, file->len);
    put_text(put, file->path);
    close_frame(w, WIRE_FILE);
    add_data(w, file->bytes, file->len);
}

static uint32_t
u32_of(uint64_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void
add_step(struct writer *w, const struct plan_step *s)
{
    struct wire_put *put;

    if (s->input) {
        put = open_frame(w);
        wire_put_u64(put, s->input_len);
        close_frame(w, WIRE_STDIN);
        add_data(w, s->input, s->input_len);
    }
    put = open_frame(w);
    wire_put_u32(put, u32_of((uint64_t)s->timeout_ms));
    wire_put_u32(put, u32_of(s->head_bytes));
    wire_put_u32(put, u32_of(s->tail_bytes));
    wire_put_u32(put, s->input != NULL);
    put_text(put, s->cwd);
    put_list(put, s->argv);
    put_list(put, s->env);
    close_frame(w, WIRE_STEP);
}

static void
add_call(struct writer *w, const struct plan *p, uint64_t previous_nonce, uint32_t flags)
{
    struct wire_put *put = open_frame(w);

    wire_put_u32(put, flags);
    wire_put_u64(put, previous_nonce);
    wire_put_u32(put, COUNT_OF(watched));
    for (size_t i = 0; i < COUNT_OF(watched); i++)
        put_text(put, watched[i]);
    close_frame(w, WIRE_BEGIN);
    for (size_t i = 0; i < p->file_count; i++)
        add_file(w, &p->files[i]);
    for (size_t i = 0; i < p->step_count; i++)
        add_step(w, &p->steps[i]);
    put = open_frame(w);
    wire_put_u32(put, w->seq);
    close_frame(w, WIRE_RUN);
}

const uint8_t *
frames_encode_call(const struct plan *p, uint64_t nonce, uint64_t previous_nonce, uint32_t flags,
                   struct arena *a, size_t *ret_len, struct fault *f)
{
    struct writer *w = arena_alloc(a, sizeof *w);

    *w = (struct writer){.nonce = nonce};
    add_call(w, p, previous_nonce, flags);
    if (w->bad) {
        fault_set(f, FAULT_ARGUMENT, "The command line is too long for the machine.");
        fault_hint(f, "Save it with write_file and run the file.");
        return NULL;
    }
    w->out = arena_alloc(a, w->len);
    w->len = 0;
    w->seq = 0;
    add_call(w, p, previous_nonce, flags);
    *ret_len = w->len;
    return w->out;
}

size_t
frames_encode_cancel(uint8_t *out, uint64_t nonce)
{
    return wire_encode(out, WIRE_CANCEL, nonce, 0, NULL, 0);
}
