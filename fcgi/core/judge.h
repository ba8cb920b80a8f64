/* judge.h - compares what a program printed with what it should print. Pure. */
#ifndef CORE_JUDGE_H
#define CORE_JUDGE_H

#include "base/arena.h"
#include "core/observation.h"
#include "core/plan.h"

enum verdict {
    VERDICT_NONE, /* nothing to compare with: neither PASS nor FAIL is said */
    VERDICT_PASS,
    VERDICT_FAIL,
};

struct judgement {
    enum verdict verdict;
    const char *line;   /* the PASS/FAIL line; "" for VERDICT_NONE */
    const char *detail; /* further lines: first difference side by side, form notes; "" if none */
    const char *kind;   /* short stable id of the difference: exact, form, case, order, lines,
                         * number, prompt, crash, timeout, compile, ...; "" for NONE */
};

/* Judges the plan's STEP_RUN step on its full captured output. Never fails. */
struct judgement judge(struct arena *a, const struct plan *p, const struct observation *o);

#endif
