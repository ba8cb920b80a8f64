#include "config.h"

#include "io/fcgi.h"
#include "sse.h"
#include <string.h>

void
sse_init(struct sse *s, const struct http_request *q, const struct mcp_message *m, bool single,
         int64_t now_ms)
{
    *s = (struct sse){
        .message = m,
        .may_stream = single && mcp_may_stream(q),
        .cancel_on_close = m->era == MCP_MODERN,
        .start_ms = now_ms,
    };
}

static bool
event(const char *json)
{
    return fcgi_stream_write("data: ", 6) && fcgi_stream_write(json, strlen(json)) &&
           fcgi_stream_write("\n\n", 2);
}

static void
start(struct sse *s, int64_t now_ms)
{
    s->started = true;
    s->beat_ms = now_ms + SSE_BEAT_MS;
    /* The first comment makes every proxy pass the head on. */
    s->gone = !fcgi_stream_start(NULL) || !fcgi_stream_write(": running\n\n", 11);
}

bool
sse_tick(struct sse *s, const char *last_line, int64_t now_ms, struct arena *a)
{
    if (!s->gone && fcgi_client_gone())
        s->gone = true;
    if (s->gone)
        return !s->cancel_on_close;
    if (!s->may_stream)
        return true;
    if (!s->started) {
        if (now_ms - s->start_ms < SSE_AFTER_MS && !s->message->progress_token)
            return true;
        start(s, now_ms);
    }
    if (s->message->progress_token && now_ms >= s->progress_ms && !s->gone) {
        const char *note =
            mcp_progress(s->message, (double)(now_ms - s->start_ms) / 1000.0, last_line, a);

        s->progress_ms = now_ms + SSE_PROGRESS_MS;
        s->beat_ms = now_ms + SSE_BEAT_MS;
        s->gone = note && !event(note);
    }
    if (now_ms >= s->beat_ms && !s->gone) {
        s->beat_ms = now_ms + SSE_BEAT_MS;
        s->gone = !fcgi_stream_write(": running\n\n", 11);
    }
    return !s->gone || !s->cancel_on_close;
}

bool
sse_finish(struct sse *s, const char *response, bool *ret_streamed)
{
    *ret_streamed = s->started;
    if (s->started && !s->gone)
        s->gone = !event(response);
    return !s->gone;
}
