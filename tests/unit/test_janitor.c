/* test_janitor.c - what the janitor plans: every case of tests/cases/janitor; and how it reads the
 * engine's list and the record's snapshot. */
#include "config.h"

#include "base/buf.h"
#include "core/janitor_plan.h"
#include "core/janitor_read.h"
#include "golden.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 500, NOW = 2000000000, WORDS_MAX = 16 };
#define MIB ((int64_t)1048576)

static struct arena *arena;

/* ---- a case: pass.txt, a line a fact, words KEY=VALUE; times are seconds ago ----------------- */

struct loading {
    struct janitor_facts f;
    struct janitor_limits l;
    struct box boxes[MANY];
    struct loose loose[MANY];
    int64_t calls[MANY];
    const char *logs[MANY];
};

enum kind { NUMBER, MIBS, AGO, FLAG, TEXT, STATE, SEEN };

struct key {
    const char *name;
    enum kind kind;
    size_t offset;
};

#define BOX(member, kind)                                                                          \
    {                                                                                              \
#member, kind, offsetof(struct box, member)                                                \
    }
static const struct key box_keys[] = {
    BOX(id, NUMBER),         BOX(member, NUMBER),     BOX(container, TEXT),
    BOX(state, STATE),       BOX(seen, SEEN),         BOX(used, AGO),
    BOX(called, AGO),        BOX(stopped, AGO),       BOX(size, MIBS),
    BOX(new_size, MIBS),     BOX(sized, AGO),         BOX(cpu_ns, NUMBER),
    BOX(cpu_at, AGO),        BOX(new_cpu_ns, NUMBER), BOX(running_limit, NUMBER),
    BOX(kept_limit, NUMBER), BOX(in_call, FLAG),      BOX(asked, FLAG),
    BOX(image_old, FLAG),    BOX(image_other, FLAG),  {NULL, FLAG, 0},
};
#define LOOSE(member, kind)                                                                        \
    {                                                                                              \
#member, kind, offsetof(struct loose, member)                                              \
    }
static const struct key loose_keys[] = {
    LOOSE(container, TEXT), LOOSE(created, AGO),   LOOSE(running, FLAG), LOOSE(sandbox, NUMBER),
    LOOSE(removed, AGO),    LOOSE(reason, TEXT),   LOOSE(stray, TEXT),   LOOSE(seen, AGO),
    LOOSE(size, MIBS),      LOOSE(new_size, MIBS), {NULL, FLAG, 0},
};
#define LIMIT(member, kind)                                                                        \
    {                                                                                              \
#member, kind, offsetof(struct janitor_limits, member)                                     \
    }
static const struct key limit_keys[] = {
    LIMIT(idle_s, NUMBER),   LIMIT(work_s, NUMBER),   LIMIT(unused_s, NUMBER), LIMIT(kept, NUMBER),
    LIMIT(kept_bytes, MIBS), LIMIT(disk_bytes, MIBS), {NULL, FLAG, 0},
};

static int
word_index(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    fail_msg("no such word: %s", word);
    return 0;
}

static void
set(void *target, const struct key *k, const char *value)
{
    static const char *const states[] = {"creating", "running", "stopped", NULL};
    static const char *const seen[] = {"absent", "running", "stopped", "other", NULL};
    char *at = (char *)target + k->offset;
    int64_t n = strtoll(value, NULL, 10);

    switch (k->kind) {
    case NUMBER:
        *(int64_t *)at = n;
        break;
    case MIBS:
        *(int64_t *)at = n < 0 ? -1 : n * MIB;
        break;
    case AGO:
        *(int64_t *)at = n < 0 ? -1 : NOW - n;
        break;
    case FLAG:
        *(bool *)at = n != 0;
        break;
    case TEXT:
        *(const char **)at = arena_strndup(arena, value, strlen(value));
        break;
    case STATE:
        *(enum box_state *)at = (enum box_state)word_index(states, value);
        break;
    case SEEN:
        *(enum box_seen *)at = (enum box_seen)word_index(seen, value);
        break;
    }
}

