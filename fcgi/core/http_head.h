/* http_head.h - the head of an HTTP/1.x response (RFC 9112, sections 4 and 5), as far as an
 * attach needs it. Pure; the bytes are untrusted and the head is at most HTTP_HEAD_MAX. */
#ifndef CORE_HTTP_HEAD_H
#define CORE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_HEAD_MAX = 16384 };

enum http_head_state {
    HTTP_HEAD_MORE,  /* the empty line has not come yet */
    HTTP_HEAD_WHOLE, /* *ret is filled */
    HTTP_HEAD_BAD,   /* no HTTP response, or too long a head */
};

struct http_head {
    size_t len;             /* bytes of the head with its empty line: the body begins there */
    int status;             /* 100..599 */
    int64_t content_length; /* -1: not given */
    bool chunked;
};

/* bytes: everything received so far. */
enum http_head_state http_head_parse(const char *bytes, size_t len, struct http_head *ret);

#endif
