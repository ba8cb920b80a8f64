/* test_frames.c - a plan as frames and back, what an agent answers, and what a forger may try. */
#include "config.h"

#include "core/frames.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { NONCE = 77, OTHER = 88 };

static struct arena *a;
static struct collector c;
static struct fault fault;

static const char *const cc[] = {"cc", "a.c", NULL};
static const char *const run[] = {"./a", NULL};
static const char *const env[] = {"X=1", NULL};
static const struct plan two_steps = {
    .kind = PLAN_STEPS,
    .file_count = 1,
    .files = {{.path = "/work/a.c", .bytes = "int x;\n", .len = 7, .mode = 0644}},
    .step_count = 2,
    .steps =
        {
            {.role = STEP_COMPILE,
             .argv = cc,
             .cwd = "/work",
             .timeout_ms = 1000,
             .head_bytes = 8,
             .tail_bytes = 4},
            {.role = STEP_RUN,
             .argv = run,
             .cwd = "/work",
             .env = env,
             .input = "5\n",
             .input_len = 2,
             .timeout_ms = 2000,
             .head_bytes = 4,
             .tail_bytes = 4},
        },
};

/* ---- encoding ----------------------------------------------------------------------- */

static struct wire_reader
reader_of(const uint8_t *bytes, size_t len)
{
    struct wire_reader r;
    uint8_t *copy = arena_alloc(a, len + WIRE_FRAME_MAX);

    memcpy(copy, bytes, len);
    wire_reader_init(&r, copy, len + WIRE_FRAME_MAX);
    wire_reader_fed(&r, len);
    return r;
}

static struct wire_reader
encoded(const struct plan *p)
{
    size_t len;
    const uint8_t *bytes = frames_encode_call(p, NONCE, 0, 0, a, &len, &fault);

    assert_non_null(bytes);
    return reader_of(bytes, len);
}

static struct wire_get
next(struct wire_reader *r, enum wire_type type, uint32_t seq)
{
    struct wire_frame f;

    assert_true(wire_next(r, &f));
    assert_int_equal(f.type, type);
    assert_int_equal(f.call, NONCE);
    assert_int_equal(f.seq, seq);
    return (struct wire_get){.at = f.payload, .left = f.len};
}

static void
wants_text(struct wire_get *g, const char *want)
{
    size_t len;
    const char *got = wire_get_str(g, &len);

    assert_int_equal(len, strlen(want));
    assert_memory_equal(got, want, len);
}

static void
ended(const struct wire_get *g)
{
    assert_false(g->bad);
    assert_int_equal(g->left, 0);
}

static void
wants_step(struct wire_get g, uint32_t timeout_ms, uint32_t head, uint32_t tail, uint32_t input,
           const char *argv0)
{
    assert_int_equal(wire_get_u32(&g), timeout_ms);
    assert_int_equal(wire_get_u32(&g), head);
    assert_int_equal(wire_get_u32(&g), tail);
    assert_int_equal(wire_get_u32(&g), input);
    wants_text(&g, "/work");
    assert_int_equal(wire_get_u32(&g), input ? 1 : 2);
    wants_text(&g, argv0);
    if (!input)
        wants_text(&g, "a.c");
    assert_int_equal(wire_get_u32(&g), input ? 1 : 0);
    if (input)
        wants_text(&g, "X=1");
    ended(&g);
}

