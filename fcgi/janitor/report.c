#include "config.h"

#include "base/buf.h"
#include "base/log.h"
#include "core/words.h"
#include "janitor/report.h"
#include <inttypes.h>
#include <string.h>

enum { REPORT_MAX = 4 << 20 };

/* "machine 12 (bt-...)": what an action is about. */
static const char *
about(const struct janitor_action *x, struct arena *a)
{
    if (x->box)
        return arena_printf(a, "machine %" PRId64 " (%s)", x->box->id, x->box->container);
    if (x->loose)
        return arena_printf(a, "container %s", x->loose->container);
    if (x->log)
        return arena_printf(a, "%s", x->log);
    return arena_printf(a, "call %" PRId64, x->call);
}

static const char *
line(const struct janitor_action *x, struct arena *a)
{
    bool has_reason = x->reason[0] && strcmp(x->reason, "lost") != 0;

    return arena_printf(a, "%s %s: %s%s%s", janitor_act_name(x->act), about(x, a),
                        has_reason ? x->reason : "", has_reason ? ": " : "", x->why);
}

const char *
report_dry_run(const struct pass *p, struct arena *a)
{
    struct buf b;

    buf_init(&b, a, REPORT_MAX);
    for (size_t i = 0; i < p->deed_count; i++)
        buf_printf(&b, "would %s\n", line(p->deeds[i].action, a));
    buf_printf(&b, "%s, %s to do\n", words_count(a, p->machines, "machine", "machines"),
               p->deed_count == 0 ? "nothing" : words_count(a, p->deed_count, "thing", "things"));
    return buf_text(&b);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static const char *
deed_word(enum deed_end end)
{
    static const char *const words[] = {[DEED_PLANNED] = "planned",
                                        [DEED_DONE] = "done",
                                        [DEED_SKIPPED] = "skipped",
                                        [DEED_FAILED] = "failed"};
    return words[end];
}

static const char *
pass_word(enum pass_end end)
{
    static const char *const words[] = {[PASS_DONE] = "done",
                                        [PASS_BUSY] = "busy",
                                        [PASS_FAILED] = "failed",
                                        [PASS_NO_ENGINE] = "no-engine",
                                        [PASS_NO_RECORD] = "no-record"};
    return words[end];
}

static struct json_object *
deed_json(const struct deed *d)
{
    const struct janitor_action *x = d->action;
    struct json_object *o = json_object_new_object();

    json_object_object_add(o, "act", json_object_new_string(janitor_act_name(x->act)));
    if (x->box) {
        json_object_object_add(o, "machine", json_object_new_int64(x->box->id));
        json_object_object_add(o, "container", json_object_new_string(x->box->container));
    }
    if (x->loose)
        json_object_object_add(o, "container", json_object_new_string(x->loose->container));
    if (x->act == ACT_CLOSE_CALL)
        json_object_object_add(o, "call", json_object_new_int64(x->call));
    if (x->log)
        json_object_object_add(o, "log", json_object_new_string(x->log));
    json_object_object_add(o, "reason", json_object_new_string(x->reason));
    json_object_object_add(o, "why", json_object_new_string(x->why));
    json_object_object_add(o, "end", json_object_new_string(deed_word(d->end)));
    if (d->trouble[0])
        json_object_object_add(o, "trouble", json_object_new_string(d->trouble));
    return o;
}

const char *
report_json(const struct pass *p, bool dry_run, struct arena *a)
{
    own_json struct json_object *o = json_object_new_object();
    struct json_object *list = json_object_new_array();
    const char *text;

    for (size_t i = 0; i < p->deed_count; i++)
        json_object_array_add(list, deed_json(&p->deeds[i]));
    json_object_object_add(o, "end", json_object_new_string(pass_word(p->end)));
    json_object_object_add(o, "dry_run", json_object_new_boolean(dry_run));
    json_object_object_add(o, "machines", json_object_new_int64((int64_t)p->machines));
    json_object_object_add(o, "took_ms", json_object_new_int64(p->took_ms));
    json_object_object_add(o, "actions", list);
    if (p->end == PASS_NO_ENGINE || p->end == PASS_NO_RECORD) {
        json_object_object_add(o, "trouble", json_object_new_string(p->fault.message));
        json_object_object_add(o, "detail", json_object_new_string(p->fault.detail));
    }
    text =
        json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    return arena_printf(a, "%s\n", text);
}

/* ---- log ----------------------------------------------------------------------------------- */

static const char *
trouble_of(const struct pass *p, struct arena *a)
{
    if (p->end == PASS_NO_ENGINE || p->end == PASS_NO_RECORD)
        return arena_printf(a, "%s: %s %s", p->fault.message, p->fault.detail,
                            p->done ? "The pass was broken off." : "Nothing was changed.");
    for (size_t i = 0; i < p->deed_count; i++)
        if (p->deeds[i].end == DEED_FAILED)
            return arena_printf(a, "could not %s: %s", line(p->deeds[i].action, a),
                                p->deeds[i].trouble);
    return NULL;
}

const char *
report_log(const struct pass *p, const char *last, struct arena *keep)
{
    const char *trouble;

    for (size_t i = 0; i < p->deed_count; i++)
        if (p->deeds[i].end == DEED_DONE)
            log_line(LOG_LINE_INFO, "%s", line(p->deeds[i].action, keep));
    if (p->end == PASS_BUSY)
        log_line(LOG_LINE_INFO, "another pass is under way: nothing was done");
    trouble = trouble_of(p, keep);
    if (trouble && (!last || strcmp(last, trouble) != 0))
        log_line(LOG_LINE_ERROR, "%s%s", trouble,
                 p->failed > 1 ? arena_printf(keep, " (and %zu more)", p->failed - 1) : "");
    if (!trouble && last && p->end == PASS_DONE)
        log_line(LOG_LINE_INFO, "all is well again");
    log_line(LOG_LINE_DEBUG, "pass end=%s machines=%zu done=%zu failed=%zu ms=%" PRId64,
             pass_word(p->end), p->machines, p->done, p->failed, p->took_ms);
    return trouble;
}
