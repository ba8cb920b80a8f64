#include "config.h"

#include "core/clean.h"
#include "core/hint_text.h"
#include <stdint.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    PATTERNS_MAX = 1024, /* a power of two, above the number of patterns */
    MATCH_LIMIT = 3000,  /* from one place in the text: a line is at most HINT_LINE_BYTES long */
    VALUE_CHARS = 160,
    NAME_BYTES = 64,
};

/* Patterns are literals: their address is their name. They live as long as the process. */
static struct {
    const char *pattern;
    pcre2_code *code;
} patterns[PATTERNS_MAX];
static pcre2_match_data *match_data;
static pcre2_match_context *match_context;

static pcre2_code *
compiled(const char *pattern)
{
    size_t slot = ((uintptr_t)pattern >> 3) * 2654435761u % PATTERNS_MAX;
    PCRE2_SIZE where;
    int error;

    for (size_t i = 0; i < PATTERNS_MAX; i++, slot = (slot + 1) % PATTERNS_MAX) {
        if (patterns[slot].pattern == pattern)
            return patterns[slot].code;
        if (patterns[slot].pattern)
            continue;
        patterns[slot].code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                            PCRE2_MULTILINE, &error, &where, NULL);
        patterns[slot].pattern = pattern;
        return patterns[slot].code;
    }
    return NULL;
}

static bool
ready(void)
{
    if (!match_data)
        match_data = pcre2_match_data_create(HINT_GROUPS, NULL);
    if (!match_context) {
        match_context = pcre2_match_context_create(NULL);
        if (match_context) {
            pcre2_set_match_limit(match_context, MATCH_LIMIT);
            pcre2_set_depth_limit(match_context, MATCH_LIMIT);
        }
    }
    return match_data && match_context;
}

bool
hint_text_match(struct arena *a, const char *text, const char *pattern,
                const char *ret_groups[HINT_GROUPS])
{
    pcre2_code *code = text[0] ? compiled(pattern) : NULL;
    PCRE2_SIZE *at;
    int n;

    if (!code || !ready())
        return false;
    n = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, match_data, match_context);
    if (n < 0)
        return false;
    n = n == 0 ? HINT_GROUPS : n;
    at = pcre2_get_ovector_pointer(match_data);
    for (size_t i = 0; i < HINT_GROUPS; i++) {
        bool has = i < (size_t)n && at[2 * i] != PCRE2_UNSET && at[2 * i + 1] > at[2 * i];

        ret_groups[i] = has ? arena_strndup(a, text + at[2 * i], at[2 * i + 1] - at[2 * i]) : "";
    }
    return true;
}

bool
hint_text_compiles(const char *pattern)
{
    return compiled(pattern) != NULL;
}

/* ---- what a program wrote, fit to be searched ---------------------------------------------- */

static void
add_line(struct buf *b, const char *raw, size_t len)
{
    const size_t part = (size_t)2 * HINT_LINE_BYTES;
    size_t from = b->len;

    /* The raw line is bounded first: escape sequences may fill megabytes. */
    if (len > 2 * part) {
        clean_line(b, raw, part, HINT_LINE_BYTES);
        raw += len - part;
        len = part;
    }
    clean_line(b, raw, len, HINT_LINE_BYTES);
    if (b->len - from > HINT_LINE_BYTES)
        clean_cut(b, from, HINT_LINE_BYTES);
    buf_addc(b, '\n');
}

static void
add_lines(struct buf *b, const char *raw, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = memchr(raw + at, '\n', len - at);
        size_t n = end ? (size_t)(end - raw) - at : len - at;

        add_line(b, raw + at, n);
        at += n + 1;
    }
}

/* Curly quotes become straight: tools choose between them by locale. */
static const char *
straight(struct buf *b)
{
    const char *text = buf_text(b);
    size_t n = 0;

    if (b->len == 0)
        return text;
    for (size_t i = 0; i < b->len; i++) {
        char c = b->data[i];

        if (c == '\xe2' && i + 2 < b->len && b->data[i + 1] == '\x80') {
            char last = b->data[i + 2];

            if (last == '\x98' || last == '\x99' || last == '\x9c' || last == '\x9d') {
                c = last <= '\x99' ? '\'' : '"';
                i += 2;
            }
        }
        b->data[n++] = c;
    }
    b->data[b->len = n] = '\0';
    return text;
}

/* The first and the last bytes of a text. */
static void
add_ends(struct buf *b, const char *raw, size_t len)
{
    if (len <= HINT_HEAD_BYTES + HINT_TAIL_BYTES) {
        add_lines(b, raw, len);
        return;
    }
    add_lines(b, raw, HINT_HEAD_BYTES);
    add_lines(b, raw + len - HINT_TAIL_BYTES, HINT_TAIL_BYTES);
}

const char *
hint_text_of(struct arena *a, const struct stream *s)
{
    size_t head = s->head_len < HINT_HEAD_BYTES ? s->head_len : HINT_HEAD_BYTES;
    size_t tail = s->tail_len < HINT_TAIL_BYTES ? s->tail_len : HINT_TAIL_BYTES;
    struct buf b;

    buf_init(&b, a, (size_t)8 * (HINT_HEAD_BYTES + HINT_TAIL_BYTES));
    if (s->tail_len == 0) {
        add_ends(&b, s->head, s->head_len);
    } else if (s->seen == s->head_len + s->tail_len && head + tail == s->seen) {
        char *whole = arena_alloc(a, head + tail + 1);

        memcpy(whole, s->head, head);
        memcpy(whole + head, s->tail, tail);
        add_lines(&b, whole, head + tail);
    } else {
        add_lines(&b, s->head, head);
        add_lines(&b, s->tail + s->tail_len - tail, tail);
    }
    return straight(&b);
}

const char *
hint_text_bytes(struct arena *a, const char *bytes, size_t len)
{
    struct buf b;

    buf_init(&b, a, (size_t)8 * (HINT_HEAD_BYTES + HINT_TAIL_BYTES));
    add_ends(&b, bytes, len);
    return buf_text(&b);
}

/* ---- words ----------------------------------------------------------------------------------- */

void
hint_add(struct buf *b, const char *text)
{
    buf_adds(b, clean_short(b->arena, text, strlen(text), VALUE_CHARS));
}

const char *
hint_shown(struct arena *a, const char *path)
{
    if (strncmp(path, "/work/", 6) == 0 && path[6])
        path += 6;
    return clean_short(a, path, strlen(path), VALUE_CHARS);
}

static char
small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

unsigned
hint_distance(const char *x, const char *y)
{
    size_t n = strnlen(x, NAME_BYTES), m = strnlen(y, NAME_BYTES);
    unsigned rows[3][NAME_BYTES + 1];

    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = above[j - 1] + (small(x[i - 1]) != small(y[j - 1]));

            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && small(x[i - 1]) == small(y[j - 2]) &&
                small(x[i - 2]) == small(y[j - 1]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}