static void
a_call_is_staged_in_order(void **state)
{
    size_t len;
    const uint8_t *bytes =
        frames_encode_call(&two_steps, NONCE, 5, WIRE_WANTS_PROGRESS, a, &len, &fault);
    struct wire_reader r;
    struct wire_get g;
    uint32_t n;

    (void)state;
    assert_non_null(bytes);
    r = reader_of(bytes, len);
    g = next(&r, WIRE_BEGIN, 0);
    assert_int_equal(wire_get_u32(&g), WIRE_WANTS_PROGRESS);
    assert_int_equal(wire_get_u64(&g), 5);
    n = wire_get_u32(&g);
    assert_in_range(n, 2, 32);
    wants_text(&g, "/var/lib/dpkg/status");
    g = next(&r, WIRE_FILE, 1);
    assert_int_equal(wire_get_u32(&g), 0644);
    assert_int_equal(wire_get_u64(&g), 7);
    wants_text(&g, "/work/a.c");
    ended(&g);
    g = next(&r, WIRE_DATA, 2);
    assert_int_equal(g.left, 7);
    assert_memory_equal(g.at, "int x;\n", 7);
    wants_step(next(&r, WIRE_STEP, 3), 1000, 8, 4, 0, "cc");
    g = next(&r, WIRE_STDIN, 4);
    assert_int_equal(wire_get_u64(&g), 2);
    ended(&g);
    g = next(&r, WIRE_DATA, 5);
    assert_memory_equal(g.at, "5\n", 2);
    wants_step(next(&r, WIRE_STEP, 6), 2000, 4, 4, 1, "./a");
    g = next(&r, WIRE_RUN, 7);
    assert_int_equal(wire_get_u32(&g), 7);
    ended(&g);
    assert_int_equal(r.start, r.end);
    assert_int_equal(r.dropped, 0);
}

static void
large_files_are_cut_into_frames(void **state)
{
    const size_t size = 3 * WIRE_PAYLOAD_MAX + 1;
    char *bytes = arena_alloc(a, size);
    struct plan p = {.kind = PLAN_WRITE_FILE, .file_count = 1};
    size_t got = 0;
    struct wire_reader r;
    struct wire_frame f;

    (void)state;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    p.files[0] = (struct plan_file){.path = "/x", .bytes = bytes, .len = size, .mode = 0755};
    r = encoded(&p);
    while (wire_next(&r, &f)) {
        if (f.type != WIRE_DATA)
            continue;
        assert_true(got + f.len <= size);
        assert_memory_equal(f.payload, bytes + got, f.len);
        got += f.len;
    }
    assert_int_equal(got, size);
}

static void
empty_input_is_announced(void **state)
{
    struct plan p = two_steps;
    struct wire_reader r;
    struct wire_get g;

    (void)state;
    p.file_count = 0;
    p.step_count = 1;
    p.steps[0].input = "";
    p.steps[0].input_len = 0;
    r = encoded(&p);
    next(&r, WIRE_BEGIN, 0);
    g = next(&r, WIRE_STDIN, 1);
    assert_int_equal(wire_get_u64(&g), 0);
    next(&r, WIRE_STEP, 2);
}

static void
too_long_a_command_line_is_refused(void **state)
{
    char *word = arena_alloc(a, WIRE_PAYLOAD_MAX + 1);
    const char *argv[] = {"echo", word, NULL};
    struct plan p = two_steps;
    size_t len;

    (void)state;
    memset(word, 'x', WIRE_PAYLOAD_MAX);
    word[WIRE_PAYLOAD_MAX] = '\0';
    p.steps[0].argv = argv;
    assert_null(frames_encode_call(&p, NONCE, 0, 0, a, &len, &fault));
    assert_int_equal(fault.kind, FAULT_ARGUMENT);
}

static void
cancel_is_one_frame(void **state)
{
    uint8_t out[WIRE_FRAME_MAX];
    size_t len = frames_encode_cancel(out, NONCE);
    struct wire_reader r = reader_of(out, len);
    struct wire_get g = next(&r, WIRE_CANCEL, 0);

    (void)state;
    ended(&g);
}

/* ---- an agent ----------------------------------------------------------------------- */

static uint8_t payload[WIRE_PAYLOAD_MAX];
static struct wire_put put;

static struct wire_put *
fresh(void)
{
    put = (struct wire_put){.at = payload, .cap = sizeof payload};
    return &put;
}

static enum collect
say_as(enum wire_type type, uint64_t call)
{
    const struct wire_frame f = {
        .type = (uint8_t)type, .call = call, .payload = payload, .len = put.len};

    assert_false(put.bad);
    return frames_collect(&c, &f);
}

static enum collect
say(enum wire_type type)
{
    return say_as(type, NONCE);
}

static void
put_text(const char *text)
{
    wire_put_str(&put, text, strlen(text));
}

