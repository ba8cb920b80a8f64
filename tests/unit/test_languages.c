/* test_languages.c - the language table: the real file loads, broken ones are refused in words. */
#include "config.h"

#include "core/languages.h"
#include "golden.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROW(id, aliases, file, compile, run)                                                       \
    "{\"id\":" id ",\"name\":\"Name\",\"aliases\":" aliases ",\"file\":" file                      \
    ",\"compile\":" compile ",\"run\":" run ",\"fence\":\"x\",\"shell\":false}"
#define GOOD ROW("\"c\"", "[\"ansi c\"]", "\"main.c\"", "[\"cc\",\"{file}\"]", "[\"{dir}/main\"]")

static struct arena *a;
static struct languages got;
static struct fault fault;

static bool
load(const char *text)
{
    return languages_load(text, strlen(text), a, &got, &fault);
}

static void
refused(const char *text, const char *message)
{
    if (load(text))
        fail_msg("accepted: %s", text);
    assert_int_equal(fault.kind, FAULT_INTERNAL);
    assert_string_equal(fault.message, message);
}

static void
the_real_file_loads(void **state)
{
    const char *source = getenv("SRCDIR");
    size_t len;
    const char *text;

    (void)state;
    assert_non_null(source);
    text = golden_read(a, arena_printf(a, "%s/sandbox-image/languages.json", source), &len);
    assert_non_null(text);
    if (!languages_load(text, len, a, &got, &fault))
        fail_msg("%s", fault.message);
    for (size_t i = 0; i < got.count; i++) {
        const struct language *l = &got.rows[i];

        assert_ptr_equal(languages_find(&got, l->id), l);
        for (size_t k = 0; l->aliases[k]; k++)
            assert_ptr_equal(languages_find(&got, l->aliases[k]), l);
    }
    for (const char *const *n = (const char *const[]){"python", "c", "cpp", "javascript", "bash",
                                                      "c++", "py", "js", NULL};
         *n; n++)
        if (!languages_find(&got, *n))
            fail_msg("no language \"%s\"", *n);
}

static void
rows(void **state)
{
    (void)state;
    assert_true(load("[" GOOD "]\n"));
    assert_int_equal(got.count, 1);
    assert_string_equal(got.rows[0].id, "c");
    assert_string_equal(got.rows[0].aliases[0], "c");
    assert_string_equal(got.rows[0].aliases[1], "ansi c");
    assert_null(got.rows[0].aliases[2]);
    assert_string_equal(got.rows[0].compile[1], "{file}");
    assert_string_equal(got.rows[0].run[0], "{dir}/main");
    assert_false(got.rows[0].shell);
    assert_true(load("[" ROW("\"d\"", "[\"d\"]", "\"a.d\"", "null", "[\"d{x\"]") "]"));
    assert_null(got.rows[0].compile);
    assert_null(got.rows[0].aliases[1]);
}

static void
names(void **state)
{
    (void)state;
    assert_true(
        load("[" GOOD "," ROW("\"py3\"", "[\"python\"]", "\"a.py\"", "null", "[\"p\"]") "]"));
    assert_string_equal(languages_names(&got, a), "c, py3");
    assert_ptr_equal(languages_find(&got, " C\n"), &got.rows[0]);
    assert_ptr_equal(languages_find(&got, "ANSI C"), &got.rows[0]);
    assert_ptr_equal(languages_find(&got, "C99"), &got.rows[0]);
    assert_ptr_equal(languages_find(&got, "py3"), &got.rows[1]);
    assert_ptr_equal(languages_find(&got, "Python 3.13"), &got.rows[1]);
    assert_null(languages_find(&got, ""));
    assert_null(languages_find(&got, " "));
    assert_null(languages_find(&got, "3"));
    assert_null(languages_find(&got, "cobol"));
    assert_null(languages_find(&got, arena_printf(a, "%0300d", 1)));
}

