#include "config.h"

#include "call_case.h"
#include "base/buf.h"
#include "golden.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CAPTURE_BYTES = 1 << 20, OUTPUT_MAX = 1 << 23 };

/* A case being read. */
struct loading {
    struct arena *a;
    const char *dir;
    struct call_case *c;
    size_t head[PLAN_STEPS_MAX], tail[PLAN_STEPS_MAX]; /* what the agent keeps of a stream */
    struct buf out[PLAN_STEPS_MAX], err[PLAN_STEPS_MAX];
};

static struct step_seen *
last_step(struct loading *l)
{
    assert_true(l->c->plan.step_count > 0);
    return &l->c->seen.steps[l->c->plan.step_count - 1];
}

static const char *
copy(struct loading *l, const char *value)
{
    return arena_strndup(l->a, value, strlen(value));
}

/* \n \t \r \e \0 \\ and \xHH. */
static void
add_escaped(struct buf *b, const char *value)
{
    static const char names[] = "ntre0\\", values[] = {'\n', '\t', '\r', 0x1b, 0, '\\'};

    for (; *value; value++) {
        const char *name;
        char hex[3];

        if (*value != '\\') {
            buf_addc(b, *value);
            continue;
        }
        value++;
        if (*value == 'x') {
            snprintf(hex, sizeof hex, "%s", value + 1);
            buf_addc(b, (char)strtol(hex, NULL, 16));
            value += 2;
            continue;
        }
        name = *value ? strchr(names, *value) : NULL;
        assert_non_null(name);
        buf_addc(b, values[name - names]);
    }
}

/* ---- one function a key ------------------------------------------------------------------ */

static void
read_tool(struct loading *l, const char *value)
{
    l->c->plan.tool = copy(l, value);
    if (strcmp(value, "write_file") == 0)
        l->c->plan.kind = PLAN_WRITE_FILE;
    if (strcmp(value, "reset") == 0)
        l->c->plan.kind = PLAN_RESET;
}

static void
read_step(struct loading *l, const char *value)
{
    struct plan *p = &l->c->plan;
    size_t i = p->step_count++;

    assert_true(i < PLAN_STEPS_MAX);
    l->c->seen.step_count = p->step_count;
    p->steps[i].role = strcmp(value, "compile") == 0 ? STEP_COMPILE
                       : strcmp(value, "check") == 0 ? STEP_CHECK
                                                     : STEP_RUN;
    p->steps[i].cwd = "/work";
    p->steps[i].timeout_ms = 300000;
    p->steps[i].shown = "";
    l->c->seen.steps[i] = (struct step_seen){.end = STEP_EXITED, .wall_us = 10000};
    l->head[i] = CAPTURE_BYTES;
    l->c->seen.steps[i].out.log = l->c->seen.steps[i].err.log = "";
    buf_init(&l->out[i], l->a, OUTPUT_MAX);
    buf_init(&l->err[i], l->a, OUTPUT_MAX);
}

static void
read_shown(struct loading *l, const char *value)
{
    struct plan_step *step = &l->c->plan.steps[l->c->plan.step_count - 1];
    const char **argv = arena_alloc(l->a, 2 * sizeof *argv);
    struct buf b;

    last_step(l);
    buf_init(&b, l->a, OUTPUT_MAX);
    add_escaped(&b, value);
    step->shown = buf_text(&b);
    argv[0] = arena_strndup(l->a, step->shown, strcspn(step->shown, " "));
    argv[1] = NULL;
    step->argv = argv;
}

static void
read_end(struct loading *l, const char *value)
{
    static const struct {
        const char *name;
        enum step_end end;
    } ends[] = {
        {"exit", STEP_EXITED},
        {"signal", STEP_SIGNALED},
        {"timeout", STEP_TIMED_OUT},
        {"cancelled", STEP_CANCELLED},
        {"not-started", STEP_NOT_STARTED},
        {"not-run", STEP_NOT_RUN},
    };
    struct step_seen *s = last_step(l);
    char name[16] = "";
    int number = 0;

    sscanf(value, "%15s %d", name, &number);
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        if (strcmp(name, ends[i].name) != 0)
            continue;
        s->end = ends[i].end;
        s->exit_code = s->signal = s->start_errno = number;
        if (s->end == STEP_TIMED_OUT)
            l->c->plan.steps[l->c->plan.step_count - 1].timeout_ms = number;
        return;
    }
    fail_msg("%s: no such end: %s", l->dir, value);
}

