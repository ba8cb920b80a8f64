/* memory.h - a command that fails, is sent again although nothing was changed, and fails in
 * the same way. The record remembers (command, fingerprint, count) and forgets when
 * something was written; here is what makes a result "the same", and what is said. Pure. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include "base/arena.h"
#include "core/observation.h"
#include "core/plan.h"

/* How a failed call looked, as 16 hex digits: how it ended and what it printed, without what
 * differs from run to run (numbers, addresses). NULL when it did not fail, or when it changed
 * something: then there is nothing to remember. */
const char *memory_fingerprint(const struct plan *p, const struct observation *o, bool failed,
                               struct arena *a);

/* What to say of a failure that was seen `count` times before, each time with `before` as its
 * fingerprint: a whole sentence, or NULL when this is not the same again. */
const char *memory_words(const struct plan *p, int count, const char *before, const char *now,
                         struct arena *a);

#endif
