#include "config.h"

#include "core/recording_keys.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t
step_number(const struct reading *in)
{
    return in->r->plan.step_count - 1;
}

void
recording_need(struct reading *in, bool ok, const char *what)
{
    if (!ok && !in->wrong)
        in->wrong = what;
}

static const char *
copy(struct reading *in, const char *value)
{
    return arena_strndup(in->a, value, strlen(value));
}

/* ---- texts of a line ----------------------------------------------------------------------- */

/* \n \t \r \e \0 \\ and \xHH. */
static void
add_escaped(struct reading *in, struct buf *b, const char *value)
{
    static const char names[] = "ntre0\\", values[] = {'\n', '\t', '\r', 0x1b, 0, '\\'};

    for (; *value; value++) {
        const char *name;

        if (*value != '\\') {
            buf_addc(b, *value);
            continue;
        }
        value++;
        if (*value == 'x' && value[1] && value[2]) {
            const char hex[] = {value[1], value[2], '\0'};

            buf_addc(b, (char)strtol(hex, NULL, 16));
            value += 2;
            continue;
        }
        name = *value ? strchr(names, *value) : NULL;
        if (!name) {
            recording_need(in, false, "knows only \\n \\t \\r \\e \\0 \\\\ and \\xHH");
            return;
        }
        buf_addc(b, values[name - names]);
    }
    recording_need(in, !b->full, "is too long");
}

/* "1-100 text": the text so often; # in it is the number. */
static void
add_times(struct reading *in, struct buf *b, const char *value)
{
    long from = 0, to = -1;
    int at = 0;

    if (sscanf(value, "%ld-%ld %n", &from, &to, &at) != 2) {
        recording_need(in, false, "begins with two numbers, FROM-TO");
        return;
    }
    for (long n = from; n <= to && !b->full; n++) {
        struct buf line;

        buf_init(&line, in->a, RECORDING_BYTES_MAX);
        for (const char *c = value + at; *c; c++) {
            if (*c == '#')
                buf_printf(&line, "%ld", n);
            else
                buf_addc(&line, *c);
        }
        add_escaped(in, b, buf_text(&line));
    }
}

typedef void add_fn(struct reading *in, struct buf *b, const char *value);

static struct recording_text
text_of(struct reading *in, add_fn *add, const char *value)
{
    struct buf b;

    buf_init(&b, in->a, RECORDING_BYTES_MAX);
    add(in, &b, value);
    return (struct recording_text){buf_text(&b), b.len};
}

static void
set_input(struct reading *in, struct recording_text t)
{
    in->step->input = t.at;
    in->step->input_len = t.len;
}

static void
set_expected(struct reading *in, struct recording_text t)
{
    in->r->plan.expected = t.at;
    in->r->plan.expected_len = t.len;
}

/* ---- one function a key: the call --------------------------------------------------------- */

static void
read_tool(struct reading *in, const char *value)
{
    in->r->plan.tool = copy(in, value);
    if (strcmp(value, "write_file") == 0)
        in->r->plan.kind = PLAN_WRITE_FILE;
    if (strcmp(value, "reset") == 0)
        in->r->plan.kind = PLAN_RESET;
}

static void
read_file(struct reading *in, const char *value)
{
    struct plan *p = &in->r->plan;
    size_t len = strcspn(value, " ");
    struct recording_text t = text_of(in, add_escaped, value[len] ? value + len + 1 : "");

    recording_need(in, p->file_count < PLAN_FILES_MAX, "is one file too many");
    if (!in->wrong)
        p->files[p->file_count++] =
            (struct plan_file){arena_strndup(in->a, value, len), t.at, t.len, 0644};
}

static void
read_file_failed(struct reading *in, const char *value)
{
    int at = 0;

    recording_need(in, sscanf(value, "%d %n", &in->r->seen.file_errno, &at) == 1, "is ERRNO PATH");
    in->r->seen.file_failed = copy(in, value + at);
}

static void
read_expected(struct reading *in, const char *value)
{
    set_expected(in, text_of(in, add_escaped, value));
}

static void
read_expected_times(struct reading *in, const char *value)
{
    set_expected(in, text_of(in, add_times, value));
}

static void
read_note(struct reading *in, const char *value)
{
    struct plan *p = &in->r->plan;

    recording_need(in, p->note_count < PLAN_NOTES_MAX, "is one note too many");
    if (!in->wrong)
        p->notes[p->note_count++] = copy(in, value);
}

static void
read_hint(struct reading *in, const char *value)
{
    size_t n = 0;

    while (in->r->hints[n])
        n++;
    recording_need(in, n < RECORDING_HINTS_MAX, "is one hint too many");
    if (!in->wrong)
        in->r->hints[n] = copy(in, value);
}

/* ---- a step -------------------------------------------------------------------------------- */

