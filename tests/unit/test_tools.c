/* test_tools.c - arguments in, plans or refusals out: every directory of tests/cases/args
 * (call.json -> plan.txt or refusal.txt), the schemas, and what is too large for a file. */
#include "config.h"

#include "base/buf.h"
#include "golden.h"
#include "tools/tool.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { DUMP_MAX = 1 << 20 };

static struct arena *a;
static struct languages languages;
static const struct tool_context context = {
    .languages = &languages,
    .timeout_default_s = 300,
    .timeout_max_s = 1800,
    .stream_chars = 4000,
    .content_max_bytes = 2000,
};
static const struct tool_context roomy = {
    .languages = &languages,
    .timeout_default_s = 300,
    .timeout_max_s = 1800,
    .stream_chars = 4000,
    .content_max_bytes = 8388608,
};

static const struct tool *
tool_named(const char *name)
{
    for (size_t i = 0; tools[i]; i++)
        if (strcmp(tools[i]->name, name) == 0)
            return tools[i];
    fail_msg("no tool \"%s\"", name);
    return NULL;
}

/* ---- dump ------------------------------------------------------------------------- */

static void
dump_bytes(struct buf *out, const char *bytes, size_t len)
{
    bool begin = true;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];

        if (begin)
            buf_adds(out, "    |");
        begin = c == '\n';
        if (c < ' ' && c != '\n')
            buf_printf(out, "\\x%02x", c);
        else
            buf_addc(out, (char)c);
    }
    if (!begin)
        buf_adds(out, "\n    (no line end)\n");
}

static void
dump_text(struct buf *out, const char *label, const char *text)
{
    if (!strchr(text, '\n')) {
        buf_printf(out, "  %s: %s\n", label, text);
        return;
    }
    buf_printf(out, "  %s:\n", label);
    dump_bytes(out, text, strlen(text));
}

static void
dump_step(struct buf *out, const struct plan_step *s)
{
    static const char *const roles[] = {"check", "compile", "run"};

    buf_printf(out, "step: %s\n", roles[s->role]);
    dump_text(out, "shown", s->shown);
    for (size_t i = 0; s->argv[i]; i++)
        dump_text(out, "argv", s->argv[i]);
    buf_printf(out, "  in %s, %" PRId64 " ms, keeps %zu + %zu bytes\n", s->cwd, s->timeout_ms,
               s->head_bytes, s->tail_bytes);
    assert_null(s->env);
    if (!s->input) {
        buf_adds(out, "  stdin: /dev/null\n");
        return;
    }
    buf_printf(out, "  stdin: %zu bytes\n", s->input_len);
    dump_bytes(out, s->input, s->input_len);
}

static const char *
dump_plan(const struct plan *p)
{
    static const char *const kinds[] = {"steps", "write_file", "reset"};
    struct buf out;

    buf_init(&out, a, DUMP_MAX);
    buf_printf(&out, "plan: %s by %s\n", kinds[p->kind], p->tool);
    for (size_t i = 0; i < p->note_count; i++)
        buf_printf(&out, "note: %s\n", p->notes[i]);
    if (p->language)
        buf_printf(&out, "language: %s, saved as %s\n", p->language, p->code_path);
    for (size_t i = 0; i < p->file_count; i++) {
        buf_printf(&out, "file: %s, mode %04o, %zu bytes\n", p->files[i].path, p->files[i].mode,
                   p->files[i].len);
        dump_bytes(&out, p->files[i].bytes, p->files[i].len);
    }
    for (size_t i = 0; i < p->step_count; i++)
        dump_step(&out, &p->steps[i]);
    if (p->expected) {
        buf_printf(&out, "expected: %zu bytes\n", p->expected_len);
        dump_bytes(&out, p->expected, p->expected_len);
    }
    assert_false(out.full);
    return buf_text(&out);
}

/* ---- cases ------------------------------------------------------------------------ */

static void
one_case(void **state)
{
    const char *dir = *state, *plan_path = arena_printf(a, "%s/plan.txt", dir),
               *refusal_path = arena_printf(a, "%s/refusal.txt", dir);
    const char *text = golden_read(a, arena_printf(a, "%s/call.json", dir), NULL);
    own_json struct json_object *call = NULL;
    struct json_object *name, *arguments = NULL;
    struct plan p;
    struct fault f;

    assert_non_null(text);
    call = json_tokener_parse(text);
    assert_true(json_object_object_get_ex(call, "tool", &name));
    json_object_object_get_ex(call, "arguments", &arguments);
    if (tool_plan(tool_named(json_object_get_string(name)), &context, arguments, a, &p, &f)) {
        golden_check(a, plan_path, dump_plan(&p));
        if (golden_read(a, refusal_path, NULL))
            fail_msg("refusal.txt beside a call that is planned");
    } else {
        assert_int_equal(f.kind, FAULT_ARGUMENT);
        golden_check(a, refusal_path, arena_printf(a, "%s\n%s\n", f.message, f.hint));
        if (golden_read(a, plan_path, NULL))
            fail_msg("plan.txt beside a call that is refused");
    }
}

