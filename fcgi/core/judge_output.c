#include "config.h"

#include "base/buf.h"
#include "core/clean.h"
#include "core/differ.h"
#include "core/judge_match.h"
#include "core/judge_output.h"
#include "core/words.h"
#include <string.h>

struct judgement
match_fail(const char *kind, const char *line, const char *detail)
{
    return (struct judgement){VERDICT_FAIL, line, detail, kind};
}

const char *
match_shown(const struct match *m)
{
    return differ_first(m->a, m->expected, m->actual).shown;
}

const char *
match_line_range(struct arena *a, size_t from, size_t count)
{
    if (count == 1)
        return arena_printf(a, "line %zu", from + 1);
    return arena_printf(a, "lines %zu %s %zu", from + 1, count == 2 ? "and" : "to", from + count);
}

/* What was captured of a stream, in one piece, up to its first gap; whole: there is none. */
static struct span
captured(struct arena *a, const struct stream *s, bool *ret_whole)
{
    char *all;

    *ret_whole = s->seen <= s->head_len + s->tail_len;
    if (s->tail_len == 0 || !*ret_whole)
        return (struct span){s->head, s->head_len};
    if (s->head_len == 0)
        return (struct span){s->tail, s->tail_len};
    all = arena_alloc(a, s->head_len + s->tail_len);
    memcpy(all, s->head, s->head_len);
    memcpy(all + s->head_len, s->tail, s->tail_len);
    return (struct span){all, s->head_len + s->tail_len};
}

static struct span
cleaned(struct arena *a, struct span text)
{
    struct buf b;

    if (clean_is_clean(text.at, text.len))
        return text;
    buf_init(&b, a, clean_bound(text.len));
    b.cap = b.max + 1; /* at once: growing step by step would touch twice the memory */
    b.data = arena_alloc(a, b.cap);
    clean_text(&b, text.at, text.len);
    b.data[b.len] = '\0';
    return compare_trim(a, buf_text(&b), b.len);
}

/* ---- rungs: what is left of the difference ------------------------------------------------ */

static const struct rung {
    const char *kind;
    unsigned folds;
    const char *line;
} rungs[] = {
    {"case", FOLD_CASE, "FAIL: only upper and lower case letters differ."},
    {"style", FOLD_CASE | FOLD_NULLS,
     "FAIL: only the way values are written differs, such as None and null."},
    {"quotes", FOLD_QUOTES, "FAIL: only quotes differ."},
    {"space", FOLD_SPACES, "FAIL: only spaces, line breaks or empty lines differ."},
    {"space", FOLD_JOIN,
     "FAIL: the characters are the same, but spaces or line breaks are missing or too many."},
    {"marks", FOLD_MARKS,
     "FAIL: the values are the same, but the brackets, commas, quotes or line breaks differ."},
};

static bool
judge_form(const struct match *m, struct judgement *ret)
{
    struct span e = m->spaced_expected, t = m->spaced_actual;
    bool spacing = compare_same(e, t);
    struct number_pair pair;

    if (!spacing && !compare_numbers(e, t, NUMBER_RELATIVE, &pair))
        return false;
    ret->verdict = VERDICT_PASS;
    ret->kind = spacing ? "form" : "number";
    ret->line = spacing ? "PASS: the output is the expected output. Only spaces after commas or "
                          "inside brackets differ."
                        : "PASS: the output is the expected output. Only the format of numbers "
                          "differs.";
    ret->detail = match_shown(m);
    return true;
}

/* Writing values in another way makes a text so much shorter or longer at most. */
static bool
similar_size(const struct match *m)
{
    return m->actual.len / 3 <= m->expected.len && m->expected.len / 3 <= m->actual.len;
}

static bool
judge_rungs(const struct match *m, struct judgement *ret)
{
    for (size_t i = 0; i < COUNT_OF(rungs); i++) {
        const struct rung *r = &rungs[i];

        if (!m->same_letters && (!(r->folds & FOLD_NULLS) || !similar_size(m)))
            continue;
        if (compare_same(compare_fold(m->a, m->spaced_expected, r->folds),
                         compare_fold(m->a, m->spaced_actual, r->folds))) {
            *ret = match_fail(r->kind, r->line, match_shown(m));
            return true;
        }
    }
    return false;
}

static bool
judge_order(const struct match *m, struct judgement *ret)
{
    struct span e, t;

    if (!m->same_letters)
        return false;
    if (compare_same_pieces(m->spaced_expected, m->spaced_actual, '\n')) {
        *ret = match_fail("order", "FAIL: all lines are right, but they are in another order.",
                          match_shown(m));
        return true;
    }
    e = compare_fold(m->a, m->spaced_expected, FOLD_MARKS);
    t = compare_fold(m->a, m->spaced_actual, FOLD_MARKS);
    if (!compare_same_pieces(e, t, ' '))
        return false;
    *ret = match_fail("order", "FAIL: the values are the expected values, but in another order.",
                      match_shown(m));
    return true;
}

static bool
judge_rounded(const struct match *m, struct judgement *ret)
{
    struct span e = m->spaced_expected, t = m->spaced_actual;
    struct number_pair pair;
    const char *dot;
    size_t decimals;

    if (!compare_numbers(e, t, NUMBER_ROUNDED, &pair) || pair.expected.len == 0)
        return false;
    dot = memchr(pair.expected.at, '.', pair.expected.len);
    decimals = dot ? pair.expected.len - (size_t)(dot - pair.expected.at) - 1 : 0;
    *ret = match_fail(
        "round",
        arena_printf(m->a, "FAIL: only the number of decimals differs. Expected: %zu decimal%s.",
                     decimals, decimals == 1 ? "" : "s"),
        match_shown(m));
    return true;
}