void
recording_step(struct reading *in, const char *value)
{
    struct plan *p = &in->r->plan;
    size_t i = p->step_count;

    recording_need(in, i < PLAN_STEPS_MAX, "is one step too many");
    if (in->wrong)
        return;
    in->r->seen.step_count = ++p->step_count;
    in->step = &p->steps[i];
    in->seen = &in->r->seen.steps[i];
    *in->step = (struct plan_step){
        .role = strcmp(value, "compile") == 0 ? STEP_COMPILE
                : strcmp(value, "check") == 0 ? STEP_CHECK
                                              : STEP_RUN,
        .cwd = "/work",
        .timeout_ms = 300000,
        .shown = "",
    };
    *in->seen = (struct step_seen){.end = STEP_EXITED, .wall_us = 10000};
    in->seen->out.log = in->seen->err.log = "";
    in->head[i] = RECORDING_HEAD_BYTES;
    buf_init(&in->out[i], in->a, RECORDING_BYTES_MAX);
    buf_init(&in->err[i], in->a, RECORDING_BYTES_MAX);
}

void
recording_shown(struct reading *in, const char *value)
{
    const char **argv = arena_alloc(in->a, 2 * sizeof *argv);

    in->step->shown = text_of(in, add_escaped, value).at;
    argv[0] = arena_strndup(in->a, in->step->shown, strcspn(in->step->shown, " "));
    argv[1] = NULL;
    in->step->argv = argv;
}

static void
read_end(struct reading *in, const char *value)
{
    static const struct {
        const char *name;
        enum step_end end;
    } ends[] = {
        {"exit", STEP_EXITED},         {"signal", STEP_SIGNALED}, {"timeout", STEP_TIMED_OUT},
        {"cancelled", STEP_CANCELLED}, {"not-run", STEP_NOT_RUN}, {"not-started", STEP_NOT_STARTED},
    };
    char name[16] = "";
    int number = 0;

    sscanf(value, "%15s %d", name, &number);
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        if (strcmp(name, ends[i].name) != 0)
            continue;
        in->seen->end = ends[i].end;
        in->seen->exit_code = in->seen->signal = in->seen->start_errno = number;
        if (in->seen->end == STEP_TIMED_OUT)
            in->step->timeout_ms = number;
        return;
    }
    recording_need(in, false, "is exit, signal, timeout, cancelled, not-started or not-run");
}

static void
read_wall(struct reading *in, const char *value)
{
    in->seen->wall_us = strtoll(value, NULL, 10) * 1000;
}

static void
read_log(struct reading *in, const char *value)
{
    in->seen->out.log = arena_printf(in->a, "/var/log/backtalk/%s.out", value);
    in->seen->err.log = arena_printf(in->a, "/var/log/backtalk/%s.err", value);
}

static void
read_keep(struct reading *in, const char *value)
{
    size_t i = step_number(in);

    recording_need(in, sscanf(value, "%zu %zu", &in->head[i], &in->tail[i]) == 2, "is two numbers");
}

static void
read_out(struct reading *in, const char *value)
{
    add_escaped(in, &in->out[step_number(in)], value);
}

static void
read_err(struct reading *in, const char *value)
{
    add_escaped(in, &in->err[step_number(in)], value);
}

static void
read_out_times(struct reading *in, const char *value)
{
    add_times(in, &in->out[step_number(in)], value);
}

static void
read_err_times(struct reading *in, const char *value)
{
    add_times(in, &in->err[step_number(in)], value);
}

static void
read_input(struct reading *in, const char *value)
{
    set_input(in, text_of(in, add_escaped, value));
}

