/* buf.h - text that grows inside an arena up to a maximum fixed when it is made.
 * A write that would pass the maximum stores nothing and sets `full`; every later
 * write is then ignored, so a caller checks once, at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

struct buf {
    struct arena *arena; /* borrowed: the text lives as long as the arena's request */
    char *data;          /* NUL-ended after every write; NULL before the first */
    size_t len, cap;
    size_t max; /* bytes, without the NUL */
    bool full;  /* a write was refused */
};

void buf_init(struct buf *b, struct arena *a, size_t max_bytes);
void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_adds(struct buf *b, const char *text);
void buf_addc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The text so far, NUL-ended, never NULL; owned by the arena. */
const char *buf_text(struct buf *b);

#endif
