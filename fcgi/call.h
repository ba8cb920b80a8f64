/* call.h - one tools/call: plan, record, run, judge, render, record. */
#ifndef CALL_H
#define CALL_H

#include "serve.h"
#include "sse.h"

struct call_answer {
    const char *response; /* the JSON-RPC response */
    int64_t call_id;      /* > 0: store_delivered() must be told whether it went out */
    bool unauthorized;    /* the key was revoked meanwhile: answer 401, nothing was run */
};

struct call_answer call_run(struct worker *w, const struct http_request *q,
                            const uint8_t key_sha256[STORE_KEY_BYTES], const struct mcp_message *m,
                            const struct mcp_answer *want, struct sse *sse);

#endif
