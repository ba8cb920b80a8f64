/* Whatever comes in place of the agent's frames, an observation stays within what the plan asked
 * for and needs no more memory. The input is a row of frames of this call, or of another:
 *     u8 type (+128: another call), u16 length little endian, payload
 * and all of it goes through the frame reader as raw bytes as well. */
#include "config.h"

#include "core/frames.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NONCE = 77, OTHER = 88, HEAD = 16, TAIL = 8, MEMORY_MAX = 64 * 1024 };

static const char *const argv[] = {"x", NULL};
static const struct plan plan = {
    .kind = PLAN_STEPS,
    .step_count = 2,
    .steps = {{.argv = argv, .cwd = "/work", .head_bytes = HEAD, .tail_bytes = TAIL},
              {.argv = argv, .cwd = "/work", .head_bytes = HEAD, .tail_bytes = TAIL}},
};

static void
must(bool promise)
{
    if (!promise)
        __builtin_trap();
}

static unsigned
sum(const char *bytes, size_t len)
{
    unsigned n = 0;

    while (len > 0)
        n += (unsigned char)bytes[--len];
    return n;
}

static void
check_stream(const struct stream *s)
{
    must(s->head_len <= HEAD && s->tail_len <= TAIL && s->head_len + s->tail_len <= s->seen);
    must(sum(s->head, s->head_len) + sum(s->tail, s->tail_len) < 255 * (HEAD + TAIL) + 1);
    must(strlen(s->log) < FRAMES_TEXT_BYTES);
}

static void
check(const struct collector *c)
{
    must(c->seen.step_count == 2 && c->seen.background_count <= 100000);
    for (size_t i = 0; i < 2; i++) {
        check_stream(&c->seen.steps[i].out);
        check_stream(&c->seen.steps[i].err);
        must(c->seen.steps[i].exit_code >= 0 && c->seen.steps[i].exit_code <= 255);
        must(c->seen.steps[i].wall_us >= 0);
    }
    for (size_t i = 0; i < OBSERVED_BACKGROUND_MAX; i++)
        must(strlen(c->seen.background[i].command) < FRAMES_TEXT_BYTES);
}

/* False: who reads the agent stops here. */
static bool
collect(struct collector *c, const struct wire_frame *frame)
{
    enum collect what = frames_collect(c, frame);

    if (what == COLLECT_DONE)
        check(c);
    must(strlen(c->last_line) < FRAMES_LINE_BYTES && strlen(c->refusal) < FRAMES_TEXT_BYTES);
    must(c->busy_ms >= 0 && c->elapsed_ms >= 0);
    return what != COLLECT_DONE && what != COLLECT_LOST && what != COLLECT_NONSENSE;
}

static void
as_frames(struct arena *a, const uint8_t *data, size_t size)
{
    struct collector c;
    size_t at = 0;

    frames_collect_init(&c, a, &plan, NONCE);
    while (size - at >= 3) {
        struct wire_frame f = {
            .type = data[at] & 127,
            .call = data[at] & 128 ? OTHER : NONCE,
            .len = (size_t)(data[at + 1] | data[at + 2] << 8),
            .payload = data + at + 3,
        };

        at += 3;
        if (f.len > size - at)
            f.len = size - at;
        if (f.len > WIRE_PAYLOAD_MAX)
            f.len = WIRE_PAYLOAD_MAX;
        at += f.len;
        if (!collect(&c, &f))
            break;
    }
    must(arena_bytes(a) <= MEMORY_MAX + size);
}

static void
as_bytes(struct arena *a, const uint8_t *data, size_t size)
{
    struct wire_reader r;
    struct wire_frame f;
    struct collector c;

    frames_collect_init(&c, a, &plan, NONCE);
    wire_reader_init(&r, arena_alloc(a, WIRE_FRAME_MAX), WIRE_FRAME_MAX);
    while (size > 0) {
        size_t room;
        uint8_t *to = wire_reader_room(&r, &room);

        must(room > 0);
        if (room > size)
            room = size;
        memcpy(to, data, room);
        wire_reader_fed(&r, room);
        data += room;
        size -= room;
        while (wire_next(&r, &f))
            if (!collect(&c, &f))
                return;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(4096);

    as_frames(a, data, size);
    as_bytes(a, data, size);
    arena_free(a);
    return 0;
}
