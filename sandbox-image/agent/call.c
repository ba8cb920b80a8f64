#include "agent.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LINGER_MS = 100, /* for the last output of a program's children, after its own end */
    QUIET_MS = 5,    /* ... or until nothing came for that long and none is at work */
    PROGRESS_MS = 1000,
    KILL_PASS_MS = 2,
    KILL_STOP_MS = 1000, /* to stop all before any is killed */
    KILL_MAX_MS = 10000, /* then what cannot be killed is left alone */
    KILL_TOLD_MS = 500,  /* for the anchor to tell of the end */
    LOST_LOOK_MS = 20,
};

/* ---- what is remembered ---------------------------------------------------------------- */

const struct fate *
call_recent(const struct agent *a, uint64_t call)
{
    for (size_t i = 0; i < RECENT_MAX; i++)
        if (a->recent[i].call == call && call != 0)
            return &a->recent[i];
    return NULL;
}

void
call_remember(struct agent *a, const struct fate *f)
{
    size_t at = a->recent_next;

    for (size_t i = 0; i < RECENT_MAX; i++)
        if (a->recent[i].call == f->call)
            at = i;
    if (at == a->recent_next)
        a->recent_next = (a->recent_next + 1) % RECENT_MAX;
    a->recent[at] = *f;
}

bool
call_runs(const struct agent *a)
{
    return a->call.phase != CALL_IDLE;
}

/* ---- beginning -------------------------------------------------------------------------- */

void
call_begin(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;

    *c = (struct call){.phase = CALL_WRITING, .id = a->job.call, .started_ms = now_ms};
    c->fate = (struct fate){.call = c->id, .state = WIRE_FATE_FINISHED};
    for (size_t i = 0; i < STEPS_MAX; i++) {
        c->steps[i].note_fd = -1;
        c->steps[i].result.end = WIRE_END_NOT_RUN;
    }
    look_moment(&c->began);
    c->started_ticks = procs_ticks();
    c->oom_before = look_oom_kills();
    files_begin(&a->job);
    tell_accepted(a, c->id, 0, now_ms);
}

struct step *
call_step(struct agent *a)
{
    return &a->call.steps[a->call.index];
}

/* The next step is started, or, when there is none to run, reported as it is. */
static void
next_step(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    struct job_step *js = &a->job.steps[c->index];

    memset(&c->report, 0, sizeof c->report);
    if (c->index == a->job.step_count) {
        c->phase = CALL_DONE;
    } else if (c->stopped) {
        call_step(a)->result.input_bytes = js->input.size;
        c->phase = CALL_REPORTING;
    } else if (!step_start(a, call_step(a), js, c->id)) {
        c->phase = CALL_REPORTING;
    } else {
        c->phase = CALL_RUNNING;
        c->deadline_ms = now_ms + js->timeout_ms;
        c->progress_ms = now_ms + PROGRESS_MS;
    }
}

static void
files_failed(struct call *c, int error, const char *path)
{
    c->file_errno = error;
    c->file_path = path;
    c->stopped = true;
    c->fate.exit_code = -1;
}

static bool
tick_writing(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    const char *path = "";
    int error = 0;

    for (size_t i = 0; i < a->job.step_count && !c->stopped; i++)
        if (a->job.steps[i].input.error)
            files_failed(c, a->job.steps[i].input.error, "/dev/stdin");
    switch (c->stopped ? FILES_DONE : files_write(&a->job, &error, &path)) {
    case FILES_MORE:
        c->due_ms = now_ms;
        return false;
    case FILES_FAILED:
        files_failed(c, error, path);
        break;
    case FILES_DONE:
        c->wrote = a->job.file_count > 0 && !c->stopped;
        break;
    }
    files_abort();
    next_step(a, now_ms);
    return true;
}

/* ---- a step ----------------------------------------------------------------------------- */

static void
kill_begin(struct call *c, uint32_t end, int64_t now_ms)
{
    c->phase = CALL_KILLING;
    c->stopped = true;
    c->kill_hard = false;
    c->kill_gone_ms = 0;
    c->kill_end = end;
    c->kill_ms = now_ms;
}

static void
linger_begin(struct agent *a, int64_t now_ms)
{
    a->call.phase = CALL_LINGERING;
    a->call.linger_ms = a->call.quiet_ms = now_ms;
    output_drain(call_step(a)->tap, now_ms);
}

