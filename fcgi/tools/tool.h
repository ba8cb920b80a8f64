/* tool.h - one MCP tool: a row of constant data and one function that turns the
 * arguments into a plan. Pure: tools never touch a machine. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "base/field.h"
#include "core/languages.h"
#include "core/plan.h"

struct tool_context {
    const struct languages *languages;
    int64_t timeout_default_s, timeout_max_s;
    size_t stream_chars;      /* what a result shows of a stream; the capture is sized from it */
    size_t content_max_bytes; /* largest file, program or command */
};

struct tool {
    const char *name, *title, *doc;
    const struct field *args;
    size_t arg_count; /* at most TOOL_ARGS_MAX */
    size_t arg_bytes; /* sizeof the struct that args describes */
    /* Fits a copy of args to this installation: limits, names of languages. May be NULL. */
    void (*fit)(const struct tool_context *c, struct arena *a, struct field *fields);
    /* args was filled by field_bind. False: FAULT_ARGUMENT, message = what was wrong with which
     * argument, hint = what to do instead, or "". */
    bool (*plan)(const struct tool_context *c, const void *args, struct arena *a, struct plan *ret,
                 struct fault *f);
    const char *example; /* one right call as JSON arguments, shown with a refusal */
};

enum {
    TOOL_ARGS_MAX = 8,
    TOOL_HEAD_MAX = 1 << 20, /* bytes the agent keeps of a stream at most */
    TOOL_TAIL_MAX = 64 << 10,
};

extern const struct tool *const tools[]; /* NULL-ended, in tools/list order */

/* The tool's argument table as it is in this installation: t->arg_count rows in the arena. */
const struct field *tool_fields(const struct tool *t, const struct tool_context *c,
                                struct arena *a);
/* The tool's inputSchema; the caller owns the result. */
struct json_object *tool_schema(const struct tool *t, const struct tool_context *c,
                                struct arena *a);

/* How many of a stream's last bytes to keep for a result: room for the characters it shows, and for
 * the escape sequences and redrawn lines it leaves out. */
size_t tool_tail_bytes(const struct tool_context *c);

/* Arguments (an object, or NULL) -> plan. Lenient where it is unambiguous, see tools/README.md.
 * False: FAULT_ARGUMENT, message = what was wrong, hint = what to do, with one right call. */
bool tool_plan(const struct tool *t, const struct tool_context *c, struct json_object *arguments,
               struct arena *a, struct plan *ret, struct fault *f) MUST_CHECK;

#endif
