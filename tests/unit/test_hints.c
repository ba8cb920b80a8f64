/* Hints, told by the directories of tests/cases/hints: a call, what its machine says of itself
 * (probe.txt), and the sentence that must come out. A directory named after a rule, or after a rule
 * and a number, must select exactly that rule; one that begins with none- selects none. */
#include "config.h"

#include "base/buf.h"
#include "call_case.h"
#include "core/hint_probe.h"
#include "core/hint_tables.h"
#include "core/hint_text.h"
#include "core/hints.h"
#include "core/judge.h"
#include "golden.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct arena *arena; /* of one case */

static const char *const fact_names[FACT_KINDS] = {
    [FACT_PATH] = "path",         [FACT_EXEC] = "exec",       [FACT_COMMAND] = "command",
    [FACT_INDEX] = "index",       [FACT_PACKAGE] = "package", [FACT_PYTHON] = "python",
    [FACT_NODE] = "node",         [FACT_PORTS] = "ports",     [FACT_LIMITS] = "limits",
    [FACT_PROCESS] = "process",   [FACT_UNSET] = "unset",     [FACT_TAIL] = "tail",
    [FACT_FILES] = "files",       [FACT_FIXED] = "fixed",     [FACT_NET] = "net",
    [FACT_SERVICE] = "service",   [FACT_USER] = "user",       [FACT_SCRIPTS] = "scripts",
    [FACT_TOPLEVEL] = "toplevel", [FACT_HEAD] = "head",       [FACT_PROVIDER] = "provider",
    [FACT_SCRIPT] = "script",     [FACT_INLINE] = "inline",
};

static int
tear_down(void **state)
{
    (void)state;
    arena_reset(arena);
    return 0;
}

/* "@0" at a line's start stands for the mark before the first answer. */
static const char *
read_probe(const char *dir)
{
    char *text = golden_read(arena, arena_printf(arena, "%s/probe.txt", dir), NULL);

    for (char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : at + strlen(at))
        if (*at == '@')
            *at = '\036';
    return text;
}

/* Does the name of a directory say this rule: ID, or ID-2? */
static bool
names_rule(const char *dir, const char *id)
{
    size_t n = strlen(id);

    return strncmp(dir, id, n) == 0 &&
           (dir[n] == '\0' || (dir[n] == '-' && dir[n + 1] >= '0' && dir[n + 1] <= '9'));
}

static void
check_sentence(const char *text)
{
    size_t n = strlen(text);

    assert_true(n > 0 && n < 800);
    assert_null(strpbrk(text, "\n\t\r"));
    if (text[n - 1] != '.')
        fail_msg("not a whole sentence: %s", text);
}

static const char *
told(const struct hint_set *s, const char *const *texts, const char *const *ids)
{
    struct buf b;

    buf_init(&b, arena, GOLDEN_FILE_MAX);
    for (size_t i = 0; i < s->look->fact_count; i++) {
        buf_printf(&b, "asks %s", fact_names[s->look->facts[i].kind]);
        for (const char *c = s->look->facts[i].arg; *c; c++)
            buf_printf(&b, *c == '\n' ? "\\n" : c == s->look->facts[i].arg ? " %c" : "%c", *c);
        buf_addc(&b, '\n');
    }
    for (size_t i = 0; texts[i]; i++)
        buf_printf(&b, "%s: %s\n", ids[i], texts[i]);
    if (!texts[0])
        buf_adds(&b, "nothing\n");
    return buf_text(&b);
}

static void
a_case(void **state)
{
    const char *name = *state;
    const char *dir = arena_printf(arena, "%s/%s", golden_dir(arena, "hints"), name);
    const char *probe, *texts[HINTS_SAID_MAX + 1], *ids[HINTS_SAID_MAX + 1];
    struct recording c;
    struct hint_set s;
    struct judgement j;
    size_t n;

    call_case_load(arena, dir, &c);
    probe = read_probe(dir);
    j = judge(arena, &c.plan, &c.seen);
    hints_look(&c.plan, &c.seen, &j, "", arena, &s);
    n = hints_say(&s, probe, probe ? strlen(probe) : 0, arena, texts, ids);
    for (size_t i = 0; i < n; i++)
        check_sentence(texts[i]);
    golden_check(arena, arena_printf(arena, "%s/hint.txt", dir), told(&s, texts, ids));
    if (strncmp(name, "none-", 5) == 0) {
        assert_int_equal(n, 0);
        return;
    }
    if (n != 1 || !names_rule(name, ids[0]))
        fail_msg("%s selects %zu: %s %s", name, n, n > 0 ? ids[0] : "", n > 1 ? ids[1] : "");
    /* Switched off, it is silent. */
    hints_look(&c.plan, &c.seen, &j, ids[0], arena, &s);
    for (const char *const *id = hints_fired(&s, arena); *id; id++)
        assert_string_not_equal(*id, ids[0]);
}

