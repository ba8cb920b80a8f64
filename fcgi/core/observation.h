/* observation.h - what one call looked like from outside: plain data, no handles.
 * Filled by core/frames from what the agent reported; read by judge, hints and
 * render. Every pointer is owned by the request's arena. */
#ifndef CORE_OBSERVATION_H
#define CORE_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OBSERVED_STEPS_MAX = 4,
    OBSERVED_BACKGROUND_MAX = 8,
};

/* One output stream: the first head_len bytes and the last tail_len bytes of
 * `seen`; they never overlap. seen == head_len + tail_len: nothing is missing. */
struct stream {
    const char *head, *tail; /* never NULL; raw bytes, any value, not NUL-ended */
    size_t head_len, tail_len;
    uint64_t seen;   /* bytes the program wrote */
    const char *log; /* path in the sandbox of the whole output, "" when it was not kept */
};

enum step_end {
    STEP_NOT_RUN,     /* an earlier step failed, or the call ended before it */
    STEP_EXITED,      /* exit_code is valid */
    STEP_SIGNALED,    /* signal is valid */
    STEP_TIMED_OUT,   /* killed by the agent after timeout_ms */
    STEP_CANCELLED,   /* killed because the caller cancelled */
    STEP_NOT_STARTED, /* start_errno is valid: execve, chdir or fork failed */
};

struct step_seen {
    enum step_end end;
    int exit_code; /* 0..255 */
    int signal;    /* number of the signal that ended the main process */
    int start_errno;
    int64_t wall_us;
    uint64_t peak_bytes;              /* resident peak of the largest process of the step */
    uint64_t input_bytes, input_read; /* given on stdin, and how many of them were read */
    struct stream out, err;
};

struct background {
    int pid;             /* as seen inside the sandbox */
    const char *command; /* its command line, cleaned, shortened by the agent */
};

enum tree_change { TREE_UNCHANGED, TREE_CHANGED, TREE_UNKNOWN };

struct observation {
    size_t step_count; /* steps of the plan, run or not */
    struct step_seen steps[OBSERVED_STEPS_MAX];
    uint32_t oom_kills; /* rise of the container's own out-of-memory counter during the call */
    enum tree_change changed; /* files under /work, or packages */
    size_t background_count;  /* processes this call started that still run (listed: at most 8) */
    struct background background[OBSERVED_BACKGROUND_MAX];
    /* A file of the plan that could not be written; then no step ran. */
    const char *file_failed; /* its path, or NULL */
    int file_errno;
};

#endif
