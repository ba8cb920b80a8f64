#include "config.h"

#include "core/json_member.h"
#include "core/reply_request.h"
#include <limits.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static const char *
text_member(struct json_object *o, const char *name)
{
    struct json_object *value = json_member(o, name);

    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static bool
is_role(struct json_object *message, const char *role)
{
    const char *text = text_member(message, "role");

    return text && strcmp(text, role) == 0;
}

/* ---- requests whose answers must stay as they are ------------------------------------------- */

static bool
asks_for_format(struct json_object *root)
{
    const char *type = text_member(json_member(root, "response_format"), "type");

    if (json_member(root, "response_format") && (!type || strcmp(type, "text") != 0))
        return true;
    /* the same by the names of llama.cpp, vLLM and Ollama */
    return json_member(root, "grammar") || json_member(root, "json_schema") ||
           json_member(root, "guided_json") || json_member(root, "guided_regex") ||
           json_member(root, "guided_grammar") || json_member(root, "guided_choice") ||
           json_member(root, "structured_outputs") || json_member(root, "format");
}

static bool
asks_for_logprobs(struct json_object *root)
{
    struct json_object *wanted = json_member(root, "logprobs");

    if (json_object_is_type(wanted, json_type_int))
        return true;
    return json_object_get_boolean(wanted) || json_member(root, "top_logprobs");
}

static const char *
why_leave(struct json_object *root, struct json_object *messages)
{
    size_t count;
    struct json_object *last;

    if (!json_object_is_type(messages, json_type_array) ||
        (count = json_object_array_length(messages)) == 0)
        return "no messages";
    if (json_member(root, "n") && json_object_get_int64(json_member(root, "n")) != 1)
        return "several answers";
    if (asks_for_logprobs(root))
        return "logprobs";
    if (asks_for_format(root))
        return "structured output";
    /* A title or a summary is asked for in a message of its own, after the tools' results. */
    last = json_object_array_get_idx(messages, count - 1);
    if (!is_role(last, "tool") && !is_role(last, "assistant"))
        return "no tool was used";
    return NULL;
}

/* ---- tool calls ------------------------------------------------------------------------------ */

static void
add_call(struct reply_request *r, struct json_object *function, bool in_turn)
{
    const char *name = text_member(function, "name");
    struct json_object *arguments = json_member(function, "arguments");

    if (!name || !arguments)
        return;
    if (r->call_count == REPLY_CALLS_MAX) {
        memmove(r->calls, r->calls + 1, (REPLY_CALLS_MAX - 1) * sizeof *r->calls);
        r->call_count--;
    }
    r->calls[r->call_count++] =
        (struct reply_call){.tool = name, .arguments = arguments, .in_turn = in_turn};
}

static void
add_calls_of(struct reply_request *r, struct json_object *message, bool in_turn)
{
    struct json_object *list = json_member(message, "tool_calls");
    size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

    for (size_t i = 0; i < n; i++)
        add_call(r, json_member(json_object_array_get_idx(list, i), "function"), in_turn);
}

/* A client that goes on with an answer sends what there is of it as the last message. */
static void
note_begun(struct reply_request *r, struct json_object *last)
{
    struct json_object *content = json_member(last, "content");

    if (!is_role(last, "assistant") || !json_object_is_type(content, json_type_string))
        return;
    r->begun = json_object_get_string(content);
    r->begun_len = (size_t)json_object_get_string_len(content);
}

static void
read_messages(struct reply_request *r, struct json_object *messages, struct arena *a)
{
    size_t count = json_object_array_length(messages), turn = 0;

    r->calls = arena_alloc(a, REPLY_CALLS_MAX * sizeof *r->calls);
    for (size_t i = 0; i < count; i++)
        if (is_role(json_object_array_get_idx(messages, i), "user"))
            turn = i;
    for (size_t i = 0; i < count; i++)
        add_calls_of(r, json_object_array_get_idx(messages, i), i > turn);
    note_begun(r, json_object_array_get_idx(messages, count - 1));
}

void
reply_request_read(const char *body, size_t len, struct arena *a, struct reply_request *ret)
{
    struct json_tokener *tok = json_tokener_new_ex(DEPTH_MAX);

    *ret = (struct reply_request){.begun = "", .leave = "not a JSON object"};
    if (!tok)
        return;
    if (len <= INT_MAX)
        ret->root = json_tokener_parse_ex(tok, body, (int)len);
    json_tokener_free(tok);
    if (!json_object_is_type(ret->root, json_type_object))
        return;
    ret->leave = why_leave(ret->root, json_member(ret->root, "messages"));
    if (!ret->leave)
        read_messages(ret, json_member(ret->root, "messages"), a);
}

void
reply_request_release(struct reply_request *r)
{
    json_object_put(r->root);
    r->root = NULL;
}

bool
reply_tool_is(const char *called, const char *name)
{
    static const char mark[] = "_mcp_";
    size_t n = strlen(name), len = strlen(called);
    const char *before;

    if (len < n)
        return false;
    if (strncmp(called, name, n) == 0 &&
        (len == n || strncmp(called + n, mark, sizeof mark - 1) == 0))
        return true;
    if (len == n || strcmp(called + len - n, name) != 0)
        return false;
    before = called + len - n - 1;
    return strchr(".:/-", *before) || (*before == '_' && before > called && before[-1] == '_');
}
