/* judge_output.h - the ladder of comparisons for a program that ended well: the first rung
 * that holds names the difference. Pure; linear in the output. */
#ifndef CORE_JUDGE_OUTPUT_H
#define CORE_JUDGE_OUTPUT_H

#include "core/judge.h"

/* The whole judgement of what the step printed. p->expected is given. */
struct judgement judge_output(struct arena *a, const struct plan *p, const struct plan_step *step,
                              const struct step_seen *seen);
/* True when the step printed exactly the expected output, however it ended. */
bool judge_output_exact(struct arena *a, const struct plan *p, const struct step_seen *seen);

#endif
