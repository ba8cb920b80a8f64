#include "config.h"

#include "core/json_text.h"
#include "core/slice.h"
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool
good(const char *text)
{
    return slice_check(text, strlen(text), 4);
}

static void
what_json_allows_passes(void **state)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "10",
        "1.5",
        "-1.5e+10",
        "1E5",
        "0e0",
        "\"\"",
        "null",
        " true ",
        "\tfalse\n",
        "\r[ ]",
        "{}",
        "{ \"a\" : [ 1 , 2 ] }",
        "[[[1]]]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\uD800\\u0000\"",
        "\"\x7f \xc2\x80\"",
        "\"\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
        "{\"\":1,\"\":2}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (!good(texts[i]))
            fail_msg("refused: %s", texts[i]);
}

static void
what_json_forbids_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "-",
        "01",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "0x1",
        "NaN",
        "-Infinity",
        "True",
        "nul",
        "nulll",
        "1 2",
        "\"",
        "\"a",
        "'a'",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u123",
        "\"\\",
        "\"\n\"",
        "\"\x1f\"",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{1:1}",
        "{,}",
        "{}}",
        "[[[[[1]]]]]",
        "/**/1",
        "1//",
        "\f1",
        "\357\273\2771",
        "{\"a\\u0000\":1}",
        "\"\xff\"",
        "\"\xc0\xaf\"",
        "\"\xc1\x81\"",
        "\"\xe0\x80\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf0\x80\x80\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xf5\x80\x80\x80\"",
        "\"\xe2\x82\"",
        "\"\xc2",
        "\"\xf0\x9f\x98z\"",
        "\x80",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (good(texts[i]))
            fail_msg("passed: %s", texts[i]);
    assert_false(slice_check("1\0", 2, 4));
    assert_false(slice_check("\0", 1, 4));
    assert_false(slice_check("\"a\0b\"", 5, 4));
    assert_false(slice_check("\"\\\0\"", 4, 4));
    assert_false(slice_check("\"\\u00\0\"", 7, 4));
    assert_false(slice_check("[]", 2, 0));
}

/* What passes means the same to json-c. */
static void
whatever_passes_is_read_by_json_c(void **state)
{
    static const char text[] = "{\"a\":[1,{\"b\":\"\\u0061\xc3\xa9\"}],\"\\u0061\":-1.5e3}";

    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (int c = 1; c < 256; c++) {
            char copy[sizeof text];
            struct json_tokener *tok = json_tokener_new_ex(6);
            struct json_object *o;

            memcpy(copy, text, sizeof text);
            copy[i] = (char)c;
            json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
            o = json_tokener_parse_ex(tok, copy, (int)sizeof text - 1);
            if (!o && good(copy))
                fail_msg("json-c refuses: %s", copy);
            json_object_put(o);
            json_tokener_free(tok);
        }
}

static void
is(struct slice s, const char *expected)
{
    if (!expected) {
        assert_null(s.at);
        return;
    }
    assert_non_null(s.at);
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.at, expected, s.len);
}

static struct slice
member(const char *object, const char *name, size_t times)
{
    struct slice_member m = {.name = name, .value = {"stale", 5}, .times = 9};

    slice_members(slice_value(object, strlen(object)), &m, 1);
    assert_int_equal(m.times, times);
    return m.value;
}

static void
members_are_found_as_they_were_written(void **state)
{
    (void)state;
    is(member("{\"id\":1}", "id", 1), "1");
    is(member(" { \"x\" : [ { \"id\" : 3 } ] , \"id\" :\t1.50 \n} ", "id", 1), "1.50");
    is(member("{\"id\":\"\\u0041\\\"}\"}", "id", 1), "\"\\u0041\\\"}\"");
    is(member("{\"id\":{\"a\":[1, 2 ]} ,\"b\":2}", "id", 1), "{\"a\":[1, 2 ]}");
    is(member("{\"id\":null}", "id", 1), "null");
    is(member("{}", "id", 0), NULL);
    is(member("{\"i\":1,\"idx\":2,\"ID\":3,\"\":4}", "id", 0), NULL);
    is(member("[1]", "id", 0), NULL);
    is(member("\"{\\\"id\\\":1}\"", "id", 0), NULL);
    is(member("5", "id", 0), NULL);
}

static void
the_last_of_a_name_counts_however_it_is_spelt(void **state)
{
    (void)state;
    is(member("{\"id\":1,\"id\":2}", "id", 2), "2");
    is(member("{\"id\":1,\"\\u0069\\u0064\":2}", "id", 2), "2");
    is(member("{\"\\u0069d\":1}", "id", 1), "1");
    is(member("{\"a\\/b\":1}", "a/b", 1), "1");
    is(member("{\"i\xc4\x91\":1,\"id\xcc\x81\":2,\"\\u0169d\":3}", "id", 0), NULL);
}

