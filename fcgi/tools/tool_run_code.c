#include "config.h"

#include "core/program_names.h"
#include "tools/repair.h"
#include "tools/shell_check.h"
#include "tools/tool.h"
#include <string.h>

enum {
    HEAD_BYTES = 1024,
    JUDGED_SLACK_BYTES = 65536, /* prompts and labels around the right answer */
    FILE_NAME_CHARS = 60,
};

#define FOLDER "/work"

struct run_code_args {
    const char *language, *code, *input, *expected;
};

static const struct field args[] = {
    TEXT_FIELD(struct run_code_args, language, .required = true, .min = 1, .max = 40,
               .aliases = "lang programming_language", .doc = "programming language"),
    TEXT_FIELD(struct run_code_args, code, .required = true, .min = 1, .max = INT32_MAX,
               .aliases = "source source_code program script content",
               .doc = "the whole program, not a file name"),
    TEXT_FIELD(struct run_code_args, input, .max = INT32_MAX, .json = FIELD_JSON_TEXT,
               .aliases = "stdin std_in", .doc = "what the program reads on stdin"),
    TEXT_FIELD(struct run_code_args, expected, .max = INT32_MAX, .json = FIELD_JSON_TEXT,
               .aliases = "expected_output expect expected_stdout",
               .doc = "the exact right output, if you were told it"),
};

static void
fit(const struct tool_context *c, struct arena *a, struct field *fields)
{
    const char *names = languages_names(c->languages, a);

    fields[0].doc = names;
    for (size_t i = 1; i < COUNT_OF(args); i++)
        fields[i].max = (int64_t)c->content_max_bytes;
    fields[1].too_long = "Put large data into files with write_file and read them in the program.";
    fields[2].too_long = "Put large input into files with write_file and read them in the program.";
}

/* "x{key}y" with the value in place of {key}, as often as it stands there. */
static const char *
fill_word(const char *word, const char *key, const char *value, struct arena *a)
{
    const char *at;

    while ((at = strstr(word, key)) != NULL)
        word = arena_printf(a, "%.*s%s%s", (int)(at - word), word, value, at + strlen(key));
    return word;
}

/* An argv row with its placeholders filled in; the program runs in its own folder. */
static const char *const *
fill(const char *const *row, const struct program_names *names, struct arena *a)
{
    size_t n = 0;
    const char **argv;

    while (row[n])
        n++;
    argv = arena_alloc(a, (n + 1) * sizeof *argv);
    for (size_t i = 0; i < n; i++) {
        argv[i] = fill_word(row[i], "{file}", names->file, a);
        argv[i] = fill_word(argv[i], "{dir}", ".", a);
        argv[i] = fill_word(argv[i], "{main}", names->main, a);
    }
    argv[n] = NULL;
    return argv;
}

static bool
is_plain(const char *word)
{
    return word[0] != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_@%+=:,./-") == strlen(word);
}

/* argv as one would type it. */
static const char *
shown_of(const char *const *argv, struct arena *a)
{
    const char *line = "";

    for (size_t i = 0; argv[i]; i++)
        line =
            arena_printf(a, is_plain(argv[i]) ? "%s%s%s" : "%s%s'%s'", line, i ? " " : "", argv[i]);
    return line;
}

/* A text of one word that ends like a program's file name ("solution.py"). A shell program may
 * be just that: the name of a command. */
static bool
is_file_name(const struct languages *l, const struct language *lang, const char *code)
{
    size_t skip = strspn(code, " \t\r\n"), len = strcspn(code + skip, " \t\r\n");
    const char *word = code + skip;

    if (lang->shell || len > FILE_NAME_CHARS || !repair_blank(word + len) ||
        strcspn(word, "()=;\"'`{}[]<>") < len)
        return false;
    for (size_t i = 0; i < l->count; i++) {
        const char *dot = strrchr(l->rows[i].file, '.');
        size_t n = dot ? strlen(dot) : 0;

        if (n > 0 && len > n && strncmp(word + len - n, dot, n) == 0)
            return true;
    }
    return false;
}

static bool
refuse_file_name(const char *code, const struct language *lang, struct fault *f)
{
    size_t skip = strspn(code, " \t\r\n");
    int len = (int)strcspn(code + skip, " \t\r\n");

    fault_set(f, FAULT_ARGUMENT,
              "Argument \"code\" is only a file name (%.*s). It must be the program text itself.",
              len, code + skip);
    fault_hint(f,
               "Give the whole %s program as code. To run a file that already exists, use "
               "run(\"...\") with the command that runs %.*s.",
               lang->name, len, code + skip);
    return false;
}