static enum collect
accepted(uint32_t again, uint32_t state, uint32_t code, uint32_t sig, uint32_t timed_out,
         const char *log)
{
    fresh();
    wire_put_u32(&put, again);
    wire_put_u32(&put, state);
    wire_put_u32(&put, code);
    wire_put_u32(&put, sig);
    wire_put_u32(&put, timed_out);
    wire_put_u64(&put, 1500000);
    put_text(log);
    return say(WIRE_ACCEPTED);
}

static enum collect
refused(uint32_t reason, uint64_t busy, uint64_t age_ms, const char *text)
{
    fresh();
    wire_put_u32(&put, reason);
    wire_put_u64(&put, busy);
    wire_put_u64(&put, age_ms);
    put_text(text);
    return say(WIRE_REFUSED);
}

struct lens {
    uint64_t seen, head, tail;
};

static enum collect
step_end(uint32_t index, uint32_t end, uint32_t code, uint32_t sig, struct lens out,
         struct lens err)
{
    fresh();
    wire_put_u32(&put, index);
    wire_put_u32(&put, end);
    wire_put_u32(&put, code);
    wire_put_u32(&put, sig);
    wire_put_u32(&put, end == WIRE_END_NOT_STARTED ? ENOENT : 0);
    wire_put_u64(&put, 250000);
    wire_put_u64(&put, 4096);
    wire_put_u64(&put, 2);
    wire_put_u64(&put, 1);
    for (int i = 0; i < 2; i++) {
        wire_put_u64(&put, i ? err.seen : out.seen);
        wire_put_u64(&put, i ? err.head : out.head);
        wire_put_u64(&put, i ? err.tail : out.tail);
        put_text(i ? "" : "/var/log/backtalk/3.out");
    }
    return say(WIRE_STEP_END);
}

static enum collect
output(uint32_t index, uint32_t stream, uint32_t part, const char *bytes)
{
    fresh();
    wire_put_u32(&put, index);
    wire_put_u32(&put, stream);
    wire_put_u32(&put, part);
    wire_put_bytes(&put, bytes, strlen(bytes));
    return say(WIRE_OUT);
}

static enum collect
done(uint32_t cancelled, const char *path, uint32_t running, uint32_t listed)
{
    fresh();
    wire_put_u32(&put, 1);
    wire_put_u32(&put, 1);
    wire_put_u32(&put, cancelled);
    wire_put_u32(&put, path[0] ? ENOSPC : 0);
    put_text(path);
    wire_put_u32(&put, running);
    wire_put_u32(&put, listed);
    for (uint32_t i = 0; i < listed; i++) {
        wire_put_u32(&put, 100 + i);
        put_text("sleep\n100");
    }
    return say(WIRE_DONE);
}

static int
setup(void **state)
{
    (void)state;
    frames_collect_init(&c, a, &two_steps, NONCE);
    return 0;
}

static void
a_whole_result(void **state)
{
    const struct step_seen *s = c.seen.steps;

    (void)state;
    assert_int_equal(accepted(0, WIRE_FATE_NOT_ASKED, 0, 0, 0, ""), COLLECT_ACCEPTED);
    assert_int_equal(c.previous.kind, FATE_NONE);
    assert_int_equal(step_end(0, WIRE_END_EXITED, 0, 0, (struct lens){0}, (struct lens){20, 8, 4}),
                     COLLECT_IGNORED);
    assert_int_equal(output(0, 2, 0, "begin"), COLLECT_IGNORED);
    assert_int_equal(output(0, 2, 0, "nin"), COLLECT_IGNORED);
    assert_int_equal(output(0, 2, 1, "tail"), COLLECT_IGNORED);
    assert_int_equal(
        step_end(1, WIRE_END_SIGNALED, 0, SIGSEGV, (struct lens){3, 3, 0}, (struct lens){0}),
        COLLECT_IGNORED);
    assert_int_equal(output(1, 1, 0, "abc"), COLLECT_IGNORED);
    assert_int_equal(done(0, "", 9, 8), COLLECT_DONE);
    assert_int_equal(c.seen.step_count, 2);
    assert_int_equal(s[0].end, STEP_EXITED);
    assert_int_equal(s[0].err.seen, 20);
    assert_memory_equal(s[0].err.head, "beginnin", 8);
    assert_memory_equal(s[0].err.tail, "tail", 4);
    assert_string_equal(s[0].out.log, "/var/log/backtalk/3.out");
    assert_int_equal(s[1].end, STEP_SIGNALED);
    assert_int_equal(s[1].signal, SIGSEGV);
    assert_int_equal(s[1].wall_us, 250000);
    assert_int_equal(s[1].peak_bytes, 4096);
    assert_int_equal(s[1].input_bytes, 2);
    assert_int_equal(s[1].input_read, 1);
    assert_int_equal(s[1].out.head_len, 3);
    assert_int_equal(c.seen.oom_kills, 1);
    assert_int_equal(c.seen.changed, TREE_CHANGED);
    assert_null(c.seen.file_failed);
    assert_int_equal(c.seen.background_count, 9);
    assert_int_equal(c.seen.background[7].pid, 107);
    assert_string_equal(c.seen.background[7].command, "sleep 100");
}

