/* render.h - the one place that decides what a tool result says and in which order:
 * notices, commands, exit line, verdict, streams, hints, closing sentence. Pure. */
#ifndef CORE_RENDER_H
#define CORE_RENDER_H

#include "base/arena.h"
#include "core/judge.h"
#include "core/notices.h"
#include "core/observation.h"
#include "core/plan.h"

struct render_limits {
    size_t stream_chars;                      /* characters kept of each stream; default 4000 */
    size_t line_chars;                        /* longer lines are cut in the middle; default 1000 */
    uint64_t memory_bytes, memory_swap_bytes; /* the sandbox's limits, for words */
    int pids;
};

struct rendered {
    const char *text; /* valid UTF-8, no control characters but \n and \t, never empty */
    size_t len;
    bool is_error;      /* the call failed */
    uint64_t cut_bytes; /* output bytes that the text leaves out */
};

/* hints: ready sentences (without brackets), NULL-ended array, may be NULL. */
struct rendered render_call(struct arena *a, const struct plan *p, const struct observation *o,
                            const struct judgement *j, const struct notices *n,
                            const char *const *hints, const struct render_limits *limits);

/* The call failed: a file could not be written, a step did not end well, or it did not pass. */
bool render_failed(const struct plan *p, const struct observation *o, const struct judgement *j);

/* A call that could not be carried out at all: what is wrong, what was not done, what to do. n may
 * be NULL. */
struct rendered render_refusal(struct arena *a, const struct notices *n, const char *what,
                               const char *next);

#endif
