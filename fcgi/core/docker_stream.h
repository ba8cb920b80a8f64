/* docker_stream.h - takes apart the stream of an attached container without a terminal:
 * pieces with an 8-byte header {stream, 0, 0, 0, length big endian}
 * (https://docs.docker.com/reference/api/engine/, "Attach to a container", "Stream
 * format"). Pure; the bytes are untrusted. */
#ifndef CORE_DOCKER_STREAM_H
#define CORE_DOCKER_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEMUX_HEADER = 8, DEMUX_COMPLAINT_BYTES = 512 };

struct demux {
    uint8_t header[DEMUX_HEADER];
    size_t header_len; /* bytes of the next header seen so far */
    uint32_t left;     /* bytes of the current piece still to come */
    bool bad;          /* not such a stream: nothing more comes out */
    /* What came on stream 2: the agent's own complaints, for the log. NUL-ended. */
    char complaint[DEMUX_COMPLAINT_BYTES];
    size_t complaint_len;
};

void demux_init(struct demux *d);
/* Takes some of the bytes and says how many; 0 only when len is 0 or the stream is bad. *ret and
 * *ret_len are what they held of stream 1: a part of `bytes`, often empty. */
size_t demux_next(struct demux *d, const uint8_t *bytes, size_t len, const uint8_t **ret,
                  size_t *ret_len);

#endif
