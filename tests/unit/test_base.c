/* test_base.c - arena, buf, fault, clock, log, own. */
#include "config.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- arena -------------------------------------------------------------------------- */

static void
arena_survives_reset(void **state)
{
    struct arena *a = arena_new(32);

    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(strlen(arena_printf(a, "%050d", i)), 50);
    assert_true(arena_bytes(a) >= 5100);
    arena_reset(a);
    assert_int_equal(arena_bytes(a), 0);
    assert_string_equal(arena_printf(a, "%s", "again"), "again");
    arena_free(a);
    arena_free(NULL);
}

static void
arena_memory_is_aligned_and_apart(void **state)
{
    struct arena *a = arena_new(64);
    char *last = NULL;

    (void)state;
    for (size_t n = 0; n < 200; n++) {
        char *p = arena_alloc(a, n);

        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        memset(p, (int)n, n);
        if (last && n > 1)
            assert_int_equal(last[n - 2], (char)(n - 1));
        last = p;
    }
    arena_free(a);
}

static void
arena_copies_end_with_nul(void **state)
{
    struct arena *a = arena_new(16);
    const char *s = arena_strndup(a, "abc\0def", 7);

    (void)state;
    assert_memory_equal(s, "abc\0def", 8);
    assert_string_equal(arena_strndup(a, "abc", 0), "");
    arena_free(a);
}

