#include "wire.h"
#include <string.h>

static const uint8_t magic[4] = {0xb7, 'B', 'k', 0x1d};

/* CRC-32 four bytes at a time ("slicing", Intel 2006): a call of many MiB is checked in a few
 * milliseconds on a small machine. tables[k][b] is the CRC of byte b followed by k zeros. */
static uint32_t tables[4][256];

static void
make_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;

        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        tables[0][b] = crc;
    }
    for (int k = 1; k < 4; k++)
        for (int b = 0; b < 256; b++) {
            uint32_t crc = tables[k - 1][b];

            tables[k][b] = tables[0][crc & 255] ^ crc >> 8;
        }
}

uint32_t
wire_crc32(uint32_t crc, const void *bytes, size_t len)
{
    const uint8_t *p = bytes;

    if (tables[0][1] == 0)
        make_tables();
    crc = ~crc;
    for (; len >= 4; len -= 4, p += 4) {
        crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = tables[3][crc & 255] ^ tables[2][crc >> 8 & 255] ^ tables[1][crc >> 16 & 255] ^
              tables[0][crc >> 24];
    }
    for (; len > 0; len--, p++)
        crc = tables[0][(crc ^ *p) & 255] ^ crc >> 8;
    return ~crc;
}

static void
store_le(uint8_t *at, uint64_t n, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(n >> (8 * i));
}

static uint64_t
load_le(const uint8_t *at, int bytes)
{
    uint64_t n = 0;

    for (int i = 0; i < bytes; i++)
        n |= (uint64_t)at[i] << (8 * i);
    return n;
}

static uint32_t
frame_check(const uint8_t *frame, size_t payload_len)
{
    uint32_t crc = wire_crc32(0, frame, WIRE_HEADER - 4);

    return wire_crc32(crc, frame + WIRE_HEADER, payload_len);
}

size_t
wire_encode(uint8_t *out, uint8_t type, uint64_t call, uint32_t seq, const void *payload,
            size_t len)
{
    if (len > WIRE_PAYLOAD_MAX)
        return 0;
    memcpy(out, magic, sizeof magic);
    out[4] = type;
    memset(out + 5, 0, 3);
    store_le(out + 8, len, 4);
    store_le(out + 12, call, 8);
    store_le(out + 20, seq, 4);
    if (len > 0 && payload != out + WIRE_HEADER)
        memcpy(out + WIRE_HEADER, payload, len);
    store_le(out + 24, frame_check(out, len), 4);
    return WIRE_HEADER + len;
}

void
wire_put_bytes(struct wire_put *p, const void *bytes, size_t len)
{
    if (p->bad || len > p->cap - p->len) {
        p->bad = true;
        return;
    }
    if (len > 0)
        memcpy(p->at + p->len, bytes, len);
    p->len += len;
}

void
wire_put_u32(struct wire_put *p, uint32_t n)
{
    uint8_t le[4];

    store_le(le, n, 4);
    wire_put_bytes(p, le, 4);
}

void
wire_put_u64(struct wire_put *p, uint64_t n)
{
    uint8_t le[8];

    store_le(le, n, 8);
    wire_put_bytes(p, le, 8);
}

void
wire_put_str(struct wire_put *p, const char *s, size_t len)
{
    if (len > WIRE_PAYLOAD_MAX) {
        p->bad = true;
        return;
    }
    wire_put_u32(p, (uint32_t)len);
    wire_put_bytes(p, s, len);
}

static uint64_t
get_number(struct wire_get *g, size_t bytes)
{
    uint64_t n;

    if (g->bad || g->left < bytes) {
        g->bad = true;
        return 0;
    }
    n = load_le(g->at, (int)bytes);
    g->at += bytes;
    g->left -= bytes;
    return n;
}

uint32_t
wire_get_u32(struct wire_get *g)
{
    return (uint32_t)get_number(g, 4);
}

uint64_t
wire_get_u64(struct wire_get *g)
{
    return get_number(g, 8);
}

const char *
wire_get_str(struct wire_get *g, size_t *ret_len)
{
    size_t len = wire_get_u32(g);
    const char *s;

    *ret_len = 0;
    if (g->bad || len > g->left) {
        g->bad = true;
        return "";
    }
    s = (const char *)g->at;
    g->at += len;
    g->left -= len;
    *ret_len = len;
    return s;
}

void
wire_reader_init(struct wire_reader *r, uint8_t *buf, size_t cap)
{
    *r = (struct wire_reader){.buf = buf, .cap = cap};
}

uint8_t *
wire_reader_room(struct wire_reader *r, size_t *ret_len)
{
    if (r->start > 0) {
        memmove(r->buf, r->buf + r->start, r->end - r->start);
        r->end -= r->start;
        r->start = 0;
    }
    *ret_len = r->cap - r->end;
    return r->buf + r->end;
}

void
wire_reader_fed(struct wire_reader *r, size_t len)
{
    r->end += len;
}

/* Move start to the next place where a magic could begin. */
static void
seek_magic(struct wire_reader *r)
{
    while (r->start < r->end) {
        size_t left = r->end - r->start;
        size_t n = left < sizeof magic ? left : sizeof magic;
        const uint8_t *hit;

        if (memcmp(r->buf + r->start, magic, n) == 0)
            return;
        hit = memchr(r->buf + r->start + 1, magic[0], left - 1);
        left = hit ? (size_t)(hit - r->buf) - r->start : left;
        r->start += left;
        r->dropped += left;
    }
}

bool
wire_next(struct wire_reader *r, struct wire_frame *ret)
{
    for (;;) {
        const uint8_t *at;
        size_t len;

        seek_magic(r);
        if (r->end - r->start < WIRE_HEADER)
            return false;
        at = r->buf + r->start;
        len = (size_t)load_le(at + 8, 4);
        if (len > WIRE_PAYLOAD_MAX || at[5] != 0 || at[6] != 0 || at[7] != 0) {
            wire_reader_skip(r);
            continue;
        }
        if (r->end - r->start < WIRE_HEADER + len)
            return false;
        if (load_le(at + 24, 4) != frame_check(at, len)) {
            wire_reader_skip(r);
            continue;
        }
        *ret = (struct wire_frame){
            .type = at[4],
            .call = load_le(at + 12, 8),
            .seq = (uint32_t)load_le(at + 20, 4),
            .payload = at + WIRE_HEADER,
            .len = len,
        };
        r->start += WIRE_HEADER + len;
        return true;
    }
}

bool
wire_reader_partial(const struct wire_reader *r)
{
    return r->end > r->start;
}

void
wire_reader_skip(struct wire_reader *r)
{
    if (r->start < r->end) {
        r->start++;
        r->dropped++;
    }
}

bool
wire_reader_resync(struct wire_reader *r)
{
    struct wire_reader ahead = *r;
    struct wire_frame f;

    while (wire_reader_partial(&ahead)) {
        wire_reader_skip(&ahead);
        if (wire_next(&ahead, &f)) {
            size_t start = ahead.start - WIRE_HEADER - f.len;

            r->dropped += start - r->start;
            r->start = start;
            return true;
        }
    }
    return false;
}
