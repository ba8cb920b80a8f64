#include "config.h"

#include "base/clock.h"
#include "core/janitor_read.h"
#include "io/engine_care.h"
#include "janitor/act.h"
#include "janitor/pass.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

/* ---- looking ------------------------------------------------------------------------------ */

static bool
gather(struct janitor *j, struct arena *a, struct janitor_facts *ret, struct fault *f)
{
    const struct container *list = NULL;
    const char *listed = NULL, *snapshot = NULL, *names;
    size_t count = 0;
    bool ignored;

    /* The engine first: what is made in between is in the record and only seems to be missing, and
     * an action on it looks again. */
    if (!engine_list(j->engine, a, &listed, f) || !janitor_read_list(listed, a, &list, &count, f))
        return false;
    names = janitor_names(list, count, a);
    if (!j->dry_run && !janitor_store_call(j->store, "forget", 1, &names, &ignored, f))
        return false;
    if (!janitor_store_snapshot(j->store, names, a, &snapshot, f) ||
        !janitor_read_record(snapshot, list, count, j->spec->image, a, ret, f))
        return false;
    ret->booted = (int64_t)time(NULL) - clock_up_s();
    return true;
}

/* A machine that cannot be measured now is measured by the next pass. */
static void
measure(struct janitor *j, struct janitor_facts *f, struct arena *a)
{
    struct fault ignored;

    janitor_wants(f, &j->limits);
    for (size_t i = 0; i < f->box_count && !*j->leave; i++) {
        struct box *b = &f->boxes[i];
        struct engine_look look;

        if (b->wants_size && engine_inspect(j->engine, b->container, true, a, &look, &ignored) &&
            look.exists)
            b->new_size = look.size_bytes;
        if (b->wants_cpu && !engine_cpu(j->engine, b->container, a, &b->new_cpu_ns, &ignored))
            b->new_cpu_ns = -1;
    }
    for (size_t i = 0; i < f->loose_count && !*j->leave; i++) {
        struct loose *c = &f->loose[i];
        struct engine_look look;

        if (c->wants_size && engine_inspect(j->engine, c->container, true, a, &look, &ignored) &&
            look.exists)
            c->new_size = look.size_bytes;
    }
}

/* ---- acting ------------------------------------------------------------------------------- */

static bool
record_measures(struct janitor *j, const struct janitor_facts *f, struct arena *a, struct pass *p)
{
    for (size_t i = 0; i < f->box_count; i++)
        if ((f->boxes[i].new_size >= 0 || f->boxes[i].new_cpu_ns >= 0) &&
            !act_measured(j, &f->boxes[i], a, &p->fault))
            return false;
    return true;
}

static void
act(struct janitor *j, struct arena *a, struct pass *p)
{
    for (size_t i = 0; i < p->deed_count && !*j->leave; i++) {
        struct deed *d = &p->deeds[i];
        struct fault f;

        d->end = act_do(j, d->action, a, &f);
        p->done += d->end == DEED_DONE;
        p->failed += d->end == DEED_FAILED;
        if (d->end != DEED_FAILED)
            continue;
        d->trouble = arena_printf(a, "%s (%s)", f.message, f.detail);
        p->end = PASS_FAILED;
        if (f.kind == FAULT_RECORD) {
            p->end = PASS_NO_RECORD;
            p->fault = f;
            return;
        }
    }
}

static void
plan_and_act(struct janitor *j, struct janitor_facts *facts, struct arena *a, struct pass *p)
{
    const struct janitor_action *actions = janitor_plan(facts, &j->limits, a, &p->deed_count);

    p->deeds = arena_alloc(a, (p->deed_count + 1) * sizeof *p->deeds);
    for (size_t i = 0; i < p->deed_count; i++)
        p->deeds[i] = (struct deed){.action = &actions[i], .end = DEED_PLANNED, .trouble = ""};
    if (j->dry_run)
        return;
    if (!record_measures(j, facts, a, p))
        p->end = PASS_NO_RECORD;
    else
        act(j, a, p);
}

/* What health shows of this pass. */
static void
leave_word(struct janitor *j, struct arena *a, const struct pass *p)
{
    bool ok = p->end == PASS_DONE, ignored_yes;
    const char *says = ok                      ? "all is well"
                       : p->end == PASS_FAILED ? "some actions failed: see its log"
                                               : p->fault.message;
    const char *texts[] = {ok ? "t" : "f",
                           says,
                           arena_printf(a, "%" PRId64, p->took_ms),
                           arena_printf(a, "%zu", p->machines),
                           arena_printf(a, "%zu", p->done),
                           arena_printf(a, "%zu", p->failed)};
    struct fault ignored;

    (void)!janitor_store_call(j->store, "done", COUNT_OF(texts), texts, &ignored_yes, &ignored);
}

void
pass_run(struct janitor *j, struct arena *a, struct pass *ret)
{
    struct janitor_facts facts = {0};
    int64_t began_ms = clock_ms();
    bool mine = false;

    *ret = (struct pass){.end = PASS_DONE};
    if (!janitor_store_lock(j->store, j->dry_run ? -1 : j->limits.disk_bytes, &mine, &ret->fault)) {
        ret->end = PASS_NO_RECORD;
        return;
    }
    if (!mine) {
        ret->end = PASS_BUSY;
    } else if (gather(j, a, &facts, &ret->fault)) {
        ret->machines = facts.box_count;
        measure(j, &facts, a);
        plan_and_act(j, &facts, a, ret);
    } else {
        ret->end = ret->fault.kind == FAULT_ENGINE ? PASS_NO_ENGINE : PASS_NO_RECORD;
    }
    ret->took_ms = clock_ms() - began_ms;
    if (mine && !j->dry_run)
        leave_word(j, a, ret);
    janitor_store_unlock(j->store);
}
