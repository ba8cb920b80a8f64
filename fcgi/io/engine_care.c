#include "config.h"

#include "base/buf.h"
#include "io/engine_care.h"
#include "io/engine_parts.h"
#include <json-c/json.h>
#include <string.h>
#include <time.h>

enum { COMMAND_CHARS = 120, RUNNING_MAX = 1000 };

static bool
get(struct engine *e, const char *path, struct arena *a, struct http_answer *ret, struct fault *f)
{
    return engine_negotiate(e, a, f) && engine_ask(e, "GET", path, NULL, a, ret, f);
}

/* What lies under a path of keys ("a.b"), borrowed; NULL when there is nothing. */
static struct json_object *
under(struct json_object *root, const char *first, const char *second)
{
    struct json_object *one = NULL, *two = NULL;

    if (!json_object_is_type(root, json_type_object) ||
        !json_object_object_get_ex(root, first, &one) || !second)
        return one;
    if (json_object_is_type(one, json_type_object))
        json_object_object_get_ex(one, second, &two);
    return two;
}

bool
engine_list(struct engine *e, struct arena *a, const char **ret_json, struct fault *f)
{
    const char *path = arena_printf(a,
                                    "/containers/json?all=1&filters=%%7B%%22label%%22%%3A%%5B%%22"
                                    "backtalk.instance%%3D%s%%22%%5D%%7D",
                                    e->spec->instance);
    struct http_answer answer;

    if (!get(e, path, a, &answer, f))
        return false;
    if (answer.status != 200)
        return engine_refused(f, "list", &answer);
    *ret_json = answer.body;
    return true;
}

/* "2026-11-29T22:29:41.058859142Z"; the engine's "never" is the year 1. */
static int64_t
epoch_of(const char *text)
{
    struct tm tm = {0};

    if (!text || strncmp(text, "0001-", 5) == 0 || !strptime(text, "%Y-%m-%dT%H:%M:%S", &tm))
        return -1;
    return (int64_t)timegm(&tm);
}

bool
engine_inspect(struct engine *e, const char *container, bool with_size, struct arena *a,
               struct engine_look *ret, struct fault *f)
{
    const char *path =
        arena_printf(a, "/containers/%s/json%s", container, with_size ? "?size=1" : "");
    own_json struct json_object *root = NULL;
    struct json_object *size, *finished, *running;
    struct http_answer answer;

    if (!get(e, path, a, &answer, f))
        return false;
    *ret = (struct engine_look){.exists = answer.status == 200, .size_bytes = -1, .finished = -1};
    if (answer.status == 404)
        return true;
    root = json_tokener_parse(answer.body);
    if (answer.status != 200 || !root)
        return engine_refused(f, "inspect", &answer);
    size = under(root, "SizeRw", NULL);
    finished = under(root, "State", "FinishedAt");
    running = under(root, "State", "Running");
    ret->runs = running && json_object_get_boolean(running);
    if (with_size)
        ret->size_bytes = size ? json_object_get_int64(size) : 0;
    if (finished)
        ret->finished = epoch_of(json_object_get_string(finished));
    return true;
}

bool
engine_cpu(struct engine *e, const char *container, struct arena *a, int64_t *ret_ns,
           struct fault *f)
{
    const char *path =
        arena_printf(a, "/containers/%s/stats?stream=false&one-shot=true", container);
    own_json struct json_object *root = NULL;
    struct json_object *usage, *total;
    struct http_answer answer;

    if (!get(e, path, a, &answer, f))
        return false;
    root = json_tokener_parse(answer.body);
    usage = under(root, "cpu_stats", "cpu_usage");
    total = under(usage, "total_usage", NULL);
    if (answer.status != 200 || !total)
        return engine_refused(f, "measure", &answer);
    *ret_ns = json_object_get_int64(total);
    return true;
}

/* The command lines of `top`, without the agent's and without kernel words in brackets. */
static const char *
commands_of(struct json_object *rows, struct arena *a)
{
    struct buf b;

    buf_init(&b, a, RUNNING_MAX);
    for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
        struct json_object *row = json_object_array_get_idx(rows, i);
        size_t n = json_object_is_type(row, json_type_array) ? json_object_array_length(row) : 0;
        const char *command =
            n > 1 ? json_object_get_string(json_object_array_get_idx(row, n - 1)) : NULL;

        if (!command || strstr(command, "backtalk-agent") || strstr(command, "<defunct>"))
            continue;
        buf_printf(&b, "%s%.*s", b.len ? "\n" : "", COMMAND_CHARS, command);
    }
    return buf_text(&b);
}

const char *
engine_running(struct engine *e, const char *container, struct arena *a)
{
    const char *path = arena_printf(
        a, "/containers/%s/top?ps_args=-eo%%20pid,etimes,args%%20--sort=-etimes", container);
    own_json struct json_object *root = NULL;
    struct json_object *rows;
    struct http_answer answer;
    struct fault ignored;

    if (!get(e, path, a, &answer, &ignored) || answer.status != 200)
        return NULL;
    root = json_tokener_parse(answer.body);
    rows = under(root, "Processes", NULL);
    return json_object_is_type(rows, json_type_array) ? commands_of(rows, a) : NULL;
}

bool
engine_stop(struct engine *e, const char *container, struct arena *a, struct fault *f)
{
    const char *path = arena_printf(a, "/containers/%s/stop?t=5", container);
    struct http_answer answer;

    if (!engine_negotiate(e, a, f) || !engine_ask(e, "POST", path, NULL, a, &answer, f))
        return false;
    if (answer.status == 204 || answer.status == 304 || answer.status == 404)
        return true;
    return engine_refused(f, "stop", &answer);
}
