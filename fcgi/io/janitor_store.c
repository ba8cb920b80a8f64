#include "config.h"

#include "base/clock.h"
#include "io/janitor_store.h"
#include "io/pg.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MS = 20000, SQL_MAX = 128, NUMBER_TEXT = 24 };

struct janitor_store {
    struct pg *pg;
};

struct janitor_store *
janitor_store_new(const char *conninfo)
{
    struct janitor_store *s = calloc(1, sizeof *s);

    if (!s)
        abort();
    s->pg = pg_new(conninfo);
    return s;
}

void
janitor_store_free(struct janitor_store *s)
{
    if (!s)
        return;
    pg_free(s->pg);
    free(s);
}

/* A lock is the session's: a statement that needs one must not move to another session. */
static bool
ask(struct janitor_store *s, const char *sql, size_t count, const char *const *texts,
    struct arena *a, const char **ret, struct fault *f)
{
    struct pg_row row;

    if (!pg_row(s->pg, sql, (int)count, texts, false, clock_ms() + ANSWER_MS, NULL, a, &row, f))
        return false;
    *ret = row.values[0];
    return true;
}

bool
janitor_store_call(struct janitor_store *s, const char *name, size_t count,
                   const char *const *texts, bool *ret_yes, struct fault *f)
{
    static const char places[] = "$1, $2, $3, $4, $5, $6";
    struct arena *a = arena_new(512);
    const char *said = NULL;
    char sql[SQL_MAX];
    bool done;

    snprintf(sql, sizeof sql, "SELECT backtalk.janitor_%s(%.*s)", name,
             count > 0 ? (int)(4 * count - 2) : 0, places);
    done = ask(s, sql, count, texts, a, &said, f);
    if (done)
        *ret_yes = !said || strcmp(said, "f") != 0;
    arena_free(a);
    return done;
}

bool
janitor_store_lock(struct janitor_store *s, int64_t disk_limit_bytes, bool *ret_mine,
                   struct fault *f)
{
    char limit[NUMBER_TEXT];
    const char *texts[] = {disk_limit_bytes < 0 ? NULL : limit};

    snprintf(limit, sizeof limit, "%" PRId64, disk_limit_bytes);
    return janitor_store_call(s, "lock", COUNT_OF(texts), texts, ret_mine, f);
}

void
janitor_store_unlock(struct janitor_store *s)
{
    pg_drop(s->pg);
}

bool
janitor_store_snapshot(struct janitor_store *s, const char *names, struct arena *a,
                       const char **ret_json, struct fault *f)
{
    const char *texts[] = {names};

    if (!ask(s, "SELECT backtalk.janitor_snapshot($1)", COUNT_OF(texts), texts, a, ret_json, f))
        return false;
    return *ret_json || fault_set(f, FAULT_RECORD, "the record's snapshot is empty");
}
