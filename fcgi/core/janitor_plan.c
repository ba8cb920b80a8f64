#include "config.h"

#include "core/janitor_plan.h"
#include "core/words.h"
#include <stdlib.h>
#include <string.h>

enum {
    WARN_PERCENT = 80,
    REMOVE_PERCENT = 150,
    GROWTH_PERCENT = 1,    /* of the limit: more than a call's own logs */
    DISK_GRACE_S = 120,    /* for a chat that is told to delete something */
    NEVER_S = 3600,        /* a machine that nobody made by then is not coming */
    WORK_PERCENT = 1,      /* of one processor, on average: more than a server that waits */
    WORTH_BYTES = 1 << 20, /* less is not worth removing for space */
    DAY_S = 86400,
};

/* A plan under construction. */
struct making {
    struct janitor_facts *f;
    const struct janitor_limits *l;
    struct arena *a;
    struct janitor_action *list;
    size_t count;
};

const char *
janitor_act_name(enum janitor_act act)
{
    static const char *const names[] = {
        [ACT_CLOSE_CALL] = "close-call",
        [ACT_DROP_LOG] = "drop-log",
        [ACT_SEEN] = "see",
        [ACT_IMAGE] = "image",
        [ACT_MISSING] = "missing",
        [ACT_FORGET] = "forget",
        [ACT_WATCH] = "watch",
        [ACT_WARN] = "warn",
        [ACT_STOP] = "stop",
        [ACT_REMOVE] = "remove",
        [ACT_ADOPT] = "adopt",
        [ACT_FINISH] = "finish",
        [ACT_NOTE] = "note",
        [ACT_CLEAR] = "clear",
    };
    return names[act];
}

static struct janitor_action *
add(struct making *m, enum janitor_act act, const char *reason, const char *why)
{
    struct janitor_action *x = &m->list[m->count++];

    *x = (struct janitor_action){.act = act, .reason = reason, .limit = -1, .why = why};
    return x;
}

static struct janitor_action *
add_box(struct making *m, enum janitor_act act, struct box *b, const char *reason, const char *why)
{
    struct janitor_action *x = add(m, act, reason, why);

    x->box = b;
    b->gone = b->gone || act == ACT_REMOVE || act == ACT_MISSING || act == ACT_FORGET;
    b->ending = b->ending || b->gone || act == ACT_STOP;
    return x;
}

static struct janitor_action *
add_loose(struct making *m, enum janitor_act act, struct loose *c, const char *why)
{
    struct janitor_action *x = add(m, act, "", why);

    x->loose = c;
    if (act == ACT_FINISH || act == ACT_CLEAR)
        c->ending = true;
    return x;
}

static int64_t
size_of(const struct box *b)
{
    return b->new_size >= 0 ? b->new_size : b->size;
}

static const char *
ago(struct making *m, int64_t at)
{
    return words_ago(m->a, m->f->now > at ? m->f->now - at : 0);
}

/* ---- the record and the engine disagree ------------------------------------------------ */

static void
see(struct making *m, struct box *b)
{
    struct janitor_action *x;

    if (b->seen == SEEN_RUNNING && b->state != BOX_RUNNING) {
        x = add_box(m, ACT_SEEN, b, "", "it runs");
    } else if (b->seen == SEEN_STOPPED && b->state != BOX_STOPPED) {
        bool host = b->state == BOX_RUNNING && b->called < m->f->booted;

        x = add_box(m, ACT_SEEN, b, host ? "host" : "",
                    host ? "it stopped when this computer was restarted" : "it does not run");
    } else {
        return;
    }
    x->seen = b->seen;
    b->state = b->seen == SEEN_RUNNING ? BOX_RUNNING : BOX_STOPPED;
}

static void
reconcile(struct making *m, struct box *b)
{
    if (b->seen == SEEN_ABSENT && b->state == BOX_CREATING) {
        if (!b->in_call && m->f->now - b->used >= NEVER_S)
            add_box(m, ACT_FORGET, b, "never", "it was never made");
    } else if (b->seen == SEEN_ABSENT && !b->in_call) {
        add_box(m, ACT_MISSING, b, "missing", "the engine has no such container");
    } else if (!b->in_call) {
        see(m, b);
    }
    if (!b->ending && b->seen != SEEN_ABSENT && b->image_other != b->image_old)
        add_box(m, ACT_IMAGE, b, "",
                b->image_other ? "new machines are made from another image"
                               : "its image is current");
}

static void
reconcile_loose(struct making *m, struct loose *c)
{
    bool was_removed = c->sandbox >= 0 && strcmp(c->reason, "missing") != 0 &&
                       strcmp(c->reason, "never") != 0 && c->created <= c->removed;

    if (strcmp(c->stray, "purged") == 0)
        add_loose(m, ACT_CLEAR, c, "its member was purged");
    else if (was_removed)
        add_loose(m, ACT_FINISH, c, "its removal was recorded and not carried out");
    else if (c->sandbox >= 0)
        add_loose(m, ACT_ADOPT, c, "it was made after the record says it was removed");
    else if (!c->stray[0])
        add_loose(m, ACT_NOTE, c, "no chat explains it; it is kept like an unused one");
    else if (m->f->now - c->seen >= m->l->unused_s)
        add_loose(m, ACT_CLEAR, c,
                  arena_printf(m->a, "no chat has explained it for %s", ago(m, c->seen)));
}

