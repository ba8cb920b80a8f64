/* test_create.c - the create request and the gate's pattern: they agree, values that are not
 * safe are refused, and no change of the text passes. PCRE itself is tried in tests/gate. */
#include "config.h"

#include "base/buf.h"
#include "core/create.h"
#include <json-c/json.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct create_spec usual = {
    .instance = "home-1",
    .image = "backtalk-sandbox:slim",
    .network = "backtalk",
    .memory_bytes = 268435456,
    .memory_swap_bytes = 1073741824,
    .nano_cpus = 1500000000,
    .cpu_shares = 128,
    .pids = 512,
    .runtime = "",
};

static int
make_arena(void **state)
{
    *state = arena_new(65536);
    return 0;
}

static int
drop_arena(void **state)
{
    arena_free(*state);
    return 0;
}

/* The pattern ends in PCRE's \z; POSIX says $ for it when newlines are ordinary characters. */
static bool
admits(const char *pattern, const char *body)
{
    regex_t re;
    char text[20000];
    size_t len = strlen(pattern);

    assert_true(len > 3 && len < sizeof text && strcmp(pattern + len - 2, "\\z") == 0);
    memcpy(text, pattern, len - 2);
    memcpy(text + len - 2, "$", 2);
    assert_int_equal(regcomp(&re, text, REG_EXTENDED | REG_NOSUB), 0);
    bool yes = regexec(&re, body, 0, NULL, 0) == 0;
    regfree(&re);
    return yes;
}

static struct json_object *
member_of(struct json_object *o, const char *key)
{
    struct json_object *v = NULL;

    assert_true(json_object_object_get_ex(o, key, &v));
    return v;
}

static void
test_body_is_the_request(void **state)
{
    own_json struct json_object *o = json_tokener_parse(create_body(&usual, "m:7", *state));
    assert_non_null(o);
    struct json_object *host = member_of(o, "HostConfig");
    struct json_object *labels = member_of(o, "Labels");

    assert_string_equal(json_object_get_string(member_of(o, "Image")), "backtalk-sandbox:slim");
    assert_string_equal(json_object_get_string(member_of(labels, "backtalk.instance")), "home-1");
    assert_string_equal(json_object_get_string(member_of(labels, "backtalk.member")), "m:7");
    assert_true(json_object_get_boolean(member_of(o, "OpenStdin")));
    assert_false(json_object_get_boolean(member_of(o, "StdinOnce")));
    assert_false(json_object_get_boolean(member_of(o, "Tty")));
    assert_int_equal(json_object_get_int64(member_of(host, "Memory")), 268435456);
    assert_int_equal(json_object_get_int64(member_of(host, "MemorySwap")), 1073741824);
    assert_int_equal(json_object_get_int64(member_of(host, "NanoCpus")), 1500000000);
    assert_int_equal(json_object_get_int64(member_of(host, "CpuShares")), 128);
    assert_int_equal(json_object_get_int64(member_of(host, "PidsLimit")), 512);
    assert_string_equal(json_object_get_string(member_of(host, "NetworkMode")), "backtalk");
    assert_string_equal(json_object_to_json_string_ext(member_of(host, "CapDrop"), 0), "[\"ALL\"]");
    assert_string_equal(json_object_to_json_string_ext(member_of(host, "SecurityOpt"), 0),
                        "[\"no-new-privileges\"]");
    assert_false(json_object_object_get_ex(host, "Runtime", NULL));
    /* one and a half processors show as two */
    assert_non_null(strstr(create_body(&usual, "1", *state), "\"OMP_NUM_THREADS=2\""));
}

static void
test_runtime_is_said_only_when_set(void **state)
{
    struct create_spec s = usual;

    s.runtime = "runsc";
    assert_non_null(strstr(create_body(&s, "1", *state), "\"Runtime\":\"runsc\""));
    assert_true(admits(create_pattern(&s, *state), create_body(&s, "1", *state)));
    assert_false(admits(create_pattern(&usual, *state), create_body(&s, "1", *state)));
}