static void
every_rule_has_a_case(void **state)
{
    const char *const *rules = hints_rules(arena), *const * names;
    size_t count, missing = 0;

    (void)state;
    names = golden_cases(arena, golden_dir(arena, "hints"), &count);
    for (size_t i = 0; rules[i]; i++) {
        bool found = false;

        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rules[k], rules[i]);
        for (size_t k = 0; k < count && !found; k++)
            found = names_rule(names[k], rules[i]);
        if (!found)
            printf("# no case: %s\n", rules[i]);
        missing += !found;
    }
    assert_int_equal(missing, 0);
}

static void
patterns_are_right(void **state)
{
    (void)state;
    for (size_t t = 0; t < hint_tables_count; t++)
        for (size_t i = 0; i < hint_tables[t]->count; i++) {
            const struct hint_rule *r = &hint_tables[t]->rows[i];

            if (r->pattern && !hint_text_compiles(r->pattern))
                fail_msg("%s: not a pattern: %s", r->id, r->pattern);
            if (!r->text == !r->say)
                fail_msg("%s: needs a text or say(), not both", r->id);
            if (r->exits[0] && (r->on & ON_MASKED) && !r->pattern)
                fail_msg("%s: the exit code of a masked command is not known", r->id);
        }
}

static void
names_are_compared(void **state)
{
    (void)state;
    assert_int_equal(hint_distance("", ""), 0);
    assert_int_equal(hint_distance("abc", ""), 3);
    assert_int_equal(hint_distance("Main.java", "main.java"), 0);
    assert_int_equal(hint_distance("pyhton3", "python3"), 1);
    assert_int_equal(hint_distance("twosum.py", "two_sum.py"), 1);
}

/* ---- commands as they are read ------------------------------------------------------------- */

static const char *
read_command(const char *text)
{
    static const char *const joins[] = {"end", "next", "and", "or", "pipe", "background"};
    struct shell_script s = hint_command_parse(arena, text, "/work");
    struct buf b;

    buf_init(&b, arena, 65536);
    for (size_t i = 0; i < s.count; i++) {
        const struct shell_command *c = &s.at[i];

        buf_printf(&b, "%s%u %s %s", i ? "; " : "", c->level, c->cwd ? c->cwd : "?",
                   joins[c->join]);
        for (size_t k = 0; k < c->count; k++)
            buf_printf(&b, c->words[k].plain ? " <%s>" : " [%s]", c->words[k].text);
        buf_adds(&b, c->has_input ? " input" : "");
        buf_adds(&b, c->err_to_out ? " 2>&1" : "");
        if (c->out_path)
            buf_printf(&b, " > %s", c->out_path);
    }
    return buf_text(&b);
}

