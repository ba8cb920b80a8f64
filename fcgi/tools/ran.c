#include "config.h"

#include "core/hint_command.h"
#include "tools/ran.h"
#include <string.h>

/* A program file that write_file wrote and nobody has changed since. */
struct file {
    const char *path;
    const struct language *language;
    const char *code;
    size_t len;
    struct ran_proof proof;
    bool compiled;
};

struct reader {
    const struct tool_context *c;
    struct arena *a;
    struct file files[RAN_FILES_MAX];
    size_t file_count;
    struct ran *ran;
};

static void
add_run(struct reader *r, const struct reply_run *run, const struct ran_proof *proof)
{
    struct ran *ran = r->ran;

    if (ran->count == RAN_MAX) {
        memmove(ran->runs, ran->runs + 1, (RAN_MAX - 1) * sizeof *ran->runs);
        memmove(ran->proofs, ran->proofs + 1, (RAN_MAX - 1) * sizeof *ran->proofs);
        ran->count--;
    }
    ran->runs[ran->count] = *run;
    ran->proofs[ran->count++] = *proof;
}

/* ---- files
 * --------------------------------------------------------------------------------------- */

static const char *
extension(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    return dot ? dot + 1 : "";
}

/* By the ending of the name, as the language's own file has it. */
static const struct language *
language_of(const struct languages *all, const char *path)
{
    const char *ending = extension(path);

    for (size_t i = 0; ending[0] && i < all->count; i++)
        if (strcmp(extension(all->rows[i].file), ending) == 0)
            return &all->rows[i];
    return ending[0] ? languages_find(all, ending) : NULL;
}

static void
forget(struct reader *r, size_t i)
{
    memmove(&r->files[i], &r->files[i + 1], (r->file_count - i - 1) * sizeof r->files[0]);
    r->file_count--;
}

