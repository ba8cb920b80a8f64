#include "config.h"

#include "base/buf.h"
#include "core/clean.h"
#include "core/compare.h"
#include "core/differ.h"
#include "core/judge_output.h"
#include "core/prompts.h"
#include "core/words.h"
#include <string.h>

/* What the rungs of the comparison look at. */
struct match {
    struct arena *a;
    const struct plan *plan;
    const struct plan_step *step;
    const struct step_seen *seen;
    struct span expected, actual; /* trimmed; cleaned unless both are the same already */
    bool whole;                   /* actual is all that was printed */
};

static struct judgement
fail(const char *kind, const char *line, const char *detail)
{
    return (struct judgement){VERDICT_FAIL, line, detail, kind};
}

/* The first difference as the detail of a verdict. */
static const char *
shown(const struct match *m)
{
    return differ_first(m->a, m->expected, m->actual).shown;
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
    clean_text(&b, text.at, text.len);
    return compare_trim(a, buf_text(&b), b.len);
}

/* ---- rungs: what is left of the difference ------------------------------------------------ */

static const struct rung {
    const char *kind;
    unsigned folds;
    const char *line;
} rungs[] = {
    {"case", FOLD_SPACING | FOLD_CASE, "FAIL: only upper and lower case letters differ."},
    {"style", FOLD_SPACING | FOLD_CASE | FOLD_NULLS,
     "FAIL: only the way a value is written differs."},
    {"quotes", FOLD_SPACING | FOLD_QUOTES, "FAIL: only quotes differ."},
    {"space", FOLD_SPACES, "FAIL: only spaces, line breaks or empty lines differ."},
    {"space", FOLD_JOIN,
     "FAIL: the characters are the same, but spaces or line breaks are missing or too many."},
    {"marks", FOLD_MARKS,
     "FAIL: the values are the same, but the brackets, commas, quotes or line breaks differ."},
};

static bool
judge_form(const struct match *m, struct judgement *ret)
{
    struct span e = compare_fold(m->a, m->expected, FOLD_SPACING);
    struct span t = compare_fold(m->a, m->actual, FOLD_SPACING);
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
    ret->detail = shown(m);
    return true;
}

static bool
judge_rungs(const struct match *m, struct judgement *ret)
{
    for (size_t i = 0; i < COUNT_OF(rungs); i++) {
        const struct rung *r = &rungs[i];

        if (compare_same(compare_fold(m->a, m->expected, r->folds),
                         compare_fold(m->a, m->actual, r->folds))) {
            *ret = fail(r->kind, r->line, shown(m));
            return true;
        }
    }
    return false;
}

static bool
judge_order(const struct match *m, struct judgement *ret)
{
    struct span e = compare_fold(m->a, m->expected, FOLD_SPACING);
    struct span t = compare_fold(m->a, m->actual, FOLD_SPACING);

    if (compare_same_pieces(e, t, '\n')) {
        *ret = fail("order", "FAIL: all lines are right, but they are in another order.", shown(m));
        return true;
    }
    e = compare_fold(m->a, m->expected, FOLD_MARKS);
    t = compare_fold(m->a, m->actual, FOLD_MARKS);
    if (!compare_same_pieces(e, t, ' '))
        return false;
    *ret =
        fail("order", "FAIL: the values are the expected values, but in another order.", shown(m));
    return true;
}

static bool
judge_rounded(const struct match *m, struct judgement *ret)
{
    struct span e = compare_fold(m->a, m->expected, FOLD_SPACING);
    struct span t = compare_fold(m->a, m->actual, FOLD_SPACING);
    struct number_pair pair;
    const char *dot;
    size_t decimals;

    if (!compare_numbers(e, t, NUMBER_ROUNDED, &pair) || pair.expected.len == 0)
        return false;
    dot = memchr(pair.expected.at, '.', pair.expected.len);
    decimals = dot ? pair.expected.len - (size_t)(dot - pair.expected.at) - 1 : 0;
    *ret = fail("round",
                arena_printf(m->a,
                             "FAIL: only the number of decimals differs. Expected: %zu decimal%s.",
                             decimals, decimals == 1 ? "" : "s"),
                shown(m));
    return true;
}

/* ---- rungs: the expected output is there, and something else ----------------------------- */

static struct span
text_span(const char *at, size_t len)
{
    return (struct span){at ? at : "", at ? len : 0};
}

static bool
judge_prompts(const struct match *m, struct judgement *ret)
{
    struct prompts found =
        prompts_find(m->a, m->actual, m->expected, text_span(m->plan->code, m->plan->code_len),
                     text_span(m->step->input, m->step->input_len));
    struct span without = found.without;
    struct number_pair pair;
    const char *rest;

    if (found.count == 0)
        return false;
    if (compare_same(m->expected, without) ||
        compare_numbers(compare_fold(m->a, m->expected, FOLD_SPACING),
                        compare_fold(m->a, without, FOLD_SPACING), NUMBER_RELATIVE, &pair))
        rest = "Without the prompts the output is the expected output.";
    else if (without.len == 0)
        rest = "Without the prompts the output is empty.";
    else
        rest = arena_printf(m->a, "Without the prompts the output still differs:\n%s",
                            differ_first(m->a, m->expected, without).shown);
    *ret = fail("prompt",
                arena_printf(m->a,
                             "FAIL: the program prints %s. Nobody types here: the input "
                             "comes on stdin.",
                             found.count == 1 ? "a prompt" : "prompts"),
                arena_printf(m->a, "%s: %s. Remove every prompt from the code.\n%s",
                             found.count == 1 ? "The prompt" : "The first prompt",
                             differ_quote(m->a, found.first), rest));
    return true;
}

