#include "config.h"

#include "core/clean.h"
#include "core/render_stream.h"
#include "core/words.h"
#include <string.h>

enum {
    HEX_BYTES = 32,
    TAIL_PART = 4, /* KEEP_BEGINNING keeps 1/4 of the budget for the end */
};

struct view {
    const char *at;
    size_t len;
};

/* A stream being shown: what was captured in front of and behind the gap (both may be
 * empty), and the budget. */
struct showing {
    struct buf *b;
    const struct stream *s;
    struct view front, back;
    uint64_t gap; /* bytes between them that were not captured */
    size_t line_chars;
    uint64_t cut; /* bytes left out inside of long lines */
};

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct view
without_last_blanks(struct view v)
{
    while (v.len > 0 && is_space(v.at[v.len - 1]))
        v.len--;
    return v;
}

static struct view
joined(struct arena *a, const struct stream *s)
{
    char *all;

    if (s->tail_len == 0)
        return (struct view){s->head, s->head_len};
    if (s->head_len == 0)
        return (struct view){s->tail, s->tail_len};
    all = arena_alloc(a, s->head_len + s->tail_len);
    memcpy(all, s->head, s->head_len);
    memcpy(all + s->head_len, s->tail, s->tail_len);
    return (struct view){all, s->head_len + s->tail_len};
}

/* Takes whole lines from the view's start while they fit; returns how many bytes. */
static size_t
take_front(struct showing *w, struct view v, size_t chars)
{
    size_t taken = 0, used = 0;

    while (taken < v.len) {
        const char *end = memchr(v.at + taken, '\n', v.len - taken);
        size_t len = end ? (size_t)(end - v.at) - taken : v.len - taken, before = w->b->len;
        size_t cut = clean_line(w->b, v.at + taken, len, w->line_chars), n;

        n = w->b->len > before ? clean_chars(w->b->data + before, w->b->len - before) + 1 : 1;
        if (used > 0 && used + n > chars) {
            w->b->len = before;
            break;
        }
        buf_addc(w->b, '\n');
        w->cut += cut;
        used += n;
        taken += len + (end ? 1 : 0);
    }
    return taken;
}

/* Where the last lines of the view begin that fit; at least one line does. */
static size_t
find_back(struct showing *w, struct view v, size_t chars)
{
    size_t start = v.len, used = 0;
    struct buf line;

    while (start > 0) {
        size_t stop = start == v.len ? start : start - 1, from = stop, n;

        while (from > 0 && v.at[from - 1] != '\n')
            from--;
        buf_init(&line, w->b->arena, clean_bound(stop - from) + 64);
        clean_line(&line, v.at + from, stop - from, w->line_chars);
        n = line.len > 0 ? clean_chars(line.data, line.len) + 1 : 1;
        if (used > 0 && used + n > chars)
            break;
        used += n;
        start = from;
    }
    return start;
}

static void
add_where(struct showing *w)
{
    if (w->s->log[0])
        buf_printf(w->b,
                   "; the whole output: %s; look at parts of it with head, tail or grep ...]\n",
                   w->s->log);
    else
        buf_adds(w->b, "; the whole output was not kept ...]\n");
}

static void
add_left_out(struct showing *w, uint64_t bytes, const char *which)
{
    buf_printf(w->b, "[... %s %s%s left out", words_number(w->b->arena, bytes), which,
               bytes == 1 ? "byte" : "bytes");
    add_where(w);
}

/* A capture that begins after a gap begins inside of a line: begin with the next one. */
static size_t
first_whole_line(struct view v)
{
    const char *end = memchr(v.at, '\n', v.len);
    size_t at = end ? (size_t)(end - v.at) + 1 : v.len;

    if (at < v.len)
        return at;
    for (at = 0; at < v.len && at < 3 && ((unsigned char)v.at[at] & 0xc0) == 0x80;)
        at++;
    return at;
}

