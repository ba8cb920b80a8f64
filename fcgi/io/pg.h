/* pg.h - one PostgreSQL connection that heals itself: the only file that includes
 * libpq (https://www.postgresql.org/docs/current/libpq.html). The caller states the
 * function and its arguments; every call has a deadline; a broken connection is
 * dropped and made anew by the next call. */
#ifndef IO_PG_H
#define IO_PG_H

#include "base/arena.h"
#include "base/fault.h"
#include <stdint.h>

struct pg;

/* Does not connect. conninfo is copied. Never NULL. */
struct pg *pg_new(const char *conninfo);
void pg_free(struct pg *p);

/* One row of text values, NULL for SQL NULL; owned by the arena. */
struct pg_row {
    int count;
    const char *const *values;
};

/* Called about every 100 ms while a query waits; false: the query is cancelled. */
struct pg_wait {
    void *ctx;
    bool (*tick)(void *ctx);
};

enum { PG_SOON = 1 }; /* deadline of a first connection attempt in s */

/* Runs one statement with text parameters ($1..$n; NULL = SQL NULL) that gives exactly one row.
 * A connection found dead before anything was answered is made anew and the statement is sent once
 * more only when `repeatable`. FAULT_RECORD: cannot be reached, error, or deadline;
 * FAULT_CANCELLED: tick said so. */
bool pg_row(struct pg *p, const char *sql, int n, const char *const *params, bool repeatable,
            int64_t deadline_ms, const struct pg_wait *w, struct arena *a, struct pg_row *ret,
            struct fault *f) MUST_CHECK;
/* Sends a statement whose result nobody waits for; it is collected before the next statement. */
void pg_send(struct pg *p, const char *sql, int n, const char *const *params);
/* Ends the connection, and with it every lock it holds. */
void pg_drop(struct pg *p);
/* Every connection listens on its own channel `backtalk_<backend pid>`: true when a notification
 * with this payload has come (others are dropped). */
bool pg_notified(struct pg *p, const char *payload);

#endif
