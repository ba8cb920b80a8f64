/* stream.h - how the answer to one tools/call leaves: as JSON when it is quick, as a
 * text/event-stream once it takes longer than STREAM_AFTER_MS (or the client takes
 * nothing else). A started stream always ends with exactly one response event. */
#ifndef STREAM_H
#define STREAM_H

#include "core/mcp.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    STREAM_AFTER_MS = 2000,
    STREAM_BEAT_MS = 10000,    /* a comment line, so that nobody in between gives up */
    STREAM_PROGRESS_MS = 1000, /* at most one progress notification in this time */
};

struct stream {
    const struct mcp_message *message; /* borrowed */
    bool may_stream;
    bool cancel_on_close; /* modern era: closing the stream is the cancel */
    bool started, gone;
    int64_t start_ms, beat_ms, progress_ms;
};

void stream_init(struct stream *s, const struct http_request *q, const struct mcp_message *m,
                 bool single, int64_t now_ms);
/* Called while the call runs. last_line may be "". False: the caller wants it stopped. */
bool stream_tick(struct stream *s, const char *last_line, int64_t now_ms, struct arena *a);
/* The response: an event when the stream has started, else nothing is sent and false is
 * returned in *ret_streamed. True: sent (or left to the caller). */
bool stream_finish(struct stream *s, const char *response, bool *ret_streamed);

#endif
