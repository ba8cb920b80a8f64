#include "config.h"

#include "core/frames.h"
#include <stdio.h>
#include <string.h>

enum {
    BACKGROUND_COUNT_MAX = 100000,
    SIGNAL_MAX = 64,
    AGAIN_ENDED = 2, /* in ACCEPTED */
};
#define WALL_US_MAX ((uint64_t)7 * 24 * 3600 * 1000000)

void
frames_collect_init(struct collector *c, struct arena *a, const struct plan *p, uint64_t nonce)
{
    *c = (struct collector){.nonce = nonce, .plan = p, .arena = a};
    c->seen.step_count = p->step_count;
    for (size_t i = 0; i < OBSERVED_STEPS_MAX; i++) {
        struct step_seen *s = &c->seen.steps[i];

        s->end = STEP_NOT_RUN;
        s->out = s->err = (struct stream){.head = "", .tail = "", .log = ""};
    }
    for (size_t i = 0; i < OBSERVED_BACKGROUND_MAX; i++)
        c->seen.background[i].command = "";
    c->previous.log = c->own.log = "";
}

static enum collect
nonsense(struct collector *c, const char *why)
{
    snprintf(c->refusal, sizeof c->refusal, "%s", why);
    return COLLECT_NONSENSE;
}

/* Text of the agent: cut between characters, control characters become spaces. */
static void
copy_text(char *out, size_t cap, const char *text, size_t len)
{
    if (len >= cap) {
        len = cap - 1;
        while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
            len--;
    }
    for (size_t i = 0; i < len; i++)
        out[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
    out[len] = '\0';
}

static const char *
keep_text(struct collector *c, const char *text, size_t len)
{
    char clean[FRAMES_TEXT_BYTES];

    copy_text(clean, sizeof clean, text, len);
    return arena_strndup(c->arena, clean, strlen(clean));
}

static int
clamp(uint32_t wire, int min, int max)
{
    int32_t n = (int32_t)wire;

    if (n < min)
        return min;
    return n > max ? max : n;
}

static int64_t
wall_us(uint64_t n)
{
    return (int64_t)(n > WALL_US_MAX ? WALL_US_MAX : n);
}

/* ---- answers to RUN ----------------------------------------------------------------- */

static enum fate_kind
fate_of(uint32_t state)
{
    switch (state) {
    case WIRE_FATE_NOT_ASKED:
        return FATE_NONE;
    case WIRE_FATE_STAGED:
        return FATE_NOT_RUN;
    case WIRE_FATE_FINISHED:
        return FATE_FINISHED;
    case WIRE_FATE_CANCELLED:
        return FATE_CANCELLED;
    default:
        return FATE_UNKNOWN;
    }
}

static enum collect
take_accepted(struct collector *c, struct wire_get g)
{
    uint32_t again = wire_get_u32(&g);
    struct fate *f = again == AGAIN_ENDED ? &c->own : &c->previous;
    size_t len;
    const char *log;

    if (c->accepted && again != AGAIN_ENDED) /* nothing may be allocated for each time */
        return COLLECT_ACCEPTED;
    f->kind = fate_of(wire_get_u32(&g));
    f->exit_code = clamp(wire_get_u32(&g), -1, 255);
    f->signal = clamp(wire_get_u32(&g), -1, SIGNAL_MAX);
    f->timed_out = wire_get_u32(&g) != 0;
    f->wall_ms = wall_us(wire_get_u64(&g)) / 1000;
    log = wire_get_str(&g, &len);
    f->log = keep_text(c, log, len);
    if (g.bad)
        return nonsense(c, "a short ACCEPTED");
    c->accepted = true;
    c->again = again != 0;
    return again == AGAIN_ENDED ? COLLECT_LOST : COLLECT_ACCEPTED;
}

static enum collect
take_refused(struct collector *c, struct wire_get g)
{
    uint32_t reason = wire_get_u32(&g);
    uint64_t busy = wire_get_u64(&g), age_ms = wire_get_u64(&g);
    size_t len;
    const char *text = wire_get_str(&g, &len);

    if (g.bad)
        return nonsense(c, "a short REFUSED");
    copy_text(c->refusal, sizeof c->refusal, text, len);
    switch (reason) {
    case WIRE_REFUSED_BROKEN:
        return COLLECT_BROKEN;
    case WIRE_REFUSED_BUSY:
        c->busy_nonce = busy;
        c->busy_ms = wall_us(age_ms > WALL_US_MAX / 1000 ? WALL_US_MAX : age_ms * 1000) / 1000;
        return COLLECT_BUSY;
    default:
        return COLLECT_REFUSED;
    }
}

static enum collect
take_progress(struct collector *c, struct wire_get g)
{
    uint64_t out = wire_get_u64(&g), err = wire_get_u64(&g), ms = wire_get_u64(&g);
    size_t len;
    const char *line = wire_get_str(&g, &len);

    if (g.bad)
        return nonsense(c, "a short PROGRESS");
    c->bytes = out > UINT64_MAX - err ? UINT64_MAX : out + err;
    c->elapsed_ms = ms > WALL_US_MAX / 1000 ? (int64_t)(WALL_US_MAX / 1000) : (int64_t)ms;
    copy_text(c->last_line, sizeof c->last_line, line, len);
    return COLLECT_PROGRESS;
}

/* ---- the result --------------------------------------------------------------------- */

static bool
take_stream(struct collector *c, struct wire_get *g, size_t step, size_t which)
{
    const struct plan_step *asked = &c->plan->steps[step];
    struct step_seen *s = &c->seen.steps[step];
    struct stream *to = which == 0 ? &s->out : &s->err;
    const size_t most[2] = {asked->head_bytes, asked->tail_bytes};
    uint64_t lens[2], seen = wire_get_u64(g);
    const char *log;
    size_t len;

    lens[0] = wire_get_u64(g);
    lens[1] = wire_get_u64(g);
    log = wire_get_str(g, &len);
    if (g->bad || lens[0] > most[0] || lens[1] > most[1] || lens[0] + lens[1] > seen)
        return false;
    to->seen = seen;
    to->log = keep_text(c, log, len);
    for (size_t part = 0; part < 2; part++) {
        c->parts[step][which][part].len = (size_t)lens[part];
        if (lens[part] > 0)
            c->parts[step][which][part].bytes = arena_alloc(c->arena, (size_t)lens[part]);
    }
    return true;
}

static bool
end_of(uint32_t wire, enum step_end *ret)
{
    switch (wire) {
    case WIRE_END_EXITED:
        *ret = STEP_EXITED;
        return true;
    case WIRE_END_SIGNALED:
        *ret = STEP_SIGNALED;
        return true;
    case WIRE_END_TIMED_OUT:
        *ret = STEP_TIMED_OUT;
        return true;
    case WIRE_END_CANCELLED:
        *ret = STEP_CANCELLED;
        return true;
    case WIRE_END_NOT_STARTED:
        *ret = STEP_NOT_STARTED;
        return true;
    case WIRE_END_NOT_RUN:
        *ret = STEP_NOT_RUN;
        return true;
    default:
        return false;
    }
}

static enum collect
take_step_end(struct collector *c, struct wire_get g)
{
    uint32_t index = wire_get_u32(&g), end = wire_get_u32(&g);
    struct step_seen *s;

    if (g.bad || index >= c->plan->step_count || index < c->next_step)
        return nonsense(c, "a STEP_END of no step of the call");
    s = &c->seen.steps[index];
    if (!end_of(end, &s->end))
        return nonsense(c, "a STEP_END without a known end");
    c->next_step = index + 1;
    s->exit_code = clamp(wire_get_u32(&g), 0, 255);
    s->signal = clamp(wire_get_u32(&g), 0, SIGNAL_MAX);
    s->start_errno = clamp(wire_get_u32(&g), 0, 4095);
    s->wall_us = wall_us(wire_get_u64(&g));
    s->peak_bytes = wire_get_u64(&g);
    s->input_bytes = wire_get_u64(&g);
    s->input_read = wire_get_u64(&g);
    if (s->peak_bytes > INT64_MAX)
        s->peak_bytes = INT64_MAX;
    if (!take_stream(c, &g, index, 0) || !take_stream(c, &g, index, 1))
        return nonsense(c, "a STEP_END with more output than was asked for");
    return COLLECT_IGNORED;
}

static enum collect
take_out(struct collector *c, struct wire_get g)
{
    uint32_t index = wire_get_u32(&g), stream = wire_get_u32(&g), part = wire_get_u32(&g);
    size_t room;

    if (g.bad || index >= c->next_step || stream < 1 || stream > 2 || part > 1)
        return nonsense(c, "output of no step that ended");
    room = c->parts[index][stream - 1][part].len - c->parts[index][stream - 1][part].got;
    if (g.left > room)
        return nonsense(c, "more output than was announced");
    if (g.left > 0)
        memcpy(c->parts[index][stream - 1][part].bytes + c->parts[index][stream - 1][part].got,
               g.at, g.left);
    c->parts[index][stream - 1][part].got += g.left;
    return COLLECT_IGNORED;
}

/* False: a part of the output has not arrived. */
static bool
join_streams(struct collector *c)
{
    for (size_t i = 0; i < c->plan->step_count; i++)
        for (size_t which = 0; which < 2; which++) {
            struct stream *to = which == 0 ? &c->seen.steps[i].out : &c->seen.steps[i].err;

            for (size_t part = 0; part < 2; part++)
                if (c->parts[i][which][part].got != c->parts[i][which][part].len)
                    return false;
            to->head_len = c->parts[i][which][0].len;
            to->tail_len = c->parts[i][which][1].len;
            if (to->head_len > 0)
                to->head = c->parts[i][which][0].bytes;
            if (to->tail_len > 0)
                to->tail = c->parts[i][which][1].bytes;
        }
    return true;
}

/* False: a step must have been run and its end was not reported. */
static bool
steps_add_up(const struct collector *c)
{
    const struct step_seen *last;

    if (c->seen.file_failed || c->cancelled || c->next_step == c->plan->step_count)
        return true;
    if (c->next_step == 0)
        return false;
    last = &c->seen.steps[c->next_step - 1];
    return last->end != STEP_EXITED || last->exit_code != 0;
}

static enum tree_change
change_of(uint32_t wire)
{
    if (wire > 1)
        return TREE_UNKNOWN;
    return wire == 1 ? TREE_CHANGED : TREE_UNCHANGED;
}

static enum collect
take_done(struct collector *c, struct wire_get g)
{
    uint32_t running, listed;
    const char *path;
    size_t len;

    c->seen.oom_kills = wire_get_u32(&g);
    c->seen.changed = change_of(wire_get_u32(&g));
    c->cancelled = wire_get_u32(&g) != 0;
    c->seen.file_errno = clamp(wire_get_u32(&g), 0, 4095);
    path = wire_get_str(&g, &len);
    if (len > 0)
        c->seen.file_failed = keep_text(c, path, len);
    running = wire_get_u32(&g);
    listed = wire_get_u32(&g);
    c->seen.background_count = running > BACKGROUND_COUNT_MAX ? BACKGROUND_COUNT_MAX : running;
    if (g.bad || listed > running || listed > OBSERVED_BACKGROUND_MAX)
        return nonsense(c, "a DONE that does not add up");
    for (uint32_t i = 0; i < listed; i++) {
        const char *command;

        c->seen.background[i].pid = clamp(wire_get_u32(&g), 0, INT32_MAX);
        command = wire_get_str(&g, &len);
        c->seen.background[i].command = keep_text(c, command, len);
    }
    if (g.bad)
        return nonsense(c, "a short DONE");
    if (!steps_add_up(c) || !join_streams(c))
        return nonsense(c, "parts of the result are missing");
    return COLLECT_DONE;
}

enum collect
frames_collect(struct collector *c, const struct wire_frame *frame)
{
    struct wire_get g = {.at = frame->payload, .left = frame->len};

    if (frame->call != c->nonce)
        return frame->type == WIRE_DONE && c->busy_nonce != 0 && frame->call == c->busy_nonce
                   ? COLLECT_BUSY_DONE
                   : COLLECT_IGNORED;
    switch (frame->type) {
    case WIRE_ACCEPTED:
        return take_accepted(c, g);
    case WIRE_REFUSED:
        return take_refused(c, g);
    case WIRE_PROGRESS:
        return take_progress(c, g);
    case WIRE_STEP_END:
        return take_step_end(c, g);
    case WIRE_OUT:
        return take_out(c, g);
    case WIRE_DONE:
        return take_done(c, g);
    default:
        return nonsense(c, "a frame that only a worker sends");
    }
}
