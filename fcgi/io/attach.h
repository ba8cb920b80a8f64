/* attach.h - the hijacked stream to a container's PID 1: POST /containers/NAME/attach,
 * after whose answer the connection carries the container's stdin and stdout
 * (https://docs.docker.com/reference/api/engine/, "Attach to a container"). Raw bytes
 * over the gate's unix socket; libcurl cannot hand a hijacked connection out. */
#ifndef IO_ATTACH_H
#define IO_ATTACH_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/docker_stream.h"
#include <stdint.h>

struct attach {
    int fd; /* -1: closed; non-blocking */
    struct demux demux;
    /* What was received and not yet taken apart. */
    uint8_t in[32768];
    size_t start, end;
};

enum attach_event {
    ATTACH_MORE, /* nothing yet */
    ATTACH_DATA, /* bytes of stream 1 */
    ATTACH_END,  /* the machine, or the engine, closed the stream */
};

/* Asks for the stream. True: *ret_status is the engine's answer; 101 or 200: attached. Any other
 * status leaves `at` closed. FAULT_ENGINE: no usable answer. */
bool attach_open(struct attach *at, const char *socket_path, const char *path, int64_t deadline_ms,
                 long *ret_status, struct fault *f) MUST_CHECK;
void attach_close(struct attach *at);
/* Sends as much of bytes as goes without waiting; how much. SIZE_MAX: the stream is broken. */
size_t attach_send(struct attach *at, const void *bytes, size_t len);
/* Waits at most timeout_ms for input (and for room to send when want_send). */
void attach_wait(struct attach *at, bool want_send, int timeout_ms);
/* The next piece of the container's stdout: borrowed, valid until the next call. Does not wait. */
enum attach_event attach_receive(struct attach *at, const uint8_t **ret, size_t *ret_len);

#endif
