/* http.h - requests to the Docker gate over its unix socket, and requests passed on to a
 * model server: the only file that includes libcurl (https://curl.se/libcurl/c/).
 * Connections are kept between requests. */
#ifndef IO_HTTP_H
#define IO_HTTP_H

#include "base/arena.h"
#include "base/fault.h"
#include <stdint.h>

struct http;

/* Does not connect. socket_path is copied. Never NULL. */
struct http *http_new(const char *socket_path);
void http_free(struct http *h);

struct http_answer {
    long status;
    const char *body; /* arena, NUL-ended, at most 8 MiB */
    size_t len;
};

/* method "GET", "POST" or "DELETE"; path with its query; json: body or NULL. FAULT_ENGINE when no
 * answer came; an answer of any status is success. */
bool http_ask(struct http *h, const char *method, const char *path, const char *json,
              int64_t deadline_ms, struct arena *a, struct http_answer *ret,
              struct fault *f) MUST_CHECK;

/* ---- passing on ------------------------------------------------------------------------------ */

struct relay;

/* For one process: made after fork(2). Never NULL. */
struct relay *relay_new(void);

struct relay_request {
    const char *method, *url;
    const char *const *headers; /* "Name: value", NULL-ended; "Name:" takes one of curl's away */
    const char *body;           /* NULL: none */
    size_t len;
    int64_t silence_ms; /* the server may say nothing for so long */
    int client; /* a descriptor that becomes readable when nobody waits any more; -1: none */
    void *ctx;
    void (*sent)(void *ctx); /* the request is on its way, or even answered; may be NULL */
    /* The head of the answer: a header line without its end; then, once, the end of the head. */
    void (*header)(void *ctx, const char *line, size_t len);
    bool (*head)(void *ctx, int status);                     /* false: stop */
    bool (*bytes)(void *ctx, const char *bytes, size_t len); /* a piece of the body; false: stop */
};

enum relay_end {
    RELAY_DONE,      /* the whole answer came */
    RELAY_UNREACHED, /* no answer: no connection, or it ended before the head */
    RELAY_LATE,      /* silence */
    RELAY_CUT,       /* it ended in the middle of the answer */
    RELAY_GONE,      /* the client is gone, or a callback said stop: the request is cancelled */
};

/* Waits for the end. On RELAY_UNREACHED and RELAY_CUT *ret_why says what happened, for the log:
 * static text. */
enum relay_end relay_run(struct relay *r, const struct relay_request *q, const char **ret_why);

#endif
