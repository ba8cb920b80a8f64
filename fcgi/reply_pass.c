#include "config.h"

#include "core/reply_write.h"
#include "io/fcgi.h"
#include "reply_serve.h"
#include <string.h>

enum { WHOLE_MAX = 8 << 20, HEADERS_MAX = 64 * 1024 };

/* The request is on its way: time to read it, once. A quick server may have answered already. */
void
pass_sent(void *ctx)
{
    struct pass *p = ctx;

    if (!p->chat || p->looked)
        return;
    p->looked = true;
    reply_request_read(p->q->body, p->q->body_len, p->w->arena, &p->request);
    p->completed = p->request.leave;
    if (p->request.leave)
        return;
    p->ran = ran_in_turn(p->request.calls, p->request.call_count, &p->w->tools, p->w->arena);
    p->may_complete = p->ran->count > 0;
    if (!p->may_complete)
        p->completed = "no program was run";
}

/* ---- the head ----------------------------------------------------------------------------------
 */

void
pass_header(void *ctx, const char *line, size_t len)
{
    struct pass *p = ctx;

    if (!p->headers.arena) {
        buf_init(&p->headers, p->w->arena, HEADERS_MAX);
        buf_init(&p->length, p->w->arena, HEADERS_MAX);
    }
    reply_http_header(line, len, &p->head, &p->headers, &p->length);
}

static bool
send_head(struct pass *p, bool same_length)
{
    if (p->head_sent)
        return true;
    p->head_sent = true;
    if (same_length && p->length.arena)
        buf_add(&p->headers, buf_text(&p->length), p->length.len);
    if (p->headers.len == 0) /* a head must not be empty for FastCGI's sake */
        return fcgi_relay_start(p->status, "", 0);
    return fcgi_relay_start(p->status, buf_text(&p->headers), p->headers.len);
}

bool
pass_head(void *ctx, int status)
{
    struct pass *p = ctx;

    pass_sent(p);
    p->status = status;
    if (p->may_complete && status == 200 && !p->head.encoded) {
        reply_answer_init(&p->answer, p->request.begun, p->request.begun_len, p->w->arena);
        if (p->head.events) {
            p->mode = PASS_EVENTS;
            sse_reader_init(&p->events, p->w->arena);
        } else if (p->head.json) {
            p->mode = PASS_WHOLE;
            buf_init(&p->whole, p->w->arena, WHOLE_MAX);
            return true;
        }
    }
    return send_head(p, p->mode == PASS_RAW);
}

/* ---- the body ----------------------------------------------------------------------------------
 */

static bool
send_raw(struct pass *p, const char *bytes, size_t len)
{
    p->bytes += len;
    return fcgi_stream_put(bytes, len);
}

/* What was put goes out: once for all that came together, and before anything is waited for. */
static bool
flush(void)
{
    return fcgi_stream_write("", 0);
}

/* An event that is whole: as it came, or, if it ends the answer, behind what has to come before. */
static bool
send_event(struct pass *p)
{
    const char *raw = buf_text(&p->events.raw), *data, *text, *chunks;
    own_json struct json_object *final = NULL;
    bool had_role = p->answer.has_role;
    size_t len, text_len, chunks_len;

    data = sse_reader_data(&p->events, &len);
    if (data)
        final = reply_answer_chunk(&p->answer, data, len);
    if (final && flush() && (text = reply_complete(p, &text_len)) != NULL) {
        chunks = reply_write_chunks(final, raw, p->events.raw.len, had_role, text, text_len,
                                    p->w->arena, &chunks_len);
        if (chunks)
            return send_raw(p, chunks, chunks_len);
    }
    return send_raw(p, raw, p->events.raw.len);
}

static bool
take_events(struct pass *p, const char *bytes, size_t len)
{
    while (len > 0) {
        bool whole;
        size_t n = sse_reader_take(&p->events, bytes, len, &whole);

        if (n == 0 && !whole) { /* an event of no known kind: nobody is to wait for its end */
            p->mode = PASS_RAW;
            p->completed = "long event";
            return send_raw(p, buf_text(&p->events.raw), p->events.raw.len) &&
                   send_raw(p, bytes, len);
        }
        bytes += n;
        len -= n;
        if (!whole)
            break;
        if (!send_event(p))
            return false;
        sse_reader_next(&p->events);
    }
    return true;
}

static bool
take_whole(struct pass *p, const char *bytes, size_t len)
{
    buf_add(&p->whole, bytes, len);
    if (!p->whole.full)
        return true;
    p->mode = PASS_RAW;
    p->completed = "long answer";
    return send_head(p, true) && send_raw(p, buf_text(&p->whole), p->whole.len) &&
           send_raw(p, bytes, len);
}

bool
pass_bytes(void *ctx, const char *bytes, size_t len)
{
    struct pass *p = ctx;

    switch (p->mode) {
    case PASS_EVENTS:
        return take_events(p, bytes, len) && flush();
    case PASS_WHOLE:
        return take_whole(p, bytes, len);
    case PASS_RAW:
        break;
    }
    return send_raw(p, bytes, len) && flush();
}

/* ---- the end ------------------------------------------------------------------------------------
 */

static bool
send_whole(struct pass *p, bool complete)
{
    own_json struct json_object *final = NULL;
    const char *text = NULL, *body = NULL;
    size_t text_len, len;

    if (complete)
        final = reply_answer_whole(&p->answer, buf_text(&p->whole), p->whole.len);
    if (final)
        text = reply_complete(p, &text_len);
    if (text)
        body = reply_write_whole(final, text, text_len, p->w->arena, &len);
    if (body)
        return send_head(p, false) && send_raw(p, body, len);
    return send_head(p, true) && send_raw(p, buf_text(&p->whole), p->whole.len);
}

bool
pass_end(struct pass *p, bool whole)
{
    switch (p->mode) {
    case PASS_EVENTS:
        return send_raw(p, buf_text(&p->events.raw), p->events.raw.len) && flush();
    case PASS_WHOLE:
        return send_whole(p, whole) && flush();
    case PASS_RAW:
        break;
    }
    return true;
}

void
pass_release(struct pass *p)
{
    reply_request_release(&p->request);
    reply_answer_release(&p->answer);
}
