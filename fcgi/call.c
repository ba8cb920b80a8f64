#include "config.h"

#include "base/clock.h"
#include "base/log.h"
#include "call.h"
#include "core/hints.h"
#include "core/memory.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { REFUSED_ARGUMENTS = 4096 };

/* Everything about one call on its way down. */
struct call {
    struct worker *w;
    const struct http_request *q;
    const struct mcp_message *message;
    struct sse *sse;
    struct arena *a;
    uint64_t nonce;
    int64_t start_ms;
    struct plan plan;
    struct call_record record;
    struct call_finish finish;
    struct judgement judgement;
    struct hint_set hints;
    struct rendered result;
};

static uint64_t
new_nonce(void)
{
    uint64_t n = 0;

    /* Positive as a bigint, never 0. */
    if (getrandom(&n, sizeof n, 0) != (ssize_t)sizeof n || (n & INT64_MAX) == 0)
        n = (uint64_t)clock_ms();
    return n & INT64_MAX;
}

static bool
tick(void *ctx, const char *last_line, uint64_t bytes)
{
    struct call *c = ctx;

    (void)bytes;
    return sse_tick(c->sse, last_line, clock_ms(), c->a) && !store_cancelled(c->w->store, c->nonce);
}

static bool
tick_waiting(void *ctx)
{
    return tick(ctx, "", 0);
}

/* What the call runs, in short, for the record and later notices. */
static const char *
short_command(const struct call *c)
{
    const struct plan *p = &c->plan;

    if (p->kind == PLAN_WRITE_FILE && p->file_count > 0)
        return arena_printf(c->a, "write_file %s", p->files[0].path);
    if (p->step_count > 0)
        return p->steps[p->step_count - 1].shown;
    return p->tool ? p->tool : "";
}

static void
refuse(struct call *c, const char *outcome, const struct fault *f)
{
    c->finish.outcome = outcome;
    c->result = render_refusal(c->a, &c->record.notices, f->message, f->hint);
    if (f->detail[0])
        log_line(LOG_LINE_ERROR, "%s: %s", f->message, f->detail);
}

/* ---- what the audit row says of the observation -------------------------------------- */

static const struct step_seen *
last_step_run(const struct observation *o)
{
    for (size_t i = o->step_count; i > 0; i--)
        if (o->steps[i - 1].end != STEP_NOT_RUN)
            return &o->steps[i - 1];
    return NULL;
}

static const char *
outcome_of(const struct observation *o, const struct rendered *r)
{
    const struct step_seen *s = last_step_run(o);

    if (s && s->end == STEP_TIMED_OUT)
        return "timeout";
    if (s && s->end == STEP_CANCELLED)
        return "cancelled";
    return r->is_error ? "failed" : "ok";
}

static void
note_program(struct call *c, const struct observation *o, const struct judgement *j)
{
    const struct step_seen *s = last_step_run(o);

    if (!c->plan.code || !s)
        return;
    c->finish.language = c->plan.language;
    c->finish.code = c->plan.code;
    if (j->verdict == VERDICT_PASS)
        c->finish.program_verdict = "passed";
    else if (j->verdict == VERDICT_NONE && s->end == STEP_EXITED && s->exit_code == 0)
        c->finish.program_verdict = "ran";
    else
        c->finish.program_verdict = "failed";
}

static void
note_observation(struct call *c, const struct observation *o, const struct judgement *j)
{
    struct call_finish *f = &c->finish;
    const struct step_seen *last = last_step_run(o);

    f->outcome = outcome_of(o, &c->result);
    f->changed = o->changed != TREE_UNCHANGED;
    f->cut_bytes = (int64_t)c->result.cut_bytes;
    f->peak_bytes = f->out_bytes = f->err_bytes = 0;
    for (size_t i = 0; i < o->step_count; i++) {
        const struct step_seen *s = &o->steps[i];

        if ((int64_t)s->peak_bytes > f->peak_bytes)
            f->peak_bytes = (int64_t)s->peak_bytes;
        f->out_bytes += (int64_t)s->out.seen;
        f->err_bytes += (int64_t)s->err.seen;
    }
    if (last && last->end == STEP_EXITED)
        f->exit_code = last->exit_code;
    if (last && last->end == STEP_SIGNALED)
        f->signal = last->signal;
    if (j->verdict != VERDICT_NONE)
        f->verdict = j->verdict == VERDICT_PASS ? "pass" : "fail";
    note_program(c, o, j);
}

