/* mcp.h - the MCP protocol over HTTP, both eras, as decisions on plain data
 * (spec: modelcontextprotocol/modelcontextprotocol, docs/specification). Pure: no
 * clock, no descriptors; randomness and tools come in as arguments.
 *
 * Order of a request:
 *   mcp_admit    method, origin, (caller checks the key), then mcp_admit_body
 *   mcp_read     body -> messages, or a finished reply
 *   mcp_answer   one message -> a finished response text, or "run this tool"
 *   mcp_result   text of a tool's result -> response text
 *   mcp_reply    response texts -> the HTTP reply */
#ifndef CORE_MCP_H
#define CORE_MCP_H

#include "base/arena.h"
#include "core/auth.h"
#include "core/request.h"
#include <json-c/json.h>
#include <stdint.h>

enum {
    MCP_BATCH_MAX = 16,
    MCP_DEPTH_MAX = 32, /* nesting of a body */
};

struct mcp_tool { /* one row of tools/list */
    const char *name, *title, *doc;
    struct json_object *schema; /* borrowed */
};

struct mcp_server {
    const char *name, *version; /* serverInfo */
    const char *instructions;   /* short text of initialize and server/discover */
    const struct mcp_tool *tools;
    size_t tool_count;
    const char *const *origins; /* allowed Origin values, NULL-ended */
    size_t body_max_bytes;
};

enum mcp_era { MCP_LEGACY, MCP_MODERN };

struct mcp_message {
    enum mcp_era era;
    const char *id;     /* raw JSON text of the id, byte for byte as sent; NULL: a notification */
    const char *method; /* NULL for a posted response */
    struct json_object *params; /* borrowed from root; NULL when absent */
    struct json_object *root;   /* owned by the mcp_messages it came in */
    const char *progress_token; /* raw JSON text, or NULL */
    const char *cancel_id;      /* raw JSON text of params.requestId, or NULL */
    const char *bad_params;     /* what is wrong with the shape of params; NULL: nothing */
};

struct mcp_messages {
    bool batch;
    size_t count;
    struct mcp_message list[MCP_BATCH_MAX];
};

enum mcp_outcome {
    MCP_DONE,   /* `text` is the whole JSON-RPC response (NULL for a notification) */
    MCP_CALL,   /* run tool `tool` with `arguments`, then mcp_result() */
    MCP_CANCEL, /* legacy notifications/cancelled: stop call `cancel_id` of this session */
};

struct mcp_answer {
    enum mcp_outcome outcome;
    int status; /* HTTP status the response asks for: 200, 202, 400, 404 */
    const char *text;
    bool mint_session;             /* initialize: the reply carries a fresh Mcp-Session-Id */
    const char *tool;              /* name, known to be in the server's list */
    struct json_object *arguments; /* borrowed; an object, or NULL when absent */
    const char *cancel_id;         /* raw JSON text of the request id */
};

/* False: *ret_reply is the whole answer (405, 403). */
bool mcp_admit(const struct mcp_server *s, const struct http_request *q, struct arena *a,
               struct http_reply *ret_reply);
/* After the key was found good. False: *ret_reply is the answer (413, 415). */
bool mcp_admit_body(const struct mcp_server *s, const struct http_request *q, struct arena *a,
                    struct http_reply *ret_reply);
/* The 401 answer. */
struct http_reply mcp_unauthorized(struct arena *a);
/* A reply that is one JSON-RPC error; id is raw JSON text, NULL becomes null. For the words that
 * message must not hold (clients match on them) see tests/unit/test_mcp.c. */
struct http_reply mcp_refuse(int status, const char *id, int code, const char *message,
                             struct arena *a);
/* False: *ret_reply is the answer (400 for bad JSON, a bad batch, ...). On true the caller
 * releases *ret with mcp_messages_release(). */
bool mcp_read(const struct mcp_server *s, const struct http_request *q, struct arena *a,
              struct mcp_messages *ret, struct http_reply *ret_reply);
void mcp_messages_release(struct mcp_messages *m);

struct mcp_answer mcp_answer(const struct mcp_server *s, const struct http_request *q,
                             const struct mcp_message *m, struct arena *a);
/* A tool's result as a response; text is valid UTF-8 without control characters. */
const char *mcp_result(const struct mcp_server *s, const struct mcp_message *m, const char *text,
                       bool is_error, struct arena *a);
/* notifications/progress for a streamed call; NULL when the message carries no token. */
const char *mcp_progress(const struct mcp_message *m, double progress, const char *text,
                         struct arena *a);
/* True when a call of this request may be streamed, and when it must be (SSE-only Accept). */
bool mcp_may_stream(const struct http_request *q);
bool mcp_must_stream(const struct http_request *q);
/* The HTTP reply of all answers of a request, in order: one, or a batch. texts[i] is NULL for
 * a notification. */
struct http_reply mcp_reply(const struct mcp_messages *m, const struct mcp_answer *answers,
                            const char *const *texts, struct arena *a);

#endif
