/* janitor_store.h - the record for the janitor: SQL functions of schema backtalk
 * (sql/functions/janitor_*.sql, where their contracts are). FAULT_RECORD: cannot be reached. */
#ifndef IO_JANITOR_STORE_H
#define IO_JANITOR_STORE_H

#include "base/arena.h"
#include "base/fault.h"
#include <stddef.h>
#include <stdint.h>

struct janitor_store;

/* Does not connect yet; conninfo is copied. Never NULL. */
struct janitor_store *janitor_store_new(const char *conninfo);
void janitor_store_free(struct janitor_store *s);

/* Begins a pass. *ret_mine false: another one is under way. disk_limit_bytes -1: nothing is
 * written. */
bool janitor_store_lock(struct janitor_store *s, int64_t disk_limit_bytes, bool *ret_mine,
                        struct fault *f) MUST_CHECK;
/* Ends the session, and with it every lock it holds. */
void janitor_store_unlock(struct janitor_store *s);
/* names: an array of container names as PostgreSQL writes it; the answer is JSON, in the arena. */
bool janitor_store_snapshot(struct janitor_store *s, const char *names, struct arena *a,
                            const char **ret_json, struct fault *f) MUST_CHECK;

/* Calls the function janitor_NAME, which answers yes or no (void: yes), with at most 6 texts, NULL
 * for SQL NULL. */
bool janitor_store_call(struct janitor_store *s, const char *name, size_t count,
                        const char *const *texts, bool *ret_yes, struct fault *f) MUST_CHECK;

#endif