static void
a_failed_step_ends_the_call(void **state)
{
    (void)state;
    assert_int_equal(step_end(0, WIRE_END_EXITED, 1, 0, (struct lens){0}, (struct lens){0}),
                     COLLECT_IGNORED);
    assert_int_equal(done(0, "", 0, 0), COLLECT_DONE);
    assert_int_equal(c.seen.steps[1].end, STEP_NOT_RUN);
    assert_non_null(c.seen.steps[1].out.head);
}

static void
not_run_may_be_said(void **state)
{
    (void)state;
    step_end(0, WIRE_END_NOT_STARTED, 0, 0, (struct lens){0}, (struct lens){0});
    assert_int_equal(c.seen.steps[0].start_errno, ENOENT);
    assert_int_equal(step_end(1, WIRE_END_NOT_RUN, 0, 0, (struct lens){0}, (struct lens){0}),
                     COLLECT_IGNORED);
    assert_int_equal(done(0, "", 0, 0), COLLECT_DONE);
}

static void
a_file_that_cannot_be_written(void **state)
{
    (void)state;
    assert_int_equal(done(0, "/work/a.c", 0, 0), COLLECT_DONE);
    assert_string_equal(c.seen.file_failed, "/work/a.c");
    assert_int_equal(c.seen.file_errno, ENOSPC);
    assert_int_equal(c.seen.steps[0].end, STEP_NOT_RUN);
}

static void
a_cancelled_call(void **state)
{
    (void)state;
    step_end(0, WIRE_END_CANCELLED, 0, 0, (struct lens){0}, (struct lens){0});
    assert_int_equal(done(1, "", 0, 0), COLLECT_DONE);
    assert_true(c.cancelled);
    assert_int_equal(c.seen.steps[0].end, STEP_CANCELLED);
}

static void
the_previous_call(void **state)
{
    static const struct {
        enum wire_fate wire;
        enum fate_kind kind;
    } fates[] = {
        {WIRE_FATE_NOT_ASKED, FATE_NONE},      {WIRE_FATE_UNKNOWN, FATE_UNKNOWN},
        {WIRE_FATE_STAGED, FATE_NOT_RUN},      {WIRE_FATE_FINISHED, FATE_FINISHED},
        {WIRE_FATE_CANCELLED, FATE_CANCELLED}, {(enum wire_fate)99, FATE_UNKNOWN},
    };

    for (size_t i = 0; i < COUNT_OF(fates); i++) {
        setup(state);
        assert_int_equal(accepted(1, fates[i].wire, 3, 9, 1, "/var/log/backtalk/1.out"),
                         COLLECT_ACCEPTED);
        assert_int_equal(c.previous.kind, fates[i].kind);
        assert_int_equal(c.previous.exit_code, 3);
        assert_int_equal(c.previous.signal, 9);
        assert_true(c.previous.timed_out);
        assert_int_equal(c.previous.wall_ms, 1500);
        assert_string_equal(c.previous.log, "/var/log/backtalk/1.out");
        assert_true(c.again);
    }
}