/* ---- every argument of every tool -------------------------------------------------- */

static bool
plans(const struct tool *t, const char *key, struct json_object *value, struct fault *f)
{
    own_json struct json_object *args = json_tokener_parse(t->example);
    struct plan p;

    json_object_object_add(args, key, value);
    return tool_plan(t, &context, args, a, &p, f);
}

static void
examples_are_right(void **state)
{
    struct fault f;

    (void)state;
    for (size_t i = 0; tools[i]; i++) {
        own_json struct json_object *args = json_tokener_parse(tools[i]->example);
        struct plan p;

        if (!tool_plan(tools[i], &context, args, a, &p, &f))
            fail_msg("%s: %s", tools[i]->name, f.message);
        assert_int_equal(p.note_count, 0);
    }
}

static void
bounds_and_unknown_keys(void **state)
{
    struct fault f;

    (void)state;
    for (size_t i = 0; tools[i]; i++) {
        const struct tool *t = tools[i];
        const struct field *fields = tool_fields(t, &context, a);

        assert_true(t->arg_count <= TOOL_ARGS_MAX);
        assert_false(plans(t, "no_such_argument", json_object_new_int(1), &f));
        assert_non_null(strstr(f.message, "no_such_argument"));
        assert_non_null(strstr(f.hint, t->example));
        for (size_t k = 0; k < t->arg_count; k++) {
            const struct field *d = &fields[k];

            if (d->type == FIELD_INT) {
                assert_true(plans(t, d->name, json_object_new_int64(d->min), &f));
                assert_true(plans(t, d->name, json_object_new_int64(d->max), &f));
                assert_false(plans(t, d->name, json_object_new_int64(d->min - 1), &f));
                assert_false(plans(t, d->name, json_object_new_int64(d->max + 1), &f));
            } else {
                char *large = arena_alloc(a, (size_t)d->max + 2);

                memset(large, 'x', (size_t)d->max + 1);
                large[d->max + 1] = '\0';
                assert_false(plans(t, d->name, json_object_new_string(large), &f));
                assert_false(plans(t, d->name, json_object_new_string_len("a\0b", 3), &f));
            }
            assert_non_null(strstr(f.message, d->name));
            assert_int_equal(f.kind, FAULT_ARGUMENT);
        }
    }
}

static void
missing_arguments_are_named(void **state)
{
    struct fault f;

    (void)state;
    for (size_t i = 0; tools[i]; i++)
        for (size_t k = 0; k < tools[i]->arg_count; k++) {
            own_json struct json_object *args = json_tokener_parse(tools[i]->example);
            const char *name = tools[i]->args[k].name;
            struct plan p;

            if (!tools[i]->args[k].required)
                continue;
            json_object_object_del(args, name);
            assert_false(tool_plan(tools[i], &context, args, a, &p, &f));
            assert_non_null(strstr(f.message, name));
            assert_non_null(strstr(f.message, "missing"));
            assert_non_null(strstr(f.hint, tools[i]->example));
        }
}

static void
schemas_are_small_and_plain(void **state)
{
    own_json struct json_object *list = json_object_new_array();
    size_t bytes = 0;

    (void)state;
    for (size_t i = 0; tools[i]; i++) {
        struct json_object *schema = tool_schema(tools[i], &roomy, a),
                           *row = json_object_new_object();

        bytes += strlen(json_object_to_json_string_ext(schema, JSON_C_TO_STRING_PLAIN)) +
                 strlen(tools[i]->doc);
        json_object_object_add(row, "name", json_object_new_string(tools[i]->name));
        json_object_object_add(row, "description", json_object_new_string(tools[i]->doc));
        json_object_object_add(row, "inputSchema", schema);
        json_object_array_add(list, row);
    }
    assert_in_range(bytes, 500, 1800);
    golden_check(a, golden_dir(a, "args/schemas.json"),
                 arena_printf(a, "%s\n",
                              json_object_to_json_string_ext(
                                  list, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)));
}

/* ---- sizes ------------------------------------------------------------------------ */

static void
long_command_travels_as_a_file(void **state)
{
    own_json struct json_object *args = json_object_new_object();
    const size_t len = 200000;
    char *command = arena_alloc(a, len + 1);
    struct plan p;
    struct fault f;

    (void)state;
    memset(command, 'x', len);
    memcpy(command, "echo ", 5);
    command[len] = '\0';
    json_object_object_add(args, "command", json_object_new_string(command));
    assert_true(tool_plan(tool_named("run"), &roomy, args, a, &p, &f));
    assert_int_equal(p.file_count, 1);
    assert_string_equal(p.steps[0].argv[0], "bash");
    assert_string_equal(p.steps[0].argv[1], p.files[0].path);
    assert_null(p.steps[0].argv[2]);
    assert_memory_equal(p.files[0].bytes, command, len);
    assert_in_range(strlen(p.steps[0].shown), 800, 1100);
    assert_non_null(strstr(p.steps[0].shown, "bytes of the command not shown"));
}

