#include "config.h"

#include "core/clean.h"
#include "core/words.h"
#include <stdio.h>
#include <string.h>

enum {
    ESC = 0x1b,
    BEL = 0x07,
    REPLACEMENT_BYTES = 3,
    BINARY_MIN_BYTES = 32, /* fewer bytes are shown as text whatever they are */
    BINARY_ODD_PERCENT = 25,
};

static const char replacement[] = "\xef\xbf\xbd";

size_t
clean_bound(size_t len)
{
    return len * REPLACEMENT_BYTES;
}

size_t
clean_char(const char *s, size_t left, int32_t *ret_point)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned low = 0x80, high = 0xbf;
    size_t need, got = 1;
    int32_t point;

    *ret_point = -1;
    if (u[0] < 0x80) {
        *ret_point = u[0];
        return 1;
    }
    if (u[0] < 0xc2 || u[0] > 0xf4)
        return 1;
    need = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    point = u[0] & (0x7f >> need);
    /* The second byte's range keeps out over-long forms, surrogates and > U+10FFFF
     * (Unicode 15, table 3-7). */
    if (u[0] == 0xe0)
        low = 0xa0;
    else if (u[0] == 0xed)
        high = 0x9f;
    else if (u[0] == 0xf0)
        low = 0x90;
    else if (u[0] == 0xf4)
        high = 0x8f;
    while (got < need && got < left && u[got] >= low && u[got] <= high) {
        point = (int32_t)((uint32_t)point << 6 | (u[got++] & 0x3fU));
        low = 0x80;
        high = 0xbf;
    }
    if (got == need)
        *ret_point = point;
    return got;
}

static bool
is_plain(unsigned char c)
{
    return (c >= 0x20 && c < 0x7f) || c == '\t';
}

static size_t
plain_run(const char *s, size_t left)
{
    size_t n = 0;

    while (n < left && is_plain((unsigned char)s[n]))
        n++;
    return n;
}

/* ---- escape sequences --------------------------------------------------------------- */

static size_t
skip_range(const char *s, size_t at, size_t left, unsigned char low, unsigned char high)
{
    while (at < left && (unsigned char)s[at] >= low && (unsigned char)s[at] <= high)
        at++;
    return at;
}

/* A string sequence (OSC, DCS, SOS, PM, APC) ends with BEL or ESC \. One that meets the end
 * or another ESC first is taken for a stray introducer, and its text stays. */
static size_t
skip_string(const char *s, size_t left)
{
    size_t at = 2;

    while (at < left && s[at] != BEL && s[at] != ESC)
        at++;
    if (at < left && s[at] == BEL)
        return at + 1;
    if (at + 1 < left && s[at + 1] == '\\')
        return at + 2;
    return 2;
}

enum erase { ERASE_NOTHING, ERASE_LINE, ERASE_RETURN };

/* Bytes of the escape sequence at s (s[0] is ESC), and what it does to the line. */
static size_t
skip_escape(const char *s, size_t left, enum erase *ret_erase)
{
    size_t at, params;

    *ret_erase = ERASE_NOTHING;
    if (left < 2)
        return 1;
    switch (s[1]) {
    case '[':
        params = skip_range(s, 2, left, 0x30, 0x3f);
        at = skip_range(s, params, left, 0x20, 0x2f);
        if (at == left || (unsigned char)s[at] < 0x40 || (unsigned char)s[at] > 0x7e)
            return at;
        if (s[at] == 'K' && params == 3 && s[2] == '2')
            *ret_erase = ERASE_LINE;
        else if (s[at] == 'G' && (params == 2 || (params == 3 && s[2] <= '1')))
            *ret_erase = ERASE_RETURN;
        return at + 1;
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
        return skip_string(s, left);
    default:
        at = skip_range(s, 1, left, 0x20, 0x2f);
        return at < left && (unsigned char)s[at] >= 0x30 && (unsigned char)s[at] <= 0x7e ? at + 1
                                                                                         : at;
    }
}

/* ---- lines ---------------------------------------------------------------------------- */

/* A line being drawn in b from `start` on. */
struct drawing {
    struct buf *b;
    size_t start;
    bool returned; /* the cursor went to the line's start: the next character replaces it all */
};

static void
truncate_to(struct buf *b, size_t len)
{
    if (b->data && len < b->len) {
        b->len = len;
        b->data[len] = '\0';
    }
}

static void
draw(struct drawing *d, const char *bytes, size_t len)
{
    if (d->returned)
        truncate_to(d->b, d->start);
    d->returned = false;
    buf_add(d->b, bytes, len);
}

/* Overstriking, as man pages do: in "N\bN" and "_\bN" the second character counts. */
static void
back_one(struct drawing *d, const char *next, size_t left)
{
    size_t len = d->b->len, n;
    int32_t point;

    if (len == d->start || left == 0)
        return;
    do
        len--;
    while (len > d->start && ((unsigned char)d->b->data[len] & 0xc0) == 0x80);
    n = clean_char(next, left, &point);
    if (d->b->data[len] == '_' || (n == d->b->len - len && !memcmp(d->b->data + len, next, n)))
        truncate_to(d->b, len);
}

/* Draws U+FFFD for the bytes from s on that are no characters; returns how many they are. */
static size_t
draw_bad(struct drawing *d, const char *s, size_t left)
{
    char text[64 * REPLACEMENT_BYTES];
    size_t at = 0, used = 0;

    while (at < left && used < sizeof text) {
        int32_t point;
        size_t n = clean_char(s + at, left - at, &point);

        if (point >= 0)
            break;
        memcpy(text + used, replacement, REPLACEMENT_BYTES);
        used += REPLACEMENT_BYTES;
        at += n;
    }
    draw(d, text, used);
    return at;
}

