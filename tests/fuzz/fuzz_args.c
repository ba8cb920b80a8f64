/* Any arguments of any tool give a plan that keeps its promises or a refusal in words. The input
 * is laid out like tests/cases/args/NAME/call.json. */
#include "config.h"

#include "tools/tool.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONTENT_MAX = 4096 };

static const char *const aliases[] = {"py", "python", NULL};
static const char *const shell_aliases[] = {"bash", "sh", NULL};
static const char *const compile[] = {"cc", "-o", "{dir}/main", "{file}", NULL};
static const char *const run[] = {"python3", "{file}", NULL};
static const struct language rows[] = {
    {.id = "python",
     .name = "Python",
     .aliases = aliases,
     .file = "main.py",
     .compile = compile,
     .run = run,
     .fence = "python"},
    {.id = "bash",
     .name = "Bash",
     .aliases = shell_aliases,
     .file = "main.sh",
     .run = run,
     .fence = "bash",
     .shell = true},
};
static const struct languages languages = {.rows = rows, .count = COUNT_OF(rows)};
static const struct tool_context context = {
    .languages = &languages,
    .timeout_default_s = 300,
    .timeout_max_s = 1800,
    .stream_chars = 4000,
    .content_max_bytes = CONTENT_MAX,
};

static void
must(bool promise)
{
    if (!promise)
        __builtin_trap();
}

static void
check_file(const struct plan_file *f)
{
    must(f->path[0] == '/' && strlen(f->path) < 1100 && f->path[strlen(f->path) - 1] != '/');
    must(!strstr(f->path, "//") && !strstr(f->path, "/../") && !strstr(f->path, "/./"));
    must(f->len == strlen(f->bytes) && f->len <= CONTENT_MAX + 16);
    must(f->mode == 0644 || f->mode == 0755 || f->mode == 0600);
}

static void
check_step(const struct plan_step *s)
{
    size_t bytes = 0;

    for (size_t i = 0; s->argv[i]; i++)
        bytes += strlen(s->argv[i]) + 4;
    must(bytes > 0 && bytes < 32000);
    must(s->timeout_ms >= 1000 && s->timeout_ms <= 1800000);
    must(strlen(s->shown) < 2000 && s->shown[0] != '\0');
    must(strcmp(s->cwd, "/work") == 0);
    must(!s->input || s->input_len == 0 || s->input[s->input_len - 1] == '\n');
}

static void
check(const struct plan *p)
{
    must(p->file_count <= PLAN_FILES_MAX && p->step_count <= PLAN_STEPS_MAX);
    must(p->note_count <= PLAN_NOTES_MAX);
    for (size_t i = 0; i < p->file_count; i++)
        check_file(&p->files[i]);
    for (size_t i = 0; i < p->step_count; i++)
        check_step(&p->steps[i]);
    must((p->kind == PLAN_STEPS) == (p->step_count > 0));
    must((p->code != NULL) == (strcmp(p->tool, "run_code") == 0));
    must(!p->expected || p->expected_len > 0);
}

static void
plan(const struct tool *t, struct json_object *arguments)
{
    struct arena *a = arena_new(4096);
    struct plan p;
    struct fault f = {0};

    if (tool_plan(t, &context, arguments, a, &p, &f))
        check(&p);
    else
        must(f.kind == FAULT_ARGUMENT && f.message[0] && strstr(f.hint, "A right call"));
    arena_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_tokener *tok = json_tokener_new_ex(32);
    own_json struct json_object *call =
        json_tokener_parse_ex(tok, (const char *)data, size > 65536 ? 65536 : (int)size);
    struct json_object *name = NULL, *arguments = NULL;

    json_tokener_free(tok);
    if (!json_object_is_type(call, json_type_object))
        return 0;
    json_object_object_get_ex(call, "tool", &name);
    json_object_object_get_ex(call, "arguments", &arguments);
    for (size_t i = 0; tools[i]; i++)
        if (!name || strcmp(json_object_get_string(name), tools[i]->name) == 0)
            plan(tools[i], arguments);
    return 0;
}