static void
a_call_that_ended_before(void **state)
{
    (void)state;
    assert_int_equal(accepted(1, WIRE_FATE_NOT_ASKED, 0, 0, 0, ""), COLLECT_ACCEPTED);
    assert_int_equal(accepted(2, WIRE_FATE_FINISHED, 3, 0, 0, "/var/log/backtalk/9.out"),
                     COLLECT_LOST);
    assert_int_equal(c.own.kind, FATE_FINISHED);
    assert_int_equal(c.own.exit_code, 3);
    assert_string_equal(c.own.log, "/var/log/backtalk/9.out");
    assert_int_equal(c.previous.kind, FATE_NONE);
}

static void
refusals(void **state)
{
    (void)state;
    assert_int_equal(refused(WIRE_REFUSED_BROKEN, 0, 0, ""), COLLECT_BROKEN);
    assert_int_equal(refused(WIRE_REFUSED_BAD, 0, 0, "too\nmany files"), COLLECT_REFUSED);
    assert_string_equal(c.refusal, "too many files");
    assert_int_equal(refused(99, 0, 0, "?"), COLLECT_REFUSED);
    fresh();
    assert_int_equal(say_as(WIRE_DONE, OTHER), COLLECT_IGNORED);
    assert_int_equal(refused(WIRE_REFUSED_BUSY, OTHER, 4000, ""), COLLECT_BUSY);
    assert_int_equal(c.busy_nonce, OTHER);
    assert_int_equal(c.busy_ms, 4000);
    assert_int_equal(refused(WIRE_REFUSED_BUSY, OTHER, UINT64_MAX, ""), COLLECT_BUSY);
    assert_true(c.busy_ms > 0);
    fresh();
    assert_int_equal(say_as(WIRE_STEP_END, OTHER), COLLECT_IGNORED);
    assert_int_equal(say_as(WIRE_DONE, OTHER + 1), COLLECT_IGNORED);
    assert_int_equal(say_as(WIRE_DONE, OTHER), COLLECT_BUSY_DONE);
}

static void
progress(void **state)
{
    (void)state;
    fresh();
    wire_put_u64(&put, 10);
    wire_put_u64(&put, 5);
    wire_put_u64(&put, 700);
    put_text("50 %\r");
    assert_int_equal(say(WIRE_PROGRESS), COLLECT_PROGRESS);
    assert_int_equal(c.bytes, 15);
    assert_int_equal(c.elapsed_ms, 700);
    assert_string_equal(c.last_line, "50 % ");
    fresh();
    wire_put_u64(&put, UINT64_MAX);
    wire_put_u64(&put, UINT64_MAX);
    wire_put_u64(&put, UINT64_MAX);
    for (int i = 0; i < 200; i++)
        wire_put_bytes(&put, i ? "\xe2\x82\xac" : "\x58\x02\x00\x00\xe2\x82", i ? 3 : 6);
    wire_put_bytes(&put, "\xac\xe2\x82\xac", 4);
    assert_int_equal(say(WIRE_PROGRESS), COLLECT_PROGRESS);
    assert_true(c.bytes == UINT64_MAX);
    assert_true(c.elapsed_ms > 0);
    assert_true(strlen(c.last_line) < FRAMES_LINE_BYTES);
}

/* ---- a forger ----------------------------------------------------------------------- */

static void
output_must_have_been_asked_for(void **state)
{
    static const struct lens bad[] = {
        {100, 9, 0},        {100, 0, 5}, {5, 4, 4}, {0, 1, 0}, {UINT64_MAX, UINT64_MAX, 1},
        {1, UINT64_MAX, 2},
    };

    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        setup(state);
        assert_int_equal(step_end(0, WIRE_END_EXITED, 0, 0, bad[i], (struct lens){0}),
                         COLLECT_NONSENSE);
        setup(state);
        assert_int_equal(step_end(0, WIRE_END_EXITED, 0, 0, (struct lens){0}, bad[i]),
                         COLLECT_NONSENSE);
    }
}