/* Handles what is no plain ASCII; returns how many bytes it took. A carriage return inside of a
 * message ("4\r: syntax error") is shown: nothing is drawn anew there. */
static size_t
draw_special(struct drawing *d, const char *s, size_t left)
{
    int32_t point;
    size_t n;

    if (*s == ESC) {
        enum erase erase;

        n = skip_escape(s, left, &erase);
        if (erase == ERASE_LINE)
            truncate_to(d->b, d->start);
        if (erase == ERASE_RETURN)
            d->returned = true;
        return n;
    }
    n = clean_char(s, left, &point);
    if (point == '\r' && d->b->len > d->start && left > 1 && s[1] && strchr("\"':;,)", s[1]))
        draw(d, "\\r", 2);
    else if (point == '\r')
        d->returned = true;
    else if (point == '\b')
        back_one(d, s + n, left - n);
    else if (point < 0)
        return draw_bad(d, s, left);
    else if (point >= 0xa0)
        draw(d, s, n);
    return n;
}

static void
draw_line(struct buf *b, const char *raw, size_t len)
{
    struct drawing d = {.b = b, .start = b->len};

    for (size_t at = 0; at < len;) {
        size_t n = plain_run(raw + at, len - at);

        if (n > 0)
            draw(&d, raw + at, n);
        else
            n = draw_special(&d, raw + at, len - at);
        at += n;
    }
}

size_t
clean_chars(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

size_t
clean_prefix(const char *text, size_t len, size_t n)
{
    size_t at = 0;

    while (at < len) {
        if (((unsigned char)text[at] & 0xc0) != 0x80 && n-- == 0)
            break;
        at++;
    }
    return at;
}

size_t
clean_cut(struct buf *b, size_t from, size_t max_chars)
{
    const char *text = buf_text(b) + from, *rest;
    size_t len = b->len - from, chars = len > max_chars ? clean_chars(text, len) : 0;
    size_t front, back;

    if (chars <= max_chars)
        return 0;
    front = clean_prefix(text, len, max_chars - max_chars / 2);
    back = clean_prefix(text, len, chars - max_chars / 2);
    rest = arena_strndup(b->arena, text + back, len - back);
    truncate_to(b, from + front);
    buf_printf(b, "[... %s left out ...]",
               words_count(b->arena, chars - max_chars, "character", "characters"));
    buf_adds(b, rest);
    return back - front;
}

size_t
clean_line(struct buf *b, const char *raw, size_t len, size_t line_chars)
{
    size_t from = b->len;

    draw_line(b, raw, len);
    return line_chars > 0 ? clean_cut(b, from, line_chars) : 0;
}

void
clean_text(struct buf *b, const char *raw, size_t len)
{
    while (len > 0) {
        const char *end = memchr(raw, '\n', len);
        size_t n = end ? (size_t)(end - raw) : len;

        draw_line(b, raw, n);
        if (end)
            buf_addc(b, '\n');
        n += end ? 1 : 0;
        raw += n;
        len -= n;
    }
}

const char *
clean_short(struct arena *a, const char *raw, size_t len, size_t max_chars)
{
    struct buf b;

    buf_init(&b, a, clean_bound(len) + 64);
    clean_text(&b, raw, len);
    while (b.len > 0 && (b.data[b.len - 1] == '\n' || b.data[b.len - 1] == ' '))
        truncate_to(&b, b.len - 1);
    for (size_t i = 0; i < b.len; i++)
        if (b.data[i] == '\n' || b.data[i] == '\t')
            b.data[i] = ' ';
    clean_cut(&b, 0, max_chars);
    return buf_text(&b);
}

bool
clean_is_clean(const char *raw, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t n = plain_run(raw + at, len - at);
        int32_t point;

        at += n;
        if (at == len)
            return true;
        n = clean_char(raw + at, len - at, &point);
        if (point == '\r' && at + 1 < len && raw[at + 1] == '\n')
            n = 2;
        else if (point != '\n' && point < 0xa0)
            return false;
        at += n;
    }
    return true;
}

/* ---- binary ------------------------------------------------------------------------------ */

void
clean_count(struct clean_census *c, const char *raw, size_t len)
{
    c->bytes += len;
    for (size_t at = 0; at < len;) {
        size_t n = plain_run(raw + at, len - at);
        int32_t point;

        at += n;
        if (at == len)
            return;
        n = clean_char(raw + at, len - at, &point);
        if (point < 0 || (point >= 0x7f && point < 0xa0))
            c->odd += n;
        else if (point < 0x20 && !(point >= '\b' && point <= '\r') && point != ESC && point != BEL)
            c->odd++;
        at += n;
    }
}

bool
clean_is_binary(const struct clean_census *c)
{
    return c->bytes >= BINARY_MIN_BYTES && c->odd * 100 > c->bytes * BINARY_ODD_PERCENT;
}

const char *
clean_hex(struct arena *a, const char *raw, size_t len, size_t max_bytes)
{
    struct buf b;

    buf_init(&b, a, max_bytes * 3 + 8);
    for (size_t i = 0; i < len && i < max_bytes; i++)
        buf_printf(&b, "%s%02x", i > 0 ? " " : "", (unsigned char)raw[i]);
    if (len > max_bytes)
        buf_adds(&b, " ...");
    return buf_text(&b);
}