/* ---- one machine's own limits ---------------------------------------------------------- */

static bool
over(int64_t size, int64_t limit, int percent)
{
    return (double)size * 100 >= (double)limit * percent;
}

static void
check_disk(struct making *m, struct box *b)
{
    int64_t limit = m->l->disk_bytes, size = b->new_size;
    const char *uses =
        size < 0 ? ""
                 : arena_printf(m->a, "it uses %s of its %s", words_size(m->a, (uint64_t)size),
                                words_size(m->a, (uint64_t)limit));

    if (size < 0)
        return;
    if (over(size, limit, REMOVE_PERCENT)) {
        struct janitor_action *x = add_box(m, ACT_REMOVE, b, "disk", uses);

        x->limit = limit;
        x->force = true;
    } else if (size > limit && b->seen == SEEN_RUNNING) {
        bool grows = b->size < 0 || size - b->size > limit / 100 * GROWTH_PERCENT;

        if (grows || (!b->in_call && m->f->now - b->used >= DISK_GRACE_S))
            add_box(m, ACT_STOP, b, "disk", uses)->force = true;
    } else if (over(size, limit, WARN_PERCENT) && !over(b->size, limit, WARN_PERCENT)) {
        add_box(m, ACT_WARN, b, "disk", uses);
    }
}

/* The share of one processor it used since it was last looked at, in percent; -1: not known. */
static int64_t
work_percent(const struct box *b, int64_t now)
{
    int64_t seconds = now - b->cpu_at;

    if (b->cpu_ns < 0 || b->new_cpu_ns < b->cpu_ns || seconds <= 0)
        return -1;
    return (b->new_cpu_ns - b->cpu_ns) / (10000000 * seconds);
}

static void
check_idle(struct making *m, struct box *b)
{
    int64_t percent;

    if (!b->wants_cpu || b->new_cpu_ns < 0)
        return;
    percent = work_percent(b, m->f->now);
    if (percent < 0) {
        add_box(m, ACT_WATCH, b, "",
                arena_printf(m->a, "not used for %s: is there work in it?", ago(m, b->used)));
    } else if (percent >= WORK_PERCENT && m->f->now - b->called < m->l->work_s) {
        b->worked = true;
    } else {
        add_box(m, ACT_STOP, b, "idle", arena_printf(m->a, "not used for %s", ago(m, b->used)));
    }
}

static void
check_unused(struct making *m, struct box *b)
{
    int64_t days = m->l->unused_s / DAY_S;

    if (b->in_call || m->f->now - b->used < m->l->unused_s)
        return;
    add_box(m, ACT_REMOVE, b, "unused", arena_printf(m->a, "not used for %s", ago(m, b->used)))
        ->limit = days > 0 ? days : -1;
}

/* ---- limits over many: the longest unused goes first ------------------------------------ */

