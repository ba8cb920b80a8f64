#include "config.h"

#include "core/http_head.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LENGTH_DIGITS_MAX = 15 };

/* The length of the line at `at` without its end; *ret_next: where the next one begins, NULL when
 * the line has no end yet. */
static size_t
line_len(const char *at, const char *end, const char **ret_next)
{
    const char *lf = memchr(at, '\n', (size_t)(end - at));
    size_t len;

    *ret_next = lf ? lf + 1 : NULL;
    if (!lf)
        return 0;
    len = (size_t)(lf - at);
    return len > 0 && at[len - 1] == '\r' ? len - 1 : len;
}

static bool
read_status(const char *line, size_t len, int *ret)
{
    if (len < sizeof "HTTP/1.x NNN" - 1 || memcmp(line, "HTTP/1.", 7) != 0 ||
        !isdigit((unsigned char)line[7]) || line[8] != ' ' || (len > 12 && line[12] != ' '))
        return false;
    *ret = 0;
    for (size_t i = 9; i < 12; i++) {
        if (!isdigit((unsigned char)line[i]))
            return false;
        *ret = *ret * 10 + (line[i] - '0');
    }
    return *ret >= 100 && *ret <= 599;
}

static bool
read_length(const char *value, size_t len, int64_t *ret)
{
    int64_t n = 0;

    if (len == 0 || len > LENGTH_DIGITS_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!isdigit((unsigned char)value[i]))
            return false;
        n = n * 10 + (value[i] - '0');
    }
    if (*ret >= 0 && *ret != n)
        return false; /* given twice, differently: request smuggling's favourite */
    *ret = n;
    return true;
}

static bool
is_name(const char *line, size_t len, const char *name)
{
    return len == strlen(name) && strncasecmp(line, name, len) == 0;
}

static bool
read_field(const char *line, size_t len, struct http_head *ret)
{
    const char *colon = memchr(line, ':', len);
    const char *value, *end = line + len;
    size_t name_len;

    if (!colon || colon == line || memchr(line, '\0', len) || line[0] == ' ' || line[0] == '\t')
        return false;
    name_len = (size_t)(colon - line);
    for (value = colon + 1; value < end && (*value == ' ' || *value == '\t'); value++)
        ;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (is_name(line, name_len, "Content-Length"))
        return read_length(value, (size_t)(end - value), &ret->content_length);
    if (is_name(line, name_len, "Transfer-Encoding"))
        ret->chunked = is_name(value, (size_t)(end - value), "chunked");
    return true;
}

enum http_head_state
http_head_parse(const char *bytes, size_t len, struct http_head *ret)
{
    const char *end = bytes + (len < HTTP_HEAD_MAX ? len : HTTP_HEAD_MAX);
    const enum http_head_state cut = len < HTTP_HEAD_MAX ? HTTP_HEAD_MORE : HTTP_HEAD_BAD;
    struct http_head head = {.content_length = -1};
    const char *next, *at = bytes;
    size_t n = line_len(at, end, &next);

    if (memcmp(bytes, "HTTP/1.", len < 7 ? len : 7) != 0)
        return HTTP_HEAD_BAD;
    if (!next)
        return cut;
    if (!read_status(at, n, &head.status))
        return HTTP_HEAD_BAD;
    for (at = next; at < end; at = next) {
        n = line_len(at, end, &next);
        if (!next)
            return cut;
        if (n == 0) {
            head.len = (size_t)(next - bytes);
            *ret = head;
            return HTTP_HEAD_WHOLE;
        }
        if (!read_field(at, n, &head))
            return HTTP_HEAD_BAD;
    }
    return cut;
}
