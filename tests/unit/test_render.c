/* The result's text, told by the directories of tests/cases/render: a call beside the
 * result a model reads. */
#include "config.h"

#include "base/buf.h"
#include "call_case.h"
#include "core/clean.h"
#include "core/judge.h"
#include "core/render.h"
#include "core/words.h"
#include "golden.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct arena *arena; /* of one case */

/* What holds for every result. */
static void
check_promises(const struct rendered *r)
{
    assert_true(r->len > 0);
    assert_int_equal(strlen(r->text), r->len);
    for (size_t at = 0; at < r->len;) {
        int32_t point;

        at += clean_char(r->text + at, r->len - at, &point);
        assert_true(point == '\n' || point == '\t' || (point >= 0x20 && point < 0x7f) ||
                    point >= 0xa0);
    }
}

static int
tear_down(void **state)
{
    (void)state;
    arena_reset(arena);
    return 0;
}

static void
a_case(void **state)
{
    const char *dir =
        arena_printf(arena, "%s/%s", golden_dir(arena, "render"), (const char *)*state);
    struct recording c;
    struct judgement j;
    struct rendered r;

    call_case_load(arena, dir, &c);
    j = judge(arena, &c.plan, &c.seen);
    r = render_call(arena, &c.plan, &c.seen, &j, &c.notices, c.hints, &c.limits);
    check_promises(&r);
    golden_check(arena, arena_printf(arena, "%s/result.txt", dir),
                 arena_printf(arena, "%s\n", r.text));
    golden_check(arena, arena_printf(arena, "%s/facts.txt", dir),
                 arena_printf(arena, "%s, %zu bytes left out\n", r.is_error ? "error" : "no error",
                              (size_t)r.cut_bytes));
}

static void
a_refusal_says_what_and_next(void **state)
{
    struct notices n = {.resumed = true, .stopped_ago_s = 7200, .stop_reason = "idle"};
    struct rendered r = render_refusal(arena, &n, "Nothing was run.", "Call it again.");

    (void)state;
    assert_true(r.is_error);
    check_promises(&r);
    assert_non_null(strstr(r.text, "2 hours ago"));
    assert_non_null(strstr(r.text, "\nNothing was run.\nCall it again."));
    r = render_refusal(arena, &(struct notices){0}, "", NULL);
    assert_true(r.len > 0);
}

static void
words_are_those_of_people(void **state)
{
    (void)state;
    assert_string_equal(words_number(arena, 0), "0");
    assert_string_equal(words_number(arena, 999), "999");
    assert_string_equal(words_number(arena, 41310), "41,310");
    assert_string_equal(words_number(arena, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(words_size(arena, 1), "1 byte");
    assert_string_equal(words_size(arena, 1023), "1,023 bytes");
    assert_string_equal(words_size(arena, 1536), "1.5 KiB");
    assert_string_equal(words_size(arena, 256 << 20), "256 MiB");
    assert_string_equal(words_size(arena, 1 << 30), "1 GiB");
    assert_string_equal(words_size(arena, (1 << 20) - 1), "1 MiB");
    assert_string_equal(words_size(arena, UINT64_MAX), "16777216 TiB");
    assert_string_equal(words_seconds(arena, -5), "0.00 s");
    assert_string_equal(words_seconds(arena, 240000), "0.24 s");
    assert_string_equal(words_seconds(arena, 9994999), "9.99 s");
    assert_string_equal(words_seconds(arena, 9996000), "10.0 s");
    assert_string_equal(words_seconds(arena, 300000000), "300 s");
    assert_string_equal(words_ago(arena, -5), "0 seconds");
    assert_string_equal(words_ago(arena, 1), "1 second");
    assert_string_equal(words_ago(arena, 3599), "59 minutes");
    assert_string_equal(words_ago(arena, 86400), "24 hours");
    assert_string_equal(words_ago(arena, 172800), "2 days");
    assert_string_equal(words_signal(11), "segmentation fault");
    assert_string_equal(words_signal(0), "");
    assert_string_equal(words_signal(32), "");
    assert_string_equal(words_signal(40), "real-time signal");
    assert_null(words_errno(0));
}

/* ---- time is printed, not judged --------------------------------------------------------- */

static double
render_ms(const struct recording *c, int times)
{
    clock_t start = clock();

    for (int i = 0; i < times; i++) {
        struct arena *a = arena_new(65536);
        struct judgement j = judge(a, &c->plan, &c->seen);
        struct rendered r =
            render_call(a, &c->plan, &c->seen, &j, &c->notices, c->hints, &c->limits);

        if (i == 0)
            check_promises(&r);
        arena_free(a);
    }
    return (double)(clock() - start) * 1000 / CLOCKS_PER_SEC / times;
}

static void
results_are_made_fast(void **state)
{
    static const struct {
        const char *what, *unit;
    } rows[] = {
        {"lines", "a\n"},           {"empty lines", "\n"},  {"one line", "a"},
        {"returns", "abc\r"},       {"bad bytes", "a\xff"}, {"escapes", "\033[1;31m"},
        {"open strings", "\033]x"}, {"controls", "a\x01"},  {"backspaces", "_\b"},
        {"wide", "\xe2\x82\xac"},   {"nothing", "\x01\n"},
    };
    enum { SIZE = 1 << 20 };
    char *text = arena_alloc(arena, SIZE + 16);
    struct recording c;

    (void)state;
    call_case_load(arena, arena_printf(arena, "%s/fail-line", golden_dir(arena, "render")), &c);
    printf("# a usual FAIL, judged and rendered: %.3f ms\n", render_ms(&c, 1000));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t n = strlen(rows[i].unit), len = 0;

        while (len + n <= SIZE) {
            memcpy(text + len, rows[i].unit, n);
            len += n;
        }
        c.seen.steps[0].out = (struct stream){text, "", len, 0, len, "/var/log/backtalk/1.out"};
        printf("# 1 MiB of %s, judged and rendered: %.1f ms\n", rows[i].what, render_ms(&c, 1));
    }
}

int
main(void)
{
    static const struct CMUnitTest fixed[] = {
        cmocka_unit_test(a_refusal_says_what_and_next),
        cmocka_unit_test(words_are_those_of_people),
        cmocka_unit_test(results_are_made_fast),
    };
    struct CMUnitTest tests[GOLDEN_CASES_MAX + COUNT_OF(fixed)];
    const char *const *names;
    struct arena *held;
    size_t count;
    int failed;

    arena = arena_new(1 << 20);
    held = arena_new(65536);
    names = golden_cases(held, golden_dir(held, "render"), &count);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = a_case,
                                       .teardown_func = tear_down,
                                       .initial_state = (void *)(uintptr_t)names[i]};
    memcpy(tests + count, fixed, sizeof fixed);
    failed = _cmocka_run_group_tests("render", tests, count + COUNT_OF(fixed), NULL, NULL);
    arena_free(arena);
    arena_free(held);
    return failed;
}