static int
by_use(const void *x, const void *y)
{
    const struct box *const *a = x, *const *b = y;

    if ((*a)->used != (*b)->used)
        return (*a)->used < (*b)->used ? -1 : 1;
    return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

static struct box **
oldest_first(struct making *m)
{
    struct box **order = arena_alloc(m->a, (m->f->box_count + 1) * sizeof(struct box *));

    for (size_t i = 0; i < m->f->box_count; i++)
        order[i] = &m->f->boxes[i];
    qsort(order, m->f->box_count, sizeof(struct box *), by_use);
    return order;
}

static bool
stays(const struct box *b)
{
    return b->seen != SEEN_ABSENT && !b->gone;
}

/* What is there now and stays, of one member (-1: of all). */
static int64_t
count_kept(const struct making *m, int64_t member)
{
    int64_t n = 0;

    for (size_t i = 0; i < m->f->box_count; i++)
        n += (member < 0 || m->f->boxes[i].member == member) && stays(&m->f->boxes[i]);
    for (size_t i = 0; member < 0 && i < m->f->loose_count; i++)
        n += !m->f->loose[i].ending;
    return n;
}

static int64_t
count_running(const struct making *m, int64_t member)
{
    int64_t n = 0;

    for (size_t i = 0; i < m->f->box_count; i++) {
        const struct box *b = &m->f->boxes[i];

        n += b->member == member && b->seen == SEEN_RUNNING && !b->ending;
    }
    return n;
}

static int64_t
sum_kept(const struct making *m)
{
    int64_t sum = 0;

    for (size_t i = 0; i < m->f->box_count; i++)
        if (stays(&m->f->boxes[i]) && size_of(&m->f->boxes[i]) > 0)
            sum += size_of(&m->f->boxes[i]);
    for (size_t i = 0; i < m->f->loose_count; i++) {
        const struct loose *c = &m->f->loose[i];
        int64_t size = c->new_size >= 0 ? c->new_size : c->size;

        sum += !c->ending && size > 0 ? size : 0;
    }
    return sum;
}

static void
remove_for(struct making *m, struct box *b, const char *reason, int64_t limit, const char *why)
{
    add_box(m, ACT_REMOVE, b, reason, why)->limit = limit;
}

static void
check_counts(struct making *m, struct box *const *order)
{
    for (size_t i = 0; i < m->f->box_count; i++) {
        struct box *b = order[i];

        if (b->in_call || !stays(b))
            continue;
        if (b->kept_limit >= 0 && count_kept(m, b->member) > b->kept_limit)
            remove_for(m, b, "count", b->kept_limit,
                       arena_printf(m->a, "the limit of its member's machines is %s",
                                    words_number(m->a, (uint64_t)b->kept_limit)));
        else if (count_kept(m, -1) > m->l->kept)
            remove_for(m, b, "count", m->l->kept,
                       arena_printf(m->a, "the limit of all machines is %s",
                                    words_number(m->a, (uint64_t)m->l->kept)));
    }
}

static void
check_space(struct making *m, struct box *const *order)
{
    int64_t sum = sum_kept(m);

    for (size_t i = 0; i < m->f->box_count && sum > m->l->kept_bytes; i++) {
        struct box *b = order[i];

        if (b->in_call || !stays(b) || size_of(b) < WORTH_BYTES)
            continue;
        remove_for(m, b, "space", m->l->kept_bytes,
                   arena_printf(m->a, "all machines use %s of %s", words_size(m->a, (uint64_t)sum),
                                words_size(m->a, (uint64_t)m->l->kept_bytes)));
        sum -= size_of(b);
    }
}

static void
check_running(struct making *m, struct box *const *order)
{
    for (size_t i = 0; i < m->f->box_count; i++) {
        struct box *b = order[i];

        if (b->in_call || b->ending || b->seen != SEEN_RUNNING ||
            count_running(m, b->member) <= b->running_limit)
            continue;
        add_box(m, ACT_STOP, b, "limit",
                arena_printf(m->a, "the limit of its member's running machines is %s",
                             words_number(m->a, (uint64_t)b->running_limit)));
    }
}

/* ---- the whole -------------------------------------------------------------------------- */

void
janitor_wants(struct janitor_facts *f, const struct janitor_limits *l)
{
    for (size_t i = 0; i < f->box_count; i++) {
        struct box *b = &f->boxes[i];
        bool there = b->seen == SEEN_RUNNING || b->seen == SEEN_STOPPED;
        bool ran = b->seen == SEEN_RUNNING || b->sized < 0 || b->used >= b->sized ||
                   b->state == BOX_RUNNING || b->stopped >= b->sized;

        b->wants_size = there && ran;
        b->wants_cpu = b->seen == SEEN_RUNNING && !b->in_call && f->now - b->used >= l->idle_s;
    }
    for (size_t i = 0; i < f->loose_count; i++)
        f->loose[i].wants_size = f->loose[i].size < 0 || f->loose[i].running;
}

static void
add_calls_and_logs(struct making *m)
{
    for (size_t i = 0; i < m->f->lost_call_count; i++)
        add(m, ACT_CLOSE_CALL, "lost", "its worker is gone")->call = m->f->lost_calls[i];
    for (size_t i = 0; i < m->f->old_log_count; i++)
        add(m, ACT_DROP_LOG, "", "older than the setting retention_days")->log = m->f->old_logs[i];
}

const struct janitor_action *
janitor_plan(struct janitor_facts *f, const struct janitor_limits *l, struct arena *a,
             size_t *ret_count)
{
    /* At most: an image, a state, a warning, a stop and a removal of each machine. */
    size_t most = f->lost_call_count + f->old_log_count + 5 * f->box_count + 2 * f->loose_count + 1;
    struct making m = {
        .f = f, .l = l, .a = a, .list = arena_alloc(a, most * sizeof(struct janitor_action))};
    struct box **order;

    add_calls_and_logs(&m);
    for (size_t i = 0; i < f->loose_count; i++)
        reconcile_loose(&m, &f->loose[i]);
    for (size_t i = 0; i < f->box_count; i++) {
        struct box *b = &f->boxes[i];

        if (b->asked) {
            add_box(&m, ACT_REMOVE, b, "operator", "the operator asked for it");
            continue;
        }
        reconcile(&m, b);
        if (b->ending || b->seen == SEEN_ABSENT || b->seen == SEEN_OTHER)
            continue;
        check_disk(&m, b);
        if (!b->ending)
            check_unused(&m, b);
        if (!b->ending)
            check_idle(&m, b);
    }
    order = oldest_first(&m);
    check_counts(&m, order);
    check_space(&m, order);
    check_running(&m, order);
    *ret_count = m.count;
    return m.list;
}
