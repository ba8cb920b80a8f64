#include "config.h"

#include "core/compare.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MARKS[] = ",;[](){}\"'";

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool
is_space(char c)
{
    return c == '\n' || is_blank(c);
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool
is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* The length of the line that begins at `at`, without the white space at its end; *ret_next is
 * where the next line begins. */
static size_t
trimmed_line(struct span text, size_t at, size_t *ret_next)
{
    const char *end = memchr(text.at + at, '\n', text.len - at);
    size_t stop = end ? (size_t)(end - text.at) : text.len;

    *ret_next = stop + (end ? 1 : 0);
    while (stop > at && is_blank(text.at[stop - 1]))
        stop--;
    return stop - at;
}

struct span
compare_trim(struct arena *a, const char *bytes, size_t len)
{
    struct span text = {bytes, len};
    size_t used = 0, kept = 0, next; /* kept: the end of the last line that is not empty */
    char *out = NULL;

    for (size_t at = 0; at < len; at = next) {
        size_t n = trimmed_line(text, at, &next);

        if (!out && n + 1 < next - at) { /* the first line that must be cut: copy from here on */
            out = arena_alloc(a, len + 1);
            memcpy(out, bytes, at);
        }
        if (out) {
            memcpy(out + used, bytes + at, n);
            out[used + n] = '\n';
        }
        used += n;
        kept = n > 0 ? used : kept;
        used++;
    }
    return (struct span){out ? out : bytes, kept};
}

/* ---- folds ---------------------------------------------------------------------------- */

/* A fold in progress. */
struct folding {
    struct span in;
    unsigned folds;
    bool gap[256]; /* the characters a gap is made of */
    char *out;
    size_t used;
};

/* The white space (or marks) at `at` as far as it goes. */
static size_t
gap_length(const struct folding *f, size_t at)
{
    size_t end = at;

    while (end < f->in.len && f->gap[(unsigned char)f->in.at[end]])
        end++;
    return end - at;
}

static bool
spacing_counts(const struct folding *f, size_t at, size_t end)
{
    if (at == 0 || f->in.at[at - 1] == '\n')
        return true;
    return !is_one_of(f->in.at[at - 1], ",[({") &&
           !(end < f->in.len && is_one_of(f->in.at[end], "])}"));
}

/* Folds a gap of white space; returns its length, 0 when there is none to fold. */
static size_t
fold_gap(struct folding *f, size_t at)
{
    size_t n = 0;

    if (f->folds & (FOLD_SPACES | FOLD_JOIN | FOLD_MARKS)) {
        n = gap_length(f, at);
        if (n > 0 && !(f->folds & FOLD_JOIN) && f->used > 0 && at + n < f->in.len)
            f->out[f->used++] = ' ';
    } else if (f->folds & FOLD_SPACING) {
        while (at + n < f->in.len && is_blank(f->in.at[at + n]))
            n++;
        if (n > 0 && spacing_counts(f, at, at + n))
            return 0;
    }
    return n;
}

static size_t
fold_null(struct folding *f, size_t at)
{
    static const char *const names[] = {"none", "nil", "undefined"};

    if (at > 0 && is_word(f->in.at[at - 1]))
        return 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t n = strlen(names[i]);

        if (f->in.len - at < n || strncasecmp(f->in.at + at, names[i], n) != 0 ||
            (at + n < f->in.len && is_word(f->in.at[at + n])))
            continue;
        memcpy(f->out + f->used, "null", 4); /* "nil" grows by one: the array has room for it */
        f->used += 4;
        return n;
    }
    return 0;
}

/* Marks the characters that a fold does something to; all others are copied in runs. */
static void
mark_touched(bool touched[256], bool gap[256], unsigned folds)
{
    memset(touched, 0, 256);
    for (const char *c = " \t\r\v\f\n"; *c; c++)
        touched[(unsigned char)*c] =
            (folds & (FOLD_SPACING | FOLD_SPACES | FOLD_JOIN | FOLD_MARKS)) != 0;
    for (const char *c = MARKS; *c; c++)
        touched[(unsigned char)*c] = (folds & FOLD_MARKS) != 0;
    memcpy(gap, touched, 256);
    for (const char *c = "\"'"; *c; c++)
        touched[(unsigned char)*c] |= (folds & FOLD_QUOTES) != 0;
    for (const char *c = "nNuU"; *c; c++)
        touched[(unsigned char)*c] = (folds & FOLD_NULLS) != 0;
    for (int c = 'A'; c <= 'Z'; c++)
        touched[c] |= (folds & FOLD_CASE) != 0;
}

