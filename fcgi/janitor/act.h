/* act.h - carries out one action of a plan. The record is told first, then the engine; what is
 * interrupted in between is found and finished by the next pass. */
#ifndef JANITOR_ACT_H
#define JANITOR_ACT_H

#include "janitor/pass.h"

/* DEED_SKIPPED: it is in use meanwhile, or not as it was. DEED_FAILED: *f says why. */
enum deed_end act_do(struct janitor *j, const struct janitor_action *x, struct arena *a,
                     struct fault *f) MUST_CHECK;
/* Records what was measured of a machine. */
bool act_measured(struct janitor *j, const struct box *b, struct arena *a,
                  struct fault *f) MUST_CHECK;

#endif
