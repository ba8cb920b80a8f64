#include "config.h"

#include "base/buf.h"
#include "base/field.h"
#include "io/env.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4096, WORD_MAX = 128, HELP_MAX = 65536 };
#define MIB ((int64_t)1048576)

#define TEXT(env, member, ...)                                                                     \
    {                                                                                              \
        .name = "BACKTALK_" env, .type = FIELD_TEXT, .offset = offsetof(struct settings, member),  \
        __VA_ARGS__                                                                                \
    }
#define INT(env, member, ...)                                                                      \
    {                                                                                              \
        .name = "BACKTALK_" env, .type = FIELD_INT, .offset = offsetof(struct settings, member),   \
        __VA_ARGS__                                                                                \
    }

/* To add a setting: a member of struct settings and a row here. */
static const struct field rows[] = {
    TEXT("DATABASE", database, .def_text = "dbname=backtalk user=backtalk_worker", .max = TEXT_MAX,
         .doc = "libpq connection string of the record."),
    TEXT("GATE", gate, .def_text = "/run/backtalk/docker-gate.sock", .max = 107,
         .doc = "Unix socket of the Docker gate."),
    TEXT("JANITOR_DATABASE", janitor_database, .def_text = "dbname=backtalk user=backtalk_janitor",
         .max = TEXT_MAX, .doc = "The same for the janitor."),
    TEXT("JANITOR_GATE", janitor_gate, .def_text = "/run/backtalk/docker-janitor.sock", .max = 107,
         .doc = "Unix socket of the Docker gate for the janitor."),
    TEXT("INSTANCE", instance, .def_text = "backtalk", .max = 64,
         .doc = "Name of this installation: the label of its containers."),
    TEXT("IMAGE", image, .def_text = "backtalk-sandbox:slim", .max = WORD_MAX,
         .doc = "Image of new sandboxes."),
    TEXT("NETWORK", network, .def_text = "backtalk", .max = WORD_MAX,
         .doc = "Docker network of the sandboxes."),
    TEXT("RUNTIME", runtime, .def_text = "", .max = WORD_MAX,
         .doc = "Container runtime, e.g. runsc; empty: the engine's own."),
    TEXT("LANGUAGES", languages, .def_text = PKGDATADIR "/languages.json", .max = TEXT_MAX,
         .doc = "The languages of run_code."),
    TEXT("ORIGINS", origins_text, .def_text = "", .max = TEXT_MAX,
         .doc = "Origins of web pages that may call, separated by spaces; empty: none."),
    INT("MEMORY_MIB", memory_mib, .min = 16, .max = 1048576, .def = 256, .unit = "MiB",
        .doc = "Memory of a sandbox."),
    INT("SWAP_MIB", swap_mib, .min = 16, .max = 1048576, .def = 1024, .unit = "MiB",
        .doc = "Memory and swap of a sandbox together."),
    INT("CPUS_MILLI", cpus_milli, .min = 50, .max = 1024000, .def = 1000, .unit = "thousandths",
        .doc = "Processor time of a sandbox; 1000 is one CPU."),
    INT("CPU_SHARES", cpu_shares, .min = 2, .max = 262144, .def = 128,
        .doc = "Weight of a sandbox when processors are short."),
    INT("PIDS", pids, .min = 16, .max = 4194304, .def = 512,
        .doc = "Processes and threads of a sandbox."),
    INT("DISK_MIB", disk_mib, .min = 64, .max = 1073741824, .def = 2048, .unit = "MiB",
        .doc = "Disk of a sandbox: told of from 80 % on, stopped over it, removed at 150 %."),
    INT("IDLE_S", idle_s, .min = 1, .max = 31536000, .def = 3600, .unit = "s",
        .doc = "A sandbox not used for this long is stopped."),
    INT("WORK_S", work_s, .min = 0, .max = 31536000, .def = 86400, .unit = "s",
        .doc = "Background work keeps a sandbox running for this long after the last call."),
    INT("UNUSED_S", unused_s, .min = 1, .max = 3153600000, .def = 1209600, .unit = "s",
        .doc = "A sandbox not used for this long is removed."),
    INT("KEPT", kept, .min = 1, .max = 100000, .def = 50,
        .doc = "Sandboxes kept, running or not; the longest unused are removed."),
    INT("KEPT_MIB", kept_mib, .min = 64, .max = 1073741824, .def = 10240, .unit = "MiB",
        .doc = "Disk of all sandboxes together; the longest unused are removed."),
    INT("TIMEOUT_S", timeout_s, .min = 1, .max = 86400, .def = 300, .unit = "s",
        .doc = "How long a command may run when the call does not say."),
    INT("TIMEOUT_MAX_S", timeout_max_s, .min = 1, .max = 86400, .def = 1800, .unit = "s",
        .doc = "The longest a call may ask for."),
    INT("WORKERS", workers, .min = 1, .max = 256, .def = 8,
        .doc = "Worker processes: as many tool calls run at once."),
    INT("WAIT_S", wait_s, .min = 0, .max = 86400, .def = 120, .unit = "s",
        .doc = "How long a call waits for an earlier one of its chat."),
    INT("STREAM_CHARS", stream_chars, .min = 200, .max = 16000, .def = 4000, .unit = "characters",
        .doc = "What a result shows of each output stream."),
    INT("CONTENT_MAX_BYTES", content_max_bytes, .min = 1024, .max = 64 * MIB, .def = 8 * MIB,
        .unit = "bytes", .doc = "Largest file, program or input of a call."),
    INT("BODY_MAX_BYTES", body_max_bytes, .min = 4096, .max = 1024 * MIB, .def = 32 * MIB,
        .unit = "bytes", .doc = "Largest HTTP body."),
    TEXT("LOG", log_name, .def_text = "info", .choices = "error warning info debug",
         .max = WORD_MAX, .doc = "How much is logged."),
};

