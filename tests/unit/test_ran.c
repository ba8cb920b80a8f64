/* test_ran.c - the programs that the tool calls of a chat ran. */
#include "config.h"

#include "base/buf.h"
#include "core/languages.h"
#include "tools/ran.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena *a;
static struct languages languages;
static struct tool_context context = {.languages = &languages,
                                      .timeout_default_s = 1,
                                      .timeout_max_s = 10,
                                      .stream_chars = 4000,
                                      .content_max_bytes = 1 << 20};

static int
setup(void **state)
{
    static char text[65536];
    char path[1024];
    struct fault f;
    FILE *in;

    (void)state;
    a = arena_new(65536);
    snprintf(path, sizeof path, "%s/sandbox-image/languages.json", getenv("SRCDIR"));
    in = fopen(path, "r");
    assert_non_null(in);
    assert_true(languages_load(text, fread(text, 1, sizeof text, in), a, &languages, &f));
    fclose(in);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

/* The runs of calls written as "TOOL ARGUMENTS" lines, each as "language:code[=][ @command]" and a
 * |; = when it was compared. A line that begins with - is of an earlier turn. */
static const char *
ran(const char *lines)
{
    struct reply_call *calls = arena_alloc(a, 32 * sizeof *calls);
    const struct ran *r;
    size_t n = 0;
    struct buf b;

    for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        bool before = *p == '-';
        const char *tool = p + before;
        size_t len = strcspn(tool, " "), rest = strcspn(tool + len, "\n");

        calls[n].tool = arena_strndup(a, tool, len);
        calls[n].arguments = json_tokener_parse(arena_strndup(a, tool + len, rest));
        calls[n++].in_turn = !before;
    }
    r = ran_in_turn(calls, n, &context, a);
    buf_init(&b, a, 65536);
    for (size_t i = 0; i < r->count; i++)
        buf_printf(&b, "%s:%.*s%s%s%s|", r->runs[i].language->id, (int)r->runs[i].len,
                   r->runs[i].code, r->runs[i].compared ? "=" : "",
                   r->proofs[i].command ? " @" : "",
                   r->proofs[i].command ? r->proofs[i].command : "");
    for (size_t i = 0; i < n; i++)
        json_object_put(calls[i].arguments);
    return buf_text(&b);
}

#define PY "write_file {\"path\":\"a.py\",\"content\":\"x\"}\n"
#define RUN(command) "run {\"command\":\"" command "\"}\n"
#define PY_RAN(command) "python:x @" command "|"

