#include "config.h"

#include "io/engine_care.h"
#include "janitor/act.h"
#include <inttypes.h>
#include <string.h>

static const char *
text(struct arena *a, int64_t n)
{
    return n < 0 ? NULL : arena_printf(a, "%" PRId64, n);
}

/* A function that says no found the world changed. */
static enum deed_end
tell(struct janitor *j, const char *name, size_t count, const char *const *texts, struct fault *f)
{
    bool yes = false;

    if (!janitor_store_call(j->store, name, count, texts, &yes, f))
        return DEED_FAILED;
    return yes ? DEED_DONE : DEED_SKIPPED;
}

/* ---- holding a sandbox ------------------------------------------------------------------- */

static enum deed_end
hold(struct janitor *j, int64_t sandbox, int64_t used, struct arena *a, struct fault *f)
{
    const char *texts[] = {text(a, sandbox), text(a, used)};

    return tell(j, "hold", COUNT_OF(texts), texts, f);
}

/* What the action came to is not changed by a lost connection here: the lock went with it. */
static void
release(struct janitor *j, int64_t sandbox, struct arena *a)
{
    const char *texts[] = {text(a, sandbox)};
    struct fault ignored;

    (void)!tell(j, "release", COUNT_OF(texts), texts, &ignored);
}

static enum deed_end
seen(struct janitor *j, const struct box *b, const char *state, const char *reason, int64_t at,
     struct arena *a, struct fault *f)
{
    const char *texts[] = {text(a, b->id), state, reason, text(a, at)};

    return tell(j, "seen", COUNT_OF(texts), texts, f);
}

/* ---- the actions on a held box ------------------------------------------------------------ */

static enum deed_end
do_seen(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    struct engine_look look;
    bool runs = x->seen == SEEN_RUNNING;

    if (!engine_inspect(j->engine, x->box->container, false, a, &look, f))
        return DEED_FAILED;
    if (!look.exists || look.runs != runs)
        return DEED_SKIPPED;
    return seen(j, x->box, runs ? "running" : "stopped", x->reason, look.finished, a, f);
}

static enum deed_end
do_missing(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    struct engine_look look;

    if (!engine_inspect(j->engine, x->box->container, false, a, &look, f))
        return DEED_FAILED;
    return look.exists ? DEED_SKIPPED : seen(j, x->box, "removed", x->reason, -1, a, f);
}

static enum deed_end
do_stop(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    const char *running = engine_running(j->engine, x->box->container, a);
    const char *texts[] = {text(a, x->box->id), x->reason, running ? running : "",
                           x->force ? "t" : "f"};
    enum deed_end end = tell(j, "stop", COUNT_OF(texts), texts, f);

    if (end == DEED_DONE && !engine_stop(j->engine, x->box->container, a, f))
        return DEED_FAILED;
    return end;
}

static enum deed_end
do_remove(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    const char *texts[] = {text(a, x->box->id), x->reason, text(a, x->limit), x->force ? "t" : "f"};
    enum deed_end end = tell(j, "remove", COUNT_OF(texts), texts, f);

    if (end == DEED_DONE && !engine_remove(j->engine, x->box->container, f))
        return DEED_FAILED;
    return end;
}

static enum deed_end
do_held(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    switch ((int)x->act) {
    case ACT_SEEN:
        return do_seen(j, x, a, f);
    case ACT_MISSING:
        return do_missing(j, x, a, f);
    case ACT_STOP:
        return do_stop(j, x, a, f);
    case ACT_REMOVE:
        return do_remove(j, x, a, f);
    default:
        return seen(j, x->box, "removed", x->reason, -1, a, f);
    }
}

static enum deed_end
on_box(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    enum deed_end held = hold(j, x->box->id, x->box->used, a, f), end;

    if (held == DEED_FAILED || (held == DEED_SKIPPED && !x->force))
        return held;
    end = do_held(j, x, a, f);
    if (held == DEED_DONE)
        release(j, x->box->id, a);
    return end;
}

/* ---- containers without a sandbox ---------------------------------------------------------- */

static enum deed_end
on_removed(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    const struct loose *c = x->loose;
    const char *texts[] = {text(a, c->sandbox), c->running ? "t" : "f"};
    enum deed_end end = hold(j, c->sandbox, -1, a, f);

    if (end != DEED_DONE)
        return end;
    if (x->act == ACT_ADOPT)
        end = tell(j, "adopt", COUNT_OF(texts), texts, f);
    else if (!engine_remove(j->engine, c->container, f))
        end = DEED_FAILED;
    release(j, c->sandbox, a);
    return end;
}

static enum deed_end
on_stray(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    const struct loose *c = x->loose;
    const char *texts[] = {c->container, c->member_label, text(a, c->new_size),
                           x->act == ACT_CLEAR ? "t" : "f"};

    if (x->act == ACT_CLEAR && !engine_remove(j->engine, c->container, f))
        return DEED_FAILED;
    return tell(j, "stray", COUNT_OF(texts), texts, f);
}

/* ---- all ----------------------------------------------------------------------------------- */

static enum deed_end
measured(struct janitor *j, const struct box *b, const char *image_old, struct arena *a,
         struct fault *f)
{
    const char *texts[] = {text(a, b->id), text(a, b->new_size), text(a, b->new_cpu_ns),
                           b->worked ? "t" : "f", image_old};

    return tell(j, "measured", COUNT_OF(texts), texts, f);
}

bool
act_measured(struct janitor *j, const struct box *b, struct arena *a, struct fault *f)
{
    return measured(j, b, NULL, a, f) != DEED_FAILED;
}

enum deed_end
act_do(struct janitor *j, const struct janitor_action *x, struct arena *a, struct fault *f)
{
    const char *id = x->box ? text(a, x->box->id) : text(a, x->call);

    switch (x->act) {
    case ACT_CLOSE_CALL:
        return tell(j, "close_call", 1, &id, f);
    case ACT_DROP_LOG:
        return tell(j, "drop_log", 1, &x->log, f);
    case ACT_IMAGE:
        if (!x->box)
            break;
        return measured(j, x->box, x->box->image_other ? "t" : "f", a, f);
    case ACT_WATCH:
        return DEED_DONE; /* its measure is recorded: that is all */
    case ACT_WARN:
        return tell(j, "warned", 1, &id, f);
    case ACT_SEEN:
    case ACT_MISSING:
    case ACT_FORGET:
    case ACT_STOP:
    case ACT_REMOVE:
        if (!x->box)
            break;
        return on_box(j, x, a, f);
    case ACT_ADOPT:
    case ACT_FINISH:
        return on_removed(j, x, a, f);
    case ACT_NOTE:
    case ACT_CLEAR:
        return on_stray(j, x, a, f);
    }
    return DEED_SKIPPED;
}