static const char *
from_environment(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

/* These go into JSON and into the gate's pattern as they are. */
static bool
check_word(const char *name, const char *text, const char *more, struct fault *f)
{
    for (const char *p = text; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
              strchr(more, *p)))
            return fault_set(f, FAULT_INTERNAL,
                             "BACKTALK_%s is \"%.40s\"; it may hold letters, digits and %s only.",
                             name, text, more);
    return true;
}

static bool
check_pair(const char *low, int64_t n, const char *high, int64_t limit, struct fault *f)
{
    return n <= limit || fault_set(f, FAULT_INTERNAL,
                                   "BACKTALK_%s is %" PRId64 "; it may not be over BACKTALK_%s, "
                                   "which is %" PRId64 ".",
                                   low, n, high, limit);
}

static bool
check(const struct settings *s, struct fault *f)
{
    return check_word("INSTANCE", s->instance, "._-", f) &&
           check_word("IMAGE", s->image, "._:/@-", f) &&
           check_word("NETWORK", s->network, "._-", f) &&
           check_word("RUNTIME", s->runtime, "._-", f) &&
           check_pair("MEMORY_MIB", s->memory_mib, "SWAP_MIB", s->swap_mib, f) &&
           check_pair("TIMEOUT_S", s->timeout_s, "TIMEOUT_MAX_S", s->timeout_max_s, f) &&
           check_pair("CONTENT_MAX_BYTES", s->content_max_bytes, "BODY_MAX_BYTES",
                      s->body_max_bytes, f);
}

static const char *const *
split(const char *text, struct arena *a)
{
    const char **list = arena_alloc(a, (strlen(text) / 2 + 2) * sizeof *list);
    size_t n = 0;

    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        size_t len = strcspn(text, " \t");

        list[n++] = arena_strndup(a, text, len);
        text += len;
    }
    list[n] = NULL;
    return list;
}

static enum log_level
level_of(const char *name)
{
    switch (name[0]) {
    case 'e':
        return LOG_LINE_ERROR;
    case 'w':
        return LOG_LINE_WARNING;
    case 'd':
        return LOG_LINE_DEBUG;
    default:
        return LOG_LINE_INFO;
    }
}

static bool
read_rows(const struct field *list, size_t count, const char *(*get)(void *ctx, const char *name),
          void *ctx, struct arena *a, void *out, struct fault *f)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = get(ctx, list[i].name);

        if (text && text[0] == '\0')
            text = NULL;
        if (!field_read(&list[i], list[i].name, text, a, out, f))
            return false;
    }
    return true;
}

bool
settings_read(struct settings *ret, const char *(*get)(void *ctx, const char *name), void *ctx,
              struct arena *a, struct fault *f)
{
    struct settings s = {0};

    if (!read_rows(rows, COUNT_OF(rows), get, ctx, a, &s, f) || !check(&s, f))
        return false;
    s.origins = split(s.origins_text, a);
    s.log = level_of(s.log_name);
    *ret = s;
    return true;
}

bool
settings_load(struct settings *ret, struct arena *a, struct fault *f)
{
    return settings_read(ret, from_environment, NULL, a, f);
}

static const char *
help_of(const struct field *list, size_t count, struct arena *a)
{
    struct buf out;

    buf_init(&out, a, HELP_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct field *d = &list[i];

        buf_printf(&out, "  %s\n      %s\n", d->name, d->doc);
        if (d->type == FIELD_INT)
            buf_printf(&out, "      Default %" PRId64 "; %" PRId64 " to %" PRId64 "%s%s.\n", d->def,
                       d->min, d->max, d->unit ? " " : "", d->unit ? d->unit : "");
        else if (d->choices)
            buf_printf(&out, "      Default %s; one of: %s.\n", d->def_text, d->choices);
        else if (d->def_text[0])
            buf_printf(&out, "      Default %s\n", d->def_text);
    }
    return buf_text(&out);
}

