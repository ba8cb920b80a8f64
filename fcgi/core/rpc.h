/* rpc.h - the JSON-RPC 2.0 envelope: reads one message, writes responses. Pure.
 * Source: https://www.jsonrpc.org/specification, narrowed as MCP narrows it (params is an
 * object, an id is a string or a number). */
#ifndef CORE_RPC_H
#define CORE_RPC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/fault.h"
#include "core/slice.h"

enum {
    RPC_RAW_MAX = 1024, /* bytes of an id or a progress token as JSON text */
};

enum rpc_code {
    RPC_CODE_PARSE = -32700,
    RPC_CODE_REQUEST = -32600,
    RPC_CODE_METHOD = -32601,
    RPC_CODE_PARAMS = -32602,
    RPC_CODE_HEADER = -32020,  /* MCP: header and body differ, or a header is missing */
    RPC_CODE_VERSION = -32022, /* MCP: revision not served */
};

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

struct rpc_message {
    enum rpc_kind kind;
    const char *id;             /* raw JSON text, arena; NULL unless a request */
    const char *method;         /* borrowed from root; NULL for a response */
    struct json_object *root;   /* yours: json_object_put() */
    struct json_object *params; /* borrowed from root; NULL unless an object */
    bool bad_params;            /* params is there and no object */
    struct slice raw_params;    /* borrowed from the text; empty unless an object */
};

/* Reads one message from text that passed slice_check(). On false *f says why
 * (FAULT_REQUEST) and *ret_id is the raw id if a usable one was seen, else NULL. */
bool rpc_read(struct slice text, int depth_max, struct arena *a, struct rpc_message *ret,
              const char **ret_id, struct fault *f) MUST_CHECK;
/* Raw text that may be echoed as an id: a string or a number of at most RPC_RAW_MAX bytes;
 * copied to the arena. NULL when it may not. */
const char *rpc_raw(struct slice raw, struct arena *a);
/* The text of a JSON string without NUL inside (borrowed), or NULL when it is none. */
const char *rpc_string(struct json_object *value);

/* {"jsonrpc":"2.0","id":ID,"result":RESULT}; result is JSON text. */
const char *rpc_result(const char *id, const char *result, struct arena *a);
/* An error response; id NULL becomes null, data is JSON text or NULL. */
const char *rpc_error(const char *id, enum rpc_code code, const char *message, const char *data,
                      struct arena *a);

#endif