static void
many_lines_are_shortened(void **state)
{
    own_json struct json_object *args = json_object_new_object();
    const char *command = "";
    size_t lines = 1;
    struct plan p;
    struct fault f;

    (void)state;
    for (int i = 0; i < 40; i++)
        command = arena_printf(a, "%secho %d \xc3\xa9\n", command, i);
    json_object_object_add(args, "command", json_object_new_string(command));
    assert_true(tool_plan(tool_named("run"), &roomy, args, a, &p, &f));
    for (const char *s = p.steps[0].shown; *s; s++)
        lines += *s == '\n';
    assert_in_range(lines, 15, 21);
    assert_non_null(strstr(p.steps[0].shown, "echo 0 "));
    assert_non_null(strstr(p.steps[0].shown, "echo 39 "));
}

static bool
begins_within_a_character(const char *s)
{
    return ((unsigned char)*s & 0xc0) == 0x80;
}

/* A command of one line is cut between characters, wherever the cut falls. */
static void
shown_keeps_characters_whole(void **state)
{
    for (size_t shift = 0; shift < 3; shift++) {
        own_json struct json_object *args = json_object_new_object();
        const char *command = arena_printf(a, "%.*s", (int)shift, "xx"), *cut;
        struct plan p;
        struct fault f;

        for (int i = 0; i < 500; i++)
            command = arena_printf(a, "%s\xe2\x82\xac", command);
        json_object_object_add(args, "command", json_object_new_string(command));
        assert_true(tool_plan(tool_named("run"), &roomy, args, a, &p, &f));
        cut = strchr(p.steps[0].shown, '\n');
        assert_non_null(cut);
        assert_int_equal((size_t)(cut - p.steps[0].shown) % 3, shift);
        cut = strchr(cut + 1, '\n');
        assert_non_null(cut);
        assert_false(begins_within_a_character(cut + 1));
        assert_int_equal(strlen(cut + 1) % 3, 0);
    }
    (void)state;
}

static void
captures_stay_within_the_agent_s_limits(void **state)
{
    struct tool_context large = roomy;

    (void)state;
    large.stream_chars = 16000;
    assert_int_equal(tool_tail_bytes(&large), TOOL_TAIL_MAX);
    assert_int_equal(tool_tail_bytes(&roomy), 32384);
}

static void
judged_output_is_kept_from_the_beginning(void **state)
{
    own_json struct json_object *args = json_tokener_parse(tool_named("run_code")->example);
    const size_t len = 700000;
    char *expected = arena_alloc(a, len + 1);
    struct plan p;
    struct fault f;

    (void)state;
    memset(expected, '1', len);
    expected[len] = '\0';
    json_object_object_add(args, "expected", json_object_new_string(expected));
    assert_true(tool_plan(tool_named("run_code"), &roomy, args, a, &p, &f));
    assert_int_equal(p.steps[0].head_bytes, 1048576);
    assert_int_equal(p.expected_len, len);
}

static void
no_arguments_at_all(void **state)
{
    struct plan p;
    struct fault f;

    (void)state;
    assert_true(tool_plan(tool_named("reset"), &roomy, NULL, a, &p, &f));
    assert_int_equal(p.kind, PLAN_RESET);
    assert_false(tool_plan(tool_named("run"), &roomy, NULL, a, &p, &f));
}

int
main(void)
{
    static const struct CMUnitTest fixed[] = {
        cmocka_unit_test(examples_are_right),
        cmocka_unit_test(bounds_and_unknown_keys),
        cmocka_unit_test(missing_arguments_are_named),
        cmocka_unit_test(schemas_are_small_and_plain),
        cmocka_unit_test(long_command_travels_as_a_file),
        cmocka_unit_test(many_lines_are_shortened),
        cmocka_unit_test(shown_keeps_characters_whole),
        cmocka_unit_test(captures_stay_within_the_agent_s_limits),
        cmocka_unit_test(judged_output_is_kept_from_the_beginning),
        cmocka_unit_test(no_arguments_at_all),
    };
    static struct CMUnitTest tests[COUNT_OF(fixed) + GOLDEN_CASES_MAX];
    const char *dir, *text;
    const char *const *cases;
    size_t count, len, n = 0;
    struct fault f;
    int failed;

    a = arena_new(65536);
    dir = golden_dir(a, "args");
    text = golden_read(a, arena_printf(a, "%s/languages.json", dir), &len);
    if (!text || !languages_load(text, len, a, &languages, &f)) {
        printf("Bail out! %s\n", text ? f.message : "no languages.json");
        return 1;
    }
    for (; n < COUNT_OF(fixed); n++)
        tests[n] = fixed[n];
    cases = golden_cases(a, dir, &count);
    for (size_t i = 0; i < count; i++)
        tests[n++] = (struct CMUnitTest){
            .name = cases[i],
            .test_func = one_case,
            .initial_state = arena_printf(a, "%s/%s", dir, cases[i]),
        };
    failed = _cmocka_run_group_tests("tools", tests, n, NULL, NULL);
    arena_free(a);
    return count > 0 ? failed : 1;
}
