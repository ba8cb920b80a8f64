/* render_stream.h - one output stream as a result shows it: cleaned, within a budget of
 * characters, saying exactly what was left out. Pure; cleans only what it shows. */
#ifndef CORE_RENDER_STREAM_H
#define CORE_RENDER_STREAM_H

#include "base/buf.h"
#include "core/observation.h"

enum render_keep {
    KEEP_END,       /* the last lines: where a program's error is */
    KEEP_BEGINNING, /* the first lines and a few of the last: a compiler's first error is the
                     * real one */
};

/* Appends the stream, ending with \n; nothing when it is empty. Returns how many of the
 * stream's bytes are not shown. */
uint64_t render_stream(struct buf *b, const struct stream *s, enum render_keep keep, size_t chars,
                       size_t line_chars);

#endif
