/* The judge, told by the directories of tests/cases/judge: what a program printed beside
 * the judgement that must come out. */
#include "config.h"

#include "base/buf.h"
#include "call_case.h"
#include "core/judge.h"
#include "golden.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct arena *arena; /* of one case */

static const char *
told(const struct judgement *j)
{
    static const char *const names[] = {"none", "pass", "fail"};

    return arena_printf(arena, "%s %s\n%s\n%s%s", names[j->verdict], j->kind, j->line, j->detail,
                        j->detail[0] ? "\n" : "");
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
        arena_printf(arena, "%s/%s", golden_dir(arena, "judge"), (const char *)*state);
    struct recording c;
    struct judgement j;

    call_case_load(arena, dir, &c);
    j = judge(arena, &c.plan, &c.seen);
    golden_check(arena, arena_printf(arena, "%s/judgement.txt", dir), told(&j));
    assert_int_equal(strncmp(j.line, "PASS: ", 6) == 0, j.verdict == VERDICT_PASS);
    assert_int_equal(strncmp(j.line, "FAIL: ", 6) == 0, j.verdict == VERDICT_FAIL);
}

/* ---- large and hostile output: the times are printed, not judged ------------------------- */

static struct judgement
judge_texts(const char *expected, size_t expected_len, const char *out, size_t out_len)
{
    static struct plan p;
    static struct observation o;

    p = (struct plan){.tool = "run_code", .expected = expected, .expected_len = expected_len};
    p.step_count = 1;
    p.steps[0].role = STEP_RUN;
    o = (struct observation){.step_count = 1};
    o.steps[0].end = STEP_EXITED;
    o.steps[0].out = (struct stream){out, "", out_len, 0, out_len, ""};
    o.steps[0].err = (struct stream){"", "", 0, 0, 0, ""};
    return judge(arena, &p, &o);
}

static void
hostile_output_takes_linear_time(void **state)
{
    static const struct {
        const char *what, *unit, *expected;
    } rows[] = {
        {"lines", "a\n", "a\nb"},
        {"one line", "a", "b"},
        {"blanks", " ", "b"},
        {"prompts", "Enter a: ", "7"},
        {"prompt lines", "enter :\n", "7"},
        {"labels", "input x: 1 1 1\n", "7"},
        {"brackets", "[ ", "7"},
        {"numbers", "1.00000 ", "1.0"},
        {"escapes", "\033[", "7"},
        {"strings", "\033]", "7"},
        {"bad bytes", "\xff", "7"},
        {"quotes", "\"", "7"},
    };
    enum { SIZE = 1 << 20 };
    char *text = arena_alloc(arena, SIZE + 16);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t n = strlen(rows[i].unit), len = 0;
        struct arena *keep = arena;
        struct judgement j;
        clock_t start;

        while (len + n <= SIZE) {
            memcpy(text + len, rows[i].unit, n);
            len += n;
        }
        arena = arena_new(65536);
        start = clock();
        j = judge_texts(rows[i].expected, strlen(rows[i].expected), text, len);
        printf("# 1 MiB of %s: %.1f ms, %s\n", rows[i].what,
               (double)(clock() - start) * 1000 / CLOCKS_PER_SEC, j.kind);
        assert_int_equal(j.verdict, VERDICT_FAIL);
        start = clock();
        j = judge_texts(text, len - 1, text + 1, len - 1);
        printf("# 1 MiB of %s against the same but one byte: %.1f ms, %s\n", rows[i].what,
               (double)(clock() - start) * 1000 / CLOCKS_PER_SEC, j.kind);
        arena_free(arena);
        arena = keep;
    }
}

int
main(void)
{
    struct CMUnitTest tests[GOLDEN_CASES_MAX + 1];
    const char *const *names;
    struct arena *held;
    size_t count;
    int failed;

    arena = arena_new(1 << 20);
    held = arena_new(65536);
    names = golden_cases(held, golden_dir(held, "judge"), &count);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = a_case,
                                       .teardown_func = tear_down,
                                       .initial_state = (void *)(uintptr_t)names[i]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(hostile_output_takes_linear_time);
    failed = _cmocka_run_group_tests("judge", tests, count, NULL, NULL);
    arena_free(arena);
    arena_free(held);
    return failed;
}
