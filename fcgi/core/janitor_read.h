/* janitor_read.h - what the engine's list of containers and the record's snapshot say, as the facts
 * of a janitor's plan. Pure. */
#ifndef CORE_JANITOR_READ_H
#define CORE_JANITOR_READ_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/janitor_plan.h"

/* One container of the engine's list. */
struct container {
    const char *name, *image, *member_label;
    int64_t created; /* seconds since 1970 */
    enum box_seen seen;
};

/* The answer to GET /containers/json, those with names of ours (bt-<32 hex>). False: FAULT_ENGINE,
 * it is not such an answer. */
bool janitor_read_list(const char *json, struct arena *a, const struct container **ret,
                       size_t *ret_count, struct fault *f) MUST_CHECK;

/* The names as an array for PostgreSQL. */
const char *janitor_names(const struct container *list, size_t count, struct arena *a);

/* What janitor_snapshot (sql/functions) said, joined with the list; `image` is what new machines
 * are made from. False: FAULT_RECORD, it is no snapshot. */
bool janitor_read_record(const char *json, const struct container *list, size_t count,
                         const char *image, struct arena *a, struct janitor_facts *ret,
                         struct fault *f) MUST_CHECK;

#endif
