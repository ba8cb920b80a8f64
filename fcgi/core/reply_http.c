#include "config.h"

#include "core/json_text.h"
#include "core/reply_http.h"
#include <string.h>
#include <strings.h>

enum { ERROR_BYTES = 4096 };

/* "." in a path, as it is or encoded; how many characters, 0: none. */
static size_t
dot(const char *p)
{
    if (*p == '.')
        return 1;
    return strncasecmp(p, "%2e", 3) == 0 ? 3 : 0;
}

static bool
ends_segment(const char *p)
{
    return strchr("/?\\", *p) || strncasecmp(p, "%2f", 3) == 0 || strncasecmp(p, "%5c", 3) == 0;
}

/* A segment "." or "..". */
static bool
is_dots(const char *p)
{
    size_t n = dot(p);

    if (n == 0)
        return false;
    return ends_segment(p + n) || (dot(p + n) > 0 && ends_segment(p + n + dot(p + n)));
}

const char *
reply_http_rest(const char *target)
{
    static const char base[] = "/v1";
    const char *rest, *p;
    bool segment = false, query = false;

    if (!target || strncmp(target, base, sizeof base - 1) != 0)
        return NULL;
    rest = target + sizeof base - 1;
    if (*rest != '/' && *rest != '?' && *rest != '\0')
        return NULL;
    for (p = rest; *p; p++) {
        if (*p <= ' ' || *p > '~' || *p == '#' || *p == '"' || *p == '<' || *p == '>')
            return NULL;
        if (segment && !query && is_dots(p))
            return NULL;
        query = query || *p == '?';
        segment = *p == '/' || *p == '\\' ||
                  (p - rest >= 2 &&
                   (strncasecmp(p - 2, "%2f", 3) == 0 || strncasecmp(p - 2, "%5c", 3) == 0));
    }
    return rest;
}

bool
reply_http_is_chat(const char *method, const char *rest)
{
    static const char path[] = "/chat/completions";
    size_t len = sizeof path - 1;

    return strcmp(method, "POST") == 0 && strncmp(rest, path, len) == 0 &&
           (rest[len] == '\0' || rest[len] == '?' || strcmp(rest + len, "/") == 0);
}

/* ---- the answer's headers ----------------------------------------------------------------------
 */

/* What clients make use of. A name that ends in * stands for all that begin so. */
static const char *const passed[] = {
    "content-type",     "content-disposition",
    "content-encoding", "content-language",
    "content-range",    "accept-ranges",
    "cache-control",    "etag",
    "last-modified",    "vary",
    "retry-after",      "retry-after-ms",
    "x-should-retry",   "x-request-id",
    "request-id",       "x-ratelimit-*",
    "openai-*",         "access-control-*",
};

static bool
passes(const char *name, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(passed); i++) {
        size_t n = strlen(passed[i]);
        bool all = passed[i][n - 1] == '*';

        if (all ? len >= n && strncasecmp(name, passed[i], n - 1) == 0
                : len == n && strncasecmp(name, passed[i], n) == 0)
            return true;
    }
    return false;
}

static bool
is_name(const char *name, size_t len, const char *wanted)
{
    return len == strlen(wanted) && strncasecmp(name, wanted, len) == 0;
}

static bool
begins(const char *value, size_t len, const char *word)
{
    return len >= strlen(word) && strncasecmp(value, word, strlen(word)) == 0;
}

void
reply_http_header(const char *line, size_t len, struct reply_head *h, struct buf *out,
                  struct buf *length)
{
    const char *colon = memchr(line, ':', len), *value;
    size_t name_len = colon ? (size_t)(colon - line) : 0, value_len;
    struct buf *to = NULL;

    if (name_len == 0 || memchr(line, '\0', len) || memchr(line, '\n', len))
        return;
    value = colon + 1;
    while (value < line + len && (*value == ' ' || *value == '\t'))
        value++;
    value_len = (size_t)(line + len - value);
    if (is_name(line, name_len, "content-type")) {
        h->events = begins(value, value_len, "text/event-stream");
        h->json = begins(value, value_len, "application/json");
    } else if (is_name(line, name_len, "content-encoding")) {
        h->encoded = !begins(value, value_len, "identity");
    }
    if (is_name(line, name_len, "content-length"))
        to = length;
    else if (passes(line, name_len))
        to = out;
    if (to) {
        buf_add(to, line, len);
        buf_adds(to, "\r\n");
    }
}

struct http_reply
reply_http_error(int status, const char *type, const char *code, const char *message,
                 struct arena *a)
{
    struct buf b;

    buf_init(&b, a, ERROR_BYTES);
    buf_adds(&b, "{\"error\":{");
    json_text_member(&b, "message", message);
    json_text_member(&b, "type", type);
    buf_adds(&b, "\"param\":null,");
    json_text_name(&b, "code");
    json_text_string(&b, code, strlen(code));
    buf_adds(&b, "}}\n");
    return (struct http_reply){
        .status = status,
        .content_type = "application/json",
        .body = buf_text(&b),
        .body_len = b.len,
        .ask_key = status == 401,
    };
}
