/* reply_request.h - what a chat completion request tells about the answer to come: may it be
 * completed, and which tool calls led to it. OpenAI's Chat Completions as llama.cpp, Ollama, vLLM
 * and others speak it (https://platform.openai.com/docs/api-reference/chat). Pure. */
#ifndef CORE_REPLY_REQUEST_H
#define CORE_REPLY_REQUEST_H

#include "base/arena.h"
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

enum { REPLY_CALLS_MAX = 256 };

/* A tool call in the messages. */
struct reply_call {
    const char *tool;              /* as the model knows it: "run_code_mcp_backtalk" */
    struct json_object *arguments; /* an object or its text; borrowed from the request */
    bool in_turn;                  /* made after the last message of the user */
};

struct reply_request {
    struct json_object *root; /* NULL: not JSON */
    const char *leave;        /* why the answer is none of our business; NULL: it may be */
    struct reply_call *calls; /* the newest REPLY_CALLS_MAX, oldest first; arena */
    size_t call_count;
    const char *begun; /* the answer's beginning, which the request holds already, or "" */
    size_t begun_len;
};

/* Always fills *ret; reply_request_release it. Strings are borrowed from ret->root. */
void reply_request_read(const char *body, size_t len, struct arena *a, struct reply_request *ret);
void reply_request_release(struct reply_request *r);

/* True when a client that adds its own marks to names calls our tool `name` so: run_code,
 * run_code_mcp_SERVER (LibreChat), mcp__SERVER__run_code, SERVER.run_code, SERVER-run_code ... */
bool reply_tool_is(const char *called, const char *name);

#endif