static void
broken_files(void **state)
{
    (void)state;
    refused("", "languages: not JSON: continue.");
    refused("[", "languages: not JSON: continue.");
    refused("[]x", "languages: not JSON: unexpected character.");
    refused("{}", "languages: the file must hold an array of rows.");
    refused("[]", "languages: 0 rows; there must be 1 to 100.");
    refused("[5]", "languages: row 1 is not an object.");
    refused("[null]", "languages: row 1 is not an object.");
    refused("[{}]", "languages: row 1: \"id\" must be a string of 1 to 200 bytes.");
    refused("[" GOOD "," GOOD "]", "languages: row 2 (c): \"c\" is a name of an earlier row too.");
    refused("[{\"id\":\"c\",\"extra\":1}]", "languages: row 1 (c): \"extra\" is not a known key.");
}

static void
broken_rows(void **state)
{
    static const struct {
        const char *row, *message;
    } bad[] = {
        {ROW("\"C\"", "[]", "\"a.c\"", "null", "[\"x\"]"),
         "languages: row 1 (C): \"id\" may hold lower-case letters, digits, + # - only."},
        {ROW("\"c\"", "[\"C\"]", "\"a.c\"", "null", "[\"x\"]"),
         "languages: row 1 (c): \"aliases\" must be in lower case."},
        {ROW("\"c\"", "null", "\"a.c\"", "null", "[\"x\"]"),
         "languages: row 1 (c): \"aliases\" must be an array of strings."},
        {ROW("\"c\"", "[1]", "\"a.c\"", "null", "[\"x\"]"),
         "languages: row 1 (c): \"aliases\" must hold strings of 1 to 200 bytes."},
        {ROW("\"c\"", "[]", "\"../a.c\"", "null", "[\"x\"]"),
         "languages: row 1 (c): \"file\" must be a plain file name."},
        {ROW("\"c\"", "[]", "\"{file}\"", "null", "[\"x\"]"),
         "languages: row 1 (c): \"file\" must be a plain file name."},
        {ROW("\"c\"", "[]", "\"\"", "null", "[\"x\"]"),
         "languages: row 1 (c): \"file\" must be a string of 1 to 200 bytes."},
        {ROW("\"c\"", "[]", "\"a.c\"", "\"cc\"", "[\"x\"]"),
         "languages: row 1 (c): \"compile\" must be an array of strings."},
        {ROW("\"c\"", "[]", "\"a.c\"", "null", "[]"),
         "languages: row 1 (c): \"run\" must hold 1 to 32 strings."},
        {ROW("\"c\"", "[]", "\"a.c\"", "null", "[\"x\",\"{out}\"]"),
         "languages: row 1 (c): \"run\" has a placeholder other than {file}, {dir} and {main}."},
        {ROW("\"c\"", "[]", "\"a.c\"", "[\"x\",\"-o{name}\"]", "[\"x\"]"),
         "languages: row 1 (c): \"compile\" has a placeholder other than {file}, {dir} and "
         "{main}."},
        {ROW("\"c\"", "[]", "\"a.c\"", "null", "[\"x\\u0000\"]"),
         "languages: row 1 (c): \"run\" must hold strings of 1 to 200 bytes."},
        {"{\"id\":\"c\",\"name\":\"C\",\"aliases\":[],\"file\":\"a.c\",\"run\":[\"x\"],\"fence\":"
         "\"c\","
         "\"shell\":false}",
         "languages: row 1 (c): \"compile\" is missing (null when there is nothing to compile)."},
        {"{\"id\":\"c\",\"name\":\"C\",\"aliases\":[],\"file\":\"a.c\",\"run\":[\"x\"],\"fence\":"
         "\"c\","
         "\"compile\":null}",
         "languages: row 1 (c): \"shell\" must be true or false."},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        refused(arena_printf(a, "[%s]", bad[i].row), bad[i].message);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_real_file_loads),
        cmocka_unit_test(rows),
        cmocka_unit_test(names),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(broken_rows),
    };
    int failed;

    a = arena_new(4096);
    failed = cmocka_run_group_tests_name("languages", tests, NULL, NULL);
    arena_free(a);
    return failed;
}
