/* janitor_plan.h - what the janitor does in one pass: a pure function of what the record and the
 * engine say. Times are seconds since 1970 on the record's clock, sizes bytes; -1: not known. */
#ifndef CORE_JANITOR_PLAN_H
#define CORE_JANITOR_PLAN_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct janitor_limits {
    int64_t idle_s;     /* unused for this long: stopped */
    int64_t work_s;     /* background work counts as use for this long after the last call */
    int64_t unused_s;   /* unused for this long: removed */
    int64_t kept;       /* machines kept at most */
    int64_t kept_bytes; /* disk of all of them at most */
    int64_t disk_bytes; /* disk of one */
};

enum box_state { BOX_CREATING, BOX_RUNNING, BOX_STOPPED };
enum box_seen {
    SEEN_ABSENT,  /* the engine has no such container */
    SEEN_RUNNING, /* or paused */
    SEEN_STOPPED,
    SEEN_OTHER, /* not started yet, or on its way out: left alone */
};

/* A live sandbox, as the record and the engine have it. */
struct box {
    int64_t id, member;
    const char *container;
    enum box_state state;
    int64_t used;    /* end of the last call, or of background work seen later */
    int64_t called;  /* end of the last call */
    int64_t stopped; /* since when, by the record */
    int64_t size, sized;
    int64_t cpu_ns, cpu_at;
    int64_t running_limit, kept_limit; /* of its member; kept_limit -1: none */
    bool in_call;                      /* a call runs in it */
    bool asked;                        /* the operator wants it removed */
    bool image_old;                    /* the record says: made from an older image */
    enum box_seen seen;
    bool image_other;   /* the engine says so */
    int64_t new_size;   /* filled when wants_size */
    int64_t new_cpu_ns; /* filled when wants_cpu */
    bool wants_size, wants_cpu;
    bool worked; /* the plan: background work was seen since cpu_at */
    bool ending; /* the plan: an action stops or removes it, or finds it gone */
    bool gone;   /* the plan: an action removes it, or finds it gone */
};

/* A container without a live sandbox. */
struct loose {
    const char *container, *member_label;
    int64_t created;
    bool running;
    int64_t sandbox, removed; /* the newest removed row of this name; sandbox -1: none */
    const char *reason;       /* why it was removed, "" */
    const char *stray;        /* noted as a stray: "unknown", "purged"; "": not noted yet */
    int64_t seen;             /* since when it is noted */
    int64_t size, new_size;
    bool wants_size, ending;
};

struct janitor_facts {
    int64_t now;
    int64_t booted; /* when this computer was started */
    struct box *boxes;
    size_t box_count;
    struct loose *loose;
    size_t loose_count;
    const int64_t *lost_calls; /* calls without an end whose worker is gone */
    size_t lost_call_count;
    const char *const *old_logs; /* months of the log past their time */
    size_t old_log_count;
};

enum janitor_act {
    ACT_CLOSE_CALL, /* call: closed as lost */
    ACT_DROP_LOG,   /* log */
    ACT_SEEN,       /* box: the record learns its state (running or stopped; reason) */
    ACT_IMAGE,      /* box: the record learns that its image is an older one, or no longer */
    ACT_MISSING,    /* box: its container is gone */
    ACT_FORGET,     /* box: it was never made */
    ACT_WATCH,      /* box: idle, unless the next pass sees it work */
    ACT_WARN,       /* box: near its disk limit */
    ACT_STOP,       /* box */
    ACT_REMOVE,     /* box */
    ACT_ADOPT,      /* loose: the chat's again */
    ACT_FINISH,     /* loose: its removal is recorded, and was not carried out */
    ACT_NOTE,       /* loose: noted as a stray */
    ACT_CLEAR,      /* loose: a stray is removed */
};

struct janitor_action {
    enum janitor_act act;
    struct box *box; /* one of these four, as above */
    struct loose *loose;
    int64_t call;
    const char *log;
    enum box_seen seen; /* ACT_SEEN */
    const char *reason; /* the record's word: "idle", "unused", ... or "" */
    int64_t limit;      /* the number the reason is about; -1: none */
    bool force;         /* even in the middle of a call */
    const char *why;    /* for people */
};

/* "stop", "remove", ...: what an action is called in logs. */
const char *janitor_act_name(enum janitor_act act);

/* Marks what has to be measured before the plan can be made: wants_size, wants_cpu. */
void janitor_wants(struct janitor_facts *f, const struct janitor_limits *l);

/* The actions of a pass, in order; the list and its texts live in the arena. */
const struct janitor_action *janitor_plan(struct janitor_facts *f, const struct janitor_limits *l,
                                          struct arena *a, size_t *ret_count);

#endif
