/* recording.h - a call written down as text: what was to be done, what was seen, what the record
 * knew. The results of the pure stages can be made again from it. Pure.
 *
 * A line is "key: value", a line that begins with # says nothing; tests/cases/README.md lists the
 * keys. Longer texts may come from files beside it: struct recording_texts. */
#ifndef CORE_RECORDING_H
#define CORE_RECORDING_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/notices.h"
#include "core/observation.h"
#include "core/plan.h"
#include "core/render.h"

enum {
    RECORDING_HINTS_MAX = 4,
    RECORDING_HEAD_BYTES = 1 << 20, /* kept of a stream, unless the recording says so */
    RECORDING_BYTES_MAX = 1 << 23,  /* of any one text */
};

struct recording_text {
    const char *at; /* NUL-ended after len bytes; NULL: there is none */
    size_t len;
};

/* All borrowed: they must live as long as the recording. */
struct recording_texts {
    struct recording_text call; /* the lines; without them it is run_code of one Python program */
    struct recording_text expected, code;
    struct recording_text input, out, err; /* of the last step; out and err are added to its own */
};

struct recording {
    struct plan plan;
    struct observation seen;
    struct notices notices;
    struct render_limits limits;
    const char *hints[RECORDING_HINTS_MAX + 1]; /* sentences to be said; NULL-ended */
};

/* False: f says which line is wrong, and why. Everything in *ret lives in the arena, or in texts.
 */
bool recording_read(const struct recording_texts *texts, struct arena *a, struct recording *ret,
                    struct fault *f) MUST_CHECK;

#endif
