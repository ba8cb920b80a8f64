/* hints.h - sentences for results that do not say what they mean: which rules fire on a call,
 * what to look up in its machine, and what to say then. Pure.
 *
 * Two steps around one look into the machine. hints_look() tells which rules fire and writes one
 * bash script that looks up the facts they need; hints_say() reads the script's output and makes
 * at most two sentences of it. A rule whose facts do not hold says nothing, and the next one gets
 * its place. Rules are rows: hint_rule.h. */
#ifndef CORE_HINTS_H
#define CORE_HINTS_H

#include "base/arena.h"
#include "core/judge.h"
#include "core/observation.h"
#include "core/plan.h"

enum {
    HINTS_SAID_MAX = 2,
    HINTS_PROBE_MS = 2000,    /* the script ends within this time: kill it then */
    HINTS_PROBE_BYTES = 16000 /* of its stdout are read */
};

struct hint_look;

struct hint_set {
    /* Text for `bash -c`, in /work, as root, with the machine's own environment and no stdin; it
     * changes nothing in the machine. NULL: nothing has to be looked up. */
    const char *probe;
    struct hint_look *look; /* for hints_say */
};

/* Which rules fire on the call. switched_off: ids of rules that must not, blank-separated, or "".
 * The plan and the observation must live until hints_say. */
void hints_look(const struct plan *p, const struct observation *o, const struct judgement *j,
                const char *switched_off, struct arena *a, struct hint_set *ret);

/* The sentences, without brackets, and the ids of the rules that say them: both arrays are
 * NULL-ended. probe_out: what the script printed on stdout; NULL when it did not run. Returns how
 * many there are. */
size_t hints_say(const struct hint_set *s, const char *probe_out, size_t len, struct arena *a,
                 const char *ret_texts[HINTS_SAID_MAX + 1],
                 const char *ret_ids[HINTS_SAID_MAX + 1]);

/* Ids of the rules that fired, whether or not they have something to say. NULL-ended. */
const char *const *hints_fired(const struct hint_set *s, struct arena *a);

/* Ids of all rules, in the order they are asked. NULL-ended. */
const char *const *hints_rules(struct arena *a);

#endif
