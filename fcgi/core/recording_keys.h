/* recording_keys.h - the keys of a recording (core/recording), one function each. */
#ifndef CORE_RECORDING_KEYS_H
#define CORE_RECORDING_KEYS_H

#include "base/buf.h"
#include "core/recording.h"

/* A recording that is being read. */
struct reading {
    struct arena *a;
    struct recording *r;
    struct plan_step *step; /* the newest one and what was seen of it; NULL before the first */
    struct step_seen *seen;
    size_t head[PLAN_STEPS_MAX], tail[PLAN_STEPS_MAX]; /* what the agent keeps of a stream */
    struct buf out[PLAN_STEPS_MAX], err[PLAN_STEPS_MAX];
    const char *wrong; /* what is wrong with the line, as the end of a sentence; or NULL */
};

struct recording_key {
    const char *name;
    void (*take)(struct reading *in, const char *value); /* value: NUL-ended, without the key */
    bool of_step;                                        /* belongs to the newest step */
};

extern const struct recording_key recording_keys[];
extern const size_t recording_keys_count;

/* Unless ok, the line is wrong; the first reason stays. */
void recording_need(struct reading *in, bool ok, const char *what);
/* Begins a step; its command line. */
void recording_step(struct reading *in, const char *role);
void recording_shown(struct reading *in, const char *command);

#endif