static void
read_words(char *text, const struct key *keys, void *target)
{
    char *rest = NULL;

    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(w, '=');
        const struct key *k = keys;

        assert_non_null(value);
        *value++ = '\0';
        while (k->name && strcmp(k->name, w) != 0)
            k++;
        if (!k->name)
            fail_msg("no such key: %s", w);
        set(target, k, value);
    }
}

static void
read_line(struct loading *l, char *line)
{
    struct janitor_facts *f = &l->f;

    if (strncmp(line, "box ", 4) == 0) {
        struct box *b = &l->boxes[f->box_count++];

        *b = (struct box){.member = 1,
                          .container = "bt-",
                          .state = BOX_RUNNING,
                          .seen = SEEN_RUNNING,
                          .used = NOW - 60,
                          .called = -2,
                          .stopped = -1,
                          .size = 1,
                          .sized = NOW - 30,
                          .cpu_ns = -1,
                          .cpu_at = -1,
                          .running_limit = 20,
                          .kept_limit = -1,
                          .new_size = -1,
                          .new_cpu_ns = -1};
        read_words(line + 4, box_keys, b);
        b->called = b->called == -2 ? b->used : b->called;
    } else if (strncmp(line, "loose ", 6) == 0) {
        struct loose *c = &l->loose[f->loose_count++];

        *c = (struct loose){.container = "bt-",
                            .member_label = "1",
                            .created = NOW - 60,
                            .sandbox = -1,
                            .removed = -1,
                            .reason = "",
                            .stray = "",
                            .seen = -1,
                            .size = -1,
                            .new_size = -1};
        read_words(line + 6, loose_keys, c);
    } else if (strncmp(line, "limits ", 7) == 0) {
        read_words(line + 7, limit_keys, &l->l);
    } else if (strncmp(line, "call ", 5) == 0) {
        l->calls[f->lost_call_count++] = strtoll(line + 5, NULL, 10);
    } else if (strncmp(line, "log ", 4) == 0) {
        l->logs[f->old_log_count++] = arena_strndup(arena, line + 4, strlen(line + 4));
    } else if (strncmp(line, "booted ", 7) == 0) {
        f->booted = NOW - strtoll(line + 7, NULL, 10);
    } else if (line[0] != '#' && line[0] != '\0') {
        fail_msg("no such line: %s", line);
    }
}

static struct loading *
new_loading(void)
{
    struct loading *l = arena_alloc(arena, sizeof *l);

    *l = (struct loading){.l = {.idle_s = 3600,
                                .work_s = 86400,
                                .unused_s = 1209600,
                                .kept = 50,
                                .kept_bytes = 10240 * MIB,
                                .disk_bytes = 2048 * MIB}};
    l->f = (struct janitor_facts){.now = NOW,
                                  .booted = NOW - 864000,
                                  .boxes = l->boxes,
                                  .loose = l->loose,
                                  .lost_calls = l->calls,
                                  .old_logs = l->logs};
    return l;
}

static const char *
about(const struct janitor_action *x)
{
    if (x->box)
        return arena_printf(arena, "box %" PRId64, x->box->id);
    if (x->loose)
        return x->loose->container;
    return x->log ? x->log : arena_printf(arena, "call %" PRId64, x->call);
}

/* What is measured, then the actions; a limit and `force` when there are any. */
static const char *
in_words(struct loading *l)
{
    const struct janitor_action *list;
    struct buf b;
    size_t count = 0;

    buf_init(&b, arena, GOLDEN_FILE_MAX);
    janitor_wants(&l->f, &l->l);
    for (size_t i = 0; i < l->f.box_count; i++) {
        const struct box *x = &l->boxes[i];

        if (x->wants_size || x->wants_cpu)
            buf_printf(&b, "measure box %" PRId64 ":%s%s\n", x->id, x->wants_size ? " size" : "",
                       x->wants_cpu ? " cpu" : "");
    }
    for (size_t i = 0; i < l->f.loose_count; i++)
        if (l->loose[i].wants_size)
            buf_printf(&b, "measure %s: size\n", l->loose[i].container);
    list = janitor_plan(&l->f, &l->l, arena, &count);
    for (size_t i = 0; i < count; i++) {
        buf_printf(&b, "%s %s", janitor_act_name(list[i].act), about(&list[i]));
        buf_printf(&b, "%s%s", list[i].reason[0] ? " " : "", list[i].reason);
        if (list[i].limit >= 0)
            buf_printf(&b, " (limit %" PRId64 ")", list[i].limit);
        buf_printf(&b, "%s: %s\n", list[i].force ? " force" : "", list[i].why);
    }
    for (size_t i = 0; i < l->f.box_count; i++)
        if (l->boxes[i].worked)
            buf_printf(&b, "box %" PRId64 " worked\n", l->boxes[i].id);
    return buf_text(&b);
}