static void
steps_come_once_and_in_order(void **state)
{
    const struct lens none = {0};

    (void)state;
    assert_int_equal(step_end(2, WIRE_END_EXITED, 0, 0, none, none), COLLECT_NONSENSE);
    assert_int_equal(step_end(UINT32_MAX, WIRE_END_EXITED, 0, 0, none, none), COLLECT_NONSENSE);
    assert_int_equal(step_end(0, 77, 0, 0, none, none), COLLECT_NONSENSE);
    assert_int_equal(step_end(1, WIRE_END_EXITED, 0, 0, none, none), COLLECT_IGNORED);
    assert_int_equal(step_end(1, WIRE_END_EXITED, 0, 0, none, none), COLLECT_NONSENSE);
    assert_int_equal(step_end(0, WIRE_END_EXITED, 0, 0, none, none), COLLECT_NONSENSE);
}

static void
output_comes_after_its_step(void **state)
{
    (void)state;
    assert_int_equal(output(0, 1, 0, "x"), COLLECT_NONSENSE);
    step_end(0, WIRE_END_EXITED, 0, 0, (struct lens){3, 3, 0}, (struct lens){0});
    assert_int_equal(output(0, 0, 0, "x"), COLLECT_NONSENSE);
    assert_int_equal(output(0, 3, 0, "x"), COLLECT_NONSENSE);
    assert_int_equal(output(0, 1, 2, "x"), COLLECT_NONSENSE);
    assert_int_equal(output(1, 1, 0, "x"), COLLECT_NONSENSE);
    assert_int_equal(output(UINT32_MAX, 1, 0, "x"), COLLECT_NONSENSE);
    assert_int_equal(output(0, 1, 1, "x"), COLLECT_NONSENSE);
    assert_int_equal(output(0, 1, 0, "abcd"), COLLECT_NONSENSE);
    assert_int_equal(output(0, 1, 0, "abc"), COLLECT_IGNORED);
    assert_int_equal(output(0, 1, 0, ""), COLLECT_IGNORED);
    assert_int_equal(output(0, 1, 0, "d"), COLLECT_NONSENSE);
}

static void
missing_parts_are_noticed(void **state)
{
    const struct lens none = {0};

    setup(state);
    assert_int_equal(done(0, "", 0, 0), COLLECT_NONSENSE); /* no step was reported */
    setup(state);
    step_end(0, WIRE_END_EXITED, 0, 0, none, none);
    assert_int_equal(done(0, "", 0, 0), COLLECT_NONSENSE); /* the second must have run */
    setup(state);
    step_end(0, WIRE_END_EXITED, 1, 0, (struct lens){3, 3, 0}, none);
    output(0, 1, 0, "ab");
    assert_int_equal(done(0, "", 0, 0), COLLECT_NONSENSE);
    setup(state);
    step_end(0, WIRE_END_EXITED, 1, 0, none, (struct lens){9, 4, 4});
    output(0, 2, 0, "abcd");
    assert_int_equal(done(0, "", 0, 0), COLLECT_NONSENSE);
}

static void
background_must_add_up(void **state)
{
    const struct lens none = {0};

    for (uint32_t listed = 0; listed < 12; listed++) {
        setup(state);
        step_end(0, WIRE_END_EXITED, 1, 0, none, none);
        assert_int_equal(done(0, "", 8, listed), listed <= 8 ? COLLECT_DONE : COLLECT_NONSENSE);
    }
    setup(state);
    step_end(0, WIRE_END_EXITED, 1, 0, none, none);
    assert_int_equal(done(0, "", UINT32_MAX, 0), COLLECT_DONE);
    assert_int_equal(c.seen.background_count, 100000);
    assert_string_equal(c.seen.background[0].command, "");
}

static void
wild_numbers_are_bounded(void **state)
{
    (void)state;
    step_end(0, WIRE_END_EXITED, 4000000000u, 4000000000u, (struct lens){0}, (struct lens){0});
    assert_in_range(c.seen.steps[0].exit_code, 0, 255);
    assert_in_range(c.seen.steps[0].signal, 0, 64);
    step_end(1, WIRE_END_SIGNALED, 1000, 1000, (struct lens){0}, (struct lens){0});
    assert_int_equal(c.seen.steps[1].exit_code, 255);
    assert_int_equal(c.seen.steps[1].signal, 64);
}

