#include "config.h"

#include "core/rpc.h"
#include "core/json_text.h"
#include <limits.h>
#include <string.h>

/* The members of a message, in this order everywhere below. */
enum { JSONRPC, ID, METHOD, PARAMS, RESULT, ERROR, MEMBERS };
#define UNIQUE_MEMBERS 4 /* of these each may occur once: two readers must see one message */

const char *
rpc_string(struct json_object *value)
{
    const char *text;

    if (!json_object_is_type(value, json_type_string))
        return NULL;
    text = json_object_get_string(value);
    return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

const char *
rpc_raw(struct slice raw, struct arena *a)
{
    if (raw.len > RPC_RAW_MAX || !(slice_is_string(raw) || slice_is_number(raw)))
        return NULL;
    return arena_strndup(a, raw.at, raw.len);
}

static struct json_object *
tree_of(struct slice text, int depth_max)
{
    struct json_tokener *tok;
    struct json_object *root;

    if (text.len > INT_MAX)
        return NULL;
    tok = json_tokener_new_ex(depth_max + 1); /* json-c counts the scalars as a level */
    if (!tok)
        return NULL;
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    root = json_tokener_parse_ex(tok, text.at, (int)text.len);
    json_tokener_free(tok);
    return root;
}

/* What kind of message it is, or why it is none. */
static bool
classify(const struct slice_member *seen, struct rpc_message *m, struct fault *f)
{
    struct json_object *value = NULL;
    const char *version;

    json_object_object_get_ex(m->root, "jsonrpc", &value);
    version = rpc_string(value);
    if (!version || strcmp(version, "2.0") != 0)
        return fault_set(f, FAULT_REQUEST, "The member \"jsonrpc\" must be \"2.0\".");
    if (seen[METHOD].times == 0) {
        if (seen[RESULT].times == 0 && seen[ERROR].times == 0)
            return fault_set(f, FAULT_REQUEST, "The member \"method\" is missing.");
        m->kind = RPC_RESPONSE;
        m->id = NULL;
        return true;
    }
    json_object_object_get_ex(m->root, "method", &value);
    m->method = rpc_string(value);
    if (!m->method)
        return fault_set(f, FAULT_REQUEST, "The member \"method\" must be a string.");
    if (seen[ID].times > 0 && !m->id)
        return fault_set(f, FAULT_REQUEST,
                         "The member \"id\" must be a string or a number of at most %d bytes.",
                         RPC_RAW_MAX);
    m->kind = m->id ? RPC_REQUEST : RPC_NOTIFICATION;
    return true;
}

bool
rpc_read(struct slice text, int depth_max, struct arena *a, struct rpc_message *ret,
         const char **ret_id, struct fault *f)
{
    struct slice_member seen[MEMBERS] = {
        [JSONRPC] = {.name = "jsonrpc"}, [ID] = {.name = "id"},
        [METHOD] = {.name = "method"},   [PARAMS] = {.name = "params"},
        [RESULT] = {.name = "result"},   [ERROR] = {.name = "error"},
    };
    struct rpc_message m = {0};
    own_json struct json_object *root = NULL;

    *ret_id = NULL;
    if (text.len == 0 || text.at[0] != '{')
        return fault_set(f, FAULT_REQUEST, "A message must be a JSON object.");
    slice_members(text, seen, MEMBERS);
    m.id = seen[ID].times == 1 ? rpc_raw(seen[ID].value, a) : NULL;
    *ret_id = m.id;
    for (size_t i = 0; i < UNIQUE_MEMBERS; i++)
        if (seen[i].times > 1)
            return fault_set(f, FAULT_REQUEST, "The member \"%s\" occurs more than once.",
                             seen[i].name);
    root = tree_of(text, depth_max);
    if (!root)
        return fault_set(f, FAULT_REQUEST, "The message could not be read.");
    m.root = root;
    if (!classify(seen, &m, f))
        return false;
    if (seen[PARAMS].times > 0) {
        json_object_object_get_ex(root, "params", &m.params);
        m.bad_params = !json_object_is_type(m.params, json_type_object);
        if (m.bad_params)
            m.params = NULL;
        else
            m.raw_params = seen[PARAMS].value;
    }
    m.root = TAKE(root);
    *ret = m;
    return true;
}

/* Room for the envelope around `inner` bytes. */
static void
open_response(struct buf *b, const char *id, size_t inner, struct arena *a)
{
    if (!id)
        id = "null";
    buf_init(b, a, inner + strlen(id) + 256);
    buf_adds(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    buf_adds(b, id);
}

const char *
rpc_result(const char *id, const char *result, struct arena *a)
{
    struct buf b;

    open_response(&b, id, strlen(result), a);
    buf_adds(&b, ",\"result\":");
    buf_adds(&b, result);
    buf_addc(&b, '}');
    return buf_text(&b);
}

const char *
rpc_error(const char *id, enum rpc_code code, const char *message, const char *data,
          struct arena *a)
{
    struct buf b;

    open_response(&b, id, json_text_bound(strlen(message)) + (data ? strlen(data) : 0), a);
    buf_printf(&b, ",\"error\":{\"code\":%d,\"message\":", (int)code);
    json_text_string(&b, message, strlen(message));
    if (data) {
        buf_adds(&b, ",\"data\":");
        buf_adds(&b, data);
    }
    buf_adds(&b, "}}");
    return buf_text(&b);
}