/* ---- carrying it out ------------------------------------------------------------------ */

/* The failure's fingerprint goes to the record; what to say when it is the same again, or NULL. */
static const char *
remember(struct call *c, const struct observation *o, bool failed)
{
    c->finish.fingerprint = memory_fingerprint(&c->plan, o, failed, c->a);
    if (c->record.notices.fresh)
        return NULL; /* what failed before failed on another machine */
    return memory_words(&c->plan, c->record.failure_count, c->record.failure_fingerprint,
                        c->finish.fingerprint, c->a);
}

/* What the hints want to know of the machine, once it is known how the call went. */
static const char *
look(void *ctx, const struct observation *seen)
{
    struct call *c = ctx;

    c->judgement = judge(c->a, &c->plan, seen);
    hints_look(&c->plan, seen, &c->judgement, c->record.rules_off, c->a, &c->hints);
    return c->hints.probe;
}

/* What is said after the output: at most one sentence of the memory, then the hints. */
static const char *const *
advice(struct call *c, const struct engine_seen *seen)
{
    const char **said = arena_alloc(c->a, (HINTS_SAID_MAX + 2) * sizeof *said);
    const char **ids = arena_alloc(c->a, (HINTS_SAID_MAX + 1) * sizeof *ids);
    bool failed = render_failed(&c->plan, &seen->seen, &c->judgement);
    const char *again = remember(c, &seen->seen, failed);
    size_t n = 0;

    if (again)
        said[n++] = again;
    hints_say(&c->hints, seen->looked, seen->looked_len, c->a, said + n, ids);
    c->finish.hint_ids = ids;
    return said;
}

static void
carry_out(struct call *c)
{
    const struct engine_call how = {
        .container = c->record.container,
        .member_label = c->record.member_label,
        .nonce = c->nonce,
        .previous_nonce = c->record.previous_nonce,
        .wants_progress = c->message->progress_token != NULL,
        .busy_ms = c->w->settings->wait_s * 1000,
        .ctx = c,
        .tick = tick,
        .look = look,
        .look_ms = HINTS_PROBE_MS,
        .look_bytes = HINTS_PROBE_BYTES,
    };
    struct notices *n = &c->record.notices;
    struct engine_seen seen = {0};
    struct fault f;
    bool done = engine_run(c->w->engine, &how, &c->plan, c->a, &seen, &f);

    /* One that stopped in the middle is the janitor's to explain: it may have been its own doing.
     */
    if (seen.reached && !seen.stopped)
        c->finish.container_state = seen.created && !n->fresh ? "fresh" : "running";
    if (seen.created && !n->fresh)
        n->lost_why = "missing";
    n->fresh = seen.created;
    n->resumed = seen.resumed;
    notices_explain(n, clock_up_s());
    if (n->fate.kind == FATE_UNKNOWN && seen.previous.kind != FATE_NONE) {
        seen.previous.command = n->fate.command;
        n->fate = seen.previous;
    }
    if (!done) {
        refuse(c, seen.stopped ? "machine" : seen.accepted || seen.broken ? "lost" : "engine", &f);
        return;
    }
    c->result =
        render_call(c->a, &c->plan, &seen.seen, &c->judgement, n, advice(c, &seen), &c->w->limits);
    note_observation(c, &seen.seen, &c->judgement);
}

static void
reset_machine(struct call *c)
{
    static const struct observation nothing;
    static const struct judgement none = {.line = "", .detail = "", .kind = ""};
    struct fault f;

    if (!engine_remove(c->w->engine, c->record.container, &f)) {
        refuse(c, "engine", &f);
        return;
    }
    c->finish.container_state = "removed";
    c->finish.changed = true;
    c->finish.outcome = "ok";
    c->record.notices.fresh = false;
    c->result =
        render_call(c->a, &c->plan, &nothing, &none, &c->record.notices, NULL, &c->w->limits);
}