struct span
compare_fold(struct arena *a, struct span text, unsigned folds)
{
    struct folding f = {.in = text, .folds = folds};
    bool touched[256];
    size_t at = 0;

    mark_touched(touched, f.gap, folds);
    while (at < text.len && !touched[(unsigned char)text.at[at]])
        at++;
    if (at == text.len)
        return text;
    f.out = arena_alloc(a, text.len + text.len / 3 + 8);
    memcpy(f.out, text.at, at);
    f.used = at;
    while (at < text.len) {
        char c = text.at[at];
        size_t n = 0;

        while (at + n < text.len && !touched[(unsigned char)text.at[at + n]])
            n++;
        if (n > 0) {
            memcpy(f.out + f.used, text.at + at, n);
            f.used += n;
        } else {
            n = is_word(c) ? 0 : fold_gap(&f, at);
            if (n == 0 && (folds & FOLD_NULLS))
                n = fold_null(&f, at);
        }
        at += n;
        if (n > 0)
            continue;
        at++;
        if ((folds & FOLD_QUOTES) && (c == '"' || c == '\''))
            continue;
        if (folds & FOLD_CASE && c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        f.out[f.used++] = c;
    }
    return (struct span){f.out, f.used};
}

bool
compare_same_letters(struct span x, struct span y)
{
    size_t counts[256] = {0};
    bool same = true;

    for (size_t i = 0; i < x.len; i++)
        counts[(unsigned char)x.at[i]]++;
    for (size_t i = 0; i < y.len; i++)
        counts[(unsigned char)y.at[i]]--;
    for (int c = 'A'; c <= 'Z'; c++) {
        counts[c - 'A' + 'a'] += counts[c];
        counts[c] = 0;
    }
    for (int c = 0; c < 256; c++)
        same = same && (counts[c] == 0 || is_space((char)c) || is_one_of((char)c, MARKS));
    return same;
}

bool
compare_same(struct span x, struct span y)
{
    return x.len == y.len && memcmp(x.at, y.at, x.len) == 0;
}

/* ---- pieces ------------------------------------------------------------------------------ */

/* FNV-1a, then the finalizer of MurmurHash3: sums of it tell bags of pieces apart. */
static uint64_t
piece_hash(const char *s, size_t len)
{
    uint64_t h = 0xcbf29ce484222325U;

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3U;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
    return h ^ (h >> 33);
}

struct bag {
    size_t count;
    uint64_t sum, mixed;
};

static struct bag
bag_of(struct span text, char separator)
{
    struct bag bag = {0};

    while (text.len > 0) {
        const char *end = memchr(text.at, separator, text.len);
        size_t n = end ? (size_t)(end - text.at) : text.len;
        uint64_t h = piece_hash(text.at, n);

        bag.count++;
        bag.sum += h;
        bag.mixed += h * h;
        n += end ? 1 : 0;
        text.at += n;
        text.len -= n;
    }
    return bag;
}

size_t
compare_pieces(struct span text, char separator)
{
    size_t count = text.len > 0;

    for (size_t i = 0; i < text.len; i++)
        count += text.at[i] == separator;
    return count;
}

bool
compare_same_pieces(struct span x, struct span y, char separator)
{
    struct bag bx, by;

    if (x.len != y.len)
        return false;
    bx = bag_of(x, separator);
    by = bag_of(y, separator);
    return bx.count == by.count && bx.sum == by.sum && bx.mixed == by.mixed;
}

/* ---- numbers ----------------------------------------------------------------------------- */

struct number {
    struct span text;
    double value;
    bool integer;
    int decimals;
};

static size_t
digits(struct span t, size_t at)
{
    size_t from = at;

    while (at < t.len && is_digit(t.at[at]))
        at++;
    return at - from;
}

/* A decimal number at `at` that is no part of a word. */
static bool
read_number(struct span t, size_t at, struct number *ret)
{
    char copy[64];
    size_t end = at, whole, n;

    if (at > 0 && (is_word(t.at[at - 1]) || t.at[at - 1] == '.'))
        return false;
    if (end < t.len && (t.at[end] == '-' || t.at[end] == '+'))
        end++;
    whole = digits(t, end);
    end += whole;
    *ret = (struct number){.integer = true};
    n = end < t.len && t.at[end] == '.' ? digits(t, end + 1) : 0;
    /* "5." is a number in "[5. 6.]", and the end of a sentence at the end of a line. */
    if (n > 0 || (whole > 0 && end + 1 < t.len && t.at[end] == '.' && t.at[end + 1] != '\n')) {
        *ret = (struct number){.decimals = n < 30 ? (int)n : 30};
        end += 1 + n;
    } else if (whole == 0) {
        return false;
    }
    if (end + 1 < t.len && (t.at[end] == 'e' || t.at[end] == 'E')) {
        size_t sign = t.at[end + 1] == '-' || t.at[end + 1] == '+';

        n = digits(t, end + 1 + sign);
        if (n > 0) {
            ret->integer = false;
            end += 1 + sign + n;
        }
    }
    if ((end < t.len && is_word(t.at[end])) || end - at >= sizeof copy)
        return false;
    memcpy(copy, t.at + at, end - at);
    copy[end - at] = '\0';
    ret->value = strtod(copy, NULL);
    ret->text = (struct span){t.at + at, end - at};
    return true;
}

static bool
numbers_equal(const struct number *x, const struct number *y, enum number_rule rule)
{
    double gap = x->value > y->value ? x->value - y->value : y->value - x->value;
    double size_x = x->value < 0 ? -x->value : x->value;
    double size_y = y->value < 0 ? -y->value : y->value;
    double step = 0.5 * (1 + 1e-9);

    if (!isfinite(x->value) || !isfinite(y->value))
        return false;
    if (rule == NUMBER_ROUNDED && x->decimals > 0 && y->decimals > x->decimals) {
        for (int i = 0; i < x->decimals; i++)
            step /= 10;
        return gap <= step;
    }
    if (x->integer && y->integer)
        return false; /* written differently, they are different: 9 digits are not all of them */
    return gap <= 1e-9 * (size_x > size_y ? size_x : size_y);
}

bool
compare_numbers(struct span e, struct span t, enum number_rule rule, struct number_pair *ret)
{
    size_t i = 0, j = 0;

    *ret = (struct number_pair){0};
    while (i < e.len && j < t.len) {
        struct number x, y;

        if (!read_number(e, i, &x) || !read_number(t, j, &y)) {
            if (e.at[i++] != t.at[j++])
                return false;
            continue;
        }
        i += x.text.len;
        j += y.text.len;
        if (compare_same(x.text, y.text))
            continue;
        if (!numbers_equal(&x, &y, rule))
            return false;
        if (ret->expected.len == 0)
            *ret = (struct number_pair){x.text, y.text};
    }
    return i == e.len && j == t.len;
}

/* ---- lines ------------------------------------------------------------------------------- */

struct span
compare_line(struct span text, size_t index)
{
    const char *at = text.at, *end = text.at + text.len, *stop;

    for (; index > 0 && at; index--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || text.len == 0)
        return (struct span){0};
    stop = memchr(at, '\n', (size_t)(end - at));
    return (struct span){at, (size_t)((stop ? stop : end) - at)};
}

bool
compare_find_lines(struct arena *a, struct span text, struct span needle, size_t *ret_line)
{
    char *lines, *wanted;
    const char *hit;

    if (needle.len == 0 || !memmem(text.at, text.len, needle.at, needle.len))
        return false;
    lines = arena_alloc(a, text.len + 2);
    wanted = arena_alloc(a, needle.len + 2);
    /* With a line end on both sides, one search (linear in glibc and musl) is enough. */
    lines[0] = wanted[0] = lines[text.len + 1] = wanted[needle.len + 1] = '\n';
    memcpy(lines + 1, text.at, text.len);
    memcpy(wanted + 1, needle.at, needle.len);
    hit = memmem(lines, text.len + 2, wanted, needle.len + 2);
    if (!hit)
        return false;
    *ret_line = 0;
    for (const char *at = lines + 1; at <= hit; at++)
        *ret_line += *at == '\n';
    return true;
}
