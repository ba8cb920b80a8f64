/* call_case.h - a case directory (tests/cases/judge, render, hints) as the recording of a call.
 * tests/cases/README.md has the format. */
#ifndef TESTS_UNIT_CALL_CASE_H
#define TESTS_UNIT_CALL_CASE_H

#include "core/recording.h"

/* Fails the running test when the directory holds what the format does not know. */
void call_case_load(struct arena *a, const char *dir, struct recording *ret);

#endif
