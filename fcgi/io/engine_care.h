/* engine_care.h - what the janitor asks of a Docker Engine behind its own door of the gate:
 * which machines there are, what they use, what runs in them; and stopping them. */
#ifndef IO_ENGINE_CARE_H
#define IO_ENGINE_CARE_H

#include "io/engine.h"

/* All containers of this installation, as JSON (core/janitor_read.h reads it). */
bool engine_list(struct engine *e, struct arena *a, const char **ret_json,
                 struct fault *f) MUST_CHECK;

struct engine_look {
    bool exists, runs;
    int64_t size_bytes; /* of what it wrote; -1: not asked, or not said */
    int64_t finished;   /* when it stopped last, seconds since 1970; -1: never */
};
/* The engine counts the files of the machine for a size: ask only when it is needed. */
bool engine_inspect(struct engine *e, const char *container, bool with_size, struct arena *a,
                    struct engine_look *ret, struct fault *f) MUST_CHECK;
/* Processor time of a running machine since it was started, in ns. */
bool engine_cpu(struct engine *e, const char *container, struct arena *a, int64_t *ret_ns,
                struct fault *f) MUST_CHECK;
/* What runs in a machine beside its agent: commands, one per line, the longest running first, ""
 * for nothing, NULL when the engine cannot say. */
const char *engine_running(struct engine *e, const char *container, struct arena *a);
/* Stops a machine. True also when it was stopped already, or there is none. */
bool engine_stop(struct engine *e, const char *container, struct arena *a,
                 struct fault *f) MUST_CHECK;

#endif
