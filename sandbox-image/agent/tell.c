#include "agent.h"

#include <string.h>
#include <time.h>

enum { /* room for the payloads */
       ACCEPTED_BYTES = 64 + LOG_PATH_MAX,
       REFUSED_BYTES = 256,
       PROGRESS_BYTES = 64 + LINE_TEXT,
       STEP_END_BYTES = 128 + 2 * LOG_PATH_MAX,
       DONE_BYTES = 64 + PATH_MAX + BACKGROUND_MAX * (8 + BACKGROUND_TEXT),
       OUT_HEADER = 12,
       JUST_TICKS = 30, /* a process that young may yet begin its program */
       SETTLE_MS = 5,   /* between two looks at those */
       SETTLE_LOOKS = 50,
};

void
tell_accepted(struct agent *a, uint64_t call, uint32_t again, int64_t now_ms)
{
    uint64_t asked = again == 2 ? call : a->job.previous;
    const struct fate *f = call_recent(a, asked);
    struct fate none = {.state = asked ? WIRE_FATE_UNKNOWN : WIRE_FATE_NOT_ASKED};
    struct wire_put p;

    if (!f)
        f = &none;
    if (!report_begin(&a->out, ACCEPTED_BYTES, &p))
        return; /* the worker asks again */
    wire_put_u32(&p, again);
    wire_put_u32(&p, f->state);
    wire_put_u32(&p, (uint32_t)f->exit_code);
    wire_put_u32(&p, (uint32_t)f->signal);
    wire_put_u32(&p, f->timed_out);
    wire_put_u64(&p, f->wall_us);
    wire_put_str(&p, f->log, strlen(f->log));
    report_end(&a->out, &p, WIRE_ACCEPTED, call, again == 2 ? 0 : a->call.seq++, now_ms);
}

void
tell_refused(struct agent *a, uint64_t call, uint32_t reason, const char *text, int64_t now_ms)
{
    struct wire_put p;

    if (!report_begin(&a->out, REFUSED_BYTES, &p))
        return; /* the worker asks again */
    wire_put_u32(&p, reason);
    wire_put_u64(&p, call_runs(a) ? a->call.id : 0);
    wire_put_u64(&p, call_runs(a) ? (uint64_t)(now_ms - a->call.started_ms) : 0);
    wire_put_str(&p, text, strlen(text));
    report_end(&a->out, &p, WIRE_REFUSED, call, 0, now_ms);
}

void
tell_progress(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    const struct step *s = call_step(a);
    char line[LINE_TEXT];
    struct wire_put p;

    /* only news: never behind a report that nobody has taken yet */
    if (report_pending(&a->out) || !report_begin(&a->out, PROGRESS_BYTES, &p))
        return;
    for (int i = 0; i < 2; i++)
        wire_put_u64(&p, c->seen_before[i] + s->tap->s[i].seen);
    wire_put_u64(&p, (uint64_t)(now_ms - c->started_ms));
    wire_put_str(&p, line, output_last_line(s->tap, line));
    report_end(&a->out, &p, WIRE_PROGRESS, c->id, c->seq++, now_ms);
}

static void
put_step_end(struct wire_put *p, const struct call *c, const struct step_result *r)
{
    wire_put_u32(p, (uint32_t)c->index);
    wire_put_u32(p, r->end);
    wire_put_u32(p, (uint32_t)r->exit_code);
    wire_put_u32(p, (uint32_t)r->signal);
    wire_put_u32(p, (uint32_t)r->error);
    wire_put_u64(p, r->wall_us);
    wire_put_u64(p, r->peak_bytes);
    wire_put_u64(p, r->input_bytes);
    wire_put_u64(p, r->input_read);
    for (int i = 0; i < 2; i++) {
        const struct excerpt *e = &c->report.what[i];

        wire_put_u64(p, e->seen);
        wire_put_u64(p, e->head_len);
        wire_put_u64(p, e->tail_len);
        wire_put_str(p, e->log, strlen(e->log));
    }
}

