/* compare.h - two texts seen through ever coarser glasses: what is left of the difference
 * says what the difference is. Pure; every function is linear in the texts. */
#ifndef CORE_COMPARE_H
#define CORE_COMPARE_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

struct span {
    const char *at; /* borrowed, not NUL-ended */
    size_t len;
};

/* What never counts is taken away: \r\n, white space at line ends, empty lines at the end.
 * It may be the same text. */
struct span compare_trim(struct arena *a, const char *bytes, size_t len);

enum compare_fold {
    FOLD_SPACING = 1, /* blanks after , [ ( { and before ] ) }, not at a line's start */
    FOLD_CASE = 2,    /* ASCII letters become small */
    FOLD_QUOTES = 4,  /* " and ' go */
    FOLD_NULLS = 8,   /* none, nil, undefined become null; wants FOLD_CASE */
    FOLD_SPACES = 16, /* each run of white space, line ends included, becomes one blank */
    FOLD_JOIN = 32,   /* all white space goes */
    FOLD_MARKS = 64,  /* runs of white space and of , ; [ ] ( ) { } " ' become one blank */
};

/* The text with the differences that `folds` names taken away; it may be the same text. */
struct span compare_fold(struct arena *a, struct span text, unsigned folds);
/* False: no fold but FOLD_NULLS, and no other order, can make the texts the same. */
bool compare_same_letters(struct span x, struct span y);
bool compare_same(struct span x, struct span y);
/* The same pieces (lines, or blank-separated words) in whatever order. */
bool compare_same_pieces(struct span x, struct span y, char separator);
size_t compare_pieces(struct span text, char separator);

enum number_rule {
    NUMBER_RELATIVE, /* equal within 1e-9 of the larger; two integers must be written alike */
    NUMBER_ROUNDED,  /* the second, rounded to the decimals of the first, is the first */
};
/* The first pair of numbers that are equal under the rule and written differently. */
struct number_pair {
    struct span expected, actual; /* len 0: there was none */
};
/* True when the texts are the same but for numbers, and these are equal under the rule. */
bool compare_numbers(struct span expected, struct span actual, enum number_rule rule,
                     struct number_pair *ret);

/* Line `index` (from 0) of a text; len 0 and at NULL when there is none. */
struct span compare_line(struct span text, size_t index);
/* True when needle stands in text as whole lines; *ret_line is the first of them, from 0. */
bool compare_find_lines(struct arena *a, struct span text, struct span needle, size_t *ret_line);

#endif
