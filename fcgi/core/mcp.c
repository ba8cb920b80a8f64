#include "config.h"

#include "core/mcp.h"
#include "core/json_text.h"
#include "core/mcp_era.h"
#include "core/rpc.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    LIST_TTL_MS = 300000, /* how long a client may keep tools/list and server/discover */
    PARTS_MAX = 4096,     /* bytes of the fixed parts of a result */
};

/* ---- reading a body --------------------------------------------------------------------- */

/* What core/mcp needs of one message beyond the envelope. */
static void
fill(const struct http_request *q, const struct rpc_message *r, struct arena *a,
     struct mcp_message *m)
{
    struct slice_member in_params[] = {{.name = "_meta"}, {.name = "requestId"}};
    struct slice_member in_meta[] = {{.name = "progressToken"}};
    struct slice meta;

    slice_members(r->raw_params, in_params, COUNT_OF(in_params));
    meta = in_params[0].value;
    slice_members(meta, in_meta, COUNT_OF(in_meta));
    *m = (struct mcp_message){
        .era = mcp_era_of(q, r, a),
        .id = r->id,
        .method = r->method,
        .params = r->params,
        .root = r->root,
        .progress_token = rpc_raw(in_meta[0].value, a),
        .cancel_id = rpc_raw(in_params[1].value, a),
    };
    if (r->bad_params)
        m->bad_params = "params must be an object.";
    else if (meta.at && meta.at[0] != '{')
        m->bad_params = "params._meta must be an object.";
    else if (in_meta[0].times > 0 && !m->progress_token)
        m->bad_params = "params._meta.progressToken must be a short string or a number.";
}

static bool
read_one(const struct http_request *q, struct slice text, struct arena *a, struct mcp_messages *ret,
         struct http_reply *ret_reply)
{
    struct rpc_message r;
    const char *id;
    struct fault f;

    if (!rpc_read(text, MCP_DEPTH_MAX, a, &r, &id, &f)) {
        *ret_reply = mcp_refuse(fault_http_status(f.kind), ret->batch ? NULL : id,
                                fault_rpc_code(f.kind), f.message, a);
        return false;
    }
    fill(q, &r, a, &ret->list[ret->count++]);
    return true;
}

/* Batches belong to the revision 2025-03-26 alone; initialize must not be part of one. */
static bool
read_batch(const struct http_request *q, struct slice text, struct arena *a,
           struct mcp_messages *ret, struct http_reply *ret_reply)
{
    const char *version = mcp_header(q->protocol_version, a), *why = NULL;
    struct slice element = {0};
    size_t count = 0;

    while (count <= MCP_BATCH_MAX && slice_next(text, &element))
        count++;
    if (version && strcmp(version, MCP_REVISION_BATCH) != 0)
        why = "Batches are not part of this protocol revision: send one message.";
    else if (count == 0)
        why = "The batch is empty.";
    else if (count > MCP_BATCH_MAX)
        why = "The batch holds more than 16 messages.";
    ret->batch = true;
    element = (struct slice){0};
    while (!why && slice_next(text, &element)) {
        const struct mcp_message *m;

        if (!read_one(q, element, a, ret, ret_reply))
            return false;
        m = &ret->list[ret->count - 1];
        if (m->era == MCP_MODERN)
            why = "A message of this protocol revision cannot be part of a batch.";
        else if (m->method && strcmp(m->method, "initialize") == 0)
            why = "initialize cannot be part of a batch.";
    }
    if (why)
        *ret_reply = mcp_refuse(400, NULL, RPC_CODE_REQUEST, why, a);
    return !why;
}

bool
mcp_read(const struct mcp_server *s, const struct http_request *q, struct arena *a,
         struct mcp_messages *ret, struct http_reply *ret_reply)
{
    struct mcp_messages m = {0};
    struct slice text;
    bool good;

