/* notices.h - what the record knows about the machine that the model must be told
 * before it reads the result: the facts, and their words. Pure. */
#ifndef CORE_NOTICES_H
#define CORE_NOTICES_H

#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

enum fate_kind {
    FATE_NONE,         /* the previous call was answered */
    FATE_UNKNOWN,      /* nobody knows how far it came */
    FATE_NOT_RUN,      /* it never reached the machine */
    FATE_FINISHED,     /* it ran to its end; exit_code/signal/timed_out/wall_ms/log are valid */
    FATE_CANCELLED,    /* it was stopped because the caller cancelled it */
    FATE_MACHINE_LOST, /* the machine stopped in the middle of it */
};

struct fate {
    enum fate_kind kind;
    const char *command; /* what it ran, shortened, cleaned */
    int exit_code, signal;
    bool timed_out;
    int64_t wall_ms;
    const char *log; /* whole output in the sandbox, or "" */
};

struct notices {
    bool resumed;             /* the machine was stopped and has been started for this call */
    int64_t stopped_ago_s;    /* -1: not known */
    const char *stop_reason;  /* "idle", "disk", "host", "operator", "limit", or "" = not known */
    const char *stop_running; /* what still ran in it then, a command a line; "" or NULL: nothing */
    int64_t used_ago_s;       /* since the chat's last call ended; -1: not known */
    bool image_old;           /* made from an older image than new machines, and not told yet */
    bool fresh;               /* the machine was made for this call */
    /* fresh: the date (YYYY-MM-DD) the chat's earlier machine went away, "" = not known, and why:
     * "unused", "count", "space", "disk", "operator", "reset", "missing". Both "": it had none. */
    const char *lost_on, *lost_why;
    /* The number lost_why is about: days unused, machines, bytes of all machines or of this one;
     * 0 = not known. */
    int64_t lost_limit;
    int64_t disk_used_bytes, disk_limit_bytes; /* 0: not known */
    struct fate fate;
};

/* Facts of a machine that was found stopped and of which the record does not know why: when the
 * computer was started after the last call, that was it. up_s: since the computer was started. */
void notices_explain(struct notices *n, int64_t up_s);

/* Appends a line in brackets for each thing to tell, each ending with \n; nothing when there
 * is nothing to tell. */
void notices_add(struct buf *b, const struct notices *n);

#endif
