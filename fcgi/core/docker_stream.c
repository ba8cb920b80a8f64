#include "config.h"

#include "core/docker_stream.h"
#include <string.h>

enum { STREAM_OUT = 1, STREAM_ERR = 2, STREAM_ENGINE = 3 };

void
demux_init(struct demux *d)
{
    *d = (struct demux){0};
}

/* How many bytes went into the header. */
static size_t
take_header(struct demux *d, const uint8_t *bytes, size_t len)
{
    const uint8_t *h = d->header;
    size_t n = DEMUX_HEADER - d->header_len;

    if (n > len)
        n = len;
    memcpy(d->header + d->header_len, bytes, n);
    d->header_len += n;
    if (d->header_len < DEMUX_HEADER)
        return n;
    d->bad = h[0] < STREAM_OUT || h[0] > STREAM_ENGINE || h[1] != 0 || h[2] != 0 || h[3] != 0;
    d->left = (uint32_t)h[4] << 24 | (uint32_t)h[5] << 16 | (uint32_t)h[6] << 8 | h[7];
    if (d->left == 0)
        d->header_len = 0;
    return n;
}

static void
keep_complaint(struct demux *d, const uint8_t *bytes, size_t len)
{
    size_t room = sizeof d->complaint - 1 - d->complaint_len;

    for (size_t i = 0; i < len && i < room; i++)
        d->complaint[d->complaint_len++] =
            bytes[i] < ' ' || bytes[i] >= 0x7f ? ' ' : (char)bytes[i];
}

size_t
demux_next(struct demux *d, const uint8_t *bytes, size_t len, const uint8_t **ret, size_t *ret_len)
{
    *ret = bytes;
    *ret_len = 0;
    if (d->bad || len == 0)
        return 0;
    if (d->header_len < DEMUX_HEADER)
        return take_header(d, bytes, len);
    if (len > d->left)
        len = d->left;
    if (d->header[0] == STREAM_OUT)
        *ret_len = len;
    else
        keep_complaint(d, bytes, len);
    d->left -= (uint32_t)len;
    if (d->left == 0)
        d->header_len = 0;
    return len;
}
