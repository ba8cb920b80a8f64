#include "config.h"

#include "base/clock.h"
#include "base/log.h"
#include "call.h"
#include "io/fcgi.h"
#include "serve.h"
#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

struct served {
    struct mcp_messages messages;
    struct mcp_answer answers[MCP_BATCH_MAX];
    const char *texts[MCP_BATCH_MAX];
    int64_t call_ids[MCP_BATCH_MAX];
    uint8_t key_sha256[STORE_KEY_BYTES];
    bool streamed, sent;
};

/* The bearer key, checked before the body is read. A record that cannot be asked lets the request
 * in: it is served what needs no record, and a tool call is told. */
static bool
admit_key(struct worker *w, const struct http_request *q, uint8_t ret_sha256[STORE_KEY_BYTES])
{
    const char *key = auth_bearer(q->authorization, w->arena);
    struct fault f;
    SHA2_CTX sha;

    if (!key)
        return false;
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)key, strlen(key));
    SHA256Final(ret_sha256, &sha);
    if (store_key(w->store, ret_sha256, &f))
        return true;
    if (f.kind != FAULT_AUTH)
        log_line(LOG_LINE_ERROR, "record: %s: %s", f.message, f.detail);
    return f.kind != FAULT_AUTH;
}

static const char *
mint_session(struct arena *a)
{
    uint64_t r[2] = {0, 0};

    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
        log_line(LOG_LINE_WARNING, "no random numbers for a session id");
    return arena_printf(a, "%016" PRIx64 "%016" PRIx64, r[0], r[1]);
}

static void
cancel(struct worker *w, const struct http_request *q, const struct served *s, const char *id)
{
    struct fault f;

    if (!store_cancel(w->store, s->key_sha256, q->session, id, &f))
        log_line(LOG_LINE_ERROR, "cancel: %s: %s", f.message, f.detail);
}

/* Answers every message in order. False: the key is no longer good. */
static bool
answer_all(struct worker *w, const struct http_request *q, struct served *s)
{
    for (size_t i = 0; i < s->messages.count; i++) {
        const struct mcp_message *m = &s->messages.list[i];
        struct mcp_answer *answer = &s->answers[i];
        struct call_answer called;
        struct sse sse;

        *answer = mcp_answer(&w->server, q, m, w->arena);
        s->texts[i] = answer->text;
        if (answer->outcome == MCP_CANCEL)
            cancel(w, q, s, answer->cancel_id);
        if (answer->outcome != MCP_CALL)
            continue;
        sse_init(&sse, q, m, s->messages.count == 1, clock_ms());
        called = call_run(w, q, s->key_sha256, m, answer, &sse);
        if (called.unauthorized)
            return false;
        s->texts[i] = called.response;
        s->call_ids[i] = called.call_id;
        s->sent = sse_finish(&sse, called.response, &s->streamed);
        if (s->messages.count > 1 && called.call_id > 0) {
            store_delivered(w->store, called.call_id, true); /* the next one of the batch follows */
            s->call_ids[i] = 0;
        }
    }
    return true;
}

/* The reply of all answers; as one event when the client takes nothing but a stream. */
static bool
send_reply(const struct http_request *q, const struct http_reply *r)
{
    if (r->status != 200 || !r->content_type || !mcp_must_stream(q))
        return fcgi_reply(r);
    return fcgi_stream_start(r->session) && fcgi_stream_write("data: ", 6) &&
           fcgi_stream_write(r->body, r->body_len) && fcgi_stream_write("\n\n", 2);
}

static void
answer_and_send(struct worker *w, const struct http_request *q, struct served *s)
{
    struct http_reply reply;

    if (!answer_all(w, q, s)) {
        reply = mcp_unauthorized(w->arena);
        fcgi_reply(&reply);
        return;
    }
    if (!s->streamed) {
        reply = mcp_reply(&s->messages, s->answers, s->texts, w->arena);
        if (s->messages.count > 0 && s->answers[0].mint_session)
            reply.session = mint_session(w->arena);
        /* Asked before: once it has the whole reply, the web server closes as well. */
        s->sent = !fcgi_client_gone();
        s->sent = send_reply(q, &reply) && s->sent;
    }
    for (size_t i = 0; i < s->messages.count; i++)
        if (s->call_ids[i] > 0)
            store_delivered(w->store, s->call_ids[i], s->sent);
}

void
serve_request(struct worker *w, struct http_request *q)
{
    struct served *s = arena_alloc(w->arena, sizeof *s);
    struct http_reply refusal;

    *s = (struct served){.sent = true};
    if (!mcp_admit(&w->server, q, w->arena, &refusal)) {
        fcgi_reply(&refusal);
    } else if (!admit_key(w, q, s->key_sha256)) {
        refusal = mcp_unauthorized(w->arena);
        fcgi_reply(&refusal);
    } else if (!mcp_admit_body(&w->server, q, w->arena, &refusal)) {
        fcgi_reply(&refusal);
    } else if (!fcgi_read_body(w->arena, q)) {
        log_line(LOG_LINE_WARNING, "the body ended early");
    } else if (!mcp_read(&w->server, q, w->arena, &s->messages, &refusal)) {
        fcgi_reply(&refusal);
    } else {
        answer_and_send(w, q, s);
        mcp_messages_release(&s->messages);
    }
    fcgi_finish();
}
