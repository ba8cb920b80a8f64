/* fault.h - why an operation failed: one value, no heap, filled by the callee.
 *
 * Convention: a function that can fail returns bool (true = done), takes a
 * `struct fault *` as its last parameter and fills it exactly when it returns
 * false. Each layer may prefix context with fault_in(). Nobody logs a fault on
 * the way up; the request loop logs it once and turns it into a reply. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include "base/own.h"
#include <stdbool.h>

/* id, JSON-RPC code (0: a tool result with isError), HTTP status */
#define FAULT_KINDS(X)                                                                             \
    X(FAULT_PARSE, -32700, 400)                                                                    \
    X(FAULT_REQUEST, -32600, 400)                                                                  \
    X(FAULT_METHOD, -32601, 200)                                                                   \
    X(FAULT_PARAMS, -32602, 200)                                                                   \
    X(FAULT_INTERNAL, -32603, 200)                                                                 \
    X(FAULT_AUTH, -32001, 401)                                                                     \
    X(FAULT_ARGUMENT, 0, 200)                                                                      \
    X(FAULT_BUSY, 0, 200)                                                                          \
    X(FAULT_CANCELLED, 0, 200)                                                                     \
    X(FAULT_RECORD, 0, 200)                                                                        \
    X(FAULT_ENGINE, 0, 200)

enum fault_kind {
#define FAULT_ID(id, rpc, http) id,
    FAULT_KINDS(FAULT_ID)
#undef FAULT_ID
};

struct fault {
    enum fault_kind kind;
    char message[512]; /* shown to the caller: what is wrong, a sentence */
    char hint[512];    /* what the caller can do next: a sentence, or "" */
    char detail[512];  /* for the log only: never leaves the machine */
};

bool fault_set(struct fault *f, enum fault_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
void fault_hint(struct fault *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool fault_in(struct fault *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
int fault_rpc_code(enum fault_kind kind);
int fault_http_status(enum fault_kind kind);

#endif