/* "1", "1 and 2", "1 to 5" */
static const char *
line_range(struct arena *a, size_t from, size_t count)
{
    if (count == 1)
        return arena_printf(a, "line %zu", from + 1);
    return arena_printf(a, "lines %zu %s %zu", from + 1, count == 2 ? "and" : "to", from + count);
}

/* Names up to three of the lines as extra. */
static void
add_extra(struct buf *b, struct arena *a, struct span text, size_t from, size_t count)
{
    for (size_t i = 0; i < count && i < 3; i++) {
        struct span line = compare_line(text, from + i);

        buf_printf(b, "\nline %zu, extra: %s", from + i + 1,
                   line.len > 0 ? differ_quote(a, line) : "(an empty line)");
    }
    if (count > 3)
        buf_printf(b, "\n%s %s extra too.", line_range(a, from + 3, count - 3),
                   count == 4 ? "is" : "are");
}

static bool
judge_extra_lines(const struct match *m, struct judgement *ret)
{
    size_t all = compare_pieces(m->actual, '\n'), wanted = compare_pieces(m->expected, '\n'), at;
    struct buf b;

    if (!compare_find_lines(m->a, m->actual, m->expected, &at))
        return false;
    buf_init(&b, m->a, 8192);
    buf_printf(&b, "The expected output is %s of the output.", line_range(m->a, at, wanted));
    add_extra(&b, m->a, m->actual, 0, at);
    add_extra(&b, m->a, m->actual, at + wanted, all - at - wanted);
    *ret = fail("extra",
                arena_printf(m->a,
                             "FAIL: the expected output is there, but the program also "
                             "prints %s.",
                             words_count(m->a, all - wanted, "other line", "other lines")),
                buf_text(&b));
    return true;
}

/* Bytes before `tail` when line is other text, then tail; 0 when it is not. A digit before
 * the blank makes it more likely a longer answer than a label: "1 2 3" is no label of 3. */
static size_t
label_length(struct span line, struct span tail)
{
    size_t n = line.len - tail.len, last = n;

    if (line.len <= tail.len || tail.len == 0 || memcmp(line.at + n, tail.at, tail.len) != 0)
        return 0;
    while (last > 0 && line.at[last - 1] == ' ')
        last--;
    if (last == 0)
        return 0;
    if (memchr(":=>", line.at[last - 1], 3))
        return n;
    return last < n && ((line.at[last - 1] | 0x20) >= 'a' && (line.at[last - 1] | 0x20) <= 'z') ? n
                                                                                                : 0;
}

/* When the last lines of `more` are the lines of `less`, some with a label before them:
 * the index of the first line with a label, and the label. */
static bool
find_label(struct span more, struct span less, size_t *ret_line, struct span *ret_label)
{
    size_t skip = compare_pieces(more, '\n'), lines = compare_pieces(less, '\n'), labels = 0;

    if (lines == 0 || lines > skip)
        return false;
    skip -= lines;
    for (size_t i = 0; i < skip; i++) {
        size_t n = compare_line(more, 0).len + 1;

        more.at += n;
        more.len -= n;
    }
    for (size_t i = 0; i < lines; i++) {
        struct span x = compare_line(more, 0), y = compare_line(less, 0);
        size_t n = compare_same(x, y) ? 0 : label_length(x, y);

        if (n == 0 && !compare_same(x, y))
            return false;
        if (n > 0 && labels++ == 0) {
            *ret_line = skip + i;
            *ret_label = (struct span){x.at, n};
        }
        if (i + 1 < lines) {
            more = (struct span){more.at + x.len + 1, more.len - x.len - 1};
            less = (struct span){less.at + y.len + 1, less.len - y.len - 1};
        }
    }
    return labels > 0;
}

static bool
judge_label(const struct match *m, struct judgement *ret)
{
    size_t all = compare_pieces(m->actual, '\n'), wanted = compare_pieces(m->expected, '\n'), line;
    struct span label;
    struct buf b;

    if (find_label(m->actual, m->expected, &line, &label)) {
        buf_init(&b, m->a, 8192);
        buf_printf(&b, "line %zu, extra text before the expected text: %s", line + 1,
                   differ_quote(m->a, label));
        add_extra(&b, m->a, m->actual, 0, all - wanted);
        *ret = fail("label", "FAIL: the expected output is there, but with extra text before it.",
                    buf_text(&b));
        return true;
    }
    if (all == wanted && find_label(m->expected, m->actual, &line, &label)) {
        *ret = fail("expected-label",
                    "FAIL: the expected output has text that the program does not print.",
                    arena_printf(m->a,
                                 "line %zu, text only in the expected output: %s\nIf it is only a "
                                 "label, leave it out of `expected`. If not, print it.",
                                 line + 1, differ_quote(m->a, label)));
        return true;
    }
    return false;
}

