/* plan.h - what a tool call is going to do: files to write, then steps to run one
 * after another until one fails. Made by tools/ from the arguments (pure), carried
 * out by io/engine, shown by core/render. Pointers live in the request's arena. */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PLAN_FILES_MAX = 4,
    PLAN_STEPS_MAX = 4, /* = OBSERVED_STEPS_MAX */
    PLAN_NOTES_MAX = 4,
};

struct plan_file {
    const char *path; /* absolute */
    const char *bytes;
    size_t len;
    unsigned mode; /* permission bits, e.g. 0644 */
};

enum step_role {
    STEP_CHECK,   /* a look at the code before it runs (ShellCheck) */
    STEP_COMPILE, /* its output is kept from the beginning */
    STEP_RUN,     /* its output is kept from the end; this step is judged */
};

struct plan_step {
    enum step_role role;
    const char *shown;       /* the command line as a result shows it, without "$ " */
    const char *const *argv; /* NULL-ended; argv[0] is looked up in PATH */
    const char *cwd;         /* absolute */
    const char *const *env;  /* NULL-ended "NAME=value" added to the machine's own; may be NULL */
    const char *input;       /* bytes for stdin; NULL: stdin is /dev/null */
    size_t input_len;
    int64_t timeout_ms;
    size_t head_bytes, tail_bytes; /* how much of each stream the agent reports */
};

enum plan_kind { PLAN_STEPS, PLAN_WRITE_FILE, PLAN_RESET };

struct plan {
    enum plan_kind kind;
    const char *tool;     /* "run", "run_code", ... */
    const char *language; /* canonical id, or NULL */
    const char *code;     /* run_code: the program as it was saved, or NULL */
    size_t code_len;
    const char *code_path; /* where it was saved */
    const char *expected;  /* run_code: what stdout should be, or NULL: not compared */
    size_t expected_len;
    size_t file_count, step_count, note_count;
    struct plan_file files[PLAN_FILES_MAX];
    struct plan_step steps[PLAN_STEPS_MAX];
    const char *notes[PLAN_NOTES_MAX]; /* what was repaired in the arguments: whole sentences */
};

#endif