static bool
tick_running(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    struct step *s = call_step(a);

    step_notes(s);
    if (s->lost)
        step_lost_track(s);
    if (s->ended) {
        linger_begin(a, now_ms);
        return true;
    }
    if (now_ms >= c->deadline_ms) {
        kill_begin(c, WIRE_END_TIMED_OUT, now_ms);
        return true;
    }
    c->due_ms = c->deadline_ms;
    if (s->lost)
        c->due_ms = earlier(c->due_ms, now_ms + LOST_LOOK_MS);
    if (a->job.flags & WIRE_WANTS_PROGRESS) {
        if (now_ms >= c->progress_ms) {
            tell_progress(a, now_ms);
            c->progress_ms = now_ms + PROGRESS_MS;
        }
        c->due_ms = earlier(c->due_ms, c->progress_ms);
    }
    return false;
}

struct proc *
call_members(struct agent *a)
{
    struct call *c = &a->call;
    pid_t anchors[STEPS_MAX] = {-1, -1, -1, -1};
    bool lost = false, any = false;

    for (size_t i = 0; i < STEPS_MAX; i++) {
        struct step *s = &c->steps[i];

        step_notes(s);
        if (s->anchor > 0)
            anchors[i] = s->anchor;
        lost |= s->lost;
        any |= s->lost || (s->anchor > 0 && !s->alone);
    }
    if (!any) {
        static struct proc nobody;

        return &nobody;
    }
    return procs_of_call(c->id, anchors, STEPS_MAX, lost, c->started_ticks);
}

/* A filter behind the program (`> >(sed ...)`) is at work until its output is out; what stays
 * in the background mostly sleeps. */
static bool
anyone_at_work(struct agent *a)
{
    for (const struct proc *p = call_members(a); p->pid; p++)
        if (p->state == 'R' || p->state == 'D')
            return true;
    return false;
}

static bool
tick_lingering(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    struct step *s = call_step(a);
    struct job_step *js = &a->job.steps[c->index];

    if (output_heard_ms() > c->quiet_ms)
        c->quiet_ms = output_heard_ms();
    c->due_ms = earlier(c->linger_ms + LINGER_MS, c->quiet_ms + QUIET_MS);
    if (!output_ended(s->tap) && now_ms < c->due_ms)
        return false;
    if (!output_ended(s->tap) && now_ms < c->linger_ms + LINGER_MS && anyone_at_work(a)) {
        c->quiet_ms = now_ms;
        return true;
    }
    if (js->has_input) {
        off_t at = lseek(js->input.fd, 0, SEEK_CUR);
        uint64_t read = at > 0 ? (uint64_t)at : 0;

        s->result.input_read = read < js->input.size ? read : js->input.size;
    }
    for (int i = 0; i < 2; i++)
        output_excerpt(s->tap, i, &c->report.what[i]);
    c->phase = CALL_REPORTING;
    return true;
}

/* ---- killing ---------------------------------------------------------------------------- */

/* All are stopped before any is killed: a fork bomb whose processes die one by one makes new
 * ones in the places of the dead. True when none is left. */
static bool
kill_pass(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    size_t living = 0, moving = 0;

    for (const struct proc *p = call_members(a); p->pid; p++) {
        bool still = p->state == 'T' || p->state == 't';

        living++;
        moving += !still;
        if (c->kill_hard || !still)
            kill(p->pid, c->kill_hard ? SIGKILL : SIGSTOP);
    }
    if (!c->kill_hard && living > 0 && (moving == 0 || now_ms - c->kill_ms > KILL_STOP_MS)) {
        c->kill_hard = true;
        return kill_pass(a, now_ms);
    }
    return living == 0 || now_ms - c->kill_ms > KILL_MAX_MS;
}

/* The anchor does not tell how the program ended: it is not worth waiting for. */
static void
end_by_force(struct step *s, int64_t now_ms)
{
    if (s->anchor > 0)
        kill(s->anchor, SIGKILL);
    s->lost = s->ended = true;
    s->result.wall_us = (uint64_t)(now_ms - s->started_ms) * 1000;
}