static bool
find_language(const struct tool_context *c, const char *name, struct arena *a,
              const struct language **ret, struct fault *f)
{
    *ret = languages_find(c->languages, name);
    if (*ret)
        return true;
    fault_set(f, FAULT_ARGUMENT, "There is no language \"%s\" here. Known languages: %s.", name,
              languages_names(c->languages, a));
    fault_hint(f, "For anything else, save the program with write_file and start it with run.");
    return false;
}

/* Input always ends with a line break: a last line without one is lost on many readers. */
static const char *
input_of(const char *input, struct arena *a)
{
    size_t len = input ? strlen(input) : 0;

    if (len == 0 || input[len - 1] == '\n')
        return len > 0 ? input : "";
    return arena_printf(a, "%s\n", input);
}

static size_t
judged_head(size_t expected_len)
{
    if (expected_len > (TOOL_HEAD_MAX - JUDGED_SLACK_BYTES) / 2)
        return TOOL_HEAD_MAX;
    return 2 * expected_len + JUDGED_SLACK_BYTES;
}

static void
add_compile(const struct tool_context *c, const struct language *l,
            const struct program_names *names, struct arena *a, struct plan *p)
{
    const char *const *argv = fill(l->compile, names, a);

    p->steps[p->step_count++] = (struct plan_step){
        .role = STEP_COMPILE,
        .shown = shown_of(argv, a),
        .argv = argv,
        .cwd = FOLDER,
        .timeout_ms = c->timeout_default_s * 1000,
        .head_bytes = tool_tail_bytes(c),
        .tail_bytes = tool_tail_bytes(c),
    };
}

static void
add_run(const struct tool_context *c, const struct language *l, const struct program_names *names,
        const char *input, struct arena *a, struct plan *p)
{
    const char *const *argv = fill(l->run, names, a);

    p->steps[p->step_count++] = (struct plan_step){
        .role = STEP_RUN,
        .shown = shown_of(argv, a),
        .argv = argv,
        .cwd = FOLDER,
        .input = input,
        .input_len = strlen(input),
        .timeout_ms = c->timeout_default_s * 1000,
        .head_bytes = p->expected ? judged_head(p->expected_len) : HEAD_BYTES,
        .tail_bytes = tool_tail_bytes(c),
    };
}

static bool
plan(const struct tool_context *c, const void *opaque, struct arena *a, struct plan *ret,
     struct fault *f)
{
    const struct run_code_args *in = opaque;
    const char *code = repair_line_ends(in->code, a), *inner = repair_fence(code, a);
    const struct language *l;
    struct program_names names;

    if (!find_language(c, in->language, a, &l, f))
        return false;
    if (inner) {
        code = inner;
        plan_note(ret, "The Markdown fence (```) around the code was removed.");
    }
    if (repair_blank(code))
        return fault_set(f, FAULT_ARGUMENT,
                         "Argument \"code\" is empty. It must be the whole program.");
    if (is_file_name(c->languages, l, code))
        return refuse_file_name(code, l, f);
    program_names(l, code, a, &names);
    ret->kind = PLAN_STEPS;
    ret->language = l->id;
    ret->code = code;
    ret->code_len = strlen(code);
    ret->code_path = arena_printf(a, FOLDER "/%s", names.file);
    if (in->expected && !repair_blank(in->expected)) { /* "": how small models leave it out */
        ret->expected = in->expected;
        ret->expected_len = strlen(in->expected);
    }
    ret->files[ret->file_count++] = (struct plan_file){
        .path = ret->code_path, .bytes = code, .len = ret->code_len, .mode = 0644};
    if (l->shell)
        ret->steps[ret->step_count++] = shell_check_step(FOLDER, names.file, a);
    if (l->compile)
        add_compile(c, l, &names, a, ret);
    add_run(c, l, &names, input_of(in->input, a), a, ret);
    return true;
}

extern const struct tool tool_run_code;
const struct tool tool_run_code = {
    .name = "run_code",
    .title = "Run a program",
    .doc = "Save, compile and run a program in one call. With expected it compares the output and "
           "says PASS or FAIL. Use this to test code before you answer.",
    .args = args,
    .arg_count = COUNT_OF(args),
    .arg_bytes = sizeof(struct run_code_args),
    .fit = fit,
    .plan = plan,
    .example = "{\"language\": \"python\", \"code\": \"print(1 + 2)\"}",
};
