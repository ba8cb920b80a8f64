/* The engine's bytes: taken apart in pieces of any size they give the same as at once. The first
 * byte of the input is the size of the pieces. */
#include "config.h"

#include "core/docker_stream.h"
#include "core/http_head.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taken {
    struct demux d;
    uint32_t sum;
    size_t len;
};

static void
must(bool promise)
{
    if (!promise)
        __builtin_trap();
}

static void
take(struct taken *t, const uint8_t *data, size_t size, size_t step)
{
    size_t at = 0;

    *t = (struct taken){.sum = 1};
    demux_init(&t->d);
    while (at < size) {
        const uint8_t *out;
        size_t n = size - at < step ? size - at : step, out_len;
        size_t used = demux_next(&t->d, data + at, n, &out, &out_len);

        must(used <= n && out_len <= used && out >= data + at && out + out_len <= data + at + n);
        must((used == 0) == t->d.bad || used > 0);
        if (used == 0)
            break;
        for (size_t i = 0; i < out_len; i++)
            t->sum = t->sum * 31 + out[i];
        t->len += out_len;
        at += used;
    }
}

static void
check_head(const char *bytes, size_t size)
{
    struct http_head whole, part;
    enum http_head_state state = http_head_parse(bytes, size, &whole);

    if (state != HTTP_HEAD_WHOLE)
        return;
    must(whole.len <= size && whole.len <= HTTP_HEAD_MAX && whole.status >= 100 &&
         whole.status <= 599 && whole.content_length >= -1);
    must(http_head_parse(bytes, whole.len, &part) == HTTP_HEAD_WHOLE && part.len == whole.len);
    must(http_head_parse(bytes, whole.len - 1, &part) == HTTP_HEAD_MORE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken whole, pieces;

    if (size == 0)
        return 0;
    take(&whole, data + 1, size - 1, size);
    take(&pieces, data + 1, size - 1, data[0] ? data[0] : 1);
    must(whole.sum == pieces.sum && whole.len == pieces.len && whole.d.bad == pieces.d.bad);
    must(strcmp(whole.d.complaint, pieces.d.complaint) == 0);
    check_head((const char *)data + 1, size - 1);
    return 0;
}
