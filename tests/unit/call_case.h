/* call_case.h - a case directory (tests/cases/judge, tests/cases/render) as the plan,
 * observation, notices and hints of a call. tests/cases/README.md has the format. */
#ifndef TESTS_UNIT_CALL_CASE_H
#define TESTS_UNIT_CALL_CASE_H

#include "base/arena.h"
#include "core/notices.h"
#include "core/observation.h"
#include "core/plan.h"
#include "core/render.h"

enum { CALL_CASE_HINTS_MAX = 4 };

struct call_case {
    struct plan plan;
    struct observation seen;
    struct notices notices;
    struct render_limits limits;
    const char *hints[CALL_CASE_HINTS_MAX + 1]; /* NULL-ended */
};

/* Fails the running test when the directory holds what the format does not know. */
void call_case_load(struct arena *a, const char *dir, struct call_case *ret);

#endif
