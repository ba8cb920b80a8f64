/* test_field.c - the table binder by itself: names, values, JSON Schema, settings' text. */
#include "config.h"

#include "base/field.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct target {
    const char *text, *any, *noted, *mode;
    int64_t count, wait_s;
};
static const struct field fields[] = {
    TEXT_FIELD(struct target, text, .required = true, .min = 1, .max = 20, .doc = "Text.",
               .aliases = "string words", .too_long = "Make it short."),
    TEXT_FIELD(struct target, any, .max = 40, .json = FIELD_JSON_TEXT, .doc = "Anything."),
    TEXT_FIELD(struct target, noted, .max = 40, .json = FIELD_JSON_NOTED, .doc = "Noted."),
    INT_FIELD(struct target, count, .min = -5, .max = 5, .def = 2, .doc = "Count."),
    INT_FIELD(struct target, wait_s, .min = 0, .max = 60, .def = 10, .unit = "s", .doc = "Wait."),
};
static const struct field mode = TEXT_FIELD(struct target, mode, .choices = "fast slow",
                                            .def_text = "slow", .max = 9, .doc = "Speed.");

static struct arena *a;
static struct repairs said;
static struct fault fault;
static struct target got;

static bool
bind(const char *json)
{
    own_json struct json_object *args = json_tokener_parse(json);

    memset(&got, 0, sizeof got);
    said.count = 0;
    fault = (struct fault){0};
    return field_bind(fields, COUNT_OF(fields), args, a, &got, &said, &fault);
}

static void
refused(const char *json, const char *message, const char *hint)
{
    if (bind(json))
        fail_msg("%s is accepted", json);
    assert_int_equal(fault.kind, FAULT_ARGUMENT);
    assert_string_equal(fault.message, message);
    assert_string_equal(fault.hint, hint);
}

static void
defaults(void **state)
{
    (void)state;
    assert_true(bind("{\"text\":\"x\"}"));
    assert_string_equal(got.text, "x");
    assert_null(got.any);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.wait_s, 10);
}

static void
names(void **state)
{
    (void)state;
    assert_true(bind("{\"Words\":\"x\",\"waitS\":3,\"COUNT\":null,\"other\":null}"));
    assert_string_equal(got.text, "x");
    assert_int_equal(got.wait_s, 3);
    assert_true(bind("{\"wait-s\":4,\"string\":\"y\",\"text\":null}"));
    assert_int_equal(got.wait_s, 4);
    assert_string_equal(got.text, "y");
    refused("{\"text\":\"x\",\"\":1}", "There is no argument \"\".",
            "The arguments are \"text\", \"any\", \"noted\", \"count\", \"wait_s\".");
    refused("{\"text\":\"x\",\"_\":1}", "There is no argument \"_\".",
            "The arguments are \"text\", \"any\", \"noted\", \"count\", \"wait_s\".");
    refused("{\"text\":\"x\",\"conut\":1}", "There is no argument \"conut\".",
            "Did you mean \"count\"? The arguments are \"text\", \"any\", \"noted\", \"count\", "
            "\"wait_s\".");
    refused("{\"text\":\"x\",\"words\":\"y\"}",
            "Argument \"text\" is given twice: as \"text\" and as \"words\".", "");
    /* Longer than any name of ours, the same up to where a comparison might stop. */
    refused(
        "{\"text\":\"x\",\"counttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt"
        "ttttttttttt\":1}",
        "There is no argument \"countttttttttttttttttttttttttttttttttttt...\".",
        "Did you mean \"count\"? The arguments are \"text\", \"any\", \"noted\", \"count\", "
        "\"wait_s\".");
}

