/* differ.h - where two texts part, in words: the first line that differs, expected and
 * actual under each other, with white space made visible where it is the difference. Pure. */
#ifndef CORE_DIFFER_H
#define CORE_DIFFER_H

#include "core/compare.h"

enum differ_kind {
    DIFFER_LINE,    /* a line differs */
    DIFFER_MISSING, /* all lines of actual are right, and some are missing after them */
    DIFFER_EXTRA,   /* all lines of expected are there, and more after them */
};

struct difference {
    enum differ_kind kind;
    size_t line;           /* from 0: the first that differs, is missing or is too much */
    size_t expected_lines; /* of the whole texts */
    size_t actual_lines;
    const char *shown; /* the lines side by side, ready to show; ends without \n */
};

/* For two texts that are not the same, both from compare_trim() and clean. */
struct difference differ_first(struct arena *a, struct span expected, struct span actual);
/* A piece of a line between quotes, cut in the middle when it is long, white space visible. */
const char *differ_quote(struct arena *a, struct span text);

#endif
