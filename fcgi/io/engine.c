#include "config.h"

#include "base/clock.h"
#include "io/attach.h"
#include "io/engine_parts.h"
#include "io/talk.h"
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    QUICK_MS = 1500,   /* a question about what exists */
    SLOW_MS = 30000,   /* create, start, remove: disk work on a small machine */
    NEWEST_MINOR = 52, /* API 1.52: the newest version this was written against */
    REJOIN_MS = 10000, /* for the gate or the engine to come back in the middle of a call */
    REJOIN_PAUSE_MS = 100,
};

struct engine *
engine_new(const char *socket_path, const struct create_spec *spec)
{
    struct engine *e = calloc(1, sizeof *e);

    if (!e || !(e->socket_path = strdup(socket_path)))
        abort();
    e->spec = spec;
    e->http = http_new(socket_path);
    return e;
}

void
engine_free(struct engine *e)
{
    if (!e)
        return;
    http_free(e->http);
    free(e->socket_path);
    free(e);
}

/* ---- words ---------------------------------------------------------------------------- */

static const char again[] = "Nothing was run. Wait a minute, then send the same call again.";

static bool
unreachable(struct engine *e, struct fault *f)
{
    e->prefix[0] = '\0';
    fault_set(f, FAULT_ENGINE,
              "The machine cannot be reached: the container engine does not answer.");
    fault_hint(f, "%s", again);
    return false;
}

/* The engine's own reason, for the log. */
static void
engine_says(struct fault *f, const char *what, const struct http_answer *answer)
{
    own_json struct json_object *root = json_tokener_parse(answer->body);
    struct json_object *message = NULL;

    if (root && json_object_is_type(root, json_type_object))
        json_object_object_get_ex(root, "message", &message);
    snprintf(f->detail, sizeof f->detail, "%s: %ld %s", what, answer->status,
             message ? json_object_get_string(message) : answer->body);
}

bool
engine_refused(struct fault *f, const char *what, const struct http_answer *answer)
{
    fault_set(f, FAULT_ENGINE,
              "The machine could not be prepared: the container engine refused "
              "to %s it.",
              what);
    fault_hint(f, "Nothing was run. The operator finds the reason in the log of backtalk-fcgi.");
    engine_says(f, what, answer);
    return false;
}

/* ---- requests ------------------------------------------------------------------------- */

/* The engine's newest version that we know, asked for once a connection's life: engines refuse
 * versions that are too old as well as those that are too new. */
bool
engine_negotiate(struct engine *e, struct arena *a, struct fault *f)
{
    struct http_answer answer;
    own_json struct json_object *root = NULL;
    struct json_object *version = NULL;
    int minor = 0;

    if (e->prefix[0])
        return true;
    if (!http_ask(e->http, "GET", "/version", NULL, clock_ms() + QUICK_MS, a, &answer, f))
        return unreachable(e, f);
    root = json_tokener_parse(answer.body);
    if (root && json_object_is_type(root, json_type_object) &&
        json_object_object_get_ex(root, "ApiVersion", &version) &&
        sscanf(json_object_get_string(version), "1.%d", &minor) == 1 && minor > 0) {
        snprintf(e->prefix, sizeof e->prefix, "/v1.%d",
                 minor < NEWEST_MINOR ? minor : NEWEST_MINOR);
        return true;
    }
    unreachable(e, f);
    engine_says(f, "version", &answer);
    return false;
}

bool
engine_ask(struct engine *e, const char *method, const char *path, const char *json,
           struct arena *a, struct http_answer *ret, struct fault *f)
{
    const char *whole = arena_printf(a, "%s%s", e->prefix, path);

    if (!http_ask(e->http, method, whole, json, clock_ms() + SLOW_MS, a, ret, f))
        return unreachable(e, f);
    return true;
}

/* 201 made, 409 somebody else made it meanwhile: ours either way, the name says whose it is. */
static bool
create(struct engine *e, const struct engine_call *c, struct arena *a, struct fault *f)
{
    const char *path = arena_printf(a, "/containers/create?name=%s", c->container);
    struct http_answer answer;

    if (!engine_ask(e, "POST", path, create_body(e->spec, c->member_label, a), a, &answer, f))
        return false;
    if (answer.status == 201 || answer.status == 409)
        return true;
    engine_refused(f, "create", &answer);
    if (answer.status == 404) {
        fault_set(f, FAULT_ENGINE,
                  "The machine could not be made: its image %s is missing on the "
                  "host.",
                  e->spec->image);
        fault_hint(f, "Nothing was run. The operator builds it with sandbox-image/build.sh.");
        engine_says(f, "create", &answer);
    }
    return false;
}

