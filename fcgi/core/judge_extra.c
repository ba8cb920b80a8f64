#include "config.h"

#include "base/buf.h"
#include "core/differ.h"
#include "core/judge_match.h"
#include "core/words.h"
#include <string.h>

enum {
    SHOWN_LINES = 3,   /* of the lines that are extra, that many are named */
    DETAIL_MAX = 8192, /* bytes; each part of a detail is cut to a few hundred */
};

bool
match_prompts(const struct match *m, struct judgement *ret)
{
    const struct prompts *found = m->prompts;
    struct span without = found->without;
    struct number_pair pair;
    const char *rest;

    if (found->count == 0)
        return false;
    if (compare_same(m->expected, without) ||
        compare_numbers(m->spaced_expected, compare_fold(m->a, without, FOLD_SPACING),
                        NUMBER_RELATIVE, &pair))
        rest = "Without the prompts the output is the expected output.";
    else if (without.len == 0)
        rest = "Without the prompts the output is empty.";
    else
        rest = arena_printf(m->a, "Without the prompts the output still differs:\n%s",
                            differ_first(m->a, m->expected, without).shown);
    *ret = match_fail("prompt",
                      arena_printf(m->a,
                                   "FAIL: the program prints %s. Nobody types here: the input "
                                   "comes on stdin.",
                                   found->count == 1 ? "a prompt" : "prompts"),
                      arena_printf(m->a, "%s: %s. Remove every prompt from the code.\n%s",
                                   found->count == 1 ? "The prompt" : "The first prompt",
                                   differ_quote(m->a, found->first), rest));
    return true;
}

/* Names up to three of the lines as extra. */
static void
add_extra(struct buf *b, struct arena *a, struct span text, size_t from, size_t count)
{
    for (size_t i = 0; i < count && i < SHOWN_LINES; i++) {
        struct span line = compare_line(text, from + i);

        buf_printf(b, "\nline %zu, extra: %s", from + i + 1,
                   line.len > 0 ? differ_quote(a, line) : "(an empty line)");
    }
    if (count > SHOWN_LINES)
        buf_printf(b, "\n%s %s extra too.",
                   match_line_range(a, from + SHOWN_LINES, count - SHOWN_LINES),
                   count == SHOWN_LINES + 1 ? "is" : "are");
}

bool
match_extra_lines(const struct match *m, struct judgement *ret)
{
    size_t all = compare_pieces(m->actual, '\n'), wanted = compare_pieces(m->expected, '\n'), at;
    struct buf b;

    if (!compare_find_lines(m->a, m->actual, m->expected, &at))
        return false;
    buf_init(&b, m->a, DETAIL_MAX);
    buf_printf(&b, "The expected output is %s of the output.", match_line_range(m->a, at, wanted));
    add_extra(&b, m->a, m->actual, 0, at);
    add_extra(&b, m->a, m->actual, at + wanted, all - at - wanted);
    *ret = match_fail("extra",
                      arena_printf(m->a,
                                   "FAIL: the expected output is there, but the program also "
                                   "prints %s.",
                                   words_count(m->a, all - wanted, "other line", "other lines")),
                      buf_text(&b));
    return true;
}

static void
drop_line(struct span *text)
{
    size_t n = compare_line(*text, 0).len;

    n += n < text->len ? 1 : 0;
    text->at += n;
    text->len -= n;
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

/* True when the last lines of `more` are the lines of `less`, and some have a label before
 * them. Appends the first few labels to b, each line beginning with `what`. */
static bool
find_labels(struct span more, struct span less, const char *what, struct buf *b)
{
    size_t skip = compare_pieces(more, '\n'), lines = compare_pieces(less, '\n'), labels = 0;

    if (lines == 0 || lines > skip)
        return false;
    skip -= lines;
    for (size_t i = 0; i < skip; i++)
        drop_line(&more);
    for (size_t i = 0; i < lines; i++) {
        struct span x = compare_line(more, 0), y = compare_line(less, 0);
        size_t n = compare_same(x, y) ? 0 : label_length(x, y);

        if (n == 0 && !compare_same(x, y))
            return false;
        while (n > 0 && x.at[n - 1] == ' ')
            n--;
        if (n > 0 && labels++ < SHOWN_LINES)
            buf_printf(b, "%sline %zu, %s: %s", labels > 1 ? "\n" : "", skip + i + 1, what,
                       differ_quote(b->arena, (struct span){x.at, n}));
        drop_line(&more);
        drop_line(&less);
    }
    if (labels > SHOWN_LINES)
        buf_printf(b, "\nThe same on %zu more lines.", labels - SHOWN_LINES);
    return labels > 0;
}

bool
match_label(const struct match *m, struct judgement *ret)
{
    size_t all = compare_pieces(m->actual, '\n'), wanted = compare_pieces(m->expected, '\n');
    struct buf b;

    buf_init(&b, m->a, DETAIL_MAX);
    if (find_labels(m->actual, m->expected, "extra text before the expected text", &b)) {
        add_extra(&b, m->a, m->actual, 0, all - wanted);
        *ret = match_fail("label",
                          "FAIL: the expected output is there, but with extra text before it.",
                          buf_text(&b));
        return true;
    }
    buf_init(&b, m->a, DETAIL_MAX);
    if (all == wanted &&
        find_labels(m->expected, m->actual, "text that is only in the expected output", &b)) {
        buf_adds(&b, "\nIf it is only a label, leave it out of `expected`. If not, print it.");
        *ret = match_fail("expected-label",
                          "FAIL: the expected output has text that the program does not print.",
                          buf_text(&b));
        return true;
    }
    return false;
}

/* "42 is the answer": one line that goes on after the expected one. */
bool
match_text_after(const struct match *m, struct judgement *ret)
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
    while (after.at[0] == ' ') {
        after.at++;
        after.len--;
    }
    *ret = match_fail("label", "FAIL: the expected output is there, but with extra text after it.",
                      arena_printf(m->a, "line 1, extra text after the expected text: %s",
                                   differ_quote(m->a, after)));
    return true;
}

/* Lines like `Input: [1, 2]` are told apart from the line that really differs. */
bool
match_echo(const struct match *m, struct judgement *ret)
{
    const struct prompts *found = m->prompts;

    if (found->echo_count == 0 || found->without_echo.len == 0)
        return false;
    *ret = match_fail("echo", "FAIL: the output differs from the expected output.",
                      arena_printf(m->a, "line %zu, extra: %s\nIt only repeats the input. %s:\n%s",
                                   found->echo_line + 1,
                                   differ_quote(m->a, compare_line(m->actual, found->echo_line)),
                                   found->echo_count == 1 ? "Without it" : "Without such lines",
                                   differ_first(m->a, m->expected, found->without_echo).shown));
    return true;
}
