/* engine.h - sandboxes on a Docker Engine behind the gate: find, make, start, talk to
 * the agent, remove. Engine API (https://docs.docker.com/reference/api/engine/), version
 * negotiated. Faults are words a model can act on; details go to fault.detail. */
#ifndef IO_ENGINE_H
#define IO_ENGINE_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/create.h"
#include "core/notices.h"
#include "core/observation.h"
#include "core/plan.h"

struct engine;

/* socket_path: the gate's unix socket; spec is borrowed. Never NULL. */
struct engine *engine_new(const char *socket_path, const struct create_spec *spec);
void engine_free(struct engine *e);

struct engine_call {
    const char *container;    /* bt-<32 hex> */
    const char *member_label; /* for the label when the container must be made */
    uint64_t nonce, previous_nonce;
    bool wants_progress;
    bool quiet;      /* a look at the machine: leaves no logs */
    int64_t busy_ms; /* how long to wait for a call that still runs in the machine */
    void *ctx;
    /* Called at least every 200 ms while waiting, with the newest line of output and the bytes so
     * far; false: cancel the call (the agent kills what it started). */
    bool (*tick)(void *ctx, const char *last_line, uint64_t bytes);
    /* Called once the plan has been carried out; may be NULL. What to look up in the machine: text
     * for bash -c that changes nothing, ends within look_ms; the first look_bytes it prints are
     * read; or NULL.
     */
    const char *(*look)(void *ctx, const struct observation *seen);
    int64_t look_ms;
    size_t look_bytes;
};

struct engine_seen {
    struct observation seen;
    struct fate previous; /* filled when previous_nonce was given */
    bool created, resumed;
    bool reached;       /* the machine ran and could be talked to */
    bool accepted;      /* the agent took the call: it has run, or begun to */
    bool broken;        /* the stream to it ended in the middle */
    bool stopped;       /* ... because the machine did */
    const char *looked; /* what the look printed; NULL: there was none, or it failed */
    size_t looked_len;
};

/* Runs the plan's files and steps in the container, making or starting it when needed. False:
 * FAULT_ENGINE, FAULT_BUSY (an earlier call still runs in the machine) or FAULT_CANCELLED; *ret is
 * valid as far as things went. */
bool engine_run(struct engine *e, const struct engine_call *c, const struct plan *p,
                struct arena *a, struct engine_seen *ret, struct fault *f) MUST_CHECK;
/* Removes the container with everything in it. True also when there was none. */
bool engine_remove(struct engine *e, const char *container, struct fault *f) MUST_CHECK;

#endif
