/* Whatever bytes come, the reader keeps account of all of them, finds the same frames however the
 * bytes are cut, and finds an intact frame behind them. The input is how much is fed at a time,
 * then the bytes. */
#include "config.h"

#include "wire.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LAST_CALL = 0x5eed };

static void
must(bool promise)
{
    if (!promise)
        __builtin_trap();
}

/* Reads numbers and strings in turn until the payload is used up. */
static uint64_t
take_apart(const struct wire_frame *f)
{
    struct wire_get g = {.at = f->payload, .left = f->len};
    uint64_t sum = 0;

    while (!g.bad && g.left > 0) {
        size_t len;
        const char *s = wire_get_str(&g, &len);

        must(len <= f->len);
        while (len > 0)
            sum = sum * 31 + (uint8_t)s[--len];
        if (!g.bad && g.left > 0)
            sum = sum * 31 + (f->seq % 2 ? wire_get_u32(&g) : wire_get_u64(&g));
    }
    must(g.left <= f->len);
    return sum;
}

static uint64_t
check_frame(const struct wire_reader *r, const struct wire_frame *f)
{
    static uint8_t again[WIRE_FRAME_MAX];
    size_t whole = wire_encode(again, f->type, f->call, f->seq, f->payload, f->len);

    must(f->payload >= r->buf && f->payload + f->len <= r->buf + r->cap);
    must(whole == WIRE_HEADER + f->len);
    must(memcmp(again, f->payload - WIRE_HEADER, whole) == 0);
    return take_apart(f) + wire_crc32(0, again, whole);
}

struct found {
    uint64_t frames, bytes, sum;
};

static struct found
read_all(struct wire_reader *r, const uint8_t *data, size_t size, size_t step)
{
    struct found found = {0};
    struct wire_frame f;

    while (size > 0) {
        size_t room, n = size < step ? size : step;
        uint8_t *to = wire_reader_room(r, &room);

        must(room > 0);
        if (n > room)
            n = room;
        memcpy(to, data, n);
        wire_reader_fed(r, n);
        data += n;
        size -= n;
        while (wire_next(r, &f)) {
            found.frames++;
            found.bytes += WIRE_HEADER + f.len;
            found.sum = found.sum * 1000003 + check_frame(r, &f);
        }
    }
    return found;
}

/* A frame comes and then nothing more: it is found. */
static void
last_frame(struct wire_reader *r)
{
    struct wire_frame f = {0};
    size_t room, len = WIRE_HEADER + 4;
    uint8_t *to = wire_reader_room(r, &room);

    must(room >= len);
    must(wire_encode(to, WIRE_RUN, LAST_CALL, 0, "\0\0\0", 4) == len);
    wire_reader_fed(r, len);
    while (f.call != LAST_CALL)
        if (!wire_next(r, &f))
            must(wire_reader_resync(r));
    must(!wire_reader_partial(r));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t buf[2][2 * WIRE_FRAME_MAX];
    struct wire_reader one, two;
    struct found first, second;

    if (size == 0)
        return 0;
    wire_reader_init(&one, buf[0], sizeof buf[0]);
    wire_reader_init(&two, buf[1], sizeof buf[1]);
    first = read_all(&one, data + 1, size - 1, (size_t)data[0] + 1);
    second = read_all(&two, data + 1, size - 1, sizeof buf[1]);
    must(first.bytes + one.dropped + (one.end - one.start) == size - 1);
    must(first.frames == second.frames && first.sum == second.sum && one.dropped == two.dropped);
    last_frame(&one);
    return 0;
}