/* A stopped container remembers its network by number. When the network was made again, as after
 * the host's networks were pruned, it is connected to the one that has the name now. */
static bool
reconnect(struct engine *e, const struct engine_call *c, struct arena *a, struct fault *f)
{
    const char *path = arena_printf(a, "/networks/%s/connect", e->spec->network);
    const char *body = arena_printf(a, "{\"Container\":\"%s\"}", c->container);
    struct http_answer answer;

    if (!engine_ask(e, "POST", path, body, a, &answer, f))
        return false;
    return answer.status == 200 || engine_refused(f, "connect the network of", &answer);
}

static bool
start_once(struct engine *e, const struct engine_call *c, struct arena *a, struct http_answer *ret,
           struct fault *f)
{
    const char *path = arena_printf(a, "/containers/%s/start", c->container);

    return engine_ask(e, "POST", path, NULL, a, ret, f);
}

/* *ret_started: it was stopped before. */
static bool
start(struct engine *e, const struct engine_call *c, struct arena *a, bool *ret_started,
      struct fault *f)
{
    struct http_answer answer;

    if (!start_once(e, c, a, &answer, f))
        return false;
    if (answer.status == 404 && strstr(answer.body, "network ") &&
        (!reconnect(e, c, a, f) || !start_once(e, c, a, &answer, f)))
        return false;
    *ret_started = answer.status == 204;
    if (answer.status == 204 || answer.status == 304)
        return true;
    return engine_refused(f, "start", &answer);
}

static const char *
attach_path(struct engine *e, const struct engine_call *c, struct arena *a)
{
    return arena_printf(a, "%s/containers/%s/attach?stream=1&stdin=1&stdout=1&stderr=1", e->prefix,
                        c->container);
}

/* A stream to the machine's PID 1, making the machine when there is none. Attaching comes before
 * starting: nothing that is sent or said can be missed then. */
static bool
attach(struct engine *e, const struct engine_call *c, struct attach *at, struct arena *a,
       struct engine_seen *seen, struct fault *f)
{
    const char *path = attach_path(e, c, a);

    for (int tries = 0; tries < 2; tries++) {
        long status = 0;

        if (!attach_open(at, e->socket_path, path, clock_ms() + QUICK_MS, &status, f))
            return unreachable(e, f);
        if (status == 101 || status == 200)
            return true;
        if (status != 404) {
            struct http_answer answer = {.status = status, .body = ""};

            return engine_refused(f, "attach to", &answer);
        }
        if (tries > 0 || !create(e, c, a, f))
            break;
        seen->created = true;
    }
    if (seen->created)
        return unreachable(e, f);
    return false;
}

static bool
go_on(void *ctx, const char *last_line, uint64_t bytes)
{
    (void)ctx;
    (void)last_line;
    (void)bytes;
    return true;
}

/* Asks the machine what the caller wants to know of it now that the plan has been carried out. That
 * the look fails is no failure of the call. */
static void
look(const struct engine_call *c, struct attach *at, struct arena *a, struct engine_seen *seen)
{
    const char *script = c->look ? c->look(c->ctx, &seen->seen) : NULL;
    const char *argv[] = {"bash", "-c", script, NULL};
    const struct engine_call how = {
        .nonce = c->nonce ^ UINT64_C(1) << 62, .quiet = true, .tick = go_on};
    struct engine_seen looked = {0};
    struct plan p = {.kind = PLAN_STEPS, .step_count = 1};
    const struct stream *out = &looked.seen.steps[0].out;
    struct fault ignored;

    p.steps[0] = (struct plan_step){.role = STEP_RUN,
                                    .shown = "",
                                    .argv = argv,
                                    .cwd = "/work",
                                    .timeout_ms = c->look_ms,
                                    .head_bytes = c->look_bytes};
    if (!script || !talk(at, &how, &p, a, &looked, &ignored))
        return;
    seen->looked = out->head;
    seen->looked_len = out->head_len;
}

/* ---- a stream that broke -------------------------------------------------------------- */

enum machine_state { MACHINE_UNKNOWN, MACHINE_RUNS, MACHINE_STOPPED };

