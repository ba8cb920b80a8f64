#include "config.h"

#include "base/buf.h"
#include "core/clean.h"
#include "core/differ.h"
#include "core/words.h"
#include <string.h>

enum {
    LINE_CHARS = 160, /* a longer line is shown around the difference only */
    BEFORE_CHARS = 50,
    AFTER_CHARS = 80,
    POSITION_CHARS = 24, /* from this length on it is said where in the line it differs */
    QUOTE_CHARS = 80,
};

static size_t
blanks(struct span t, size_t at)
{
    size_t n = 0;

    while (at + n < t.len && t.at[at + n] == ' ')
        n++;
    return n;
}

/* Appends text[from..to) of a line with tabs, blanks at its ends and runs of blanks, and
 * characters that take no room, written as words. */
static void
add_visible(struct buf *b, struct span t, size_t from, size_t to)
{
    for (size_t at = from; at < to;) {
        int32_t point;
        size_t n = clean_char(t.at + at, to - at, &point), run = blanks(t, at);

        if (run > to - at)
            run = to - at;
        if (run > 1) {
            buf_printf(b, "<%zu spaces>", run);
            n = run;
        } else if (run == 1 && at == 0) {
            buf_adds(b, "<space>");
        } else if (point == '\t') {
            buf_adds(b, "<tab>");
        } else if (point == 0xa0 || point == 0xad || (point >= 0x2000 && point <= 0x200f) ||
                   point == 0x2028 || point == 0x2029 || point == 0x202f || point == 0x3000 ||
                   point == 0xfeff) {
            buf_printf(b, "<U+%04X>", (unsigned)point);
        } else {
            buf_add(b, t.at + at, n);
        }
        at += n;
    }
}

const char *
differ_quote(struct arena *a, struct span text)
{
    size_t chars = clean_chars(text.at, text.len);
    struct buf b;

    buf_init(&b, a, text.len * 8 + 64);
    buf_addc(&b, '"');
    if (chars <= QUOTE_CHARS) {
        add_visible(&b, text, 0, text.len);
    } else {
        add_visible(&b, text, 0, clean_prefix(text.at, text.len, QUOTE_CHARS / 2));
        buf_adds(&b, " ... ");
        add_visible(&b, text, clean_prefix(text.at, text.len, chars - QUOTE_CHARS / 2), text.len);
    }
    buf_addc(&b, '"');
    return buf_text(&b);
}

/* Appends a line, or the part of it around byte `at`. */
static void
add_line(struct buf *b, struct span line, size_t at, bool visible)
{
    size_t chars = clean_chars(line.at, line.len), from = 0, to = line.len;

    if (line.len == 0) {
        buf_adds(b, line.at ? "(an empty line)" : "(nothing)");
        return;
    }
    if (chars > LINE_CHARS) {
        size_t before = clean_chars(line.at, at);

        if (before > BEFORE_CHARS)
            from = clean_prefix(line.at, line.len, before - BEFORE_CHARS);
        to = clean_prefix(line.at, line.len, before + AFTER_CHARS);
    }
    if (from > 0)
        buf_adds(b, "... ");
    if (visible)
        add_visible(b, line, from, to);
    else
        buf_add(b, line.at + from, to - from);
    if (to < line.len)
        buf_adds(b, " ...");
}

static bool
odd_at(struct span line, size_t at)
{
    int32_t point;

    if (at >= line.len)
        return false;
    clean_char(line.at + at, line.len - at, &point);
    return point == ' ' || point == '\t' || point >= 0xa0;
}

static const char *
side_by_side(struct arena *a, struct span e, struct span t, size_t at, size_t line, bool many)
{
    bool visible = odd_at(e, at) || odd_at(t, at) || memchr(e.at ? e.at : "", '\t', e.len) ||
                   memchr(t.at ? t.at : "", '\t', t.len);
    size_t longest = e.len > t.len ? e.len : t.len;
    struct buf b;

    buf_init(&b, a, (e.len + t.len) * 12 + 512);
    if (many)
        buf_printf(&b, "line %zu, ", line + 1);
    buf_adds(&b, "expected: ");
    add_line(&b, e, at, visible);
    buf_addc(&b, '\n');
    if (many)
        buf_printf(&b, "line %zu, ", line + 1);
    buf_adds(&b, "actual:   ");
    add_line(&b, t, at, visible);
    if (longest >= POSITION_CHARS && at > 0)
        buf_printf(&b, "\nThe difference begins at character %s of the line.",
                   words_number(a, clean_chars(e.at, at) + 1));
    return buf_text(&b);
}

/* The common start of two texts, in bytes, ending between characters. */
static size_t
common_prefix(struct span x, struct span y)
{
    size_t n = 0, max = x.len < y.len ? x.len : y.len;

    while (n < max && x.at[n] == y.at[n])
        n++;
    while (n > 0 && ((n < x.len && ((unsigned char)x.at[n] & 0xc0) == 0x80) ||
                     (n < y.len && ((unsigned char)y.at[n] & 0xc0) == 0x80)))
        n--;
    return n;
}

static struct span
line_from(struct span text, size_t start)
{
    const char *end = memchr(text.at + start, '\n', text.len - start);

    return (struct span){text.at + start, end ? (size_t)(end - text.at) - start : text.len - start};
}

struct difference
differ_first(struct arena *a, struct span e, struct span t)
{
    size_t n = common_prefix(e, t), start = n, line = 0;
    struct difference d = {.expected_lines = compare_pieces(e, '\n'),
                           .actual_lines = compare_pieces(t, '\n')};
    struct span want, got;

    while (start > 0 && e.at[start - 1] != '\n')
        start--;
    for (size_t i = 0; i < start; i++)
        line += e.at[i] == '\n';
    d.line = line;
    want = e.len > 0 ? line_from(e, start) : (struct span){0};
    got = t.len > 0 ? line_from(t, start) : (struct span){0};
    if (n == t.len && n > 0 && e.at[n] == '\n') {
        d.kind = DIFFER_MISSING;
        d.line++;
        want = line_from(e, n + 1);
        got = (struct span){0};
    } else if (n == e.len && n > 0 && t.at[n] == '\n') {
        d.kind = DIFFER_EXTRA;
        d.line++;
        want = (struct span){0};
        got = line_from(t, n + 1);
    }
    d.shown = side_by_side(a, want, got, want.at && got.at ? n - start : 0, d.line,
                           d.expected_lines > 1 || d.actual_lines > 1);
    return d;
}