    if (q->body_len > s->body_max_bytes) {
        *ret_reply = mcp_refuse(413, NULL, RPC_CODE_REQUEST, "The request body is too large.", a);
        return false;
    }
    if (!q->body || !slice_check(q->body, q->body_len, MCP_DEPTH_MAX)) {
        *ret_reply = mcp_refuse(400, NULL, RPC_CODE_PARSE,
                                "The request body is not valid JSON, or nested too deeply.", a);
        return false;
    }
    text = slice_value(q->body, q->body_len);
    good = text.at[0] == '[' ? read_batch(q, text, a, &m, ret_reply)
                             : read_one(q, text, a, &m, ret_reply);
    if (!good) {
        mcp_messages_release(&m);
        return false;
    }
    *ret = m;
    return true;
}

void
mcp_messages_release(struct mcp_messages *m)
{
    for (size_t i = 0; i < m->count; i++)
        json_object_put(m->list[i].root);
    m->count = 0;
}

/* ---- results ---------------------------------------------------------------------------- */

/* {"name":...,"version":...} */
static void
add_server_info(struct buf *b, const struct mcp_server *s)
{
    buf_addc(b, '{');
    json_text_member(b, "name", s->name);
    json_text_name(b, "version");
    json_text_string(b, s->version, strlen(s->version));
    buf_addc(b, '}');
}

static void
open_result(struct buf *b, const struct mcp_message *m)
{
    buf_addc(b, '{');
    if (m->era == MCP_MODERN)
        json_text_member(b, "resultType", "complete");
}

/* Ends a result: the response text. */
static const char *
close_result(struct buf *b, const struct mcp_server *s, const struct mcp_message *m,
             struct arena *a)
{
    if (m->era == MCP_MODERN) {
        buf_adds(b, ",\"_meta\":{\"" MCP_META_PREFIX "serverInfo\":");
        add_server_info(b, s);
        buf_addc(b, '}');
    }
    buf_addc(b, '}');
    assert(!b->full);
    return rpc_result(m->id, buf_text(b), a);
}

static void
add_caching(struct buf *b, const struct mcp_message *m)
{
    if (m->era == MCP_MODERN)
        buf_printf(b, ",\"ttlMs\":%d,\"cacheScope\":\"public\"", LIST_TTL_MS);
}

const char *
mcp_result(const struct mcp_server *s, const struct mcp_message *m, const char *text, bool is_error,
           struct arena *a)
{
    size_t len = strlen(text);
    struct buf b;

    buf_init(&b, a, PARTS_MAX + json_text_bound(len));
    open_result(&b, m);
    buf_adds(&b, "\"content\":[{\"type\":\"text\",\"text\":");
    json_text_string(&b, text, len);
    buf_printf(&b, "}],\"isError\":%s", is_error ? "true" : "false");
    return close_result(&b, s, m, a);
}

const char *
mcp_progress(const struct mcp_message *m, double progress, const char *text, struct arena *a)
{
    size_t len = text ? strlen(text) : 0;
    struct buf b;

    if (!m->progress_token)
        return NULL;
    buf_init(&b, a, PARTS_MAX + json_text_bound(len));
    buf_adds(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                 "\"progressToken\":");
    buf_adds(&b, m->progress_token);
    buf_printf(&b, ",\"progress\":%.15g", isfinite(progress) ? progress : 0.0);
    if (len > 0) {
        buf_adds(&b, ",\"message\":");
        json_text_string(&b, text, len);
    }
    buf_adds(&b, "}}");
    return buf_text(&b);
}

/* ---- methods ---------------------------------------------------------------------------- */

struct request {
    const struct mcp_server *server;
    const struct mcp_message *message;
    struct arena *arena;
};

static struct mcp_answer
done(const char *text)
{
    return (struct mcp_answer){.outcome = MCP_DONE, .status = 200, .text = text};
}

static struct mcp_answer
bad_params(const struct request *r, const char *why)
{
    return done(rpc_error(r->message->id, RPC_CODE_PARAMS, why, NULL, r->arena));
}