/* The row commits before the answer is sent; without it there is no result to send. */
static void
record_end(struct call *c)
{
    struct fault f;

    c->finish.call_id = c->record.call_id;
    c->finish.duration_ms = clock_ms() - c->start_ms;
    c->finish.text = c->result.text;
    if (store_end(c->w->store, &c->finish, &f))
        return;
    log_line(LOG_LINE_ERROR, "call=%" PRId64 " %s: %s", c->record.call_id, f.message, f.detail);
    c->record.call_id = 0;
    c->result = render_refusal(
        c->a, NULL,
        "The call ended, but its result could not be recorded, so it is not shown: the record "
        "(PostgreSQL) became unavailable during the call.",
        "Wait a minute, then look at what is there (ls -l) before you repeat the command.");
}

/* What a refused call asked for, for the record: what did nothing is not kept at full length. */
static const char *
begin_of(const char *arguments, struct arena *a)
{
    size_t len = strlen(arguments), n = REFUSED_ARGUMENTS;

    if (len <= n)
        return arguments;
    while (n > 0 && ((unsigned char)arguments[n] & 0xc0) == 0x80) /* inside a character */
        n--;
    return arena_printf(a, "%.*s... (%zu bytes)", (int)n, arguments, len);
}

/* False: the key is not good (any more); nothing was run. Otherwise c->result is set. */
static bool
plan_and_run(struct call *c, struct call_start *start, const struct tool *tool,
             struct json_object *arguments)
{
    const struct store_wait wait = {.ctx = c, .tick = tick_waiting};
    struct fault bad, f;
    bool planned = tool_plan(tool, &c->w->tools, arguments, c->a, &c->plan, &bad);

    start->command = planned ? short_command(c) : "";
    if (!planned)
        start->arguments = begin_of(start->arguments, c->a);
    if (!store_begin(c->w->store, start, &wait, c->a, &c->record, &f)) {
        if (f.kind == FAULT_AUTH)
            return false;
        if (f.kind == FAULT_RECORD)
            fault_hint(&f, "Nothing was run. Wait a minute, then send the same call again.");
        refuse(c, "refused", &f);
        return true;
    }
    if (!planned)
        refuse(c, "refused", &bad);
    else if (c->plan.kind == PLAN_RESET)
        reset_machine(c);
    else
        carry_out(c);
    record_end(c);
    return true;
}

static const struct tool *
tool_named(const char *name)
{
    for (size_t i = 0; tools[i]; i++)
        if (strcmp(tools[i]->name, name) == 0)
            return tools[i];
    return NULL;
}

static const char *
compact(struct json_object *arguments)
{
    return arguments ? json_object_to_json_string_ext(arguments, JSON_C_TO_STRING_PLAIN |
                                                                     JSON_C_TO_STRING_NOSLASHESCAPE)
                     : "{}";
}

struct call_answer
call_run(struct worker *w, const struct http_request *q, const uint8_t key_sha256[STORE_KEY_BYTES],
         const struct mcp_message *m, const struct mcp_answer *want, struct sse *sse)
{
    struct call *c = arena_alloc(w->arena, sizeof *c);
    struct call_start start = {
        .user = q->user,
        .conversation = q->conversation,
        .tool = want->tool,
        .arguments = compact(want->arguments),
        .client = q->user_agent,
        .session = q->session,
        .request_id = m->id,
        .wait_ms = w->settings->wait_s * 1000,
    };
    struct call_answer ret = {0};
    struct fault f = {0};
    const char *why;

    *c = (struct call){.w = w,
                       .q = q,
                       .message = m,
                       .sse = sse,
                       .a = w->arena,
                       .nonce = new_nonce(),
                       .start_ms = clock_ms(),
                       .finish = {.exit_code = -1, .signal = -1, .outcome = "refused"}};
    memcpy(start.key_sha256, key_sha256, STORE_KEY_BYTES);
    start.nonce = c->nonce;
    if (!auth_conversation(q->conversation, &why)) {
        fault_set(&f, FAULT_ARGUMENT, "%s", why);
        fault_hint(&f, "Nothing was run.");
        refuse(c, "refused", &f);
    } else if (!plan_and_run(c, &start, tool_named(want->tool), want->arguments)) {
        ret.unauthorized = true;
        return ret;
    }
    ret.call_id = c->record.call_id;
    ret.response = mcp_result(&w->server, m, c->result.text, c->result.is_error, w->arena);
    log_line(LOG_LINE_INFO, "call=%" PRId64 " tool=%s outcome=%s ms=%" PRId64, c->record.call_id,
             want->tool, c->finish.outcome, clock_ms() - c->start_ms);
    return ret;
}
