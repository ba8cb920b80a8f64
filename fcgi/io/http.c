#include "config.h"

#include "base/buf.h"
#include "base/clock.h"
#include "io/http.h"
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_MAX = 8 << 20, /* the list of some thousand containers */
    CONNECT_MS = 10000,
    LOOK_MS = 1000,
};

struct http {
    CURL *curl;
    char *socket_path;
};

struct http *
http_new(const char *socket_path)
{
    struct http *h = calloc(1, sizeof *h);

    /* No TLS here: the gate is a unix socket. */
    if (!h || curl_global_init(CURL_GLOBAL_NOTHING) != CURLE_OK || !(h->curl = curl_easy_init()) ||
        !(h->socket_path = strdup(socket_path)))
        abort();
    return h;
}

void
http_free(struct http *h)
{
    if (!h)
        return;
    curl_easy_cleanup(h->curl);
    free(h->socket_path);
    free(h);
    curl_global_cleanup();
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct buf *b = ctx;

    buf_add(b, bytes, size * count);
    return b->full ? 0 : size * count;
}

bool
http_ask(struct http *h, const char *method, const char *path, const char *json,
         int64_t deadline_ms, struct arena *a, struct http_answer *ret, struct fault *f)
{
    const char *url = arena_printf(a, "http://docker%s", path);
    struct curl_slist *headers = NULL;
    struct buf body;
    int left = clock_left_ms(deadline_ms);
    CURLcode code;

    buf_init(&body, a, ANSWER_MAX);
    curl_easy_reset(h->curl);
    headers = curl_slist_append(headers, "Expect:");
    if (json)
        headers = curl_slist_append(headers, "Content-Type: application/json");
    curl_easy_setopt(h->curl, CURLOPT_UNIX_SOCKET_PATH, h->socket_path);
    curl_easy_setopt(h->curl, CURLOPT_URL, url);
    curl_easy_setopt(h->curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, (long)(left > 0 ? left : 1));
    curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, &body);
    if (strcmp(method, "POST") == 0) {
        curl_easy_setopt(h->curl, CURLOPT_POST, 1L);
        curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, json ? json : "");
        curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE, json ? (long)strlen(json) : 0L);
    }
    code = curl_easy_perform(h->curl);
    curl_slist_free_all(headers);
    if (code != CURLE_OK) {
        fault_set(f, FAULT_ENGINE, "the container engine cannot be reached");
        snprintf(f->detail, sizeof f->detail, "%s %s: %s", method, path, curl_easy_strerror(code));
        return false;
    }
    curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &ret->status);
    ret->body = buf_text(&body);
    ret->len = body.len;
    return true;
}

/* ---- passing on ------------------------------------------------------------------------------ */

struct relay {
    CURLM *multi; /* keeps the connections */
};

/* One request on its way. */
struct passage {
    CURL *curl;
    const struct relay_request *q;
    bool has_head, stopped;
    int64_t heard_ms;
};

struct relay *
relay_new(void)
{
    struct relay *r = calloc(1, sizeof *r);

    if (!r || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(r->multi = curl_multi_init()))
        abort();
    curl_multi_setopt(r->multi, CURLMOPT_MAXCONNECTS, 2L);
    return r;
}

/* Heads of 1xx answers and the trailer of a chunked body are nobody's business. */
static size_t
take_header(char *bytes, size_t size, size_t count, void *ctx)
{
    struct passage *p = ctx;
    size_t len = size * count, n = len;
    long status = 0;

    p->heard_ms = clock_ms();
    while (n > 0 && (bytes[n - 1] == '\n' || bytes[n - 1] == '\r'))
        n--;
    curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
    if (p->has_head || status < 200)
        return len;
    if (n > 0) {
        if (memchr(bytes, ':', n))
            p->q->header(p->q->ctx, bytes, n);
        return len;
    }
    p->has_head = true;
    p->stopped = !p->q->head(p->q->ctx, (int)status);
    return p->stopped ? 0 : len;
}

static size_t
take_piece(char *bytes, size_t size, size_t count, void *ctx)
{
    struct passage *p = ctx;

    p->heard_ms = clock_ms();
    p->stopped = !p->q->bytes(p->q->ctx, bytes, size * count);
    return p->stopped ? 0 : size * count;
}

static struct curl_slist *
list_of(const char *const *headers)
{
    struct curl_slist *list = NULL;

    for (size_t i = 0; headers[i]; i++) {
        struct curl_slist *longer = curl_slist_append(list, headers[i]);

        if (!longer)
            abort();
        list = longer;
    }
    return list;
}

static void
set_up(struct passage *p, struct curl_slist *headers)
{
    const struct relay_request *q = p->q;

    curl_easy_setopt(p->curl, CURLOPT_URL, q->url);
    curl_easy_setopt(p->curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(p->curl, CURLOPT_CUSTOMREQUEST, q->method);
    curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(p->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(p->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(p->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(p->curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(p->curl, CURLOPT_HEADERDATA, p);
    curl_easy_setopt(p->curl, CURLOPT_WRITEFUNCTION, take_piece);
    curl_easy_setopt(p->curl, CURLOPT_WRITEDATA, p);
    if (strcmp(q->method, "HEAD") == 0) {
        curl_easy_setopt(p->curl, CURLOPT_NOBODY, 1L);
    } else if (q->body) {
        curl_easy_setopt(p->curl, CURLOPT_POST, 1L);
        curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, q->body);
        curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->len);
    }
}

static enum relay_end
end_of(const struct passage *p, CURLcode code, const char **ret_why)
{
    *ret_why = curl_easy_strerror(code);
    if (p->stopped)
        return RELAY_GONE;
    if (code == CURLE_OK)
        return RELAY_DONE;
    return p->has_head ? RELAY_CUT : RELAY_UNREACHED;
}

/* True when the transfer has ended, with its result. */
static bool
has_ended(CURLM *multi, CURLcode *ret)
{
    int left;
    CURLMsg *m;

    while ((m = curl_multi_info_read(multi, &left)) != NULL)
        if (m->msg == CURLMSG_DONE) {
            *ret = m->data.result;
            return true;
        }
    return false;
}

static enum relay_end
drive(CURLM *multi, struct passage *p, const char **ret_why)
{
    struct curl_waitfd client = {.fd = p->q->client, .events = CURL_WAIT_POLLIN};
    bool told = false;
    CURLcode code;

    p->heard_ms = clock_ms();
    for (;;) {
        int running, left;

        curl_multi_perform(multi, &running);
        if (!told && p->q->sent)
            p->q->sent(p->q->ctx);
        told = true;
        if (has_ended(multi, &code))
            return end_of(p, code, ret_why);
        left = clock_left_ms(p->heard_ms + p->q->silence_ms);
        if (left == 0)
            return RELAY_LATE;
        client.revents = 0;
        curl_multi_poll(multi, &client, client.fd >= 0, left < LOOK_MS ? left : LOOK_MS, NULL);
        if (client.revents)
            return RELAY_GONE;
    }
}

enum relay_end
relay_run(struct relay *r, const struct relay_request *q, const char **ret_why)
{
    struct curl_slist *headers = list_of(q->headers);
    struct passage p = {.curl = curl_easy_init(), .q = q};
    enum relay_end end;

    if (!p.curl)
        abort();
    *ret_why = "";
    set_up(&p, headers);
    curl_multi_add_handle(r->multi, p.curl);
    end = drive(r->multi, &p, ret_why);
    /* What is not through is cancelled with its connection. */
    curl_multi_remove_handle(r->multi, p.curl);
    curl_easy_cleanup(p.curl);
    curl_slist_free_all(headers);
    return end;
}