static void
read_wall(struct loading *l, const char *value)
{
    last_step(l)->wall_us = strtoll(value, NULL, 10) * 1000;
}

static void
read_log(struct loading *l, const char *value)
{
    last_step(l)->out.log = arena_printf(l->a, "/var/log/backtalk/%s.out", value);
    last_step(l)->err.log = arena_printf(l->a, "/var/log/backtalk/%s.err", value);
}

static void
read_keep(struct loading *l, const char *value)
{
    size_t i = l->c->plan.step_count - 1;

    last_step(l);
    assert_int_equal(sscanf(value, "%zu %zu", &l->head[i], &l->tail[i]), 2);
}

static void
read_out(struct loading *l, const char *value)
{
    last_step(l);
    add_escaped(&l->out[l->c->plan.step_count - 1], value);
}

static void
read_err(struct loading *l, const char *value)
{
    last_step(l);
    add_escaped(&l->err[l->c->plan.step_count - 1], value);
}

/* "3 text" or "1-100 text": the text so often; # in it is the number. */
static void
add_times(struct buf *b, const char *value)
{
    long from, to;
    int at = 0;

    assert_int_equal(sscanf(value, "%ld-%ld %n", &from, &to, &at), 2);
    for (long n = from; n <= to; n++) {
        struct buf line;

        buf_init(&line, b->arena, OUTPUT_MAX);
        for (const char *c = value + at; *c; c++) {
            if (*c == '#')
                buf_printf(&line, "%ld", n);
            else
                buf_addc(&line, *c);
        }
        add_escaped(b, buf_text(&line));
    }
}

static void
read_out_times(struct loading *l, const char *value)
{
    last_step(l);
    add_times(&l->out[l->c->plan.step_count - 1], value);
}

static void
read_err_times(struct loading *l, const char *value)
{
    last_step(l);
    add_times(&l->err[l->c->plan.step_count - 1], value);
}

static void
read_input(struct loading *l, const char *value)
{
    struct plan_step *step = &l->c->plan.steps[l->c->plan.step_count - 1];
    struct buf b;

    last_step(l);
    buf_init(&b, l->a, OUTPUT_MAX);
    add_escaped(&b, value);
    step->input = buf_text(&b);
    step->input_len = b.len;
}

static void
read_input_times(struct loading *l, const char *value)
{
    struct plan_step *step = &l->c->plan.steps[l->c->plan.step_count - 1];
    struct buf b;

    last_step(l);
    buf_init(&b, l->a, OUTPUT_MAX);
    add_times(&b, value);
    step->input = buf_text(&b);
    step->input_len = b.len;
}

static void
read_expected(struct loading *l, const char *value)
{
    struct buf b;

    buf_init(&b, l->a, OUTPUT_MAX);
    add_escaped(&b, value);
    l->c->plan.expected = buf_text(&b);
    l->c->plan.expected_len = b.len;
}

static void
read_expected_times(struct loading *l, const char *value)
{
    struct buf b;

    buf_init(&b, l->a, OUTPUT_MAX);
    add_times(&b, value);
    l->c->plan.expected = buf_text(&b);
    l->c->plan.expected_len = b.len;
}

static void
read_oom(struct loading *l, const char *value)
{
    l->c->seen.oom_kills = (uint32_t)strtoul(value, NULL, 10);
}

static void
read_background(struct loading *l, const char *value)
{
    struct observation *o = &l->c->seen;
    struct background *b = &o->background[o->background_count++];
    int at = 0;

    assert_true(o->background_count <= OBSERVED_BACKGROUND_MAX);
    assert_int_equal(sscanf(value, "%d %n", &b->pid, &at), 1);
    b->command = copy(l, value + at);
}

