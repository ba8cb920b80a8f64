/* past_end.h - did the program read past the end of its input? Pure. */
#ifndef CORE_PAST_END_H
#define CORE_PAST_END_H

#include "base/arena.h"
#include "core/observation.h"
#include "core/plan.h"

/* A sentence that says so and how much input there was; NULL when the program's own error
 * does not say it met the end of its input. */
const char *past_end_words(struct arena *a, const struct plan_step *step,
                           const struct step_seen *seen);

#endif
