#include "config.h"

#include "core/auth.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

static void
a_bearer_key_is_taken_out_of_its_header(void **state)
{
    static const struct {
        const char *header, *key;
    } rows[] = {
        {"Bearer bt_AZaz09-._~+/=", "bt_AZaz09-._~+/="},
        {"bearer k", "k"},
        {"BEARER   k  ", "k"},
        {" \tBearer k\t", "k"},
        {NULL, NULL},
        {"", NULL},
        {"Bearer", NULL},
        {"Bearer ", NULL},
        {"Bearerk", NULL},
        {"Bearer\tk", NULL},
        {"Basic k", NULL},
        {"k", NULL},
        {"Bearer a b", NULL},
        {"Bearer a,Bearer b", NULL},
        {"Bearer \"k\"", NULL},
        {"Bearer k\x01", NULL},
        {"Bearer \xc3\xa9", NULL},
    };
    struct arena *a = arena_new(1024);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *key = auth_bearer(rows[i].header, a);

        if ((key == NULL) != (rows[i].key == NULL) || (key && strcmp(key, rows[i].key) != 0))
            fail_msg("%s gives %s", rows[i].header, key ? key : "no key");
    }
    arena_free(a);
}

static void
a_key_has_a_maximum(void **state)
{
    char header[8 + AUTH_KEY_MAX + 2] = "Bearer ";
    struct arena *a = arena_new(1024);

    (void)state;
    memset(header + 7, 'k', AUTH_KEY_MAX);
    assert_int_equal(strlen(auth_bearer(header, a)), AUTH_KEY_MAX);
    header[7 + AUTH_KEY_MAX] = 'k';
    assert_null(auth_bearer(header, a));
    arena_free(a);
}

static void
ids_that_name_a_conversation_are_taken(void **state)
{
    static const char *const ids[] = {
        "9b2c7c1e-0d5e-4f6a-8f39-0c6f3f1d2a11",
        "a",
        "!",
        "~",
        "my.chat:1/2",
        "newer",
        "none-1",
        "$HOME",
        "{a}",
    };
    char longest[AUTH_CONVERSATION_MAX + 1];
    const char *why = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        if (!auth_conversation(ids[i], &why))
            fail_msg("%s: %s", ids[i], why);
    memset(longest, 'x', AUTH_CONVERSATION_MAX);
    longest[AUTH_CONVERSATION_MAX] = '\0';
    assert_true(auth_conversation(longest, &why));
    assert_null(why);
}

static void
what_names_no_conversation_is_explained(void **state)
{
    static const struct {
        const char *id, *says;
    } rows[] = {
        {NULL, "without"},          {"", "without"},
        {"new", "names no chat"},   {"New", "names no chat"},
        {"null", "names no chat"},  {"UNDEFINED", "names no chat"},
        {"none", "names no chat"},  {"{{LIBRECHAT_BODY_CONVERSATIONID}}", "placeholder"},
        {"x{{a", "placeholder"},    {"${CHAT}", "placeholder"},
        {"a b", "characters"},      {" a", "characters"},
        {"a\n", "characters"},      {"a\x7f", "characters"},
        {"\xc3\xa9", "characters"},
    };
    static const char *const words[] = {"401",        "429",  "unauthorized", "authentication",
                                        "rate limit", "oauth"};
    char longer[AUTH_CONVERSATION_MAX + 2];
    const char *why;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        why = NULL;
        assert_false(auth_conversation(rows[i].id, &why));
        assert_non_null(why);
        if (!strstr(why, rows[i].says))
            fail_msg("%s: %s", rows[i].id, why);
        assert_non_null(strstr(why, "X-Conversation-Id"));
        for (size_t k = 0; k < COUNT_OF(words); k++)
            assert_null(strcasestr(why, words[k]));
    }
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_false(auth_conversation(longer, &why));
    assert_non_null(strstr(why, "200 bytes"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bearer_key_is_taken_out_of_its_header),
        cmocka_unit_test(a_key_has_a_maximum),
        cmocka_unit_test(ids_that_name_a_conversation_are_taken),
        cmocka_unit_test(what_names_no_conversation_is_explained),
    };

    return cmocka_run_group_tests_name("auth", tests, NULL, NULL);
}