static void
read_more_background(struct loading *l, const char *value)
{
    l->c->seen.background_count += strtoul(value, NULL, 10);
}

static void
read_file(struct loading *l, const char *value)
{
    struct plan *p = &l->c->plan;
    struct plan_file *f = &p->files[p->file_count++];
    struct buf b;
    size_t len = strcspn(value, " ");

    buf_init(&b, l->a, OUTPUT_MAX);
    add_escaped(&b, value[len] ? value + len + 1 : "");
    *f = (struct plan_file){arena_strndup(l->a, value, len), buf_text(&b), b.len, 0644};
}

static void
read_file_failed(struct loading *l, const char *value)
{
    int at = 0;

    assert_int_equal(sscanf(value, "%d %n", &l->c->seen.file_errno, &at), 1);
    l->c->seen.file_failed = copy(l, value + at);
}

static void
read_note(struct loading *l, const char *value)
{
    assert_true(l->c->plan.note_count < PLAN_NOTES_MAX);
    l->c->plan.notes[l->c->plan.note_count++] = copy(l, value);
}

static void
read_hint(struct loading *l, const char *value)
{
    size_t n = 0;

    while (l->c->hints[n])
        n++;
    assert_true(n < CALL_CASE_HINTS_MAX);
    l->c->hints[n] = copy(l, value);
}

static void
read_resumed(struct loading *l, const char *value)
{
    struct notices *n = &l->c->notices;
    int at = 0;

    n->resumed = true;
    assert_int_equal(sscanf(value, "%" SCNd64 " %n", &n->stopped_ago_s, &at), 1);
    n->stop_reason = copy(l, value + at);
}

static void
read_lost(struct loading *l, const char *value)
{
    struct notices *n = &l->c->notices;
    char date[16], why[16] = "";

    n->fresh = true;
    assert_true(sscanf(value, "%15s %15s %" SCNd64, date, why, &n->lost_limit) >= 1);
    n->lost_on = copy(l, strcmp(date, "-") == 0 ? "" : date);
    n->lost_why = copy(l, why);
}

static void
read_disk(struct loading *l, const char *value)
{
    assert_int_equal(sscanf(value, "%" SCNd64 " %" SCNd64, &l->c->notices.disk_used_bytes,
                            &l->c->notices.disk_limit_bytes),
                     2);
}

static void
read_fate(struct loading *l, const char *value)
{
    static const char *const kinds[] = {"none",     "unknown",   "not-run",
                                        "finished", "cancelled", "machine-lost"};
    struct fate *f = &l->c->notices.fate;

    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i], value) == 0) {
            f->kind = (enum fate_kind)i;
            return;
        }
    fail_msg("%s: no such fate: %s", l->dir, value);
}

/* "exit 3", "signal 9", "timeout 300000": and how long it took in ms, and the log. */
static void
read_fate_end(struct loading *l, const char *value)
{
    struct fate *f = &l->c->notices.fate;
    char name[16], log[64] = "";
    int number;

    assert_true(sscanf(value, "%15s %d %" SCNd64 " %63s", name, &number, &f->wall_ms, log) >= 3);
    if (strcmp(name, "exit") == 0)
        f->exit_code = number;
    f->signal = strcmp(name, "signal") == 0 ? number : 0;
    f->timed_out = strcmp(name, "timeout") == 0;
    f->log = copy(l, log);
}

static void
read_fate_command(struct loading *l, const char *value)
{
    l->c->notices.fate.command = copy(l, value);
}

static void
read_chars(struct loading *l, const char *value)
{
    assert_int_equal(sscanf(value, "%zu %zu", &l->c->limits.stream_chars, &l->c->limits.line_chars),
                     2);
}

static void
read_memory(struct loading *l, const char *value)
{
    assert_int_equal(sscanf(value, "%" SCNu64 " %" SCNu64, &l->c->limits.memory_bytes,
                            &l->c->limits.memory_swap_bytes),
                     2);
}

