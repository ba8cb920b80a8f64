/* test_env.c - settings: defaults, values, refusals, and the table as documentation. */
#include "config.h"

#include "golden.h"
#include "io/env.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena *a;
static struct settings s;
static struct fault fault;

/* One variable, "NAME=value", or none. */
static const char *
one(void *ctx, const char *name)
{
    const char *pair = ctx;
    size_t len = strlen(name);

    return pair && strncmp(pair, name, len) == 0 && pair[len] == '=' ? pair + len + 1 : NULL;
}

static bool
with(const char *pair)
{
    char *copy = arena_strndup(a, pair, strlen(pair));

    return settings_read(&s, one, copy, a, &fault);
}

static void
refused(const char *pair, const char *message)
{
    if (with(pair))
        fail_msg("accepted: %s", pair);
    assert_int_equal(fault.kind, FAULT_INTERNAL);
    assert_string_equal(fault.message, message);
}

static void
defaults(void **state)
{
    (void)state;
    assert_true(settings_read(&s, one, NULL, a, &fault));
    assert_string_equal(s.image, "backtalk-sandbox:slim");
    assert_string_equal(s.network, "backtalk");
    assert_string_equal(s.runtime, "");
    assert_null(s.origins[0]);
    assert_int_equal(s.memory_mib, 256);
    assert_int_equal(s.swap_mib, 1024);
    assert_int_equal(s.cpus_milli, 1000);
    assert_int_equal(s.cpu_shares, 128);
    assert_int_equal(s.pids, 512);
    assert_int_equal(s.timeout_s, 300);
    assert_int_equal(s.timeout_max_s, 1800);
    assert_int_equal(s.stream_chars, 4000);
    assert_int_equal(s.content_max_bytes, 8388608);
    assert_int_equal(s.body_max_bytes, 33554432);
    assert_int_equal(s.wait_s, 120);
    assert_int_equal(s.log, LOG_LINE_INFO);
    assert_true(with("BACKTALK_IMAGE="));
    assert_string_equal(s.image, "backtalk-sandbox:slim");
}

static void
values(void **state)
{
    (void)state;
    assert_true(with("BACKTALK_MEMORY_MIB=512"));
    assert_int_equal(s.memory_mib, 512);
    assert_true(with("BACKTALK_TIMEOUT_S=60 s"));
    assert_int_equal(s.timeout_s, 60);
    assert_true(with("BACKTALK_ORIGINS= https://a.example  http://localhost:8080 "));
    assert_string_equal(s.origins[0], "https://a.example");
    assert_string_equal(s.origins[1], "http://localhost:8080");
    assert_null(s.origins[2]);
    assert_true(with("BACKTALK_LOG=debug"));
    assert_int_equal(s.log, LOG_LINE_DEBUG);
    assert_true(with("BACKTALK_LOG=error"));
    assert_int_equal(s.log, LOG_LINE_ERROR);
    assert_true(with("BACKTALK_LOG=warning"));
    assert_int_equal(s.log, LOG_LINE_WARNING);
}

static void
bad_values(void **state)
{
    (void)state;
    refused("BACKTALK_PIDS=many",
            "BACKTALK_PIDS is \"many\"; it must be a whole number from 16 to 4194304.");
    refused("BACKTALK_MEMORY_MIB=1",
            "BACKTALK_MEMORY_MIB is \"1\"; it must be a whole number from 16 to 1048576 MiB.");
    refused("BACKTALK_LOG=loud",
            "BACKTALK_LOG is \"loud\"; it must be one of: error warning info debug.");
    refused("BACKTALK_IMAGE=x\",\"Privileged\":true",
            "BACKTALK_IMAGE is \"x\",\"Privileged\":true\"; it may hold letters, digits and ._:/@- "
            "only.");
    refused("BACKTALK_RUNTIME=a b",
            "BACKTALK_RUNTIME is \"a b\"; it may hold letters, digits and ._- only.");
    refused("BACKTALK_MEMORY_MIB=2048", "BACKTALK_MEMORY_MIB is 2048; it may not be over "
                                        "BACKTALK_SWAP_MIB, which is 1024.");
    refused("BACKTALK_TIMEOUT_S=3600", "BACKTALK_TIMEOUT_S is 3600; it may not be over "
                                       "BACKTALK_TIMEOUT_MAX_S, which is 1800.");
}

static void
the_environment_is_read(void **state)
{
    (void)state;
    assert_int_equal(setenv("BACKTALK_INSTANCE", "kitchen", 1), 0);
    assert_true(settings_load(&s, a, &fault));
    assert_string_equal(s.instance, "kitchen");
    assert_int_equal(unsetenv("BACKTALK_INSTANCE"), 0);
}

static void
sandboxes_are_made_from_them(void **state)
{
    const struct create_spec *spec;

    (void)state;
    assert_true(with("BACKTALK_CPUS_MILLI=1500"));
    spec = settings_create_spec(&s, a);
    assert_int_equal(spec->nano_cpus, 1500000000);
    assert_int_equal(spec->memory_bytes, 256 * 1048576);
    assert_int_equal(spec->memory_swap_bytes, 1024 * 1048576);
    assert_string_equal(spec->image, "backtalk-sandbox:slim");
}

/* The installed data directory differs from build to build. */
static void
documentation(void **state)
{
    const char *text = settings_help(a), *at = strstr(text, PKGDATADIR);

    (void)state;
    assert_non_null(at);
    golden_check(
        a, golden_dir(a, "settings/help.txt"),
        arena_printf(a, "%.*s@pkgdatadir@%s", (int)(at - text), text, at + strlen(PKGDATADIR)));
}

static struct reply_settings reply;

static bool
reply_with(const char *pair)
{
    return reply_settings_read(&reply, one, arena_strndup(a, pair, strlen(pair)), a, &fault);
}

static void
reply_settings(void **state)
{
    static const char *const bad[] = {"ftp://x/v1", "x", "http://u@x/v1", "http://x/v1?a",
                                      "http://x y"};

    (void)state;
    assert_true(reply_with(""));
    assert_string_equal(reply.upstream, "http://127.0.0.1:8081/v1");
    assert_string_equal(reply.upstream_key, "");
    assert_string_equal(reply.database, "dbname=backtalk user=backtalk_reply");
    assert_int_equal(reply.timeout_s, 1800);
    assert_int_equal(reply.workers, 8);
    assert_true(reply_with("BACKTALK_UPSTREAM=https://x/api/v1//"));
    assert_string_equal(reply.upstream, "https://x/api/v1");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(reply_with(arena_printf(a, "BACKTALK_UPSTREAM=%s", bad[i])));
        assert_non_null(strstr(fault.message, bad[i]));
    }
    assert_false(reply_with("BACKTALK_UPSTREAM_KEY=two words"));
    assert_null(strstr(fault.message, "two words"));
    assert_non_null(strstr(reply_settings_help(a), "  BACKTALK_UPSTREAM_TIMEOUT_S\n"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(values),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(the_environment_is_read),
        cmocka_unit_test(sandboxes_are_made_from_them),
        cmocka_unit_test(documentation),
        cmocka_unit_test(reply_settings),
    };
    int failed;

    a = arena_new(4096);
    failed = cmocka_run_group_tests_name("env", tests, NULL, NULL);
    arena_free(a);
    return failed;
}
