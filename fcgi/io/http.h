/* http.h - requests to the Docker gate over its unix socket: the only file that
 * includes libcurl (https://curl.se/libcurl/c/). Connections are kept between requests. */
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
    const char *body; /* arena, NUL-ended, at most 1 MiB */
    size_t len;
};

/* method "GET", "POST" or "DELETE"; path with its query; json: body or NULL. FAULT_ENGINE when no
 * answer came; an answer of any status is success. */
bool http_ask(struct http *h, const char *method, const char *path, const char *json,
              int64_t deadline_ms, struct arena *a, struct http_answer *ret,
              struct fault *f) MUST_CHECK;

#endif
