/* create.h - the one text a worker may send to POST /containers/create, and the
 * pattern the gate holds it against: both come from the same template, so they cannot
 * drift. Pure. */
#ifndef CORE_CREATE_H
#define CORE_CREATE_H

#include "base/arena.h"
#include <stdint.h>

struct create_spec {
    const char *instance; /* label value that tells this installation's containers */
    const char *image;    /* tag, e.g. "backtalk-sandbox:slim" */
    const char *network;  /* name of the Docker network */
    int64_t memory_bytes, memory_swap_bytes;
    int64_t nano_cpus, cpu_shares, pids;
    const char *runtime; /* "" = the engine's default */
};

/* The request body; member_label is [A-Za-z0-9._:-]{1,64}. NULL when it is not, when another
 * value holds a character that JSON or the gate's configuration could take for its own
 * (instance, network, runtime: [A-Za-z0-9._-]; image: also : / @), or a limit is not positive. */
const char *create_body(const struct create_spec *s, const char *member_label, struct arena *a);
/* The same text as a PCRE pattern, anchored at both ends, everything literal but the member
 * label; it never holds a single quote or a line end. NULL as above, the label apart. */
const char *create_pattern(const struct create_spec *s, struct arena *a);

#endif