/* Out of memory is the end of the process, with a word of why. */
static void
arena_too_large_aborts(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(3);
        arena_alloc(arena_new(16), SIZE_MAX - 4);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

/* ---- buf ---------------------------------------------------------------------------- */

static void
buf_grows_to_its_maximum(void **state)
{
    struct arena *a = arena_new(64);
    struct buf b;

    (void)state;
    buf_init(&b, a, 1000);
    assert_string_equal(buf_text(&b), "");
    for (int i = 0; i < 100; i++)
        buf_adds(&b, "0123456789");
    assert_int_equal(b.len, 1000);
    assert_false(b.full);
    assert_int_equal(strlen(buf_text(&b)), 1000);
    buf_addc(&b, 'x');
    assert_true(b.full);
    assert_int_equal(b.len, 1000);
    arena_free(a);
}

static void
buf_refuses_whole_writes(void **state)
{
    struct arena *a = arena_new(64);
    struct buf b;

    (void)state;
    buf_init(&b, a, 4);
    buf_adds(&b, "abc");
    buf_printf(&b, "%d", 12);
    assert_true(b.full);
    buf_addc(&b, 'd'); /* there would be room, but what came before is missing */
    assert_string_equal(buf_text(&b), "abc");
    arena_free(a);
}

static void
buf_holds_any_byte(void **state)
{
    struct arena *a = arena_new(64);
    struct buf b;

    (void)state;
    buf_init(&b, a, 100);
    buf_add(&b, "", 0);
    buf_add(&b, "a\0b", 3);
    buf_printf(&b, "%s-%d", "x", 7);
    assert_int_equal(b.len, 6);
    assert_memory_equal(buf_text(&b), "a\0bx-7", 7);
    arena_free(a);
}

/* ---- fault -------------------------------------------------------------------------- */

static void
fault_context_is_prefixed(void **state)
{
    struct fault f;

    (void)state;
    assert_false(fault_set(&f, FAULT_BUSY, "all %d sandboxes are in use", 4));
    fault_hint(&f, "wait %d s", 5);
    assert_false(fault_in(&f, "could not claim a %s", "sandbox"));
    assert_string_equal(f.message, "could not claim a sandbox: all 4 sandboxes are in use");
    assert_string_equal(f.hint, "wait 5 s");
    assert_false(fault_set(&f, FAULT_PARSE, "x"));
    assert_string_equal(f.hint, "");
}

static void
fault_text_is_cut_not_overrun(void **state)
{
    char large[2000];
    struct fault f;

    (void)state;
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    fault_set(&f, FAULT_ENGINE, "%s", large);
    assert_int_equal(strlen(f.message), sizeof f.message - 1);
    fault_in(&f, "%s", "context");
    assert_int_equal(strncmp(f.message, "context: xxx", 12), 0);
    assert_int_equal(strlen(f.message), sizeof f.message - 1);
    fault_in(&f, "%s", large);
    assert_int_equal(strlen(f.message), sizeof f.message - 1);
    fault_hint(&f, "%s", large);
    assert_int_equal(strlen(f.hint), sizeof f.hint - 1);
}

static void
fault_kinds_have_codes(void **state)
{
    (void)state;
    assert_int_equal(fault_rpc_code(FAULT_PARSE), -32700);
    assert_int_equal(fault_http_status(FAULT_PARSE), 400);
    assert_int_equal(fault_rpc_code(FAULT_PARAMS), -32602);
    assert_int_equal(fault_http_status(FAULT_AUTH), 401);
    assert_int_equal(fault_rpc_code(FAULT_ARGUMENT), 0);
    assert_int_equal(fault_http_status(FAULT_ENGINE), 200);
}

/* ---- clock -------------------------------------------------------------------------- */

static void
clock_counts_up(void **state)
{
    int64_t first = clock_ms();

    (void)state;
    assert_true(first > 0);
    assert_true(clock_ms() >= first);
    assert_int_equal(clock_left_ms(first - 1000), 0);
    assert_in_range(clock_left_ms(clock_ms() + 10000), 5000, 10000);
    assert_int_equal(clock_left_ms(INT64_MAX), INT_MAX);
}

/* ---- log ---------------------------------------------------------------------------- */

static char logged[4096];

/* What one line looks like on standard error. */
static void
capture(enum log_level level, const char *text)
{
    int ends[2], saved = dup(STDERR_FILENO);
    ssize_t n;

    assert_int_equal(pipe(ends), 0);
    assert_true(saved >= 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    dup2(ends[1], STDERR_FILENO);
    log_line(level, "%s", text);
    dup2(saved, STDERR_FILENO);
    n = read(ends[0], logged, sizeof logged - 1);
    logged[n > 0 ? n : 0] = '\0';
    close(saved);
    close(ends[0]);
    close(ends[1]);
}

static void
log_writes_one_line(void **state)
{
    char want[100];

    (void)state;
    log_init("prog", LOG_LINE_INFO);
    log_scope("request=7");
    capture(LOG_LINE_WARNING, "a\nb\rc");
    snprintf(want, sizeof want, "prog[%d] warning: request=7 a b c\n", (int)getpid());
    assert_string_equal(logged, want);
    log_scope("");
    capture(LOG_LINE_INFO, "x");
    snprintf(want, sizeof want, "prog[%d] info: x\n", (int)getpid());
    assert_string_equal(logged, want);
    capture(LOG_LINE_DEBUG, "not wanted");
    assert_string_equal(logged, "");
}

static void
log_cuts_long_lines(void **state)
{
    char large[5000];

    (void)state;
    memset(large, 'y', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    capture(LOG_LINE_ERROR, large);
    assert_in_range(strlen(logged), 500, 1100);
    assert_int_equal(logged[strlen(logged) - 1], '\n');
}

/* ---- own ---------------------------------------------------------------------------- */

static void
own_fd_is_closed_at_the_end(void **state)
{
    int copy;

    (void)state;
    {
        own_fd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        assert_true(fd >= 0);
        copy = fd;
    }
    assert_int_equal(fcntl(copy, F_GETFD), -1);
}

static void
own_json_is_handed_on(void **state)
{
    struct json_object *kept;

    (void)state;
    {
        own_json struct json_object *o = json_object_new_int(5);

        kept = TAKE(o);
        assert_null(o);
    }
    assert_int_equal(json_object_get_int(kept), 5);
    json_object_put(kept);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_survives_reset),
        cmocka_unit_test(arena_memory_is_aligned_and_apart),
        cmocka_unit_test(arena_copies_end_with_nul),
        cmocka_unit_test(arena_too_large_aborts),
        cmocka_unit_test(buf_grows_to_its_maximum),
        cmocka_unit_test(buf_refuses_whole_writes),
        cmocka_unit_test(buf_holds_any_byte),
        cmocka_unit_test(fault_context_is_prefixed),
        cmocka_unit_test(fault_text_is_cut_not_overrun),
        cmocka_unit_test(fault_kinds_have_codes),
        cmocka_unit_test(clock_counts_up),
        cmocka_unit_test(log_writes_one_line),
        cmocka_unit_test(log_cuts_long_lines),
        cmocka_unit_test(own_fd_is_closed_at_the_end),
        cmocka_unit_test(own_json_is_handed_on),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