static void
runs(void **state)
{
    static const struct {
        const char *lines, *ran;
    } rows[] = {
        {"", ""},
        {"run_code {\"language\":\"py\",\"code\":\"x\"}", "python:x|"},
        {"run_code_mcp_b {\"language\":\"py\",\"code\":\"x\",\"expected\":1}", "python:x=|"},
        {"run_code \"{\\\"language\\\":\\\"py\\\",\\\"code\\\":\\\"x\\\"}\"", "python:x|"},
        {"run_code {\"language\":\"py\",\"code\":\"```py\\nx\\n```\",\"expected\":\"\"}",
         "python:x\n|"},
        {"-run_code {\"language\":\"py\",\"code\":\"x\"}", ""},
        {"run_code {\"language\":\"nothing\",\"code\":\"x\"}", ""},
        {"run_code {\"code\":\"x\"}", ""},
        {"run_code 7", ""},
        {"other {\"language\":\"py\",\"code\":\"x\"}", ""},
        {RUN("ls"), ""},
        {PY, ""},
        {PY RUN("ls a.py"), ""},
        {PY RUN("cat a.py"), ""},
        {PY RUN("python3 b.py"), ""},
        {PY RUN("python3 a.py"), PY_RAN("python3 a.py")},
        {"-" PY RUN("python3 a.py"), PY_RAN("python3 a.py")},
        {PY "-" RUN("python3 a.py"), ""},
        {PY RUN("python a.py 1 2 > out"), PY_RAN("python a.py 1 2 > out")},
        {PY RUN("/usr/bin/python3.13 -u ./a.py"), PY_RAN("/usr/bin/python3.13 -u ./a.py")},
        {PY RUN("cd /tmp && python3 /work/a.py"), PY_RAN("cd /tmp && python3 /work/a.py")},
        {PY RUN("cd /tmp && python3 a.py"), ""},
        {PY RUN("echo 1 | timeout 5 python3 a.py"), PY_RAN("echo 1 | timeout 5 python3 a.py")},
        {PY RUN("python3 < a.py"), PY_RAN("python3 < a.py")},
        {PY RUN("./a.py"), PY_RAN("./a.py")},
        {PY RUN("node a.py"), ""},
        {PY RUN("echo python3 a.py"), ""},
        {PY RUN("sed -i s/x/y/ a.py") RUN("python3 a.py"), ""},
        {PY RUN("echo y > a.py; python3 a.py"), ""},
        {PY RUN("echo y | tee a.py") RUN("python3 a.py"), ""},
        {PY RUN("mv b.py a.py") RUN("python3 a.py"), ""},
        {PY RUN("sed s/x/y/ a.py") RUN("python3 a.py"), PY_RAN("python3 a.py")},
        {PY "reset {}\n" RUN("python3 a.py"), ""},
        {PY "write_file {\"path\":\"/work/a.py\",\"content\":\"y\"}\n" RUN("python3 a.py"),
         "python:y @python3 a.py|"},
        {PY "write_file {\"path\":\"/work/a.py\",\"content\":\"\"}\n" RUN("python3 a.py"), ""},
        {"write_file {\"path\":\"notes.txt\",\"content\":\"x\"}\n" RUN("python3 notes.txt"), ""},
        {"write_file {\"path\":\"a.sh\",\"content\":\"x\"}\n" RUN("chmod +x a.sh") RUN("./a.sh"),
         "bash:x @./a.sh|"},
        {"write_file {\"path\":\"a.sh\",\"content\":\"x\"}\n" RUN("source a.sh"),
         "bash:x @source a.sh|"},
        {"write_file {\"path\":\"a.c\",\"content\":\"x\"}\n" RUN("gcc a.c -o a"), ""},
        {"write_file {\"path\":\"a.c\",\"content\":\"x\"}\n" RUN("gcc a.c -o a && ./a"),
         "c:x @gcc a.c -o a && ./a|"},
        {"write_file {\"path\":\"a.cpp\",\"content\":\"x\"}\n" RUN("clang++ a.cpp") RUN("./a.out"),
         "cpp:x @./a.out|"},
        {"write_file {\"path\":\"a.c\",\"content\":\"x\"}\n" RUN("./a"), ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *is = ran(rows[i].lines);

        if (strcmp(is, rows[i].ran) != 0)
            fail_msg("of:\n%s\nwanted: %s\ncame:   %s", rows[i].lines, rows[i].ran, is);
    }
}

static void
proofs(void **state)
{
    struct json_object *file =
        json_tokener_parse("{\"content\":\"\\u00e9/\\n\",\"path\":\"b.py\"}");
    struct json_object *start = json_tokener_parse("{\"command\":\"python3 b.py\"}");
    const struct reply_call calls[] = {{"write_file", file, false}, {"run", start, true}};
    const struct ran *r = ran_in_turn(calls, 2, &context, a);

    (void)state;
    assert_int_equal(r->count, 1);
    assert_string_equal(r->proofs[0].written, "write_file /work/b.py");
    assert_string_equal(r->proofs[0].command, "python3 b.py");
    assert_string_equal(r->proofs[0].content, "\"\xc3\xa9/\\n\"");
    json_object_put(file);
    json_object_put(start);
}

static void
the_newest_are_kept(void **state)
{
    struct json_object *run = json_tokener_parse("{\"language\":\"py\",\"code\":\"x\"}"),
                       *last = json_tokener_parse("{\"language\":\"py\",\"code\":\"y\"}");
    struct reply_call *calls = arena_alloc(a, (RAN_MAX + 1) * sizeof *calls);
    const struct ran *r;

    (void)state;
    for (size_t i = 0; i <= RAN_MAX; i++)
        calls[i] = (struct reply_call){"run_code", i < RAN_MAX ? run : last, true};
    r = ran_in_turn(calls, RAN_MAX + 1, &context, a);
    assert_int_equal(r->count, RAN_MAX);
    assert_string_equal(r->runs[0].code, "x");
    assert_string_equal(r->runs[RAN_MAX - 1].code, "y");
    json_object_put(run);
    json_object_put(last);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),
        cmocka_unit_test(proofs),
        cmocka_unit_test(the_newest_are_kept),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