static void
a_case(void **state)
{
    const char *dir =
        arena_printf(arena, "%s/%s", golden_dir(arena, "janitor"), (const char *)*state);
    char *text = golden_read(arena, arena_printf(arena, "%s/pass.txt", dir), NULL);
    struct loading *l = new_loading();
    char *rest = NULL;

    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(l, line);
    golden_check(arena, arena_printf(arena, "%s/plan.txt", dir), in_words(l));
}

/* ---- many -------------------------------------------------------------------------------------
 */

/* 500 machines in every state, used at every age: what goes is the oldest, as many as are too many,
 * and nothing that is in use. */
static void
the_oldest_go_first(void **state)
{
    struct loading *l = new_loading();
    const struct janitor_action *list;
    size_t count = 0, removed = 0;
    int64_t youngest_removed = 0, oldest_kept = NOW;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        bool running = i % 3 == 0;
        struct box *b = &l->boxes[l->f.box_count++];

        *b = (struct box){.id = i + 1,
                          .member = 1 + i % 7,
                          .container = "bt-",
                          .state = running ? BOX_RUNNING : BOX_STOPPED,
                          .seen = running ? SEEN_RUNNING : SEEN_STOPPED,
                          .used = NOW - (i * 7919 % MANY) * 100,
                          .called = NOW,
                          .stopped = -1,
                          .size = 100 * MIB,
                          .sized = NOW,
                          .cpu_ns = -1,
                          .cpu_at = -1,
                          .running_limit = MANY,
                          .kept_limit = -1,
                          .in_call = i % 97 == 0,
                          .new_size = -1,
                          .new_cpu_ns = -1};
    }
    list = janitor_plan(&l->f, &l->l, arena, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].act, ACT_REMOVE);
        assert_false(list[i].box->in_call);
        removed++;
        if (list[i].box->used > youngest_removed)
            youngest_removed = list[i].box->used;
    }
    for (size_t i = 0; i < l->f.box_count; i++)
        if (!l->boxes[i].gone && !l->boxes[i].in_call && l->boxes[i].used < oldest_kept)
            oldest_kept = l->boxes[i].used;
    assert_int_equal(removed, MANY - 50);
    assert_true(youngest_removed < oldest_kept);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

#define NAME_A "bt-00112233445566778899aabbccddeeff"
#define NAME_B "bt-ffeeddccbbaa99887766554433221100"

static void
the_list_is_read(void **state)
{
    const struct container *list = NULL;
    struct fault f;
    size_t n = 0;

    (void)state;
    assert_true(janitor_read_list(
        "[{\"Names\":[\"/" NAME_A "\"],\"Image\":\"i:1\",\"Created\":17,\"State\":\"running\","
        "\"Labels\":{\"backtalk.member\":\"3\"}},"
        "{\"Names\":[\"/somebody\"],\"State\":\"running\"},{\"Names\":[]},{},[],7,null,"
        "{\"Names\":[\"/" NAME_B "\"],\"State\":\"created\",\"Labels\":null}]",
        arena, &list, &n, &f));
    assert_int_equal(n, 2);
    assert_string_equal(list[0].name, NAME_A);
    assert_string_equal(list[0].image, "i:1");
    assert_string_equal(list[0].member_label, "3");
    assert_int_equal(list[0].created, 17);
    assert_int_equal(list[0].seen, SEEN_RUNNING);
    assert_int_equal(list[1].seen, SEEN_OTHER);
    assert_string_equal(list[1].member_label, "");
    assert_string_equal(janitor_names(list, n, arena), "{" NAME_A "," NAME_B "}");
    assert_string_equal(janitor_names(list, 0, arena), "{}");
    assert_true(janitor_read_list("[]", arena, &list, &n, &f));
    assert_int_equal(n, 0);
    for (const char *const *bad = (const char *const[]){"", "{}", "[", "null", "x", NULL}; *bad;
         bad++) {
        assert_false(janitor_read_list(*bad, arena, &list, &n, &f));
        assert_int_equal(f.kind, FAULT_ENGINE);
    }
}

