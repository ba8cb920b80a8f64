/* frames.h - a plan as the frames the agent reads, and the agent's frames as an
 * observation (sandbox-image/agent/wire.h has the format). Pure. What the agent says is
 * untrusted: code in the sandbox may have taken its place. Nothing it sends can take
 * more memory than the plan asked for, and a forged result harms that chat only. */
#ifndef CORE_FRAMES_H
#define CORE_FRAMES_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/notices.h"
#include "core/observation.h"
#include "core/plan.h"
#include "wire.h"

enum {
    FRAMES_LINE_BYTES = 256, /* kept of the newest line of output */
    FRAMES_TEXT_BYTES = 256, /* kept of a reason, a path, a command line */
};

/* The whole byte string of a call, from the arena: BEGIN, the files, the steps with their input,
 * RUN. flags: enum wire_begin_flags. NULL with FAULT_ARGUMENT: a command line does not fit into a
 * frame. */
const uint8_t *frames_encode_call(const struct plan *p, uint64_t nonce, uint64_t previous_nonce,
                                  uint32_t flags, struct arena *a, size_t *ret_len,
                                  struct fault *f) MUST_CHECK;
/* A CANCEL frame into out (room for WIRE_FRAME_MAX bytes); its size. */
size_t frames_encode_cancel(uint8_t *out, uint64_t nonce);

enum collect {
    COLLECT_IGNORED,   /* of another call, or a part of the result: go on */
    COLLECT_ACCEPTED,  /* the call was taken; `again` and `previous` are valid */
    COLLECT_BROKEN,    /* frames were lost on the way: send the call again */
    COLLECT_BUSY,      /* another call runs: busy_nonce, busy_ms */
    COLLECT_REFUSED,   /* the agent will not do it: refusal */
    COLLECT_PROGRESS,  /* last_line, bytes, elapsed_ms */
    COLLECT_BUSY_DONE, /* the other call has ended: send this one again */
    COLLECT_LOST,      /* the call has ended already and its result is not sent again: `own` */
    COLLECT_DONE,      /* `seen` is whole */
    COLLECT_NONSENSE,  /* not what an agent says, or parts of the result are missing: refusal */
};

struct collector {
    uint64_t nonce;
    struct observation seen;
    struct fate previous; /* kind FATE_NONE unless the call asked for one; command stays NULL */
    bool accepted;
    bool again;          /* the agent had taken this call before */
    struct fate own;     /* COLLECT_LOST: what became of this call; command stays NULL */
    bool cancelled;      /* DONE said so */
    uint64_t busy_nonce; /* 0: none seen */
    int64_t busy_ms;     /* how long that call had been running */
    char refusal[FRAMES_TEXT_BYTES];   /* words without control characters, "" if none */
    char last_line[FRAMES_LINE_BYTES]; /* newest line of output, likewise */
    uint64_t bytes;                    /* of output so far */
    int64_t elapsed_ms;

    const struct plan *plan;
    struct arena *arena;
    size_t next_step; /* the index a STEP_END may have at least */
    struct {
        char *bytes;
        size_t len, got;
    } parts[OBSERVED_STEPS_MAX][2][2]; /* step, stream, head or tail */
};

/* p and a are borrowed; everything in `seen` is allocated from a. */
void frames_collect_init(struct collector *c, struct arena *a, const struct plan *p,
                         uint64_t nonce);
enum collect frames_collect(struct collector *c, const struct wire_frame *frame);

#endif
