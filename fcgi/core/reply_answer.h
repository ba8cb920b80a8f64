/* reply_answer.h - the answer of a model as it comes, in chunks or whole: its text, and whether it
 * is one that may be completed. Pure. */
#ifndef CORE_REPLY_ANSWER_H
#define CORE_REPLY_ANSWER_H

#include "base/buf.h"
#include <json-c/json.h>

enum { REPLY_TEXT_MAX = 1 << 20 }; /* bytes of a text that is looked at */

struct reply_answer {
    struct buf text;  /* what the model has said, behind what it had said before */
    const char *left; /* why the answer stays as it is (static), or NULL */
    bool has_role;    /* a chunk has said whose message it is */
    bool ended;       /* the finish reason has come */
    struct json_tokener *tokener;
};

/* begun: what the answer goes on with, or "". */
void reply_answer_init(struct reply_answer *r, const char *begun, size_t len, struct arena *a);
void reply_answer_release(struct reply_answer *r);

/* A chunk of a stream: the data of an event. Returns the parsed chunk, which the caller owns, when
 * it is the one with the finish reason of an answer that may be completed; else NULL. The text of
 * that chunk is in r->text already. */
struct json_object *reply_answer_chunk(struct reply_answer *r, const char *data, size_t len);
/* The same for a whole answer. */
struct json_object *reply_answer_whole(struct reply_answer *r, const char *body, size_t len);

#endif
