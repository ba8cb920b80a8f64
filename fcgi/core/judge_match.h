/* judge_match.h - the rungs of judge_output's ladder: each looks at the match and either
 * names the difference or leaves it to the next. Pure. */
#ifndef CORE_JUDGE_MATCH_H
#define CORE_JUDGE_MATCH_H

#include "core/compare.h"
#include "core/judge.h"
#include "core/prompts.h"

/* What the rungs of the comparison look at. */
struct match {
    struct arena *a;
    const struct step_seen *seen;
    struct span expected, actual; /* trimmed; cleaned unless both are the same already */
    struct span spaced_expected, spaced_actual; /* the same after FOLD_SPACING */
    const struct prompts *prompts;
    bool whole;        /* actual is all that was printed */
    bool same_letters; /* a fold, or another order, may make them the same */
};

/* A FAIL. */
struct judgement match_fail(const char *kind, const char *line, const char *detail);
/* The first difference side by side. */
const char *match_shown(const struct match *m);
/* "line 3", "lines 3 and 4", "lines 3 to 9"; from counts from 0. */
const char *match_line_range(struct arena *a, size_t from, size_t count);

/* judge_extra.c: the expected output is there, and something else. True: *ret is it. */
bool match_prompts(const struct match *m, struct judgement *ret);
bool match_extra_lines(const struct match *m, struct judgement *ret);
bool match_label(const struct match *m, struct judgement *ret);
bool match_text_after(const struct match *m, struct judgement *ret);
bool match_echo(const struct match *m, struct judgement *ret);

#endif
