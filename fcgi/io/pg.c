#include "config.h"

#include "base/clock.h"
#include "io/pg.h"
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OWN_DEFINE(result, PGresult *, PQclear, NULL)
#define own_result __attribute__((cleanup(own_result_end)))

enum { TICK_MS = 100 };

struct pg {
    char *conninfo;
    PGconn *conn; /* NULL: not connected */
    bool pending; /* a statement sent by pg_send has results to collect */
};

struct pg *
pg_new(const char *conninfo)
{
    struct pg *p = calloc(1, sizeof *p);

    if (!p || !(p->conninfo = strdup(conninfo)))
        abort();
    return p;
}

void
pg_drop(struct pg *p)
{
    if (p->conn)
        PQfinish(p->conn);
    p->conn = NULL;
    p->pending = false;
}

void
pg_free(struct pg *p)
{
    if (!p)
        return;
    pg_drop(p);
    free(p->conninfo);
    free(p);
}

static bool
record_fault(struct pg *p, struct fault *f, const char *what)
{
    fault_set(f, FAULT_RECORD, "the record (PostgreSQL) cannot be reached");
    snprintf(f->detail, sizeof f->detail, "%s: %s", what, p->conn ? PQerrorMessage(p->conn) : "");
    return false;
}

/* Poll the connection for `events` until the deadline. 1 ready, 0 time is up, -1 tick said stop. */
static int
wait_for(struct pg *p, short events, int64_t deadline_ms, const struct pg_wait *w)
{
    for (;;) {
        struct pollfd fd = {.fd = PQsocket(p->conn), .events = events};
        int left = clock_left_ms(deadline_ms);
        int n = poll(&fd, 1, left < TICK_MS ? left : TICK_MS);

        if (n > 0)
            return 1;
        if (n < 0 && errno != EINTR)
            return 0;
        if (w && w->tick && !w->tick(w->ctx))
            return -1;
        if (clock_left_ms(deadline_ms) == 0)
            return 0;
    }
}

/* Quiet: what the server says in passing goes nowhere, the log has one line a request. */
static void
ignore_notice(void *ctx, const PGresult *r)
{
    (void)ctx;
    (void)r;
}

static bool
finish_connecting(struct pg *p, int64_t deadline_ms, struct fault *f)
{
    PostgresPollingStatusType want = PGRES_POLLING_WRITING;

    while (want != PGRES_POLLING_OK) {
        if (want == PGRES_POLLING_FAILED || PQstatus(p->conn) == CONNECTION_BAD)
            return record_fault(p, f, "connect");
        if (wait_for(p, want == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_ms, NULL) != 1)
            return record_fault(p, f, "connect: no answer in time");
        want = PQconnectPoll(p->conn);
    }
    return true;
}

static bool
collect_until_idle(struct pg *p, int64_t deadline_ms)
{
    for (;;) {
        own_result PGresult *r = NULL;

        while (PQisBusy(p->conn)) {
            if (wait_for(p, POLLIN, deadline_ms, NULL) != 1 || !PQconsumeInput(p->conn))
                return false;
        }
        r = PQgetResult(p->conn);
        if (!r)
            return true;
    }
}

/* The channel carries cancels for the call this connection runs. */
static bool
listen_own_channel(struct pg *p, int64_t deadline_ms, struct fault *f)
{
    char sql[64];

    snprintf(sql, sizeof sql, "LISTEN backtalk_%d", PQbackendPID(p->conn));
    if (!PQsendQuery(p->conn, sql) || !collect_until_idle(p, deadline_ms))
        return record_fault(p, f, "listen");
    return true;
}

static bool
connect_now(struct pg *p, int64_t deadline_ms, struct fault *f)
{
    int64_t soon = clock_ms() + (int64_t)PG_SOON * 1000;

    if (deadline_ms > soon)
        deadline_ms = soon;
    pg_drop(p);
    p->conn = PQconnectStart(p->conninfo);
    if (!p->conn)
        abort();
    PQsetNoticeReceiver(p->conn, ignore_notice, NULL);
    if (PQstatus(p->conn) == CONNECTION_BAD)
        record_fault(p, f, "connect");
    else if (finish_connecting(p, deadline_ms, f) && listen_own_channel(p, deadline_ms, f))
        return true;
    pg_drop(p);
    return false;
}

/* An idle connection has nothing to read but notifications and the server's good-bye. */
static bool
alive(struct pg *p)
{
    struct pollfd fd = {.fd = PQsocket(p->conn), .events = POLLIN};

    if (!p->pending)
        while (poll(&fd, 1, 0) > 0)
            if (!PQconsumeInput(p->conn) || PQstatus(p->conn) != CONNECTION_OK)
                return false;
    return PQstatus(p->conn) == CONNECTION_OK;
}

