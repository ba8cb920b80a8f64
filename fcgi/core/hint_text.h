/* hint_text.h - the texts hint patterns are sought in, and the search. Pure but for the compiled
 * patterns, which are kept. A search is bounded whatever the text: the text is at most
 * HINT_HEAD_BYTES and HINT_TAIL_BYTES of what was written, its lines are cut at HINT_LINE_BYTES,
 * and PCRE2 has a limit of tries. */
#ifndef CORE_HINT_TEXT_H
#define CORE_HINT_TEXT_H

#include "core/hint_rule.h"

enum {
    HINT_HEAD_BYTES = 3072,
    HINT_TAIL_BYTES = 6144,
    HINT_LINE_BYTES = 400,
};

/* The beginning and the end of a stream, cleaned. In the arena. */
const char *hint_text_of(struct arena *a, const struct stream *s);
const char *hint_text_bytes(struct arena *a, const char *bytes, size_t len);
/* Seeks a pattern, which must be a literal; groups that captured nothing are "". */
bool hint_text_match(struct arena *a, const char *text, const char *pattern,
                     const char *ret_groups[HINT_GROUPS]);
bool hint_text_compiles(const char *pattern);

#endif