static void
commands_are_read(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"ls", "0 /work end <ls>"},
        {"2>x", ""},
        {"ls -l 'a b' \"c$d\" *.x", "0 /work end <ls> <-l> <a b> [c$d] [*.x]"},
        {"cd proj && make; ls", "0 /work and <cd> <proj>; 0 /work/proj next <make>; "
                                "0 /work/proj end <ls>"},
        {"sudo -u bob env A=1 nohup ./x &", "0 /work background <./x>"},
        {"timeout -k 5 10 python3 a.py 2>&1 | tail -n 3",
         "0 /work pipe <python3> <a.py> 2>&1; 0 /work end <tail> <-n> <3> input"},
        {"cat > a.txt <<'EOF'\nrm -rf $x\nEOF\nls", "0 /work next <cat> input > a.txt; "
                                                    "0 /work end <ls>"},
        {"if [ -f x ]; then rm x; fi", "0 /work next <[> <-f> <x> <]>; 0 /work end <rm> <x>"},
        {"(cd /tmp && ls); pwd", "1 /work and <cd> </tmp>; 1 /tmp end <ls>; 0 /work end <pwd>"},
        {"bash -c 'ls /x'", "0 /work end <bash> <-c> <ls /x>; 1 /work end <ls> </x>"},
        {"echo $(date +%s)", "0 /work end <echo> [$(date +%s)]; 1 /work end <date> <+%s>"},
        {"grep -c x <in >/tmp/o # no", "0 /work end <grep> <-c> <x> input > /tmp/o"},
        {"a=1 b=2", "0 /work end"},
        {"echo \"unended", "0 /work end <echo> <unended>"},
        {"echo 'unended", "0 /work end <echo> <unended>"},
        {"echo $(unended", "0 /work end <echo> [$(unended]; 1 /work end <unende>"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(read_command(rows[i][0]), rows[i][1]);
}

/* ---- time is printed, not judged ------------------------------------------------------------ */

static double
hint_us(const struct recording *c, const char *probe, int times)
{
    clock_t start = clock();

    for (int i = 0; i < times; i++) {
        const char *texts[HINTS_SAID_MAX + 1], *ids[HINTS_SAID_MAX + 1];
        struct arena *a = arena_new(65536);
        struct judgement none = {.line = "", .detail = "", .kind = ""};
        struct hint_set s;

        hints_look(&c->plan, &c->seen, &none, "", a, &s);
        hints_say(&s, probe, probe ? strlen(probe) : 0, a, texts, ids);
        arena_free(a);
    }
    return (double)(clock() - start) * 1e6 / CLOCKS_PER_SEC / times;
}

static void
hints_are_made_fast(void **state)
{
    static const char *const units[] = {"a",         " ",        "\n",
                                        "\033[1m",   "a: ",      "No module named 'a",
                                        "\xff",      "error: x", "bash: line 1: a: command not",
                                        "E: Unable", "'a' \"",   "/a/b.c:1: "};
    enum { SIZE = 10 << 20 };
    const char *dir = arena_printf(arena, "%s/file-missing", golden_dir(arena, "hints"));
    char *text = malloc(SIZE + 64);
    struct recording c;

    (void)state;
    assert_non_null(text);
    call_case_load(arena, dir, &c);
    hint_us(&c, read_probe(dir), 1);
    printf("# a usual failure, looked at and told: %.0f us\n", hint_us(&c, read_probe(dir), 1000));
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        size_t n = strlen(units[i]), len = 0;

        for (; len + n <= SIZE; len += n)
            memcpy(text + len, units[i], n);
        c.seen.steps[0].err = c.seen.steps[0].out =
            (struct stream){text, "", len, 0, len, "/var/log/backtalk/1.err"};
        printf("# 10 MiB of one thing, %zu bytes each: %.0f us\n", n, hint_us(&c, NULL, 3));
    }
    free(text);
}

int
main(void)
{
    static const struct CMUnitTest fixed[] = {
        cmocka_unit_test_teardown(every_rule_has_a_case, tear_down),
        cmocka_unit_test_teardown(patterns_are_right, tear_down),
        cmocka_unit_test_teardown(names_are_compared, tear_down),
        cmocka_unit_test_teardown(commands_are_read, tear_down),
        cmocka_unit_test_teardown(hints_are_made_fast, tear_down),
    };
    struct CMUnitTest tests[GOLDEN_CASES_MAX + COUNT_OF(fixed)];
    const char *const *names;
    struct arena *held;
    size_t count;
    int failed;

    arena = arena_new(1 << 20);
    held = arena_new(65536);
    names = golden_cases(held, golden_dir(held, "hints"), &count);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = a_case,
                                       .teardown_func = tear_down,
                                       .initial_state = (void *)(uintptr_t)names[i]};
    memcpy(tests + count, fixed, sizeof fixed);
    failed = _cmocka_run_group_tests("hints", tests, count + COUNT_OF(fixed), NULL, NULL);
    arena_free(arena);
    arena_free(held);
    return failed;
}