static void
the_snapshot_is_read(void **state)
{
    const struct container list[] = {
        {.name = NAME_A, .image = "new", .member_label = "3", .created = 5, .seen = SEEN_STOPPED},
        {.name = NAME_B, .image = "new", .member_label = "4", .created = 6, .seen = SEEN_RUNNING}};
    struct janitor_facts f;
    struct fault bad;

    (void)state;
    assert_true(janitor_read_record(
        "{\"now\":100,\"machines\":[{\"id\":7,\"member\":3,\"container\":\"" NAME_A
        "\",\"state\":\"running\",\"used\":90,\"called\":80,\"stopped\":null,\"size\":null,"
        "\"sized\":null,\"cpu_ns\":null,\"cpu_at\":null,\"image_old\":false,\"asked\":\"\","
        "\"running_limit\":20,\"kept_limit\":null,\"in_call\":true},"
        "{\"id\":8,\"container\":\"gone\",\"state\":\"creating\",\"asked\":\"operator\"}],"
        "\"unknown\":[{\"container\":\"" NAME_B "\",\"sandbox\":null,\"stray\":null}],"
        "\"calls\":[{\"id\":5,\"began\":1}],\"logs\":[\"call_y2020m01\"]}",
        list, COUNT_OF(list), "old", arena, &f, &bad));
    assert_int_equal(f.now, 100);
    assert_int_equal(f.box_count, 2);
    assert_int_equal(f.boxes[0].id, 7);
    assert_int_equal(f.boxes[0].seen, SEEN_STOPPED);
    assert_int_equal(f.boxes[0].state, BOX_RUNNING);
    assert_int_equal(f.boxes[0].stopped, -1);
    assert_int_equal(f.boxes[0].kept_limit, -1);
    assert_true(f.boxes[0].in_call && f.boxes[0].image_other && !f.boxes[0].asked);
    assert_int_equal(f.boxes[1].seen, SEEN_ABSENT);
    assert_int_equal(f.boxes[1].state, BOX_CREATING);
    assert_true(f.boxes[1].asked && !f.boxes[1].image_other);
    assert_int_equal(f.loose_count, 1);
    assert_int_equal(f.loose[0].sandbox, -1);
    assert_string_equal(f.loose[0].member_label, "4");
    assert_string_equal(f.loose[0].stray, "");
    assert_true(f.loose[0].running);
    assert_int_equal(f.lost_calls[0], 5);
    assert_string_equal(f.old_logs[0], "call_y2020m01");
    for (const char *const *x = (const char *const[]){"", "[]", "{\"machines\":[]}", NULL}; *x;
         x++) {
        assert_false(janitor_read_record(*x, list, 0, "", arena, &f, &bad));
        assert_int_equal(bad.kind, FAULT_RECORD);
    }
}

static int
teardown(void **state)
{
    (void)state;
    arena_reset(arena);
    return 0;
}

int
main(void)
{
    struct arena *names_arena = arena_new(4096);
    size_t count, n = 0;
    int failed;
    const char *const *names =
        golden_cases(names_arena, golden_dir(names_arena, "janitor"), &count);
    struct CMUnitTest *tests = arena_alloc(names_arena, (count + 3) * sizeof *tests);

    arena = arena_new(1 << 16);
    for (size_t i = 0; i < count; i++)
        tests[n++] = (struct CMUnitTest){
            .name = names[i],
            .test_func = a_case,
            .teardown_func = teardown,
            .initial_state = arena_strndup(names_arena, names[i], strlen(names[i]))};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_teardown(the_oldest_go_first, teardown);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_teardown(the_list_is_read, teardown);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_teardown(the_snapshot_is_read, teardown);
    failed = _cmocka_run_group_tests("janitor", tests, n, NULL, NULL);
    arena_free(arena);
    arena_free(names_arena);
    return failed;
}
