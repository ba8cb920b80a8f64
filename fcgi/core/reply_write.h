/* reply_write.h - an answer with something added, in the form the model server gave it. Pure. */
#ifndef CORE_REPLY_WRITE_H
#define CORE_REPLY_WRITE_H

#include "base/arena.h"
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/* The events that take the place of the final chunk's: text as delta chunks of the same answer,
 * then the finish reason. raw: that event as it came; it stays as it is when it holds no text of
 * its own. has_role: an earlier chunk has said whose message it is. NULL: it cannot be done. */
const char *reply_write_chunks(struct json_object *final, const char *raw, size_t raw_len,
                               bool has_role, const char *text, size_t len, struct arena *a,
                               size_t *ret_len);
/* A whole answer with text behind its message's; root is changed. NULL: it cannot be done. */
const char *reply_write_whole(struct json_object *root, const char *text, size_t len,
                              struct arena *a, size_t *ret_len);

#endif
