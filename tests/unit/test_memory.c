#include "config.h"

#include "core/memory.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena *a;

static struct observation
failed_with(const char *err)
{
    struct observation o = {.step_count = 1};

    o.steps[0] = (struct step_seen){
        .end = STEP_EXITED,
        .exit_code = 1,
        .out = {.head = "", .tail = "", .log = ""},
        .err = {.head = "", .tail = err, .tail_len = strlen(err), .seen = strlen(err), .log = ""},
    };
    return o;
}

static struct plan
running(const char *command)
{
    struct plan p = {.kind = PLAN_STEPS, .tool = "run", .step_count = 1};

    p.steps[0] = (struct plan_step){.role = STEP_RUN, .shown = command};
    return p;
}

static const char *
print_of(const char *err)
{
    struct plan p = running("make");
    struct observation o = failed_with(err);

    return memory_fingerprint(&p, &o, true, a);
}

static void
numbers_make_no_difference(void **state)
{
    (void)state;
    assert_string_equal(print_of("took 0.25 s, pid 4711"), print_of("took 1.5 s, pid 8"));
    assert_string_equal(print_of("at 0x7fff12ab34cd"), print_of("at 0x55aa00ff1234"));
    assert_string_not_equal(print_of("no such file"), print_of("no such host"));
    assert_int_equal(strlen(print_of("")), 16);
}

static void
an_exit_code_does(void **state)
{
    struct plan p = running("make");
    struct observation one = failed_with("x"), two = failed_with("x");

    (void)state;
    two.steps[0].exit_code = 2;
    assert_string_not_equal(memory_fingerprint(&p, &one, true, a),
                            memory_fingerprint(&p, &two, true, a));
}

static void
success_and_change_are_not_remembered(void **state)
{
    struct plan p = running("make");
    struct observation o = failed_with("x");

    (void)state;
    assert_null(memory_fingerprint(&p, &o, false, a));
    o.changed = TREE_CHANGED;
    assert_null(memory_fingerprint(&p, &o, true, a));
    o.changed = TREE_UNKNOWN;
    assert_null(memory_fingerprint(&p, &o, true, a));
}

static void
the_second_time_is_said(void **state)
{
    struct plan p = running("make");

    (void)state;
    assert_null(memory_words(&p, 0, NULL, "a", a));
    assert_null(memory_words(&p, 1, "b", "a", a));
    assert_null(memory_words(&p, 1, "a", NULL, a));
    assert_string_equal(memory_words(&p, 1, "a", "a", a),
                        "This is the 2nd time this command failed in the same way, and nothing was "
                        "changed in between. Running it again will not change that. Change "
                        "something first.");
}

static void
the_third_time_names_another_call(void **state)
{
    struct plan script = running("cd /work && python3 -u src/solve.py --n=3.5"),
                make = running("make");

    (void)state;
    assert_non_null(strstr(memory_words(&script, 2, "a", "a", a), "This is the 3rd time"));
    assert_non_null(strstr(memory_words(&script, 2, "a", "a", a),
                           "run(\"ls -la; cat -A src/solve.py | head -50\")."));
    assert_non_null(strstr(memory_words(&make, 3, "a", "a", a), "run(\"pwd; ls -la\")."));
    assert_non_null(strstr(memory_words(&make, 10, "a", "a", a), "11th"));
    assert_non_null(strstr(memory_words(&make, 20, "a", "a", a), "21st"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_make_no_difference),
        cmocka_unit_test(an_exit_code_does),
        cmocka_unit_test(success_and_change_are_not_remembered),
        cmocka_unit_test(the_second_time_is_said),
        cmocka_unit_test(the_third_time_names_another_call),
    };
    int failed;

    a = arena_new(4096);
    failed = cmocka_run_group_tests_name("memory", tests, NULL, NULL);
    arena_free(a);
    return failed;
}