/* The JSON text of the longest string among the arguments: the content, whatever its name is. */
static const char *
content_json(struct json_object *arguments, struct arena *a)
{
    own_json struct json_object *parsed = NULL;
    struct json_object *longest = NULL;

    if (json_object_is_type(arguments, json_type_string)) {
        parsed = json_tokener_parse(json_object_get_string(arguments));
        arguments = parsed;
    }
    if (!json_object_is_type(arguments, json_type_object))
        return NULL;
    json_object_object_foreach (arguments, name, value) {
        (void)name;
        if (json_object_is_type(value, json_type_string) &&
            (!longest || json_object_get_string_len(value) > json_object_get_string_len(longest)))
            longest = value;
    }
    if (!longest)
        return NULL;
    return arena_printf(a, "%s",
                        json_object_to_json_string_ext(
                            longest, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void
wrote_file(struct reader *r, const struct plan *p, struct json_object *arguments)
{
    const struct plan_file *f = &p->files[0];
    const struct language *l = language_of(r->c->languages, f->path);
    const char *content = l ? content_json(arguments, r->a) : NULL;

    for (size_t i = 0; i < r->file_count; i++)
        if (strcmp(r->files[i].path, f->path) == 0)
            forget(r, i--);
    if (!content || f->len == 0)
        return;
    if (r->file_count == RAN_FILES_MAX)
        forget(r, 0);
    r->files[r->file_count++] = (struct file){
        .path = f->path,
        .language = l,
        .code = f->bytes,
        .len = f->len,
        .proof = {.written = arena_printf(r->a, "write_file %s", f->path), .content = content},
    };
}

/* ---- commands
 * ------------------------------------------------------------------------------------ */

static bool
is_path(struct arena *a, const struct shell_command *c, const char *word, const char *path)
{
    const char *whole = hint_path(a, c->cwd ? c->cwd : "/work", word);

    return whole && strcmp(whole, path) == 0;
}

/* True when a word of the command from the given one on is the file. */
static bool
names_file(struct arena *a, const struct shell_command *c, size_t from, const char *path)
{
    for (size_t i = from; i < c->count; i++)
        if (c->words[i].plain && is_path(a, c, c->words[i].text, path))
            return true;
    return false;
}

/* A program that runs or compiles the language: python3 for Python, g++ for C++. */
static bool
belongs_to(const char *program, const struct language *l, const struct languages *all)
{
    if (hint_is_one_of(program, "dash ksh zsh source ."))
        return l->shell;
    if (hint_is_one_of(program, "cc gcc clang c++ g++ clang++"))
        return hint_is_one_of(l->id, "c cpp");
    return languages_find(all, program) == l || strcmp(program, l->run[0]) == 0 ||
           (l->compile && strcmp(program, l->compile[0]) == 0);
}

static bool
may_change(const struct shell_command *c)
{
    return hint_is_one_of(c->program, "tee mv cp rm patch ed ex truncate install git dd rsync "
                                      "dos2unix black autopep8 gofmt rustfmt clang-format") ||
           (hint_is_one_of(c->program, "sed perl") &&
            (hint_command_has(c, "-i") || hint_command_has(c, "--in-place") ||
             (c->count > 1 && strncmp(c->words[1].text, "-i", 2) == 0) ||
             (c->count > 1 && strncmp(c->words[1].text, "-pi", 3) == 0)));
}

static bool
changes(struct arena *a, const struct shell_command *c, const char *path)
{
    if (c->out_path && is_path(a, c, c->out_path, path))
        return true;
    return may_change(c) && names_file(a, c, 1, path);
}

/* True when a built program is started here: ./a.out, java Main, mono x.exe. */
static bool
starts_built(const struct shell_command *c)
{
    return c->count > 0 &&
           (strchr(c->words[0].text, '/') || hint_is_one_of(c->program, "java mono dotnet kotlin"));
}

enum use { USE_NONE, USE_RUNS, USE_CHANGES };

/* What a command line does with the file; notes that it compiles it. */
static enum use
use_of(struct reader *r, const struct shell_script *s, struct file *f)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct shell_command *c = &s->at[i];

        if (c->count == 0)
            continue;
        if (changes(r->a, c, f->path))
            return USE_CHANGES;
        if (is_path(r->a, c, c->words[0].text, f->path))
            return USE_RUNS;
        if (c->in_path && is_path(r->a, c, c->in_path, f->path) && !f->language->compile &&
            belongs_to(c->program, f->language, r->c->languages))
            return USE_RUNS;
        if (belongs_to(c->program, f->language, r->c->languages) &&
            names_file(r->a, c, 1, f->path)) {
            bool runs = !f->language->compile ||
                        (c->count > 1 && strcmp(c->words[1].text, "run") == 0) ||
                        hint_is_one_of(c->program, "java");

            if (runs)
                return USE_RUNS;
            f->compiled = true;
        } else if (f->compiled && starts_built(c)) {
            return USE_RUNS;
        }
    }
    return USE_NONE;
}

static void
ran_command(struct reader *r, const struct plan *p, bool in_turn)
{
    const struct plan_step *step = &p->steps[p->step_count - 1];
    const char *text = step->argv[1] && step->argv[2] ? step->argv[2] : p->files[0].bytes;
    struct shell_script s = hint_command_parse(r->a, text, "/work");

    for (size_t i = 0; i < r->file_count; i++) {
        struct file *f = &r->files[i];
        enum use use = use_of(r, &s, f);

        if (use == USE_RUNS && in_turn) {
            struct ran_proof proof = f->proof;
            struct reply_run run = {.language = f->language, .code = f->code, .len = f->len};

            proof.command = step->shown;
            add_run(r, &run, &proof);
        } else if (use == USE_CHANGES) {
            forget(r, i--);
        }
    }
}

/* ---- all of it
 * ------------------------------------------------------------------------------------ */

static const struct tool *
tool_called(const char *called)
{
    for (size_t i = 0; tools[i]; i++)
        if (reply_tool_is(called, tools[i]->name))
            return tools[i];
    return NULL;
}

static void
take_call(struct reader *r, const struct reply_call *call)
{
    const struct tool *tool = tool_called(call->tool);
    const struct ran_proof none = {0};
    struct plan *p;
    struct fault f;

    if (!tool)
        return;
    p = arena_alloc(r->a, sizeof *p);
    if (!tool_plan(tool, r->c, call->arguments, r->a, p, &f))
        return;
    if (p->kind == PLAN_RESET) {
        r->file_count = 0;
    } else if (p->kind == PLAN_WRITE_FILE) {
        wrote_file(r, p, call->arguments);
    } else if (p->code && call->in_turn) {
        struct reply_run run = {.language = languages_find(r->c->languages, p->language),
                                .code = p->code,
                                .len = p->code_len,
                                .compared = p->expected != NULL};

        add_run(r, &run, &none);
    } else if (!p->code && p->step_count > 0) {
        ran_command(r, p, call->in_turn);
    }
}

const struct ran *
ran_in_turn(const struct reply_call *calls, size_t count, const struct tool_context *c,
            struct arena *a)
{
    struct reader *r = arena_alloc(a, sizeof *r);

    *r = (struct reader){.c = c, .a = a, .ran = arena_alloc(a, sizeof *r->ran)};
    r->ran->count = 0;
    for (size_t i = 0; i < count; i++)
        take_call(r, &calls[i]);
    return r->ran;
}
