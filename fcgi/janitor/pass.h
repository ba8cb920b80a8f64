/* pass.h - one pass of the janitor: look, plan, act. */
#ifndef JANITOR_PASS_H
#define JANITOR_PASS_H

#include "core/janitor_plan.h"
#include "io/engine.h"
#include "io/janitor_store.h"
#include <signal.h>

struct janitor {
    struct janitor_limits limits;
    const struct create_spec *spec;
    struct janitor_store *store;
    struct engine *engine;
    bool dry_run;                       /* plan, and change nothing */
    const volatile sig_atomic_t *leave; /* set: no further action is begun */
};

enum pass_end {
    PASS_DONE,
    PASS_BUSY,      /* another pass is under way: nothing was done */
    PASS_FAILED,    /* some actions could not be carried out; the next pass tries again */
    PASS_NO_ENGINE, /* nothing was done */
    PASS_NO_RECORD, /* nothing was done, or nothing more */
};

enum deed_end { DEED_PLANNED, DEED_DONE, DEED_SKIPPED, DEED_FAILED };

/* What became of an action. */
struct deed {
    const struct janitor_action *action;
    enum deed_end end;
    const char *trouble; /* DEED_FAILED: why */
};

struct pass {
    enum pass_end end;
    struct fault fault; /* PASS_NO_ENGINE, PASS_NO_RECORD */
    size_t machines;    /* live sandboxes in the record */
    struct deed *deeds;
    size_t deed_count, done, failed;
    int64_t took_ms;
};

/* Everything in *ret lives in the arena. */
void pass_run(struct janitor *j, struct arena *a, struct pass *ret);

#endif