static struct mcp_answer
do_initialize(const struct request *r)
{
    struct json_object *asked = NULL;
    struct mcp_answer answer;
    const char *version;
    struct buf b;

    json_object_object_get_ex(r->message->params, "protocolVersion", &asked);
    version = rpc_string(asked);
    if (!version || !mcp_era_legacy_revision(version))
        version = MCP_REVISION_LEGACY;
    buf_init(&b, r->arena, PARTS_MAX + json_text_bound(strlen(r->server->instructions)));
    open_result(&b, r->message);
    json_text_member(&b, "protocolVersion", version);
    buf_adds(&b, "\"capabilities\":{\"tools\":{}},\"serverInfo\":");
    add_server_info(&b, r->server);
    buf_adds(&b, ",\"instructions\":");
    json_text_string(&b, r->server->instructions, strlen(r->server->instructions));
    answer = done(close_result(&b, r->server, r->message, r->arena));
    answer.mint_session = true;
    return answer;
}

static struct mcp_answer
do_discover(const struct request *r)
{
    struct buf b;

    buf_init(&b, r->arena, PARTS_MAX + json_text_bound(strlen(r->server->instructions)));
    open_result(&b, r->message);
    buf_adds(&b, "\"supportedVersions\":");
    mcp_era_revisions(&b);
    buf_adds(&b, ",\"capabilities\":{\"tools\":{}},\"instructions\":");
    json_text_string(&b, r->server->instructions, strlen(r->server->instructions));
    add_caching(&b, r->message);
    return done(close_result(&b, r->server, r->message, r->arena));
}

static struct mcp_answer
do_ping(const struct request *r)
{
    return done(rpc_result(r->message->id, "{}", r->arena));
}

/* A schema of the words that every client and model runner understands: other keywords are
 * left out, and so is an empty "required" (older validators refuse it). Yours. */
static struct json_object *
plain_schema(struct json_object *schema)
{
    static const char *const words[] = {"type",     "description", "enum",      "default",
                                        "minimum",  "maximum",     "minItems",  "maxItems",
                                        "required", "minLength",   "maxLength", "properties"};
    struct json_object *plain = json_object_new_object();

    json_object_object_foreach (schema, word, value) {
        size_t i = 0;

        while (i < COUNT_OF(words) && strcmp(words[i], word) != 0)
            i++;
        if (i == COUNT_OF(words) ||
            (json_object_is_type(value, json_type_array) && json_object_array_length(value) == 0))
            continue;
        if (strcmp(word, "properties") == 0) {
            struct json_object *properties = json_object_new_object();

            json_object_object_foreach (value, name, property)
                json_object_object_add(properties, name, plain_schema(property));
            json_object_object_add(plain, word, properties);
        } else {
            json_object_object_add(plain, word, json_object_get(value));
        }
    }
    return plain;
}

static void
add_tool(struct buf *b, const struct mcp_tool *t)
{
    own_json struct json_object *schema = plain_schema(t->schema);

    buf_addc(b, '{');
    json_text_member(b, "name", t->name);
    json_text_member(b, "title", t->title);
    json_text_member(b, "description", t->doc);
    json_text_name(b, "inputSchema");
    buf_adds(b, json_object_to_json_string_ext(schema, JSON_C_TO_STRING_PLAIN |
                                                           JSON_C_TO_STRING_NOSLASHESCAPE));
    buf_addc(b, '}');
}

static struct mcp_answer
do_tools_list(const struct request *r)
{
    struct json_object *params = r->message->params;
    struct buf b;

    if (json_object_object_get_ex(params, "cursor", NULL))
        return bad_params(r, "There is one page only: params.cursor is not known.");
    buf_init(&b, r->arena, (size_t)1024 * 1024);
    open_result(&b, r->message);
    buf_adds(&b, "\"tools\":[");
    for (size_t i = 0; i < r->server->tool_count; i++) {
        if (i > 0)
            buf_addc(&b, ',');
        add_tool(&b, &r->server->tools[i]);
    }
    buf_addc(&b, ']');
    add_caching(&b, r->message);
    return done(close_result(&b, r->server, r->message, r->arena));
}

/* "There is no such tool. Tools: run, run_code, ..." */
static struct mcp_answer
unknown_tool(const struct request *r)
{
    struct buf b;

    buf_init(&b, r->arena, PARTS_MAX);
    buf_adds(&b, "There is no tool of this name. The tools are: ");
    for (size_t i = 0; i < r->server->tool_count; i++)
        buf_printf(&b, "%s%s", i == 0 ? "" : ", ", r->server->tools[i].name);
    buf_addc(&b, '.');
    return bad_params(r, buf_text(&b));
}