static void
numbers(void **state)
{
    static const struct {
        const char *json;
        int64_t count;
    } good[] = {
        {"5", 5},        {"-5", -5},  {"\"5\"", 5}, {"\" -5 \"", -5}, {"5.0", 5},  {"0", 0},
        {"\"3.00\"", 3}, {"-0.0", 0}, {"\"\"", 2},  {"\" \"", 2},     {"null", 2},
    };
    static const char *const bad[] = {
        "6",
        "-6",
        "1.5",
        "true",
        "[]",
        "{}",
        "\"x\"",
        "\"1e1\"",
        "1e99",
        "\"5s\"",
        "\"0x5\"",
        "\"+5\"",
        "\"5 5\"",
        "\"5.5\"",
        "\"5.\"",
        "99999999999999999999",
        "\"99999999999999999999\"",
        "\"5\\u0000\"",
        "NaN",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        if (!bind(arena_printf(a, "{\"text\":\"x\",\"count\":%s}", good[i].json)))
            fail_msg("%s is refused: %s", good[i].json, fault.message);
        assert_int_equal(got.count, good[i].count);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        refused(arena_printf(a, "{\"text\":\"x\",\"count\":%s}", bad[i]),
                "Argument \"count\" must be a whole number from -5 to 5.", "");
    assert_true(bind("{\"text\":\"x\",\"wait_s\":\"5 s\"}"));
    assert_int_equal(got.wait_s, 5);
    refused("{\"text\":\"x\",\"wait_s\":\"5 ss\"}",
            "Argument \"wait_s\" must be a whole number from 0 to 60 seconds.", "");
}

static void
texts(void **state)
{
    (void)state;
    refused("{\"text\":\"\"}", "Argument \"text\" is empty.", "");
    refused("{\"text\":\"123456789012345678901\"}",
            "Argument \"text\" is 21 bytes long; the limit is 20 bytes.", "Make it short.");
    refused("{\"text\":7}", "Argument \"text\" must be one string, not a number.", "");
    refused("{\"text\":false}", "Argument \"text\" must be one string, not true or false.", "");
    refused("{\"text\":{}}", "Argument \"text\" must be one string, not an object.", "");
    refused("{\"text\":null}", "Argument \"text\" is missing.", "");
    refused("{\"text\":\"a\\u0000\"}",
            "Argument \"text\" holds a NUL byte (\\u0000). It must be plain text.", "");
    assert_true(bind("{\"text\":\"x\",\"any\":[1, 2.50, \"a/b\", {\"k\": null}]}"));
    assert_string_equal(got.any, "[1,2.50,\"a/b\",{\"k\":null}]");
    assert_int_equal(said.count, 0);
    assert_true(bind("{\"text\":\"x\",\"noted\":[1]}"));
    assert_string_equal(got.noted, "[1]");
    assert_int_equal(said.count, 1);
    assert_true(bind("{\"text\":\"x\",\"noted\":12345678901234567890}"));
    assert_string_equal(got.noted, "12345678901234567890");
    assert_int_equal(said.count, 0);
    /* The limit holds for the text a value becomes. */
    refused("{\"text\":\"x\",\"any\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]}",
            "Argument \"any\" is 52 bytes long; the limit is 40 bytes.", "");
}

static void
whole_arguments(void **state)
{
    (void)state;
    assert_true(bind("\"{\\\"text\\\": \\\"x\\\"}\""));
    assert_string_equal(got.text, "x");
    assert_true(bind("{\"parameters\":{\"text\":\"y\"}}"));
    assert_string_equal(got.text, "y");
    refused("{\"parameters\":{\"parameters\":{\"text\":\"y\"}}}",
            "There is no argument \"parameters\".",
            "The arguments are \"text\", \"any\", \"noted\", \"count\", \"wait_s\".");
    refused("{\"parameters\":5}", "There is no argument \"parameters\".",
            "The arguments are \"text\", \"any\", \"noted\", \"count\", \"wait_s\".");
    refused("null", "Argument \"text\" is missing.", "");
    refused("\"\"", "Argument \"text\" is missing.", "");
    refused("[]", "The arguments must be one JSON object.", "");
    refused("5", "The arguments must be one JSON object.", "");
    refused("\"\\\"{}\\\"\"", "The arguments must be one JSON object.", "");
}

static void
deep_text_is_refused(void **state)
{
    char json[400] = "\"";

    (void)state;
    memset(json + 1, '[', 300);
    json[301] = '"';
    json[302] = '\0';
    refused(json, "The arguments must be one JSON object.", "");
}

static void
repairs_have_room_for_four(void **state)
{
    struct repairs r = {0};

    (void)state;
    for (int i = 0; i < 6; i++)
        repairs_add(&r, "x");
    assert_int_equal(r.count, REPAIRS_MAX);
}

static void
schema(void **state)
{
    own_json struct json_object *got_schema = field_schema(fields, 4);
    own_json struct json_object *empty = field_schema(NULL, 0);

    (void)state;
    assert_string_equal(
        json_object_to_json_string_ext(got_schema, JSON_C_TO_STRING_PLAIN),
        "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"description\":\"Text."
        "\"},"
        "\"any\":{\"type\":\"string\",\"description\":\"Anything.\"},"
        "\"noted\":{\"type\":\"string\",\"description\":\"Noted.\"},"
        "\"count\":{\"type\":\"integer\",\"description\":\"Count.\",\"minimum\":-5,\"maximum\":5,"
        "\"default\":2}},\"required\":[\"text\"]}");
    assert_string_equal(json_object_to_json_string_ext(empty, JSON_C_TO_STRING_PLAIN),
                        "{\"type\":\"object\",\"properties\":{}}");
}

static bool
reads(const struct field *d, const char *text)
{
    return field_read(d, "X_NAME", text, a, &got, &fault);
}

static void
settings(void **state)
{
    (void)state;
    assert_true(reads(&fields[4], "7"));
    assert_int_equal(got.wait_s, 7);
    assert_true(reads(&fields[4], NULL));
    assert_int_equal(got.wait_s, 10);
    assert_false(reads(&fields[4], "61"));
    assert_int_equal(fault.kind, FAULT_INTERNAL);
    assert_string_equal(fault.message,
                        "X_NAME is \"61\"; it must be a whole number from 0 to 60 seconds.");
    assert_false(reads(&fields[4], "many"));
    assert_true(reads(&fields[0], "x"));
    assert_false(reads(&fields[0], ""));
    assert_string_equal(fault.message, "X_NAME is \"\"; it must be 1 to 20 bytes long.");
    assert_false(reads(&fields[0], NULL));
    assert_string_equal(fault.message, "X_NAME is not set: Text.");
    assert_true(reads(&mode, "fast"));
    assert_string_equal(got.mode, "fast");
    assert_true(reads(&mode, NULL));
    assert_string_equal(got.mode, "slow");
    assert_false(reads(&mode, "fas"));
    assert_string_equal(fault.message, "X_NAME is \"fas\"; it must be one of: fast slow.");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(names),
        cmocka_unit_test(numbers),
        cmocka_unit_test(texts),
        cmocka_unit_test(whole_arguments),
        cmocka_unit_test(deep_text_is_refused),
        cmocka_unit_test(repairs_have_room_for_four),
        cmocka_unit_test(schema),
        cmocka_unit_test(settings),
    };
    int failed;

    a = arena_new(4096);
    failed = cmocka_run_group_tests_name("field", tests, NULL, NULL);
    arena_free(a);
    return failed;
}
