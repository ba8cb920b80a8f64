#include "config.h"

#include "core/sse_reader.h"
#include <string.h>

void
sse_reader_init(struct sse_reader *r, struct arena *a)
{
    *r = (struct sse_reader){.at_line_start = true};
    buf_init(&r->raw, a, SSE_EVENT_MAX);
    buf_init(&r->joined, a, SSE_EVENT_MAX);
}

/* One byte. False: it is not part of this event, which is whole without it. */
static bool
take_byte(struct sse_reader *r, char c, bool *ret_whole)
{
    bool second = c == '\n' && r->after_cr;

    if (r->ending) {
        r->ending = false;
        *ret_whole = true;
        r->after_cr = r->after_cr && !second;
        return second;
    }
    r->after_cr = c == '\r';
    r->crlf = r->crlf || second;
    if (second)
        return true;
    if (c == '\n' || c == '\r') {
        r->ending = r->at_line_start && c == '\r' && r->crlf;
        *ret_whole = r->at_line_start && !r->ending;
    }
    r->at_line_start = c == '\n' || c == '\r';
    return true;
}

/* A blank line is over with its CR. In a stream of CRLFs its LF is waited for: readers that look
 * for
 * "\r\n\r\n" must not find something in between. */
size_t
sse_reader_take(struct sse_reader *r, const char *bytes, size_t len, bool *ret_whole)
{
    size_t n = 0;

    *ret_whole = false;
    while (n < len && !*ret_whole)
        n += take_byte(r, bytes[n], ret_whole);
    buf_add(&r->raw, bytes, n);
    if (r->raw.full) {
        *ret_whole = false;
        return 0;
    }
    return n;
}

/* The next line of *at, without its end; false when there is none. */
static bool
next_line(const char **at, const char *end, const char **ret, size_t *ret_len)
{
    const char *p = *at;

    if (p == end)
        return false;
    while (p < end && *p != '\n' && *p != '\r')
        p++;
    *ret = *at;
    *ret_len = (size_t)(p - *at);
    if (p < end)
        p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
    *at = p;
    return true;
}

/* The value of a line "data: value" or "data"; NULL when it is another one. */
static const char *
data_of(const char *line, size_t len, size_t *ret_len)
{
    static const char name[] = "data";
    size_t skip = sizeof name - 1;

    if (len < skip || memcmp(line, name, skip) != 0 || (len > skip && line[skip] != ':'))
        return NULL;
    skip += skip < len;
    skip += skip < len && line[skip] == ' ';
    *ret_len = len - skip;
    return line + skip;
}

const char *
sse_reader_data(struct sse_reader *r, size_t *ret_len)
{
    const char *at = buf_text(&r->raw), *end = at + r->raw.len, *line, *first = NULL;
    size_t len, n, count = 0;

    r->joined.len = 0;
    while (next_line(&at, end, &line, &len)) {
        const char *value = data_of(line, len, &n);

        if (!value)
            continue;
        if (count++ == 0) {
            first = value;
            *ret_len = n;
            continue;
        }
        if (count == 2)
            buf_add(&r->joined, first, *ret_len);
        buf_addc(&r->joined, '\n');
        buf_add(&r->joined, value, n);
    }
    if (count < 2)
        return first;
    *ret_len = r->joined.len;
    return buf_text(&r->joined);
}

void
sse_reader_next(struct sse_reader *r)
{
    r->raw.len = 0;
    r->raw.full = false;
    r->at_line_start = true;
}
