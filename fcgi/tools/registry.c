#include "config.h"

#include "tools/repair.h"
#include "tools/tool.h"
#include <stdio.h>
#include <string.h>

/* To add a tool: write tools/tool_NAME.c, add NAME here and to Makefile.am. */
#define TOOLS(X)                                                                                   \
    X(run)                                                                                         \
    X(run_code)                                                                                    \
    X(write_file)                                                                                  \
    X(reset)

#define TOOL_DECLARED(name) extern const struct tool tool_##name;
TOOLS(TOOL_DECLARED)
#undef TOOL_DECLARED

#define TOOL_ADDRESS(name) &tool_##name,
const struct tool *const tools[] = {TOOLS(TOOL_ADDRESS) NULL};
#undef TOOL_ADDRESS

const struct field *
tool_fields(const struct tool *t, const struct tool_context *c, struct arena *a)
{
    struct field *fields = arena_alloc(a, TOOL_ARGS_MAX * sizeof *fields);

    for (size_t i = 0; i < t->arg_count && i < TOOL_ARGS_MAX; i++)
        fields[i] = t->args[i];
    if (t->fit)
        t->fit(c, a, fields);
    return fields;
}

struct json_object *
tool_schema(const struct tool *t, const struct tool_context *c, struct arena *a)
{
    return field_schema(tool_fields(t, c, a), t->arg_count);
}

size_t
tool_tail_bytes(const struct tool_context *c)
{
    const size_t slack = 16384, wide = 4; /* bytes of the longest character */

    if (c->stream_chars >= (TOOL_TAIL_MAX - slack) / wide)
        return TOOL_TAIL_MAX;
    return c->stream_chars * wide + slack;
}

/* Every refusal ends with one call that is right. */
static bool
refuse(const struct tool *t, struct fault *f)
{
    char hint[sizeof f->hint];
    bool nothing = strcmp(t->example, "{}") == 0;

    snprintf(hint, sizeof hint, "%s", f->hint);
    fault_hint(f, "%s%sA right call: %s %s%s", hint, hint[0] ? " " : "", t->name,
               nothing ? "with no arguments, " : "with ", t->example);
    return false;
}

bool
tool_plan(const struct tool *t, const struct tool_context *c, struct json_object *arguments,
          struct arena *a, struct plan *ret, struct fault *f)
{
    void *args = arena_alloc(a, t->arg_bytes);
    struct repairs said = {0};
    struct plan p = {.tool = t->name};

    memset(args, 0, t->arg_bytes);
    if (!field_bind(tool_fields(t, c, a), t->arg_count, arguments, a, args, &said, f))
        return refuse(t, f);
    for (size_t i = 0; i < said.count; i++)
        plan_note(&p, said.list[i]);
    if (!t->plan(c, args, a, &p, f))
        return refuse(t, f);
    *ret = p;
    return true;
}