const char *
settings_help(struct arena *a)
{
    return help_of(rows, COUNT_OF(rows), a);
}

/* ---- backtalk-reply ---------------------------------------------------------------------------
 */

#define REPLY_TEXT(env, member_, ...)                                                              \
    {                                                                                              \
        .name = "BACKTALK_" env, .type = FIELD_TEXT,                                               \
        .offset = offsetof(struct reply_settings, member_), __VA_ARGS__                            \
    }
#define REPLY_INT(env, member_, ...)                                                               \
    {                                                                                              \
        .name = "BACKTALK_" env, .type = FIELD_INT,                                                \
        .offset = offsetof(struct reply_settings, member_), __VA_ARGS__                            \
    }

/* To add a setting of backtalk-reply: a member of struct reply_settings and a row here. */
static const struct field reply_rows[] = {
    REPLY_TEXT("UPSTREAM", upstream, .def_text = "http://127.0.0.1:8081/v1", .max = TEXT_MAX,
               .doc = "Address of the model server's API, up to its /v1."),
    REPLY_TEXT("UPSTREAM_KEY", upstream_key, .def_text = "", .max = TEXT_MAX,
               .doc = "Key the model server wants; clients never see it. Empty: none is sent."),
    REPLY_INT("UPSTREAM_TIMEOUT_S", timeout_s, .min = 1, .max = 86400, .def = 1800, .unit = "s",
              .doc = "How long the model server may say nothing."),
    REPLY_INT("REPLY_WORKERS", workers, .min = 1, .max = 256, .def = 8,
              .doc = "Worker processes: as many answers are passed on at once."),
    REPLY_TEXT("REPLY_DATABASE", database, .def_text = "dbname=backtalk user=backtalk_reply",
               .max = TEXT_MAX, .doc = "libpq connection string of the record."),
    REPLY_TEXT("LANGUAGES", languages, .def_text = PKGDATADIR "/languages.json", .max = TEXT_MAX,
               .doc = "The languages of run_code."),
    REPLY_INT("CONTENT_MAX_BYTES", content_max_bytes, .min = 1024, .max = 64 * MIB, .def = 8 * MIB,
              .unit = "bytes", .doc = "Largest file, program or input of a call."),
    REPLY_INT("BODY_MAX_BYTES", body_max_bytes, .min = 4096, .max = 1024 * MIB, .def = 32 * MIB,
              .unit = "bytes", .doc = "Largest HTTP body."),
    REPLY_TEXT("LOG", log_name, .def_text = "info", .choices = "error warning info debug",
               .max = WORD_MAX, .doc = "How much is logged."),
};

/* An address that curl takes as it is, and that a target can follow. */
static bool
check_upstream(const char *url, struct fault *f)
{
    bool good = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;

    for (const char *p = url; *p; p++)
        good = good && *p > ' ' && *p <= '~' && !strchr("?#@\"<>\\", *p);
    return good || fault_set(f, FAULT_INTERNAL,
                             "BACKTALK_UPSTREAM is \"%.100s\"; it must be http://HOST:PORT/v1 or "
                             "https://HOST/v1.",
                             url);
}

bool
reply_settings_read(struct reply_settings *ret, const char *(*get)(void *ctx, const char *name),
                    void *ctx, struct arena *a, struct fault *f)
{
    struct reply_settings s = {0};
    size_t len;

    if (!read_rows(reply_rows, COUNT_OF(reply_rows), get, ctx, a, &s, f) ||
        !check_upstream(s.upstream, f))
        return false;
    for (const char *p = s.upstream_key; *p; p++)
        if (*p <= ' ' || *p > '~') /* not shown: it is a secret */
            return fault_set(f, FAULT_INTERNAL,
                             "BACKTALK_UPSTREAM_KEY may hold printable ASCII without blanks only.");
    len = strlen(s.upstream);
    while (len > 0 && s.upstream[len - 1] == '/')
        len--;
    s.upstream = arena_strndup(a, s.upstream, len);
    s.log = level_of(s.log_name);
    *ret = s;
    return true;
}

bool
reply_settings_load(struct reply_settings *ret, struct arena *a, struct fault *f)
{
    return reply_settings_read(ret, from_environment, NULL, a, f);
}

const char *
reply_settings_help(struct arena *a)
{
    return help_of(reply_rows, COUNT_OF(reply_rows), a);
}

const struct create_spec *
settings_create_spec(const struct settings *s, struct arena *a)
{
    struct create_spec *spec = arena_alloc(a, sizeof *spec);

    *spec = (struct create_spec){
        .instance = s->instance,
        .image = s->image,
        .network = s->network,
        .memory_bytes = s->memory_mib * MIB,
        .memory_swap_bytes = s->swap_mib * MIB,
        .nano_cpus = s->cpus_milli * 1000000,
        .cpu_shares = s->cpu_shares,
        .pids = s->pids,
        .runtime = s->runtime,
    };
    return spec;
}