static void
test_pattern_admits_the_body(void **state)
{
    const char *pattern = create_pattern(&usual, *state);
    const char *longest = "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789.:_-:x";

    assert_null(strchr(pattern, '\''));
    assert_null(strchr(pattern, '\n'));
    assert_true(admits(pattern, create_body(&usual, "1", *state)));
    assert_true(admits(pattern, create_body(&usual, longest, *state)));
}

/* Every single byte of the body counts: changed, doubled or left out, the pattern refuses. */
static void
test_pattern_refuses_any_other_text(void **state)
{
    const char *pattern = create_pattern(&usual, *state);
    const char *body = create_body(&usual, "7", *state);
    size_t len = strlen(body);
    size_t label = (size_t)(strstr(body, "backtalk.member\":\"7") - body) + 18;
    char text[8192];

    assert_int_equal(body[label], '7');
    /* compiled once for all of them: regcomp of the whole pattern is slow */
    regex_t re;
    char posix[20000];
    size_t plen = strlen(pattern) - 2;
    memcpy(posix, pattern, plen);
    memcpy(posix + plen, "$", 2);
    assert_int_equal(regcomp(&re, posix, REG_EXTENDED | REG_NOSUB), 0);
    for (size_t i = 0; i < len; i++) {
        memcpy(text, body, len + 1);
        text[i] = body[i] == ' ' ? 'x' : ' ';
        if (regexec(&re, text, 0, NULL, 0) == 0)
            fail_msg("byte %zu replaced was admitted", i);
        memmove(text + i, body + i + 1, len - i);
        if (regexec(&re, text, 0, NULL, 0) == 0)
            fail_msg("byte %zu left out was admitted", i);
        memcpy(text, body, i + 1);
        memcpy(text + i + 1, body + i, len - i + 1);
        if (i != label && regexec(&re, text, 0, NULL, 0) == 0)
            fail_msg("byte %zu doubled was admitted", i);
    }
    regfree(&re);
    memcpy(text, body, len);
    memcpy(text + len, "\n", 2);
    assert_false(admits(pattern, text));
}

static void
test_unsafe_label_is_refused(void **state)
{
    static const char *const labels[] = {
        "",
        "a b",
        "a\"b",
        "a\\b",
        "a'b",
        "a,b",
        "\xc3\xa9",
        "a\n",
        "{}",
        "a/b",
        "01234567890123456789012345678901234567890123456789012345678901234",
    };
    for (size_t i = 0; i < COUNT_OF(labels); i++)
        assert_null(create_body(&usual, labels[i], *state));
}

static void
test_unsafe_spec_is_refused(void **state)
{
    struct create_spec s[16];
    size_t n = 0;

    for (size_t i = 0; i < COUNT_OF(s); i++)
        s[i] = usual;
    s[n++].instance = "";
    s[n++].instance = "a\"";
    s[n++].instance = "a:b";
    s[n++].image = "x\",\"User\":\"y";
    s[n++].image = "x'y";
    s[n++].image = "";
    s[n++].network = "host\"";
    s[n++].network = "container:x";
    s[n++].runtime = "a b";
    s[n++].memory_bytes = 0;
    s[n++].memory_swap_bytes = -1;
    s[n++].memory_swap_bytes = 1;
    s[n++].nano_cpus = 0;
    s[n++].cpu_shares = 0;
    s[n++].pids = -1;
    for (size_t i = 0; i < n; i++) {
        assert_null(create_body(&s[i], "1", *state));
        assert_null(create_pattern(&s[i], *state));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_body_is_the_request, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(test_runtime_is_said_only_when_set, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(test_pattern_admits_the_body, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(test_pattern_refuses_any_other_text, make_arena,
                                        drop_arena),
        cmocka_unit_test_setup_teardown(test_unsafe_label_is_refused, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(test_unsafe_spec_is_refused, make_arena, drop_arena),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
