/* fcgi.h - the FastCGI listener on descriptor 0: the only file that includes libfcgi
 * (fcgiapp.h, https://fastcgi-archives.github.io/). One request at a time. */
#ifndef IO_FCGI_H
#define IO_FCGI_H

#include "core/request.h"
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

/* False when descriptor 0 is no listening socket. After SIGTERM or SIGINT fcgi_accept
 * returns false, at once when idle. */
bool fcgi_init(void);
/* Waits for the next request and reads its head; strings go to the arena. False: time to stop. */
bool fcgi_accept(struct arena *a, struct http_request *ret);
/* Reads the body (content_length bytes, checked by the caller). False: it ended early. */
bool fcgi_read_body(struct arena *a, struct http_request *q);
/* Sends a whole reply. False: the client is gone. */
bool fcgi_reply(const struct http_reply *r);
/* Streaming (text/event-stream): the head once, then pieces, each flushed. False: client gone. */
bool fcgi_stream_start(const char *session);
bool fcgi_stream_write(const char *bytes, size_t len);
/* A piece that may wait for more; fcgi_stream_write sends it, if only with nothing more. */
bool fcgi_stream_put(const char *bytes, size_t len);
/* Begins an answer that is passed on: its status and its header lines, each with "\r\n"; then
 * fcgi_stream_write. False: client gone. */
bool fcgi_relay_start(int status, const char *headers, size_t len);
/* Ends the request; frees the connection for the next one. */
void fcgi_finish(void);
/* Ends the request in the middle of its answer, so that the client sees that it is cut. */
void fcgi_break(void);
/* The connection, for poll(2): while a request runs it is readable only when the client is gone. */
int fcgi_descriptor(void);
/* True once the peer has closed the connection while the request runs. */
bool fcgi_client_gone(void);

#endif
