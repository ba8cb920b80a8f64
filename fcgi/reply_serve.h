/* reply_serve.h - one request passed on to the model server: the way of an answer, readable top to
 * bottom. */
#ifndef REPLY_SERVE_H
#define REPLY_SERVE_H

#include "core/reply_answer.h"
#include "core/reply_http.h"
#include "core/reply_request.h"
#include "core/sse_reader.h"
#include "io/env.h"
#include "io/http.h"
#include "io/keys.h"
#include "io/reply_store.h"
#include "tools/ran.h"

/* What lives as long as the process. */
struct reply_worker {
    const struct reply_settings *settings;
    struct tool_context tools;
    struct keys *keys; /* shared with the other workers */
    struct store *store;
    struct relay *relay;
    struct arena *arena; /* of the request being served; reset after it */
};

enum pass_mode {
    PASS_RAW,    /* as it comes */
    PASS_EVENTS, /* event by event: the last one may have to wait for the appendix */
    PASS_WHOLE,  /* collected, to be completed */
};

/* One answer on its way through. */
struct pass {
    struct reply_worker *w;
    const struct http_request *q;
    struct reply_who who;
    enum pass_mode mode;
    bool chat;         /* its request is one to look at */
    bool looked;       /* that is done */
    bool may_complete; /* the model ran a program in this turn */
    struct reply_request request;
    const struct ran *ran;
    struct reply_answer answer;
    /* The head of the answer. */
    int status;
    struct reply_head head;
    struct buf headers, length;
    bool head_sent;
    /* What has come of it. */
    struct sse_reader events;
    struct buf whole;
    size_t bytes;
    const char *completed; /* for the log: what was done about the program */
};

/* Serves the request that fcgi_accept returned, and finishes it. */
void reply_serve(struct reply_worker *w, struct http_request *q);

/* ---- reply_pass.c: the answer's bytes ------------------------------------------------------- */

/* Callbacks of io/http; ctx is a struct pass. */
void pass_sent(void *ctx);
void pass_header(void *ctx, const char *line, size_t len);
bool pass_head(void *ctx, int status);
bool pass_bytes(void *ctx, const char *bytes, size_t len);
/* The answer is over: sends what was held back; whole: it came to its end. */
bool pass_end(struct pass *p, bool whole);
void pass_release(struct pass *p);

/* ---- reply_complete.c: the program at the end -------------------------------------------------
 */

/* What has to follow the text of this final answer, recorded; NULL: nothing. */
const char *reply_complete(struct pass *p, size_t *ret_len);

#endif