static bool
tick_killing(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    bool in_step = c->index < a->job.step_count;
    struct step *s = call_step(a);

    c->due_ms = now_ms + KILL_PASS_MS;
    if (!kill_pass(a, now_ms)) {
        c->kill_gone_ms = 0;
        return false;
    }
    if (c->kill_gone_ms == 0) {
        c->kill_gone_ms = now_ms;
        for (size_t i = 0; i < STEPS_MAX; i++)
            if (c->steps[i].anchor > 0)
                kill(c->steps[i].anchor, SIGCONT); /* the program may have stopped it */
    }
    if (in_step) {
        step_notes(s);
        if (!s->ended) {
            if (now_ms - c->kill_gone_ms >= KILL_TOLD_MS)
                end_by_force(s, now_ms);
            return false;
        }
        s->result.end = c->kill_end;
    }
    c->killed = true;
    if (in_step)
        linger_begin(a, now_ms);
    else
        c->phase = CALL_DONE;
    return true;
}

void
call_cancel(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;

    if (c->cancelled)
        return;
    c->cancelled = c->stopped = true;
    c->fate.state = WIRE_FATE_CANCELLED;
    if (c->phase == CALL_RUNNING)
        kill_begin(c, WIRE_END_CANCELLED, now_ms);
}

/* ---- the report ------------------------------------------------------------------------- */

/* What the call's fate says is what its last step said. */
static void
add_to_fate(struct fate *f, const struct step_result *r, const struct excerpt what[2])
{
    const char *log = what[0].log[0] ? what[0].log : what[1].log;

    f->exit_code = r->exit_code;
    f->signal = r->signal;
    f->timed_out = r->end == WIRE_END_TIMED_OUT;
    if (r->end == WIRE_END_NOT_STARTED)
        f->exit_code = r->error == ENOENT ? 127 : 126;
    if (log[0])
        snprintf(f->log, sizeof f->log, "%s", log);
}

static bool
tick_reporting(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    struct step *s = call_step(a);

    if (!c->mute && !tell_step(a, now_ms))
        return false;
    if (s->result.end != WIRE_END_NOT_RUN)
        add_to_fate(&c->fate, &s->result, c->report.what);
    if (s->result.end != WIRE_END_EXITED || s->result.exit_code != 0)
        c->stopped = true;
    if (s->tap) {
        for (int i = 0; i < 2; i++)
            c->seen_before[i] += c->report.what[i].seen;
        output_retire(s->tap);
        s->tap = NULL;
    }
    c->index++;
    next_step(a, now_ms);
    return true;
}

static bool
tick_done(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;

    if (c->cancelled && !c->killed) {
        kill_begin(c, WIRE_END_NOT_RUN, now_ms); /* what earlier steps left running */
        return true;
    }
    if (!c->mute && !tell_done(a, now_ms))
        return false;
    c->fate.wall_us = (uint64_t)(now_ms - c->started_ms) * 1000;
    call_remember(a, &c->fate);
    for (size_t i = 0; i < STEPS_MAX; i++)
        close_fd(&c->steps[i].note_fd);
    stage_discard(&a->job);
    c->phase = CALL_IDLE;
    return false;
}

void
call_tick(struct agent *a, int64_t now_ms)
{
    struct call *c = &a->call;
    bool more = true;

    while (more) {
        c->due_ms = NEVER;
        switch (c->phase) {
        case CALL_IDLE:
            more = false;
            break;
        case CALL_WRITING:
            more = tick_writing(a, now_ms);
            break;
        case CALL_RUNNING:
            more = tick_running(a, now_ms);
            break;
        case CALL_KILLING:
            more = tick_killing(a, now_ms);
            break;
        case CALL_LINGERING:
            more = tick_lingering(a, now_ms);
            break;
        case CALL_REPORTING:
            more = tick_reporting(a, now_ms);
            break;
        case CALL_DONE:
            more = tick_done(a, now_ms);
            break;
        }
    }
}

/* ---- from the loop ---------------------------------------------------------------------- */

void
call_reaped(struct agent *a, pid_t pid, int status, uint64_t peak_bytes)
{
    for (size_t i = 0; a->call.phase != CALL_IDLE && i < STEPS_MAX; i++)
        if (step_reaped(&a->call.steps[i], pid, status, peak_bytes))
            return;
}

int
call_note_fd(const struct agent *a)
{
    const struct call *c = &a->call;

    return c->phase == CALL_RUNNING || c->phase == CALL_KILLING ? c->steps[c->index].note_fd : -1;
}
