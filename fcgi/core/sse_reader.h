/* sse_reader.h - takes a text/event-stream apart into its events without losing a byte
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html, "Parsing an event
 * stream"), whatever pieces the bytes come in. Lines end with LF, CR or CRLF. Pure. */
#ifndef CORE_SSE_READER_H
#define CORE_SSE_READER_H

#include "base/buf.h"

enum { SSE_EVENT_MAX = 1 << 20 }; /* bytes of one event */

struct sse_reader {
    struct buf raw;    /* the event so far, as it came, its blank line included */
    struct buf joined; /* its data when that stands on several lines */
    bool at_line_start, after_cr;
    bool crlf;   /* lines have ended with CRLF before */
    bool ending; /* only the LF of the blank line is missing */
};

void sse_reader_init(struct sse_reader *r, struct arena *a);
/* Takes bytes up to the end of an event, at most len; how many. *ret_whole: r->raw is a whole
 * event; call sse_reader_next before taking more. 0 taken and not whole: the event is longer than
 * SSE_EVENT_MAX, and r->raw holds what came of it before. */
size_t sse_reader_take(struct sse_reader *r, const char *bytes, size_t len, bool *ret_whole);
/* The whole event's data, its lines joined by LF; borrowed, until sse_reader_next. NULL: it has
 * none. */
const char *sse_reader_data(struct sse_reader *r, size_t *ret_len);
void sse_reader_next(struct sse_reader *r);

#endif
