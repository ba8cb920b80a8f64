/* reply_choice.h - which program a final answer should show, whether it does, and the words that
 * make up for it. Pure. */
#ifndef CORE_REPLY_CHOICE_H
#define CORE_REPLY_CHOICE_H

#include "base/arena.h"
#include "core/code_blocks.h"
#include "core/languages.h"
#include <stdbool.h>
#include <stddef.h>

enum { REPLY_CODE_MAX = 256 * 1024 }; /* bytes of a program that is appended */

/* What the record says of one run of a program. */
enum tested { TESTED_UNKNOWN, TESTED_PASSED, TESTED_RAN, TESTED_FAILED };

/* A program the model ran in this turn; a program run twice is here twice. */
struct reply_run {
    const struct language *language;
    const char *code;
    size_t len;
    bool compared; /* its output was compared with an expected one */
    enum tested tested;
};

struct reply_choice {
    const struct reply_run *run;
    int passed, tests; /* of that program's runs in this turn */
};

/* The last run that passed; else the last one at all. False: the record knows none of them. */
bool reply_choose(const struct reply_run *runs, size_t count, struct reply_choice *ret);

enum reply_shown {
    REPLY_SHOWN,     /* the tested program, or another one that passed in this turn */
    REPLY_MISSING,   /* no program at all */
    REPLY_DIFFERENT, /* code of its language that is not what was tested */
    REPLY_ELSEWHERE, /* code of other languages only: it may be what was asked for */
};
/* Does a text with these blocks show the chosen program? */
enum reply_shown reply_shows(const struct code_blocks *blocks, const struct reply_choice *choice,
                             const struct reply_run *runs, size_t count,
                             const struct languages *all);
/* "missing", "different", ... for the record. */
const char *reply_shown_name(enum reply_shown shown);
/* "passed 2 of 2 tests", "ran, output not compared", "did not pass": literally one of these. */
const char *reply_label(const struct reply_choice *choice, struct arena *a);
/* What is to follow a text (with these blocks) that does not show it; NULL when it is too long. */
const char *reply_appendix(const char *text, size_t len, const struct code_blocks *blocks,
                           const struct reply_choice *choice, enum reply_shown shown,
                           struct arena *a, size_t *ret_len);

#endif
