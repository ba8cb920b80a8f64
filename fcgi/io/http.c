#include "config.h"

#include "base/buf.h"
#include "base/clock.h"
#include "io/http.h"
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX = 1 << 20 };

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