static void
odd_facts(void **state)
{
    (void)state;
    assert_int_equal(
        step_end(0, WIRE_END_TIMED_OUT, 0, SIGKILL, (struct lens){0}, (struct lens){0}),
        COLLECT_IGNORED);
    assert_int_equal(c.seen.steps[0].end, STEP_TIMED_OUT);
    memset(payload + 28, 0xff, 8); /* the step's peak */
    c.next_step = 0;
    assert_int_equal(say(WIRE_STEP_END), COLLECT_IGNORED);
    assert_true(c.seen.steps[0].peak_bytes == INT64_MAX);
    done(0, "", 1, 1);
    payload[4] = 2; /* whether something changed */
    assert_int_equal(say(WIRE_DONE), COLLECT_DONE);
    assert_int_equal(c.seen.changed, TREE_UNKNOWN);
    put.len -= 3; /* within the last command line */
    assert_int_equal(say(WIRE_DONE), COLLECT_NONSENSE);
}

static void
repeating_costs_no_memory(void **state)
{
    size_t before;

    (void)state;
    accepted(0, WIRE_FATE_FINISHED, 0, 0, 0, "/log");
    before = arena_bytes(a);
    for (int i = 0; i < 1000; i++) {
        accepted(0, WIRE_FATE_FINISHED, 0, 0, 0, "/log");
        refused(WIRE_REFUSED_BUSY, OTHER, 1, "text");
        progress(state);
    }
    assert_int_equal(arena_bytes(a), before);
}

static void
short_frames_are_nonsense(void **state)
{
    static const enum wire_type types[] = {WIRE_ACCEPTED, WIRE_REFUSED, WIRE_PROGRESS,
                                           WIRE_STEP_END, WIRE_OUT,     WIRE_DONE};

    for (size_t i = 0; i < COUNT_OF(types); i++)
        for (size_t len = 0; len < 16; len++) {
            setup(state);
            fresh();
            for (size_t k = 0; k < len; k++)
                wire_put_bytes(&put, "\0", 1);
            if (types[i] == WIRE_OUT && len >= 12)
                continue;
            if (say(types[i]) != COLLECT_NONSENSE)
                fail_msg("type %d of %zu bytes is taken", types[i], len);
        }
}

static void
a_worker_s_frames_are_nonsense(void **state)
{
    (void)state;
    fresh();
    for (int type = 0; type < 65; type++)
        assert_int_equal(say((enum wire_type)type), COLLECT_NONSENSE);
    assert_int_equal(say((enum wire_type)71), COLLECT_NONSENSE);
}

#define WITH_AGENT(f) cmocka_unit_test_setup(f, setup)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_staged_in_order),
        cmocka_unit_test(large_files_are_cut_into_frames),
        cmocka_unit_test(empty_input_is_announced),
        cmocka_unit_test(too_long_a_command_line_is_refused),
        cmocka_unit_test(cancel_is_one_frame),
        WITH_AGENT(a_whole_result),
        WITH_AGENT(a_failed_step_ends_the_call),
        WITH_AGENT(not_run_may_be_said),
        WITH_AGENT(a_file_that_cannot_be_written),
        WITH_AGENT(a_cancelled_call),
        WITH_AGENT(the_previous_call),
        WITH_AGENT(a_call_that_ended_before),
        WITH_AGENT(refusals),
        WITH_AGENT(progress),
        WITH_AGENT(output_must_have_been_asked_for),
        WITH_AGENT(steps_come_once_and_in_order),
        WITH_AGENT(output_comes_after_its_step),
        WITH_AGENT(missing_parts_are_noticed),
        WITH_AGENT(background_must_add_up),
        WITH_AGENT(wild_numbers_are_bounded),
        WITH_AGENT(odd_facts),
        WITH_AGENT(repeating_costs_no_memory),
        WITH_AGENT(short_frames_are_nonsense),
        WITH_AGENT(a_worker_s_frames_are_nonsense),
    };
    int failed;

    a = arena_new(65536);
    failed = cmocka_run_group_tests_name("frames", tests, NULL, NULL);
    arena_free(a);
    return failed;
}
