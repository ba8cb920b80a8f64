#include "config.h"

#include "core/json_member.h"
#include "core/reply_answer.h"
#include <limits.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

void
reply_answer_init(struct reply_answer *r, const char *begun, size_t len, struct arena *a)
{
    *r = (struct reply_answer){.tokener = json_tokener_new_ex(DEPTH_MAX)};
    buf_init(&r->text, a, REPLY_TEXT_MAX);
    buf_add(&r->text, begun, len);
    if (!r->tokener)
        r->left = "out of memory";
}

void
reply_answer_release(struct reply_answer *r)
{
    if (r->tokener)
        json_tokener_free(r->tokener);
    r->tokener = NULL;
}

static struct json_object *
parse(struct reply_answer *r, const char *text, size_t len)
{
    struct json_object *root = NULL;

    json_tokener_reset(r->tokener);
    if (len <= INT_MAX)
        root = json_tokener_parse_ex(r->tokener, text, (int)len);
    if (json_object_is_type(root, json_type_object))
        return root;
    json_object_put(root);
    return NULL;
}

static void
leave(struct reply_answer *r, const char *why)
{
    if (!r->left)
        r->left = why;
}

/* What a delta or a message holds. */
static void
take_message(struct reply_answer *r, struct json_object *m)
{
    struct json_object *content = json_member(m, "content"), *calls = json_member(m, "tool_calls");

    if (json_member(m, "function_call") || json_member(m, "refusal") || json_member(m, "audio"))
        leave(r, "no plain text");
    if (json_object_is_type(calls, json_type_array) && json_object_array_length(calls) > 0)
        leave(r, "tool call");
    if (json_member(m, "role"))
        r->has_role = true;
    if (json_object_is_type(content, json_type_string))
        buf_add(&r->text, json_object_get_string(content),
                (size_t)json_object_get_string_len(content));
    else if (content)
        leave(r, "no plain text");
    if (r->text.full)
        leave(r, "long text");
}

/* The one choice of an answer; NULL: there is none, as in a chunk that tells the usage. */
static struct json_object *
only_choice(struct reply_answer *r, struct json_object *root)
{
    struct json_object *choices = json_member(root, "choices"), *choice;
    size_t n =
        json_object_is_type(choices, json_type_array) ? json_object_array_length(choices) : 0;

    if (json_member(root, "error"))
        leave(r, "error");
    if (n == 0)
        return NULL;
    choice = json_object_array_get_idx(choices, 0);
    if (n > 1 || json_object_get_int64(json_member(choice, "index")) != 0)
        leave(r, "several answers");
    if (json_member(choice, "logprobs"))
        leave(r, "logprobs");
    return choice;
}

/* True when this was the end of an answer that may be completed. */
static bool
take_choice(struct reply_answer *r, struct json_object *choice, const char *message)
{
    struct json_object *finish = json_member(choice, "finish_reason");

    if (r->ended)
        leave(r, "text after the end");
    take_message(r, json_member(choice, message));
    if (!json_object_is_type(finish, json_type_string))
        return false;
    r->ended = true;
    if (strcmp(json_object_get_string(finish), "stop") != 0)
        leave(r, "cut or a tool call");
    return !r->left;
}

static struct json_object *
take(struct reply_answer *r, const char *text, size_t len, const char *message)
{
    struct json_object *root, *choice;

    if (r->left)
        return NULL;
    root = parse(r, text, len);
    if (!root)
        leave(r, "not understood");
    choice = root ? only_choice(r, root) : NULL;
    if (choice && take_choice(r, choice, message))
        return root;
    json_object_put(root);
    return NULL;
}

struct json_object *
reply_answer_chunk(struct reply_answer *r, const char *data, size_t len)
{
    static const char done[] = "[DONE]";

    if (len == sizeof done - 1 && memcmp(data, done, len) == 0)
        return NULL;
    return take(r, data, len, "delta");
}

struct json_object *
reply_answer_whole(struct reply_answer *r, const char *body, size_t len)
{
    return take(r, body, len, "message");
}