/* One OUT frame, or on to the next part when this one is through. False: no room now. */
static bool
report_piece(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    const struct excerpt *e = &c->report.what[c->report.stream];
    size_t len = c->report.part == 0 ? e->head_len : e->tail_len;
    size_t n = len - c->report.offset;
    struct wire_put p;

    if (n == 0) {
        c->report.offset = 0;
        c->report.stream += c->report.part;
        c->report.part = !c->report.part;
        return true;
    }
    if (n > WIRE_PAYLOAD_MAX - OUT_HEADER)
        n = WIRE_PAYLOAD_MAX - OUT_HEADER;
    if (!report_begin(&a->out, n + OUT_HEADER, &p))
        return false;
    wire_put_u32(&p, (uint32_t)c->index);
    wire_put_u32(&p, (uint32_t)c->report.stream + 1);
    wire_put_u32(&p, (uint32_t)c->report.part);
    output_copy(call_step(a)->tap, c->report.stream, e, c->report.part == 1, c->report.offset,
                p.at + p.len, n);
    p.len += n;
    c->report.offset += n;
    report_end(&a->out, &p, WIRE_OUT, c->id, c->seq++, now_ms);
    return true;
}

bool
tell_step(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    struct wire_put p;

    if (!c->report.head_sent) {
        if (!report_begin(&a->out, STEP_END_BYTES, &p))
            return false;
        put_step_end(&p, c, &call_step(a)->result);
        report_end(&a->out, &p, WIRE_STEP_END, c->id, c->seq++, now_ms);
        c->report.head_sent = true;
    }
    while (c->report.stream < 2)
        if (!report_piece(a, now_ms))
            return false;
    return true;
}

static bool
has_child(const struct proc *who, pid_t pid)
{
    for (; who->pid; who++)
        if (who->parent == pid)
            return true;
    return false;
}

/* The call's processes, once those it has just forked have begun their programs: until then a
 * server in the background looks like the shell that starts it. */
static const struct proc *
settled_members(struct agent *a)
{
    const struct timespec pause = {.tv_nsec = SETTLE_MS * 1000000L};
    const struct proc *who = call_members(a);

    for (int look = 1; look < SETTLE_LOOKS; look++) {
        const struct proc *p = who;

        /* one with children of its own is a subshell, and stays one */
        while (p->pid && !(p->copied && !has_child(who, p->pid) &&
                           p->start_ticks + JUST_TICKS >= procs_ticks()))
            p++;
        if (!p->pid)
            break;
        nanosleep(&pause, NULL);
        who = call_members(a);
    }
    return who;
}

/* How many of the call's processes still run, and the first few of them. */
static void
put_background(struct wire_put *p, const struct proc *who)
{
    uint32_t n = 0;
    char text[BACKGROUND_TEXT];

    while (who[n].pid)
        n++;
    wire_put_u32(p, n);
    if (n > BACKGROUND_MAX)
        n = BACKGROUND_MAX;
    wire_put_u32(p, n);
    for (uint32_t i = 0; i < n; i++) {
        wire_put_u32(p, (uint32_t)who[i].pid);
        wire_put_str(p, text, procs_command(who[i].pid, text));
    }
}

bool
tell_done(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    const char *path = c->file_path ? c->file_path : "";
    uint64_t oom = look_oom_kills();
    struct wire_put p;

    if (!report_begin(&a->out, DONE_BYTES, &p))
        return false;
    wire_put_u32(&p, oom > c->oom_before ? (uint32_t)(oom - c->oom_before) : 0);
    wire_put_u32(&p, c->wrote                    ? 1
                     : a->job.flags & WIRE_QUIET ? 0
                                                 : look_changed(&c->began, &a->job));
    wire_put_u32(&p, c->cancelled);
    wire_put_u32(&p, (uint32_t)c->file_errno);
    wire_put_str(&p, path, strlen(path));
    put_background(&p, settled_members(a));
    report_end(&a->out, &p, WIRE_DONE, c->id, c->seq++, now_ms);
    return true;
}
