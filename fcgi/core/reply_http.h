/* reply_http.h - what of HTTP goes through to the model server and back. Pure. */
#ifndef CORE_REPLY_HTTP_H
#define CORE_REPLY_HTTP_H

#include "base/arena.h"
#include "base/buf.h"
#include "core/request.h"
#include <stdbool.h>

/* The part of a request's target behind "/v1", with its query: "/chat/completions". NULL: the
 * target is not one of ours, or could mean another place to the model server (dot segments, also
 * encoded ones, blanks, bytes beyond ASCII). */
const char *reply_http_rest(const char *target);
/* True for the one request whose answer is looked at. */
bool reply_http_is_chat(const char *method, const char *rest);

/* What the head of an answer says. */
struct reply_head {
    bool events, json; /* its type */
    bool encoded;      /* compressed: nobody here can read it */
};
/* Takes a header line of the model server's answer, without its end: notes what it says, and adds
 * it to `out` (with "\r\n") when clients may see it: neither the connection's own headers nor those
 * that would command the web server. Content-Length goes into `length` instead. */
void reply_http_header(const char *line, size_t len, struct reply_head *h, struct buf *out,
                       struct buf *length);

/* An error in OpenAI's form; message is a sentence. */
struct http_reply reply_http_error(int status, const char *type, const char *code,
                                   const char *message, struct arena *a);

#endif
