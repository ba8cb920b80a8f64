#include "config.h"

#include "base/clock.h"
#include "core/frames.h"
#include "io/talk.h"
#include <stdio.h>
#include <string.h>

enum {
    TICK_MS = 200,
    RECEIVE_PIECES = 64, /* of at most 32 KiB each */
    READ_BYTES = 2 * WIRE_FRAME_MAX,
    SENDS_MAX = 8,        /* of one call; an agent that hears none of them is not there */
    ASK_AGAIN_MS = 2000,  /* while another call runs in the machine */
    CANCEL_MS = 5000,     /* killing is quick; after that the machine itself is in trouble */
    SLACK_MS = 30000,     /* beyond the steps' own limits: a machine that swaps is slow */
    QUIET_SLACK_MS = 500, /* a look may fail; the caller must not wait for it */
};

struct talk {
    struct attach *at;
    const struct engine_call *how;
    struct engine_seen *ret;
    struct arena *a;
    struct wire_reader reader;
    struct collector got;
    const uint8_t *call; /* the call, encoded */
    size_t call_len;
    const uint8_t *out; /* what is being sent: the call, or a cancel */
    size_t out_len, sent;
    int sends;
    bool taken, waiting, cancelled, done;
    int64_t answer_ms; /* when an answer to what was sent is overdue */
    int64_t busy_ms;   /* until when to wait for the other call */
    int64_t end_ms;    /* when to give up altogether */
};

static void
send_call(struct talk *t)
{
    t->out = t->call;
    t->out_len = t->call_len;
    t->sent = 0;
    t->sends++;
    t->waiting = false;
}

static void
send_cancel(struct talk *t)
{
    uint8_t *frame = arena_alloc(t->a, WIRE_FRAME_MAX);

    t->out = frame;
    t->out_len = frames_encode_cancel(frame, t->how->nonce);
    t->sent = 0;
    t->cancelled = true;
    t->end_ms = clock_ms() + CANCEL_MS;
}

/* Whether the machine stopped or only the way to it broke, the stream does not say. */
static bool
stream_broke(const struct talk *t, struct fault *f)
{
    t->ret->broken = true;
    fault_set(
        f, FAULT_ENGINE,
        "The connection to the machine broke in the middle of this call, so its result is not "
        "known.");
    fault_hint(f, "It may still be running. Look at what is there before you repeat it.");
    return false;
}

/* It was taken and is long overdue. */
static bool
never_ended(struct fault *f)
{
    fault_set(f, FAULT_ENGINE,
              "The machine has not answered in time, so the result of this call is not known.");
    fault_hint(f, "Look at what is there before you repeat it; if nothing answers any more, call "
                  "reset for a clean machine (its files are lost).");
    return false;
}

/* It ran and its answer did not come through; sending it again would run it twice. */
static bool
result_lost(const struct talk *t, struct fault *f)
{
    const char *log = t->got.own.log;

    fault_set(f, FAULT_ENGINE, "The call was run, but its result was lost on the way.");
    fault_hint(f, "Do not repeat it blindly: look at what is there first%s%s.",
               log[0] ? "; what it printed is in " : "", log);
    return false;
}

static bool
no_answer(struct fault *f)
{
    fault_set(f, FAULT_ENGINE, "The machine is running but does not answer.");
    fault_hint(f, "Nothing was run. Send the same call again; if it fails in the same way, call "
                  "reset for a clean machine (its files are lost).");
    return false;
}

static bool
still_busy(const struct talk *t, struct fault *f)
{
    fault_set(f, FAULT_BUSY,
              "An earlier command of this chat is still running in the machine (for "
              "%lld s now), so this call was not run.",
              (long long)t->got.busy_ms / 1000);
    fault_hint(f, "Wait for it, then send this call again.");
    return false;
}

/* One frame from the agent. False: the call ends here, with *f. */
static bool
take_frame(struct talk *t, const struct wire_frame *frame, struct fault *f)
{
    switch (frames_collect(&t->got, frame)) {
    case COLLECT_IGNORED:
    case COLLECT_PROGRESS:
        break;
    case COLLECT_ACCEPTED:
        t->taken = true;
        t->ret->accepted = true;
        break;
    case COLLECT_BROKEN:
    case COLLECT_BUSY_DONE:
        if (!t->taken)
            send_call(t);
        break;
    case COLLECT_BUSY:
        t->waiting = true;
        t->answer_ms = clock_ms() + ASK_AGAIN_MS;
        break;
    case COLLECT_REFUSED:
        fault_set(f, FAULT_ENGINE, "The machine refused the call: %s.", t->got.refusal);
        fault_hint(f, "Nothing was run.");
        return false;
    case COLLECT_LOST:
        t->taken = t->ret->accepted = true;
        return result_lost(t, f);
    case COLLECT_NONSENSE:
        return t->taken ? result_lost(t, f) : no_answer(f);
    case COLLECT_DONE:
        t->done = true;
        break;
    }
    return true;
}

