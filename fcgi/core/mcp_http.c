#include "config.h"

#include "core/json_text.h"
#include "core/mcp.h"
#include "core/mcp_era.h"
#include "core/rpc.h"
#include <string.h>
#include <strings.h>

static const char type_json[] = "application/json";
static const char type_stream[] = "text/event-stream";

struct http_reply
mcp_refuse(int status, const char *id, int code, const char *message, struct arena *a)
{
    struct http_reply r = {.status = status, .content_type = type_json};

    r.body = rpc_error(id, (enum rpc_code)code, message, NULL, a);
    r.body_len = strlen(r.body);
    return r;
}

bool
mcp_admit(const struct mcp_server *s, const struct http_request *q, struct arena *a,
          struct http_reply *ret_reply)
{
    const char *origin = mcp_header(q->origin, a);

    if (!q->method || strcmp(q->method, "POST") != 0) {
        *ret_reply = mcp_refuse(405, NULL, RPC_CODE_REQUEST, "Only POST is served here.", a);
        ret_reply->allow_post = true;
        return false;
    }
    if (!origin)
        return true;
    for (const char *const *allowed = s->origins; allowed && *allowed; allowed++)
        if (strcasecmp(*allowed, origin) == 0)
            return true;
    *ret_reply = mcp_refuse(403, NULL, RPC_CODE_REQUEST,
                            "Requests from this web origin are not accepted.", a);
    return false;
}

/* The length of the media type a header value begins with, parameters and white space left out. */
static size_t
media_type_len(const char *value)
{
    size_t len = strcspn(value, ";,");

    while (len > 0 && strchr(" \t", value[len - 1]))
        len--;
    return len;
}

static bool
is_type(const char *value, size_t len, const char *type)
{
    return len == strlen(type) && strncasecmp(value, type, len) == 0;
}

bool
mcp_admit_body(const struct mcp_server *s, const struct http_request *q, struct arena *a,
               struct http_reply *ret_reply)
{
    const char *type = mcp_header(q->content_type, a);

    if (!type || !is_type(type, media_type_len(type), type_json)) {
        *ret_reply = mcp_refuse(415, NULL, RPC_CODE_REQUEST,
                                "The Content-Type must be application/json.", a);
        return false;
    }
    if ((q->content_length > 0 && (unsigned long long)q->content_length > s->body_max_bytes) ||
        q->body_len > s->body_max_bytes) {
        *ret_reply = mcp_refuse(413, NULL, RPC_CODE_REQUEST, "The request body is too large.", a);
        return false;
    }
    return true;
}

struct http_reply
mcp_unauthorized(struct arena *a)
{
    struct http_reply r =
        mcp_refuse(401, NULL, RPC_CODE_REQUEST, "The access key is missing or not known here.", a);

    r.ask_key = true;
    return r;
}

/* True when a range of the list, "a/b;q=0.5, c/d", is one of types (NULL-ended) and is not
 * excluded by a quality of zero (RFC 9110, section 12.5.1). */
static bool
accepts(const char *list, const char *const *types)
{
    while (list && *list) {
        size_t item, len, zeros;
        const char *quality;

        list += strspn(list, " \t,");
        item = strcspn(list, ",");
        len = media_type_len(list);
        quality = memchr(list, ';', item);
        quality = quality ? quality + 1 + strspn(quality + 1, " \t") : "q=1";
        zeros = strncasecmp(quality, "q=", 2) == 0 ? strspn(quality + 2, "0.") : 0;
        if (zeros == 0 || (quality[2 + zeros] >= '1' && quality[2 + zeros] <= '9'))
            for (const char *const *type = types; *type; type++)
                if (is_type(list, len, *type))
                    return true;
        list += item;
    }
    return false;
}

bool
mcp_may_stream(const struct http_request *q)
{
    static const char *const types[] = {type_stream, NULL};

    return accepts(q->accept, types);
}

bool
mcp_must_stream(const struct http_request *q)
{
    static const char *const types[] = {type_json, "application/*", "*/*", NULL};

    return mcp_may_stream(q) && !accepts(q->accept, types);
}

/* [text,text,...] of the texts that are there. */
static const char *
join(const char *const *texts, size_t count, struct arena *a)
{
    size_t bytes = 2;
    struct buf b;

    for (size_t i = 0; i < count; i++)
        bytes += texts[i] ? strlen(texts[i]) + 1 : 0;
    buf_init(&b, a, bytes);
    for (size_t i = 0; i < count; i++)
        if (texts[i]) {
            buf_addc(&b, b.len == 0 ? '[' : ',');
            buf_adds(&b, texts[i]);
        }
    buf_addc(&b, ']');
    return buf_text(&b);
}

struct http_reply
mcp_reply(const struct mcp_messages *m, const struct mcp_answer *answers, const char *const *texts,
          struct arena *a)
{
    struct http_reply r = {.status = m->batch ? 202 : answers[0].status};

    if (!m->batch)
        r.body = texts[0];
    for (size_t i = 0; m->batch && i < m->count; i++)
        if (texts[i]) {
            r.status = 200;
            r.body = join(texts, m->count, a);
            break;
        }
    if (r.body) {
        r.content_type = type_json;
        r.body_len = strlen(r.body);
    }
    return r;
}