static struct mcp_answer
do_tools_call(const struct request *r)
{
    struct json_object *params = r->message->params, *value = NULL;
    struct mcp_answer answer = {.outcome = MCP_CALL, .status = 200};
    const char *name;

    json_object_object_get_ex(params, "name", &value);
    if (!json_object_is_type(value, json_type_string))
        return bad_params(r, "params.name must be the name of a tool.");
    name = rpc_string(value);
    for (size_t i = 0; name && i < r->server->tool_count; i++)
        if (strcmp(r->server->tools[i].name, name) == 0)
            answer.tool = r->server->tools[i].name;
    if (!answer.tool)
        return unknown_tool(r);
    if (json_object_object_get_ex(params, "arguments", &answer.arguments) &&
        !json_object_is_type(answer.arguments, json_type_object))
        return bad_params(r, "params.arguments must be an object.");
    return answer;
}

static struct mcp_answer
do_cancelled(const struct request *r)
{
    bool known = r->message->cancel_id != NULL;

    return (struct mcp_answer){.outcome = known ? MCP_CANCEL : MCP_DONE,
                               .status = 202,
                               .cancel_id = r->message->cancel_id};
}

enum { IN_LEGACY = 1 << MCP_LEGACY, IN_MODERN = 1 << MCP_MODERN };

struct method {
    const char *name;
    unsigned eras;
    bool notification;
    bool named;   /* modern requests carry Mcp-Name */
    bool lenient; /* wrong params are overlooked */
    struct mcp_answer (*answer)(const struct request *r);
};

/* The methods that exist. A notification of any other name is taken and ignored. */
static const struct method methods[] = {
    {"initialize", IN_LEGACY, .lenient = true, .answer = do_initialize},
    {"ping", IN_LEGACY, .lenient = true, .answer = do_ping},
    {"server/discover", IN_MODERN, .answer = do_discover},
    {"tools/list", IN_LEGACY | IN_MODERN, .answer = do_tools_list},
    {"tools/call", IN_LEGACY | IN_MODERN, .named = true, .answer = do_tools_call},
    {"notifications/cancelled", IN_LEGACY, .notification = true, .answer = do_cancelled},
};

static const struct method *
method_find(const struct mcp_message *m)
{
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        if (strcmp(methods[i].name, m->method) == 0 && methods[i].notification == !m->id &&
            (methods[i].eras & 1U << m->era) != 0)
            return &methods[i];
    return NULL;
}

static struct mcp_answer
unknown_method(const struct request *r)
{
    const struct mcp_message *m = r->message;
    const char *before = "";
    struct mcp_answer answer;
    struct buf b;

    buf_init(&b, r->arena, PARTS_MAX);
    buf_adds(&b, "There is no method of this name. The methods are: ");
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        if (!methods[i].notification && (methods[i].eras & 1U << m->era) != 0) {
            buf_printf(&b, "%s%s", before, methods[i].name);
            before = ", ";
        }
    buf_addc(&b, '.');
    answer = done(rpc_error(m->id, RPC_CODE_METHOD, buf_text(&b), NULL, r->arena));
    if (m->era == MCP_MODERN)
        answer.status = 404;
    return answer;
}

struct mcp_answer
mcp_answer(const struct mcp_server *s, const struct http_request *q, const struct mcp_message *m,
           struct arena *a)
{
    const struct request r = {.server = s, .message = m, .arena = a};
    const struct mcp_answer taken = {.outcome = MCP_DONE, .status = 202};
    const struct method *method;
    struct mcp_refusal no;

    if (!m->method)
        return taken; /* a posted response */
    method = method_find(m);
    if (!(method && method->answer == do_initialize) &&
        !mcp_era_check(q, m, method && method->named, a, &no)) {
        struct mcp_answer answer = done(rpc_error(m->id, no.code, no.message, no.data, a));

        answer.status = 400;
        return answer;
    }
    if (!method)
        return m->id ? unknown_method(&r) : taken;
    if (m->bad_params && !method->lenient && m->id)
        return bad_params(&r, m->bad_params);
    return method->answer(&r);
}