/* A connection with nothing under way: what pg_send left behind is collected first. */
static bool
ready(struct pg *p, int64_t deadline_ms, struct fault *f)
{
    if (p->conn && alive(p)) {
        if (!p->pending || collect_until_idle(p, deadline_ms)) {
            p->pending = false;
            return true;
        }
    }
    return connect_now(p, deadline_ms, f);
}

/* Ask the server to stop and wait until it has: a lock taken meanwhile is released by the server
 * function's own error path, or with the connection. */
static void
cancel(struct pg *p)
{
    PGcancel *c = PQgetCancel(p->conn);
    char err[256];
    bool sent = c && PQcancel(c, err, sizeof err);

    PQfreeCancel(c);
    if (!sent || !collect_until_idle(p, clock_ms() + 1000))
        pg_drop(p);
}

static bool
copy_row(const PGresult *r, struct arena *a, struct pg_row *ret)
{
    int n = PQnfields(r);
    const char **values = arena_alloc(a, sizeof *values * (size_t)(n + 1));

    if (PQntuples(r) != 1)
        return false;
    for (int i = 0; i < n; i++)
        values[i] = PQgetisnull(r, 0, i)
                        ? NULL
                        : arena_strndup(a, PQgetvalue(r, 0, i), (size_t)PQgetlength(r, 0, i));
    values[n] = NULL;
    *ret = (struct pg_row){.count = n, .values = values};
    return true;
}

/* 1 done, 0 failed for good, -1 the connection was dead before the server saw the statement. */
static int
attempt(struct pg *p, const char *sql, int n, const char *const *params, int64_t deadline_ms,
        const struct pg_wait *w, struct arena *a, struct pg_row *ret, struct fault *f)
{
    own_result PGresult *r = NULL;

    if (!PQsendQueryParams(p->conn, sql, n, NULL, params, NULL, NULL, 0)) {
        record_fault(p, f, "send");
        pg_drop(p);
        return -1;
    }
    while (PQisBusy(p->conn)) {
        int came = wait_for(p, POLLIN, deadline_ms, w);

        if (came < 0) {
            cancel(p);
            fault_set(f, FAULT_CANCELLED, "the call was cancelled");
            return 0;
        }
        if (came == 0) {
            record_fault(p, f, "no answer in time");
            pg_drop(p);
            return 0;
        }
        if (!PQconsumeInput(p->conn)) {
            record_fault(p, f, "lost connection");
            pg_drop(p);
            return -1;
        }
    }
    r = PQgetResult(p->conn);
    if (r && PQresultStatus(r) == PGRES_TUPLES_OK && copy_row(r, a, ret)) {
        if (collect_until_idle(p, deadline_ms))
            return 1;
    } else {
        record_fault(p, f, r ? PQresultErrorMessage(r) : "no result");
    }
    if (PQstatus(p->conn) != CONNECTION_OK || !collect_until_idle(p, clock_ms() + 1000)) {
        pg_drop(p);
        return -1;
    }
    return 0;
}

bool
pg_row(struct pg *p, const char *sql, int n, const char *const *params, bool repeatable,
       int64_t deadline_ms, const struct pg_wait *w, struct arena *a, struct pg_row *ret,
       struct fault *f)
{
    bool fresh = p->conn == NULL;
    int done;

    if (!ready(p, deadline_ms, f))
        return false;
    done = attempt(p, sql, n, params, deadline_ms, w, a, ret, f);
    if (done < 0 && repeatable && !fresh && connect_now(p, deadline_ms, f))
        done = attempt(p, sql, n, params, deadline_ms, w, a, ret, f);
    return done == 1;
}

void
pg_send(struct pg *p, const char *sql, int n, const char *const *params)
{
    struct fault ignored;

    if (!p->conn || !ready(p, clock_ms() + 1000, &ignored))
        return;
    if (PQsendQueryParams(p->conn, sql, n, NULL, params, NULL, NULL, 0)) {
        p->pending = true;
        PQflush(p->conn);
    } else {
        pg_drop(p);
    }
}

bool
pg_notified(struct pg *p, const char *payload)
{
    bool hit = false;
    PGnotify *n;

    if (!p->conn || !PQconsumeInput(p->conn))
        return false;
    while ((n = PQnotifies(p->conn)) != NULL) {
        hit = hit || strcmp(n->extra, payload) == 0;
        PQfreemem(n);
    }
    return hit;
}