static const struct {
    const char *name;
    void (*read)(struct loading *l, const char *value);
} keys[] = {
    {"tool", read_tool},
    {"step", read_step},
    {"shown", read_shown},
    {"end", read_end},
    {"wall_ms", read_wall},
    {"log", read_log},
    {"keep", read_keep},
    {"out", read_out},
    {"err", read_err},
    {"out_times", read_out_times},
    {"err_times", read_err_times},
    {"input", read_input},
    {"input_times", read_input_times},
    {"expected", read_expected},
    {"expected_times", read_expected_times},
    {"oom", read_oom},
    {"background", read_background},
    {"more_background", read_more_background},
    {"file", read_file},
    {"file_failed", read_file_failed},
    {"note", read_note},
    {"hint", read_hint},
    {"resumed", read_resumed},
    {"lost", read_lost},
    {"disk", read_disk},
    {"fate", read_fate},
    {"fate_end", read_fate_end},
    {"fate_command", read_fate_command},
    {"chars", read_chars},
    {"memory", read_memory},
};

/* ---- the directory -------------------------------------------------------------------------- */

static void
read_line(struct loading *l, const char *line)
{
    size_t len = strcspn(line, ":");
    const char *value = line[len] ? line + len + 1 : line + len;

    if (line[0] == '#' || line[0] == '\0')
        return;
    if (*value == ' ')
        value++;
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (strlen(keys[i].name) == len && strncmp(keys[i].name, line, len) == 0) {
            keys[i].read(l, value);
            return;
        }
    fail_msg("%s/call.txt: no such key: %s", l->dir, line);
}

static void
read_call(struct loading *l)
{
    char *text = golden_read(l->a, arena_printf(l->a, "%s/call.txt", l->dir), NULL);

    if (!text) {
        read_step(l, "run");
        read_shown(l, "python3 main.py");
    }
    while (text && *text) {
        char *end = strchrnul(text, '\n');
        bool last = *end == '\0';

        *end = '\0';
        read_line(l, text);
        text = last ? end : end + 1;
    }
}

static const char *
read_text(struct loading *l, const char *name, size_t *ret_len)
{
    return golden_read(l->a, arena_printf(l->a, "%s/%s.txt", l->dir, name), ret_len);
}

static void
read_files(struct loading *l)
{
    struct plan *p = &l->c->plan;
    size_t len, run = p->step_count > 0 ? p->step_count - 1 : 0;
    const char *text;

    if ((text = read_text(l, "expected", &len)) != NULL) {
        p->expected = text;
        p->expected_len = len;
    }
    if ((text = read_text(l, "code", &len)) != NULL) {
        p->code = text;
        p->code_len = len;
    }
    if ((text = read_text(l, "input", &len)) != NULL) {
        p->steps[run].input = text;
        p->steps[run].input_len = len;
    }
    if ((text = read_text(l, "out", &len)) != NULL)
        buf_add(&l->out[run], text, len);
    if ((text = read_text(l, "err", &len)) != NULL)
        buf_add(&l->err[run], text, len);
}

/* What the agent would have kept of the bytes. */
static void
capture(struct buf *all, size_t head, size_t tail, struct stream *ret)
{
    const char *text = buf_text(all);
    size_t first = all->len < head ? all->len : head, rest = all->len - first;
    size_t last = rest < tail ? rest : tail;

    ret->head = text;
    ret->head_len = first;
    ret->tail = text + all->len - last;
    ret->tail_len = last;
    ret->seen = all->len;
}

void
call_case_load(struct arena *a, const char *dir, struct call_case *ret)
{
    struct loading l = {.a = a, .dir = dir, .c = ret};

    *ret = (struct call_case){
        .plan = {.tool = "run_code", .language = "python"},
        .notices = {.stopped_ago_s = -1},
        .limits = {.stream_chars = 4000,
                   .line_chars = 1000,
                   .memory_bytes = 256 << 20,
                   .memory_swap_bytes = 1 << 30,
                   .pids = 512},
    };
    read_call(&l);
    read_files(&l);
    for (size_t i = 0; i < ret->plan.step_count; i++) {
        capture(&l.out[i], l.head[i], l.tail[i], &ret->seen.steps[i].out);
        capture(&l.err[i], l.head[i], l.tail[i], &ret->seen.steps[i].err);
    }
}
