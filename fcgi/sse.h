/* sse.h - how the answer to one tools/call leaves: as JSON when it is quick, as a
 * text/event-stream once it takes longer than SSE_AFTER_MS (or the client takes
 * nothing else). A started stream always ends with exactly one response event. */
#ifndef SSE_H
#define SSE_H

#include "core/mcp.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    SSE_AFTER_MS = 2000,
    SSE_BEAT_MS = 10000,    /* a comment line, so that nobody in between gives up */
    SSE_PROGRESS_MS = 1000, /* at most one progress notification in this time */
};

struct sse {
    const struct mcp_message *message; /* borrowed */
    bool may_stream;
    bool cancel_on_close; /* modern era: closing the stream is the cancel */
    bool started, gone;
    int64_t start_ms, beat_ms, progress_ms;
};

void sse_init(struct sse *s, const struct http_request *q, const struct mcp_message *m, bool single,
              int64_t now_ms);
/* Called while the call runs. last_line may be "". False: the caller wants it stopped. */
bool sse_tick(struct sse *s, const char *last_line, int64_t now_ms, struct arena *a);
/* The response: an event when the stream has started, else nothing is sent and false is
 * returned in *ret_streamed. True: sent (or left to the caller). */
bool sse_finish(struct sse *s, const char *response, bool *ret_streamed);

#endif
