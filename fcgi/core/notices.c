#include "config.h"

#include "core/clean.h"
#include "core/notices.h"
#include "core/words.h"
#include <string.h>

enum {
    DISK_TELL_PERCENT = 80,
    COMMAND_CHARS = 200,
    RUNNING_TOLD = 5,
    RUNNING_CHARS = 100,
};

static bool
is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

/* Why a machine was stopped: ends a sentence that began "... was stopped"; "" when unknown. */
static const char *
stop_words(const char *reason)
{
    if (is(reason, "idle"))
        return " because it was not in use";
    if (is(reason, "disk"))
        return " because it used more disk than its limit";
    if (is(reason, "host"))
        return " because the computer it is on was restarted";
    if (is(reason, "operator"))
        return " by the operator";
    if (is(reason, "limit"))
        return " because too many machines were running";
    return "";
}

/* " These were stopped with it: sleep 900, python3 -m http.server.": what the model may have to
 * start again, by name. */
static void
add_running(struct buf *b, const char *lines)
{
    size_t told = 0;

    for (const char *p = lines; p && *p; told++) {
        size_t len = strcspn(p, "\n");

        if (told < RUNNING_TOLD)
            buf_printf(b, "%s%s", told ? ", " : " These were stopped with it: ",
                       clean_short(b->arena, p, len, RUNNING_CHARS));
        p += len + (p[len] == '\n');
    }
    if (told > RUNNING_TOLD)
        buf_printf(b, ", and %s more", words_number(b->arena, told - RUNNING_TOLD));
    if (told > 0)
        buf_adds(b, ".");
}

static void
add_resumed(struct buf *b, const struct notices *n)
{
    const char *why = stop_words(n->stop_reason);

    buf_adds(b, "[This chat's machine was stopped");
    if (n->stopped_ago_s >= 0)
        buf_printf(b, " %s ago", words_ago(b->arena, n->stopped_ago_s));
    buf_printf(b,
               "%s. It has been started again now. Files and installed packages are as they "
               "were. Nothing that ran before is running: start servers again.",
               why);
    add_running(b, n->stop_running);
    buf_adds(b, "]\n");
}

/* Why a machine was removed: ends a sentence that began "... was removed". */
static void
add_lost_words(struct buf *b, const struct notices *n)
{
    uint64_t limit = n->lost_limit > 0 ? (uint64_t)n->lost_limit : 0;

    if (is(n->lost_why, "unused")) {
        buf_adds(b, " because it was not used");
        if (limit > 0)
            buf_printf(b, " for %s", words_count(b->arena, limit, "day", "days"));
        else
            buf_adds(b, " for a long time");
    } else if (is(n->lost_why, "count")) {
        buf_adds(b, " because there were too many machines");
        if (limit > 0)
            buf_printf(b, " (the limit is %s)", words_number(b->arena, limit));
    } else if (is(n->lost_why, "space")) {
        buf_adds(b, " because all machines together used too much disk");
        if (limit > 0)
            buf_printf(b, " (the limit is %s)", words_size(b->arena, limit));
    } else if (is(n->lost_why, "disk")) {
        buf_adds(b, " because it used more disk than its limit");
        if (limit > 0)
            buf_printf(b, " of %s", words_size(b->arena, limit));
    } else if (is(n->lost_why, "operator")) {
        buf_adds(b, " by the operator");
    } else if (is(n->lost_why, "reset")) {
        buf_adds(b, " by the tool `reset`");
    }
}

static bool
is_given(const char *text)
{
    return text && text[0];
}

static void
add_fresh(struct buf *b, const struct notices *n)
{
    bool missing = is(n->lost_why, "missing");

    buf_printf(b, "[This is a new machine. This chat's earlier machine %s",
               missing ? "is gone" : "was removed");
    if (is_given(n->lost_on))
        buf_printf(b, "%s %s", missing ? " since" : " on", n->lost_on);
    if (missing)
        buf_adds(b, "; it is not known why");
    else
        add_lost_words(b, n);
    buf_adds(b, ". Its files and installed packages are gone.]\n");
}

static void
add_disk(struct buf *b, int64_t used, int64_t limit)
{
    const char *have = words_size(b->arena, (uint64_t)used);
    const char *most = words_size(b->arena, (uint64_t)limit);

    if (used > limit)
        buf_printf(b,
                   "[Disk: this machine uses %s. That is over its limit of %s. Delete files "
                   "now: a machine over its limit is stopped.]\n",
                   have, most);
    else
        buf_printf(b,
                   "[Disk: this machine uses %s of its limit of %s (%d %%). Delete files that "
                   "are not needed.]\n",
                   have, most, (int)((double)used * 100 / (double)limit));
}

static void
add_finished(struct buf *b, const struct fate *f)
{
    const char *time = words_seconds(b->arena, f->wall_ms * 1000);

    if (f->timed_out)
        buf_printf(b, " It timed out after %s.", time);
    else if (f->signal > 0)
        buf_printf(b, " It was killed by signal %d (%s) after %s.", f->signal,
                   words_signal(f->signal), time);
    else
        buf_printf(b, " It ran to its end: exit code %d (%s).", f->exit_code, time);
    if (f->log && f->log[0])
        buf_printf(b, " Its output is in %s.", f->log);
}

static void
add_fate(struct buf *b, const struct fate *f)
{
    const char *command = f->command ? f->command : "";

    buf_adds(b, "[The result of the call before this one could not be delivered.");
    if (command[0])
        buf_printf(b, " It was: %s.",
                   clean_short(b->arena, command, strlen(command), COMMAND_CHARS));
    switch (f->kind) {
    case FATE_NONE:
    case FATE_UNKNOWN:
        buf_adds(b, " It is not known whether it ran, or how far. Look before you do it again.");
        break;
    case FATE_NOT_RUN:
        buf_adds(b, " It was not run. Nothing was changed by it.");
        break;
    case FATE_FINISHED:
        add_finished(b, f);
        break;
    case FATE_CANCELLED:
        buf_adds(b, " It was cancelled: it was stopped before its end.");
        break;
    case FATE_MACHINE_LOST:
        buf_adds(b, " The machine stopped while it ran. It did not run to its end.");
        break;
    }
    buf_adds(b, "]\n");
}

void
notices_explain(struct notices *n, int64_t up_s)
{
    if (n->fresh || !n->resumed || is_given(n->stop_reason) || n->stopped_ago_s >= 0 ||
        n->used_ago_s < up_s)
        return;
    n->stop_reason = "host";
    n->stopped_ago_s = up_s;
}

void
notices_add(struct buf *b, const struct notices *n)
{
    if (n->fresh && (is_given(n->lost_on) || is_given(n->lost_why)))
        add_fresh(b, n);
    else if (n->resumed && !n->fresh)
        add_resumed(b, n);
    if (n->image_old && !n->fresh)
        buf_adds(b, "[This machine was made before its image was updated. It works as before; its "
                    "programs are the older ones.]\n");
    if (n->disk_limit_bytes > 0 && n->disk_used_bytes > 0 &&
        (double)n->disk_used_bytes * 100 >= (double)n->disk_limit_bytes * DISK_TELL_PERCENT)
        add_disk(b, n->disk_used_bytes, n->disk_limit_bytes);
    if (n->fate.kind != FATE_NONE)
        add_fate(b, &n->fate);
}