static enum machine_state
look_state(struct engine *e, const char *container, struct arena *a)
{
    const char *path = arena_printf(a, "%s/containers/%s/json", e->prefix, container);
    own_json struct json_object *root = NULL;
    struct json_object *state, *running;
    struct http_answer answer;
    struct fault ignored;

    if (!http_ask(e->http, "GET", path, NULL, clock_ms() + QUICK_MS, a, &answer, &ignored))
        return MACHINE_UNKNOWN;
    if (answer.status == 404)
        return MACHINE_STOPPED;
    root = json_tokener_parse(answer.body);
    if (answer.status != 200 || !root || !json_object_object_get_ex(root, "State", &state) ||
        !json_object_object_get_ex(state, "Running", &running))
        return MACHINE_UNKNOWN;
    return json_object_get_boolean(running) ? MACHINE_RUNS : MACHINE_STOPPED;
}

static bool
machine_stopped(struct engine_seen *seen, struct fault *f)
{
    seen->stopped = true;
    if (seen->accepted) {
        fault_set(f, FAULT_ENGINE,
                  "The machine stopped in the middle of this call, so its result "
                  "is not known. What it was running was killed.");
        fault_hint(f, "Files written before that are kept. Look at what is there, then send the "
                      "call again: the machine starts by itself.");
    } else {
        fault_set(f, FAULT_ENGINE, "The machine stopped before this call reached it.");
        fault_hint(f, "Nothing was run. Send the same call again: the machine starts by itself.");
    }
    return false;
}

static bool
attach_anew(struct engine *e, const struct engine_call *c, struct attach *at, struct arena *a)
{
    struct fault ignored;
    long status = 0;

    attach_close(at);
    return attach_open(at, e->socket_path, attach_path(e, c, a), clock_ms() + QUICK_MS, &status,
                       &ignored) &&
           (status == 101 || status == 200);
}

/* The gate or the engine was restarted, or the machine stopped. While it runs the call goes on: it
 * is sent again over a new stream, and the agent runs a call that comes twice only once. *f holds
 * what is to be said if nothing helps. */
static bool
rejoin(struct engine *e, const struct engine_call *c, const struct plan *p, struct attach *at,
       struct arena *a, struct engine_seen *ret, struct fault *f)
{
    const struct timespec pause = {.tv_nsec = REJOIN_PAUSE_MS * 1000000L};
    int64_t until_ms = clock_ms() + REJOIN_MS;

    while (clock_ms() < until_ms) {
        enum machine_state state = look_state(e, c->container, a);

        if (state == MACHINE_STOPPED)
            return machine_stopped(ret, f);
        if (state == MACHINE_RUNS && attach_anew(e, c, at, a)) {
            ret->broken = false;
            if (talk(at, c, p, a, ret, f))
                return true;
            if (!ret->broken) /* it may have stopped before the new stream */
                return look_state(e, c->container, a) == MACHINE_STOPPED ? machine_stopped(ret, f)
                                                                         : false;
        }
        c->tick(c->ctx, "", 0); /* the client is told that we live; a cancel is heard by talk() */
        nanosleep(&pause, NULL);
    }
    return false;
}

bool
engine_run(struct engine *e, const struct engine_call *c, const struct plan *p, struct arena *a,
           struct engine_seen *ret, struct fault *f)
{
    struct attach *at = arena_alloc(a, sizeof *at);
    bool started = false, done;

    *ret = (struct engine_seen){0};
    at->fd = -1;
    if (!engine_negotiate(e, a, f) || !attach(e, c, at, a, ret, f))
        return false;
    done = start(e, c, a, &started, f);
    if (done) {
        ret->reached = true;
        ret->resumed = started && !ret->created;
        done = talk(at, c, p, a, ret, f) || (ret->broken && rejoin(e, c, p, at, a, ret, f));
        if (done)
            look(c, at, a, ret);
    }
    attach_close(at);
    return done;
}

bool
engine_remove(struct engine *e, const char *container, struct fault *f)
{
    struct arena *a = arena_new(4096);
    const char *path = arena_printf(a, "/containers/%s?force=1&v=1", container);
    struct http_answer answer;
    bool done = engine_negotiate(e, a, f) && engine_ask(e, "DELETE", path, NULL, a, &answer, f);

    if (done && answer.status != 204 && answer.status != 404)
        done = engine_refused(f, "remove", &answer);
    arena_free(a);
    return done;
}
