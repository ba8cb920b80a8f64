/* talk.h - one call over an attached stream: send it, see that it was taken, collect
 * what came of it. Sends again when the agent did not hear it whole, waits for an
 * earlier call that still runs, cancels when the caller says so. */
#ifndef IO_TALK_H
#define IO_TALK_H

#include "io/attach.h"
#include "io/engine.h"

bool talk(struct attach *at, const struct engine_call *c, const struct plan *p, struct arena *a,
          struct engine_seen *ret, struct fault *f) MUST_CHECK;

#endif