/* ---- the other ends of the ladder ------------------------------------------------------- */

static bool
judge_empty(const struct match *m, struct judgement *ret)
{
    struct span err;
    bool whole;

    if (m->expected.len == 0 && m->actual.len > 0) {
        *ret =
            match_fail("lines", "FAIL: the expected output is empty, but the program printed text.",
                       match_shown(m));
        return true;
    }
    if (m->actual.len > 0)
        return false;
    err = captured(m->a, &m->seen->err, &whole);
    if (whole && compare_same(compare_trim(m->a, err.at, err.len), m->expected)) {
        *ret = match_fail("stderr", "FAIL: the program printed the expected output on stderr.",
                          "Only stdout is compared. Print it on stdout.");
        return true;
    }
    *ret = match_fail("empty", "FAIL: the program printed nothing on stdout.", match_shown(m));
    return true;
}

static const char *
lines_words(const struct match *m, const struct difference *d)
{
    size_t missing = d->expected_lines - d->line;

    if (m->whole && d->kind == DIFFER_MISSING)
        return arena_printf(m->a, "FAIL: the output ends too early: %s %s missing.",
                            match_line_range(m->a, d->line, missing), missing == 1 ? "is" : "are");
    if (m->whole && d->expected_lines == 1 && d->actual_lines == 1)
        return "FAIL: the output differs from the expected output.";
    if (!m->whole || d->expected_lines == d->actual_lines)
        return arena_printf(m->a, "FAIL: line %zu is the first line that differs.", d->line + 1);
    return arena_printf(m->a,
                        "FAIL: line %zu is the first line that differs. Lines: %s expected, %s "
                        "printed.",
                        d->line + 1, words_number(m->a, d->expected_lines),
                        words_number(m->a, d->actual_lines));
}

static struct judgement
judge_lines(const struct match *m)
{
    struct difference d = differ_first(m->a, m->expected, m->actual);

    return match_fail(d.kind == DIFFER_MISSING ? "missing" : "lines", lines_words(m, &d), d.shown);
}

/* More was printed than is there to compare. */
static struct judgement
judge_part(const struct match *m)
{
    const struct stream *out = &m->seen->out;
    const char *size = arena_printf(m->a, "The output has %s. The first %s were compared.",
                                    words_count(m->a, out->seen, "byte", "bytes"),
                                    words_number(m->a, out->head_len));
    struct judgement j;

    if (m->actual.len <= m->expected.len &&
        memcmp(m->actual.at, m->expected.at, m->actual.len) == 0)
        return match_fail("long", "FAIL: the output is too long to be compared to its end.",
                          arena_printf(m->a, "%s Up to there it is the expected output.", size));
    j = judge_lines(m);
    j.kind = "long";
    j.detail = arena_printf(m->a, "%s\n%s", j.detail, size);
    return j;
}

/* The output without its last line, which is not whole. */
static struct span
whole_lines(struct span text)
{
    const char *end = memrchr(text.at, '\n', text.len);

    return end ? (struct span){text.at, (size_t)(end - text.at)} : text;
}

bool
judge_output_exact(struct arena *a, const struct plan *p, const struct step_seen *seen)
{
    bool whole;
    struct span out = captured(a, &seen->out, &whole);

    return whole && compare_same(compare_trim(a, p->expected, p->expected_len),
                                 compare_trim(a, out.at, out.len));
}

static struct span
text_span(const char *at, size_t len)
{
    return (struct span){at ? at : "", at ? len : 0};
}

struct judgement
judge_output(struct arena *a, const struct plan *p, const struct plan_step *step,
             const struct step_seen *seen)
{
    static bool (*const ladder[])(const struct match *, struct judgement *) = {
        judge_empty,       judge_form,  judge_rungs,      judge_order,   match_prompts,
        match_extra_lines, match_label, match_text_after, judge_rounded, match_echo,
    };
    struct match m = {.a = a, .seen = seen};
    struct prompts prompts;
    struct judgement j = {.verdict = VERDICT_PASS, .detail = "", .kind = "exact"};
    struct span out;

    out = captured(a, &seen->out, &m.whole);
    if (!m.whole)
        out = whole_lines(out);
    m.expected = compare_trim(a, p->expected, p->expected_len);
    m.actual = compare_trim(a, out.at, out.len);
    if (m.whole && compare_same(m.expected, m.actual)) {
        j.line = m.expected.len > 0
                     ? "PASS: the output is exactly the expected output."
                     : "PASS: the output is exactly the expected output. Both are empty.";
        return j;
    }
    m.expected = cleaned(a, m.expected);
    m.actual = cleaned(a, m.actual);
    if (!m.whole)
        return judge_part(&m);
    if (compare_same(m.expected, m.actual))
        return match_fail(
            "control",
            "FAIL: only control characters differ. They cannot be seen (colour codes, for "
            "example).",
            "Without them it is exactly the expected output.");
    m.spaced_expected = compare_fold(a, m.expected, FOLD_SPACING);
    m.spaced_actual = compare_fold(a, m.actual, FOLD_SPACING);
    m.same_letters = compare_same_letters(m.expected, m.actual);
    prompts = prompts_find(a, m.actual, m.expected, text_span(p->code, p->code_len),
                           text_span(step->input, step->input_len));
    m.prompts = &prompts;
    for (size_t i = 0; i < COUNT_OF(ladder); i++)
        if (ladder[i](&m, &j))
            return j;
    return judge_lines(&m);
}