static void
several_members_are_found_in_one_pass(void **state)
{
    static const char text[] = "{\"b\":[],\"a\":1,\"c\":{\"a\":9},\"a\":2}";
    struct slice_member m[] = {{.name = "a"}, {.name = "b"}, {.name = "none"}, {.name = "a"}};

    (void)state;
    slice_members(slice_value(text, sizeof text - 1), m, COUNT_OF(m));
    is(m[0].value, "2");
    is(m[1].value, "[]");
    is(m[2].value, NULL);
    is(m[3].value, "2");
    slice_members((struct slice){0}, m, COUNT_OF(m));
    is(m[0].value, NULL);
}

static void
elements_come_in_order(void **state)
{
    static const char text[] = " [ 1 , \"a,]\" ,[ 2,3 ], {\"x\":[4]}\n] ";
    static const char *const expected[] = {"1", "\"a,]\"", "[ 2,3 ]", "{\"x\":[4]}"};
    struct slice array = slice_value(text, sizeof text - 1), e = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_true(slice_next(array, &e));
        is(e, expected[i]);
    }
    assert_false(slice_next(array, &e));
    e = (struct slice){0};
    assert_false(slice_next(slice_value("[ ]", 3), &e));
    assert_false(slice_next(slice_value("{}", 2), &e));
    assert_false(slice_next((struct slice){0}, &e));
}

/* Only checked text is ever given, but a mistake there must stay within the text. */
static void
unchecked_text_yields_nothing(void **state)
{
    static const char *const texts[] = {
        "{\"id", "{\"id\"", "{\"id\" 1}", "{\"id\":", "{\"id\":nope", "{\"id\":[", "{\"\\x\":1}"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct slice_member m = {.name = "id"};
        struct slice element = {0};

        slice_members((struct slice){texts[i], strlen(texts[i])}, &m, 1);
        assert_int_equal(m.times, 0);
        assert_false(slice_next((struct slice){texts[i], strlen(texts[i])}, &element));
    }
    assert_null(slice_value("[1", 2).at);
}

static void
kinds_are_told_apart(void **state)
{
    (void)state;
    assert_true(slice_is_string(slice_value("\"1\"", 3)));
    assert_false(slice_is_number(slice_value("\"1\"", 3)));
    assert_true(slice_is_number(slice_value(" -1 ", 4)));
    assert_true(slice_is_number(slice_value("0", 1)));
    assert_true(slice_is_number(slice_value("9", 1)));
    assert_false(slice_is_number(slice_value("null", 4)));
    assert_false(slice_is_string(slice_value("[\"\"]", 4)));
    assert_false(slice_is_string((struct slice){0}));
    assert_false(slice_is_number((struct slice){0}));
}

/* A string that is written reads back as the same text, whatever single byte it holds. */
static void
written_strings_are_json(void **state)
{
    struct arena *a = arena_new(1024);

    (void)state;
    for (int c = 0; c < 256; c++) {
        const char text[] = {'<', (char)c, '>'};
        struct json_object *o;
        struct buf b;

        buf_init(&b, a, json_text_bound(sizeof text));
        json_text_string(&b, text, sizeof text);
        assert_false(b.full);
        assert_true(slice_check(b.data, b.len, 1));
        o = json_tokener_parse(b.data);
        if (c < 128) {
            assert_int_equal(json_object_get_string_len(o), sizeof text);
            assert_memory_equal(json_object_get_string(o), text, sizeof text);
        } else {
            assert_string_equal(json_object_get_string(o), "<\xef\xbf\xbd>");
        }
        json_object_put(o);
    }
    arena_free(a);
}

static void
members_are_written(void **state)
{
    struct arena *a = arena_new(1024);
    struct buf b;

    (void)state;
    buf_init(&b, a, 100);
    json_text_member(&b, "a\"", "\n");
    json_text_name(&b, "c");
    assert_string_equal(buf_text(&b), "\"a\\\"\":\"\\n\",\"c\":");
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_json_allows_passes),
        cmocka_unit_test(what_json_forbids_is_refused),
        cmocka_unit_test(whatever_passes_is_read_by_json_c),
        cmocka_unit_test(members_are_found_as_they_were_written),
        cmocka_unit_test(the_last_of_a_name_counts_however_it_is_spelt),
        cmocka_unit_test(several_members_are_found_in_one_pass),
        cmocka_unit_test(elements_come_in_order),
        cmocka_unit_test(unchecked_text_yields_nothing),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(written_strings_are_json),
        cmocka_unit_test(members_are_written),
    };

    return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
