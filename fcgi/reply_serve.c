#include "config.h"

#include "base/clock.h"
#include "base/log.h"
#include "core/auth.h"
#include "io/fcgi.h"
#include "reply_serve.h"
#include <inttypes.h>
#include <sha256.h>
#include <string.h>

static void
refuse(struct pass *p, int status, const char *type, const char *code, const char *message)
{
    struct http_reply r = reply_http_error(status, type, code, message, p->w->arena);

    p->status = status;
    p->bytes = r.body_len;
    fcgi_reply(&r);
}

/* The bearer key, checked before the body is read. While the record is down, the keys it has called
 * good before are. */
static bool
admit_key(struct pass *p)
{
    const char *key = auth_bearer(p->q->authorization, p->w->arena);
    uint8_t *sha256 = p->who.key_sha256;
    struct fault f;
    SHA2_CTX sha;

    if (key) {
        SHA256Init(&sha);
        SHA256Update(&sha, (const uint8_t *)key, strlen(key));
        SHA256Final(sha256, &sha);
        if (store_key(p->w->store, sha256, &f)) {
            keys_add(p->w->keys, sha256);
            return true;
        }
        if (f.kind != FAULT_AUTH) {
            bool known = keys_has(p->w->keys, sha256);

            log_line(LOG_LINE_ERROR, "record: %s: %s", f.message, f.detail);
            if (!known)
                refuse(p, 503, "server_error", "record_unavailable",
                       "The key cannot be checked: the record (PostgreSQL) is out of reach. Try "
                       "again in a minute.");
            return known;
        }
        keys_forget(p->w->keys, sha256);
    }
    refuse(p, 401, "invalid_request_error", "invalid_api_key",
           "This is no key of Backtalk. The API key of this server begins with bt_; the operator "
           "makes one with new_key.");
    return false;
}

static bool
admit(struct pass *p, const char **ret_rest)
{
    const char *ignored;

    *ret_rest = reply_http_rest(p->q->target);
    if (!*ret_rest) {
        refuse(p, 404, "invalid_request_error", "unknown_url", "There is nothing at this address.");
        return false;
    }
    if (!admit_key(p))
        return false;
    if (p->q->content_length > p->w->settings->body_max_bytes) {
        refuse(p, 413, "invalid_request_error", "request_too_large",
               "The request is larger than this server takes.");
        return false;
    }
    p->who.user = p->q->user;
    /* What names no chat is as good as none: the programs are found by their text then. */
    p->who.conversation =
        auth_conversation(p->q->conversation, &ignored) ? p->q->conversation : NULL;
    return true;
}

/* "Name: value" when there is a value, else what takes curl's own header away. */
static const char *
header(struct arena *a, const char *name, const char *value)
{
    if (!value || strpbrk(value, "\r\n"))
        return arena_printf(a, "%s:", name);
    return arena_printf(a, "%s: %s", name, value);
}

static enum relay_end
pass_on(struct pass *p, const char *rest, const char **ret_why)
{
    const struct http_request *q = p->q;
    struct reply_worker *w = p->w;
    struct arena *a = w->arena;
    const char *key = w->settings->upstream_key;
    const char *const headers[] = {
        header(a, "Content-Type", q->content_type),
        header(a, "Accept", q->accept ? q->accept : "*/*"),
        header(a, "User-Agent", q->user_agent),
        key[0] ? arena_printf(a, "Authorization: Bearer %s", key) : "Authorization:",
        "Expect:",
        NULL,
    };
    const struct relay_request to = {
        .method = q->method,
        .url = arena_printf(a, "%s%s", w->settings->upstream, rest),
        .headers = headers,
        .body = q->content_length >= 0 ? q->body : NULL,
        .len = q->body_len,
        .silence_ms = w->settings->timeout_s * 1000,
        .client = fcgi_descriptor(),
        .ctx = p,
        .sent = pass_sent,
        .header = pass_header,
        .head = pass_head,
        .bytes = pass_bytes,
    };

    return relay_run(w->relay, &to, ret_why);
}

/* The end, told as it was: an answer that was cut is cut for the client too. */
static void
finish(struct pass *p, enum relay_end end, const char *why)
{
    switch (end) {
    case RELAY_DONE:
        if (pass_end(p, true))
            fcgi_finish();
        else
            fcgi_break();
        return;
    case RELAY_UNREACHED:
        log_line(LOG_LINE_ERROR, "the model server gives no answer: %s", why);
        refuse(p, 502, "server_error", "upstream_unreachable",
               "The model server behind this address gives no answer. Try again in a minute.");
        fcgi_finish();
        return;
    case RELAY_LATE:
        log_line(LOG_LINE_ERROR, "the model server says nothing for %" PRId64 " s",
                 p->w->settings->timeout_s);
        if (!p->head_sent && p->mode == PASS_RAW) {
            refuse(p, 504, "server_error", "upstream_timeout",
                   "The model server behind this address did not answer in time.");
            fcgi_finish();
            return;
        }
        break;
    case RELAY_CUT:
        log_line(LOG_LINE_ERROR, "the model server's answer is cut: %s", why);
        break;
    case RELAY_GONE:
        log_line(LOG_LINE_INFO, "the client is gone: the model server's answer is cancelled");
        fcgi_break();
        return;
    }
    pass_end(p, false);
    fcgi_break();
}

void
reply_serve(struct reply_worker *w, struct http_request *q)
{
    struct pass *p = arena_alloc(w->arena, sizeof *p);
    int64_t start_ms = clock_ms();
    const char *rest, *why;
    enum relay_end end;

    *p = (struct pass){.w = w, .q = q, .completed = NULL};
    if (!admit(p, &rest)) {
        fcgi_finish();
    } else if (!fcgi_read_body(w->arena, q)) {
        log_line(LOG_LINE_WARNING, "the body ended early");
        fcgi_break();
        return;
    } else {
        p->chat = reply_http_is_chat(q->method, rest);
        end = pass_on(p, rest, &why);
        finish(p, end, why);
    }
    log_line(LOG_LINE_INFO, "%s status=%d bytes=%zu ms=%" PRId64 "%s%s", q->method, p->status,
             p->bytes, clock_ms() - start_ms, p->completed ? " program=" : "",
             p->completed ? p->completed : "");
    pass_release(p);
}
