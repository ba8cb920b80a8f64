/* Whatever bytes come in, what cleaning gives is text: valid UTF-8, no control characters,
 * as many lines as before, clean when cleaned again. A stream shown within a budget keeps to it and
 * counts no more bytes left out than there were. */
#include "config.h"

#include "core/clean.h"
#include "core/render_stream.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHARS = 60, LINE_CHARS = 20, MARKERS = 400, BIG = 1 << 24 };

static void
check_text(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        int32_t point;

        at += clean_char(text + at, len - at, &point);
        if (point != '\n' && point != '\t' && (point < 0x20 || (point >= 0x7f && point < 0xa0)))
            __builtin_trap();
    }
}

static size_t
count_lines(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

static void
check_clean(struct arena *a, const char *raw, size_t len)
{
    struct buf once, twice;

    buf_init(&once, a, clean_bound(len));
    clean_text(&once, raw, len);
    check_text(buf_text(&once), once.len);
    if (once.full || count_lines(raw, len) != count_lines(buf_text(&once), once.len))
        __builtin_trap();
    if (!clean_is_clean(buf_text(&once), once.len))
        __builtin_trap();
    buf_init(&twice, a, clean_bound(once.len));
    clean_text(&twice, buf_text(&once), once.len);
    if (twice.len != once.len || memcmp(buf_text(&twice), buf_text(&once), once.len) != 0)
        __builtin_trap();
    if (clean_is_clean(raw, len) && !memchr(raw, '\r', len) &&
        (once.len != len || memcmp(buf_text(&once), raw, len) != 0))
        __builtin_trap();
    check_text(clean_short(a, raw, len, LINE_CHARS), strlen(clean_short(a, raw, len, LINE_CHARS)));
}

/* The bytes as a stream of which `gap` bytes were not captured. */
static void
check_stream(struct arena *a, const char *raw, size_t len, size_t head, uint64_t gap)
{
    struct stream s = {raw, raw + head, head, len - head, len + gap, gap % 2 ? "/log" : ""};

    for (int keep = KEEP_END; keep <= KEEP_BEGINNING; keep++) {
        struct buf b;
        uint64_t cut;

        buf_init(&b, a, BIG);
        cut = render_stream(&b, &s, (enum render_keep)keep, CHARS, LINE_CHARS);
        check_text(buf_text(&b), b.len);
        if (cut < gap || (s.seen > 0 && b.len == 0))
            __builtin_trap();
        if (clean_chars(buf_text(&b), b.len) > CHARS + MARKERS)
            __builtin_trap();
        if (b.len > 0 && b.data[b.len - 1] != '\n')
            __builtin_trap();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *raw = (const char *)data;
    struct arena *a = arena_new(4096);
    size_t head = size > 0 ? data[0] % (size + 1) : 0;

    check_clean(a, raw, size);
    check_stream(a, raw, size, size, 0);
    check_stream(a, raw, size, head, 0);
    check_stream(a, raw, size, head, 1001);
    check_stream(a, raw, size, 0, 1000);
    arena_free(a);
    return 0;
}
