/* env.h - the settings of the programs: environment variables BACKTALK_*, described by
 * one table a program that reads them, checks them and documents them. An empty variable
 * counts as unset. Only this file calls getenv(3). */
#ifndef IO_ENV_H
#define IO_ENV_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/log.h"
#include "core/create.h"
#include <stdint.h>

struct settings {
    const char *database; /* libpq connection string */
    const char *gate;     /* unix socket of the Docker gate */
    const char *janitor_database, *janitor_gate;
    const char *instance; /* tells this installation's containers from others */
    const char *image, *network;
    const char *runtime;          /* "" = the engine's default */
    const char *languages;        /* path of languages.json */
    const char *const *origins;   /* NULL-ended */
    int64_t memory_mib, swap_mib; /* swap_mib: memory and swap together */
    int64_t cpus_milli, cpu_shares, pids, disk_mib;
    int64_t idle_s, work_s, unused_s, kept, kept_mib; /* what the janitor keeps to */
    int64_t timeout_s, timeout_max_s, wait_s, workers;
    int64_t stream_chars, content_max_bytes, body_max_bytes;
    enum log_level log;

    const char *origins_text, *log_name; /* as they were given */
};

/* Reads the environment. Strings live in `a`. False: FAULT_INTERNAL, naming the variable, its value
 * and what is allowed. */
bool settings_load(struct settings *ret, struct arena *a, struct fault *f) MUST_CHECK;
/* The same from any source of values: get(ctx, "BACKTALK_...") gives the text or NULL. */
bool settings_read(struct settings *ret, const char *(*get)(void *ctx, const char *name), void *ctx,
                   struct arena *a, struct fault *f) MUST_CHECK;
/* The table as text for --help: name, meaning, default, range. */
const char *settings_help(struct arena *a);

/* What backtalk-reply is told; its own table, read in the same way. */
struct reply_settings {
    const char *database;     /* libpq connection string */
    const char *upstream;     /* http(s)://HOST[:PORT]/v1, without a slash at its end */
    const char *upstream_key; /* "" = none */
    const char *languages;    /* path of languages.json */
    int64_t workers, timeout_s, body_max_bytes, content_max_bytes;
    enum log_level log;

    const char *log_name; /* as it was given */
};
bool reply_settings_load(struct reply_settings *ret, struct arena *a, struct fault *f) MUST_CHECK;
bool reply_settings_read(struct reply_settings *ret,
                         const char *(*get)(void *ctx, const char *name), void *ctx,
                         struct arena *a, struct fault *f) MUST_CHECK;
const char *reply_settings_help(struct arena *a);

/* What a sandbox is made from; borrows the settings' strings. */
const struct create_spec *settings_create_spec(const struct settings *s, struct arena *a);

#endif