/* What has arrived, but no more than RECEIVE_PIECES of it, so that an endless stream cannot keep
 * the time from being looked at. False: the call ends here, with *f. */
static bool
receive(struct talk *t, struct fault *f)
{
    const uint8_t *piece;
    size_t len;

    for (int i = 0; i < RECEIVE_PIECES; i++) {
        switch (attach_receive(t->at, &piece, &len)) {
        case ATTACH_MORE:
            return true;
        case ATTACH_END:
            return stream_broke(t, f);
        case ATTACH_DATA:
            break;
        }
        while (len > 0) {
            size_t room;
            uint8_t *to = wire_reader_room(&t->reader, &room);
            struct wire_frame frame;

            if (room > len)
                room = len;
            memcpy(to, piece, room);
            wire_reader_fed(&t->reader, room);
            piece += room;
            len -= room;
            while (wire_next(&t->reader, &frame))
                if (!take_frame(t, &frame, f))
                    return false;
        }
        if (t->done)
            break;
    }
    return true;
}

/* What the passing of time asks for. False: the call ends here, with *f. */
static bool
keep_time(struct talk *t, struct fault *f)
{
    int64_t now = clock_ms();

    if (!t->cancelled && !t->how->tick(t->how->ctx, t->got.last_line, t->got.bytes)) {
        if (!t->taken) {
            fault_set(f, FAULT_CANCELLED, "The call was cancelled before it was run.");
            return false;
        }
        send_cancel(t);
    }
    if (now >= t->end_ms)
        return t->taken ? never_ended(f) : no_answer(f);
    if (t->taken || t->sent < t->out_len || now < t->answer_ms)
        return true;
    if (t->waiting && now >= t->busy_ms)
        return still_busy(t, f);
    if (!t->waiting && t->sends >= SENDS_MAX)
        return no_answer(f);
    send_call(t);
    return true;
}

static bool
send_some(struct talk *t, struct fault *f)
{
    size_t n;

    if (t->sent == t->out_len)
        return true;
    n = attach_send(t->at, t->out + t->sent, t->out_len - t->sent);
    if (n == SIZE_MAX)
        return stream_broke(t, f);
    t->sent += n;
    if (t->sent == t->out_len)
        t->answer_ms = clock_ms() + WIRE_ANSWER_MS;
    return true;
}

bool
talk(struct attach *at, const struct engine_call *c, const struct plan *p, struct arena *a,
     struct engine_seen *ret, struct fault *f)
{
    struct talk *t = arena_alloc(a, sizeof *t);
    int64_t next_tick = clock_ms() + TICK_MS;
    uint32_t flags = (c->wants_progress ? WIRE_WANTS_PROGRESS : 0) | (c->quiet ? WIRE_QUIET : 0);

    *t = (struct talk){.at = at, .how = c, .ret = ret, .a = a};
    t->call = frames_encode_call(p, c->nonce, c->previous_nonce, flags, a, &t->call_len, f);
    if (!t->call)
        return false;
    t->end_ms = t->busy_ms = clock_ms() + c->busy_ms;
    t->end_ms += c->quiet ? QUIET_SLACK_MS : SLACK_MS;
    for (size_t i = 0; i < p->step_count; i++)
        t->end_ms += p->steps[i].timeout_ms;
    wire_reader_init(&t->reader, arena_alloc(a, READ_BYTES), READ_BYTES);
    frames_collect_init(&t->got, a, p, c->nonce);
    send_call(t);
    while (!t->done) {
        if (!send_some(t, f) || !receive(t, f))
            return false;
        if (t->done)
            break;
        attach_wait(at, t->sent < t->out_len, clock_left_ms(next_tick));
        if (clock_ms() >= next_tick || (!t->taken && clock_ms() >= t->answer_ms)) {
            if (!keep_time(t, f))
                return false;
            next_tick = clock_ms() + TICK_MS;
        }
    }
    ret->seen = t->got.seen;
    ret->previous = t->got.previous;
    return true;
}