/* "42 is the answer": one line that goes on after the expected one. */
static bool
judge_text_after(const struct match *m, struct judgement *ret)
{
    struct span after;

    if (memchr(m->actual.at, '\n', m->actual.len) || m->actual.len <= m->expected.len ||
        memcmp(m->actual.at, m->expected.at, m->expected.len) != 0)
        return false;
    after = (struct span){m->actual.at + m->expected.len, m->actual.len - m->expected.len};
    if (!memchr(" .!", after.at[0], 3) ||
        (after.len > 1 && after.at[0] != ' ' && after.at[1] != ' ') ||
        (after.len > 1 && after.at[1] >= '0' && after.at[1] <= '9'))
        return false;
    *ret = fail("label", "FAIL: the expected output is there, but with extra text after it.",
                arena_printf(m->a, "line 1, extra text after the expected text: %s",
                             differ_quote(m->a, after)));
    return true;
}

/* ---- the other ends of the ladder ------------------------------------------------------- */

static bool
judge_empty(const struct match *m, struct judgement *ret)
{
    struct span err;
    bool whole;

    if (m->expected.len == 0 && m->actual.len > 0) {
        *ret = fail("lines", "FAIL: the expected output is empty, but the program printed text.",
                    arena_printf(m->a, "expected: (nothing)\nactual:   %s",
                                 differ_quote(m->a, compare_line(m->actual, 0))));
        return true;
    }
    if (m->actual.len > 0)
        return false;
    err = captured(m->a, &m->seen->err, &whole);
    if (whole && compare_same(compare_trim(m->a, err.at, err.len), m->expected)) {
        *ret = fail("stderr", "FAIL: the program printed the expected output on stderr.",
                    "Only stdout is compared. Print it on stdout.");
        return true;
    }
    *ret = fail("empty", "FAIL: the program printed nothing on stdout.",
                arena_printf(m->a, "expected: %s\nactual:   (nothing)",
                             differ_quote(m->a, compare_line(m->expected, 0))));
    return true;
}

static struct judgement
judge_lines(const struct match *m)
{
    struct difference d = differ_first(m->a, m->expected, m->actual);
    const char *line;

    if (d.kind == DIFFER_MISSING)
        line =
            arena_printf(m->a, "FAIL: the output ends too early: %s missing.",
                         d.expected_lines - d.line == 1
                             ? arena_printf(m->a, "line %zu is", d.line + 1)
                             : arena_printf(m->a, "%s are",
                                            line_range(m->a, d.line, d.expected_lines - d.line)));
    else if (d.expected_lines == 1 && d.actual_lines == 1)
        line = "FAIL: the output differs from the expected output.";
    else if (d.expected_lines == d.actual_lines)
        line =
            arena_printf(m->a, "FAIL: line %zu differs. It is the first that differs.", d.line + 1);
    else
        line = arena_printf(m->a,
                            "FAIL: line %zu differs. It is the first that differs. The output has "
                            "%s, expected: %s.",
                            d.line + 1, words_count(m->a, d.actual_lines, "line", "lines"),
                            words_count(m->a, d.expected_lines, "line", "lines"));
    return fail(d.kind == DIFFER_MISSING ? "missing" : "lines", line, d.shown);
}

/* More was printed than is there to compare. */
static struct judgement
judge_part(const struct match *m)
{
    struct span t = m->actual;
    size_t shorter = t.len < m->expected.len ? t.len : m->expected.len;
    const char *line =
        arena_printf(m->a, "FAIL: the output is too long: %s. The first %s were compared.",
                     words_count(m->a, m->seen->out.seen, "byte", "bytes"),
                     words_number(m->a, m->seen->out.head_len));

    if (t.len <= m->expected.len && memcmp(t.at, m->expected.at, shorter) == 0)
        return fail("long", line, "Up to there the output is the expected output.");
    return fail("long", line, shown(m));
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

struct judgement
judge_output(struct arena *a, const struct plan *p, const struct plan_step *step,
             const struct step_seen *seen)
{
    static bool (*const ladder[])(const struct match *, struct judgement *) = {
        judge_empty,       judge_form,  judge_rungs,      judge_order,   judge_prompts,
        judge_extra_lines, judge_label, judge_text_after, judge_rounded,
    };
    struct match m = {.a = a, .plan = p, .step = step, .seen = seen};
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
        return fail("control",
                    "FAIL: the output has control characters that cannot be seen, such as colours.",
                    "Without them it is exactly the expected output.");
    for (size_t i = 0; i < COUNT_OF(ladder); i++)
        if (ladder[i](&m, &j))
            return j;
    return judge_lines(&m);
}