static void
read_input_times(struct reading *in, const char *value)
{
    set_input(in, text_of(in, add_times, value));
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void
read_oom(struct reading *in, const char *value)
{
    in->r->seen.oom_kills = (uint32_t)strtoul(value, NULL, 10);
}

static void
read_background(struct reading *in, const char *value)
{
    struct observation *o = &in->r->seen;
    struct background b = {0};
    int at = 0;

    recording_need(in, sscanf(value, "%d %n", &b.pid, &at) == 1, "is PID COMMAND");
    recording_need(in, o->background_count < OBSERVED_BACKGROUND_MAX, "is one process too many");
    b.command = copy(in, value + at);
    if (!in->wrong)
        o->background[o->background_count++] = b;
}

static void
read_more_background(struct reading *in, const char *value)
{
    in->r->seen.background_count += strtoul(value, NULL, 10);
}

static void
read_resumed(struct reading *in, const char *value)
{
    struct notices *n = &in->r->notices;
    int at = 0;

    n->resumed = true;
    recording_need(in, sscanf(value, "%" SCNd64 " %n", &n->stopped_ago_s, &at) == 1,
                   "is SECONDS REASON");
    n->stop_reason = copy(in, value + at);
}

/* One command a line, as the key comes again. */
static void
read_ran(struct reading *in, const char *value)
{
    struct notices *n = &in->r->notices;
    const char *before = n->stop_running ? n->stop_running : "";

    n->stop_running = copy(in, value);
    if (before[0])
        n->stop_running = arena_printf(in->a, "%s\n%s", before, value);
}

/* Seconds since the chat's last call, and since the computer was started. */
static void
read_used(struct reading *in, const char *value)
{
    struct notices *n = &in->r->notices;
    int64_t up_s = 0;

    recording_need(in, sscanf(value, "%" SCNd64 " %" SCNd64, &n->used_ago_s, &up_s) == 2,
                   "is two numbers");
    notices_explain(n, up_s);
}

static void
read_image_old(struct reading *in, const char *value)
{
    in->r->notices.image_old = strcmp(value, "yes") == 0;
}

static void
read_lost(struct reading *in, const char *value)
{
    struct notices *n = &in->r->notices;
    char date[16] = "", why[16] = "";

    n->fresh = true;
    recording_need(in, sscanf(value, "%15s %15s %" SCNd64, date, why, &n->lost_limit) >= 1,
                   "is DATE REASON LIMIT");
    n->lost_on = copy(in, strcmp(date, "-") == 0 ? "" : date);
    n->lost_why = copy(in, why);
}

static void
read_disk(struct reading *in, const char *value)
{
    struct notices *n = &in->r->notices;

    recording_need(
        in, sscanf(value, "%" SCNd64 " %" SCNd64, &n->disk_used_bytes, &n->disk_limit_bytes) == 2,
        "is two numbers");
}

static void
read_fate(struct reading *in, const char *value)
{
    static const char *const kinds[] = {"none",     "unknown",   "not-run",
                                        "finished", "cancelled", "machine-lost"};

    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i], value) == 0) {
            in->r->notices.fate.kind = (enum fate_kind)i;
            return;
        }
    recording_need(in, false, "is none, unknown, not-run, finished, cancelled or machine-lost");
}

/* "exit 3", "signal 9", "timeout 300000": and how long it took in ms, and the log. */
static void
read_fate_end(struct reading *in, const char *value)
{
    struct fate *f = &in->r->notices.fate;
    char name[16] = "", log[64] = "";
    int number = 0;

    recording_need(in,
                   sscanf(value, "%15s %d %" SCNd64 " %63s", name, &number, &f->wall_ms, log) >= 3,
                   "is exit, signal or timeout, then two numbers");
    if (strcmp(name, "exit") == 0)
        f->exit_code = number;
    f->signal = strcmp(name, "signal") == 0 ? number : 0;
    f->timed_out = strcmp(name, "timeout") == 0;
    f->log = copy(in, log);
}

static void
read_fate_command(struct reading *in, const char *value)
{
    in->r->notices.fate.command = copy(in, value);
}

static void
read_chars(struct reading *in, const char *value)
{
    struct render_limits *l = &in->r->limits;

    recording_need(in, sscanf(value, "%zu %zu", &l->stream_chars, &l->line_chars) == 2,
                   "is two numbers");
}

static void
read_memory(struct reading *in, const char *value)
{
    struct render_limits *l = &in->r->limits;

    recording_need(
        in, sscanf(value, "%" SCNu64 " %" SCNu64, &l->memory_bytes, &l->memory_swap_bytes) == 2,
        "is two numbers");
}

/* ---- all keys ----------------------------------------------------------------------------- */

const struct recording_key recording_keys[] = {
    {"tool", read_tool, false},
    {"step", recording_step, false},
    {"shown", recording_shown, true},
    {"end", read_end, true},
    {"wall_ms", read_wall, true},
    {"log", read_log, true},
    {"keep", read_keep, true},
    {"out", read_out, true},
    {"err", read_err, true},
    {"out_times", read_out_times, true},
    {"err_times", read_err_times, true},
    {"input", read_input, true},
    {"input_times", read_input_times, true},
    {"expected", read_expected, false},
    {"expected_times", read_expected_times, false},
    {"oom", read_oom, false},
    {"background", read_background, false},
    {"more_background", read_more_background, false},
    {"file", read_file, false},
    {"file_failed", read_file_failed, false},
    {"note", read_note, false},
    {"hint", read_hint, false},
    {"resumed", read_resumed, false},
    {"ran", read_ran, false},
    {"used", read_used, false},
    {"image_old", read_image_old, false},
    {"lost", read_lost, false},
    {"disk", read_disk, false},
    {"fate", read_fate, false},
    {"fate_end", read_fate_end, false},
    {"fate_command", read_fate_command, false},
    {"chars", read_chars, false},
    {"memory", read_memory, false},
};

const size_t recording_keys_count = COUNT_OF(recording_keys);
