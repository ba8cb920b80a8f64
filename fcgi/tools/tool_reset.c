#include "config.h"

#include "tools/tool.h"

static bool
plan(const struct tool_context *c, const void *args, struct arena *a, struct plan *ret,
     struct fault *f)
{
    (void)c;
    (void)args;
    (void)a;
    (void)f;
    ret->kind = PLAN_RESET;
    return true;
}

extern const struct tool tool_reset;
const struct tool tool_reset = {
    .name = "reset",
    .title = "Reset the machine",
    .doc = "Delete this machine with all its files and get a clean one.",
    .arg_bytes = 1,
    .plan = plan,
    .example = "{}",
};