static uint64_t
show_end(struct showing *w, size_t chars)
{
    struct view v = w->gap > 0 && w->back.len > 0 ? w->back : w->front;
    bool after_gap = w->gap > 0 && w->back.len > 0;
    uint64_t before = after_gap ? w->front.len + w->gap : 0, after = after_gap ? 0 : w->gap;
    size_t start = after_gap ? first_whole_line(v) : 0;

    v.at += start;
    v.len -= start;
    before += start;
    v = without_last_blanks(v);
    start = find_back(w, v, chars);
    before += start;
    if (before > 0)
        add_left_out(w, before, "earlier ");
    take_front(w, (struct view){v.at + start, v.len - start}, SIZE_MAX);
    if (after > 0)
        add_left_out(w, after, "later ");
    return before + after;
}

static uint64_t
show_beginning(struct showing *w, size_t chars)
{
    struct view front = w->front, back = w->back;
    size_t taken, start;
    uint64_t left_out;

    if (w->gap == 0) {
        front = without_last_blanks(front);
        if (find_back(w, front, chars) == 0) {
            take_front(w, front, SIZE_MAX);
            return 0;
        }
    }
    taken = take_front(w, front, chars - chars / TAIL_PART);
    if (w->gap == 0) {
        back = (struct view){front.at + taken, front.len - taken};
        left_out = 0;
        start = 0;
    } else {
        left_out = front.len - taken + w->gap;
        start = back.len > 0 ? first_whole_line(back) : 0;
    }
    back = without_last_blanks(back);
    if (start < back.len)
        start += find_back(w, (struct view){back.at + start, back.len - start}, chars / TAIL_PART);
    left_out += start;
    if (left_out > 0)
        add_left_out(w, left_out, "");
    if (start < back.len)
        take_front(w, (struct view){back.at + start, back.len - start}, SIZE_MAX);
    return left_out;
}

static void
show_binary(struct showing *w, const char *what)
{
    struct view v = w->front.len > 0 ? w->front : w->back;

    buf_printf(w->b, "(%s: %s. First bytes in hex: %s", what,
               words_count(w->b->arena, w->s->seen, "byte", "bytes"),
               clean_hex(w->b->arena, v.at, v.len, HEX_BYTES));
    if (w->s->log[0])
        buf_printf(w->b, "; the whole output: %s", w->s->log);
    buf_adds(w->b, ")\n");
}

static bool
is_binary(const struct stream *s)
{
    struct clean_census c = {0};

    clean_count(&c, s->head, s->head_len);
    clean_count(&c, s->tail, s->tail_len);
    return clean_is_binary(&c);
}

/* Text that shows nothing is said to be that. */
static uint64_t
say_invisible(struct showing *w, size_t from, uint64_t left_out)
{
    bool spaces = true;

    for (size_t i = from; i < w->b->len; i++)
        if (!is_space(w->b->data[i]))
            return left_out;
    for (size_t i = 0; i < w->s->head_len; i++)
        spaces = spaces && is_space(w->s->head[i]);
    for (size_t i = 0; i < w->s->tail_len; i++)
        spaces = spaces && is_space(w->s->tail[i]);
    w->b->len = from;
    if (spaces)
        buf_printf(w->b, "(only spaces or empty lines: %s)\n",
                   words_count(w->b->arena, w->s->seen, "byte", "bytes"));
    else
        show_binary(w, "nothing readable");
    return 0;
}

uint64_t
render_stream(struct buf *b, const struct stream *s, enum render_keep keep, size_t chars,
              size_t line_chars)
{
    struct showing w = {.b = b, .s = s};
    size_t from = b->len;
    uint64_t left_out;

    if (s->seen == 0)
        return 0;
    w.line_chars = line_chars < chars ? line_chars : chars;
    w.gap = s->seen > s->head_len + s->tail_len ? s->seen - s->head_len - s->tail_len : 0;
    if (w.gap > 0) {
        w.front = (struct view){s->head, s->head_len};
        w.back = (struct view){s->tail, s->tail_len};
    } else {
        w.front = joined(b->arena, s);
    }
    if (is_binary(s)) {
        show_binary(&w, "binary output");
        return s->seen;
    }
    left_out = keep == KEEP_END ? show_end(&w, chars) : show_beginning(&w, chars);
    if (w.cut > 0 && left_out == 0 && s->log[0])
        buf_printf(
            b,
            "[... a long line is cut; the whole output: %s; look at parts of it with cut -c or "
            "grep -o ...]\n",
            s->log);
    return say_invisible(&w, from, left_out + w.cut);
}
