#include "config.h"

#include "io/fcgi.h"
#include <fcgiapp.h>
#include <poll.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static FCGX_Request req;
static volatile sig_atomic_t stopping;

static void
on_stop(int sig)
{
    (void)sig;
    stopping = 1;
    FCGX_ShutdownPending();
}

bool
fcgi_init(void)
{
    struct sigaction stop = {.sa_handler = on_stop}; /* no SA_RESTART: accept must return */

    /* On close the library waits for the peer's end; nginx needs no 2 s. */
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "100", 0);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    return !FCGX_IsCGI() && FCGX_Init() == 0 &&
           FCGX_InitRequest(&req, 0, FCGI_FAIL_ACCEPT_ON_INTR) == 0;
}

/* A parameter's value; one that is empty counts as not sent. */
static const char *
param(struct arena *a, const char *name)
{
    const char *value = FCGX_GetParam(name, req.envp);

    return value && *value ? arena_strndup(a, value, strlen(value)) : NULL;
}

static long long
announced_length(void)
{
    const char *text = FCGX_GetParam("CONTENT_LENGTH", req.envp);
    char *end;
    long long n;

    if (!text || !*text)
        return -1;
    n = strtoll(text, &end, 10);
    return *end == '\0' && n >= 0 ? n : -1;
}

bool
fcgi_accept(struct arena *a, struct http_request *ret)
{
    const char *named;

    if (stopping || FCGX_Accept_r(&req) != 0)
        return false;
    named = param(a, "BACKTALK_CONVERSATION");
    *ret = (struct http_request){
        .method = param(a, "REQUEST_METHOD"),
        .target = param(a, "BACKTALK_TARGET"),
        .content_type = param(a, "CONTENT_TYPE"),
        .accept = param(a, "HTTP_ACCEPT"),
        .origin = param(a, "HTTP_ORIGIN"),
        .authorization = param(a, "HTTP_AUTHORIZATION"),
        .conversation = named ? named : param(a, "HTTP_X_CONVERSATION_ID"),
        .user = param(a, "HTTP_X_USER_ID"),
        .protocol_version = param(a, "HTTP_MCP_PROTOCOL_VERSION"),
        .mcp_method = param(a, "HTTP_MCP_METHOD"),
        .mcp_name = param(a, "HTTP_MCP_NAME"),
        .session = param(a, "HTTP_MCP_SESSION_ID"),
        .user_agent = param(a, "HTTP_USER_AGENT"),
        .content_length = announced_length(),
    };
    if (!ret->method)
        ret->method = "GET";
    return true;
}

bool
fcgi_read_body(struct arena *a, struct http_request *q)
{
    size_t want = q->content_length > 0 ? (size_t)q->content_length : 0, got = 0;
    char *body = arena_alloc(a, want + 1);

    while (got < want) {
        size_t left = want - got;
        int n = FCGX_GetStr(body + got, left > 1 << 20 ? 1 << 20 : (int)left, req.in);

        if (n <= 0)
            break;
        got += (size_t)n;
    }
    body[got] = '\0';
    q->body = body;
    q->body_len = got;
    /* Read the end of the input too, or its record would look like the peer's good-bye. */
    return got == want && FCGX_GetChar(req.in) == EOF;
}

static bool
put(const char *bytes, size_t len)
{
    while (len > 0) {
        int n = FCGX_PutStr(bytes, len > 1 << 20 ? 1 << 20 : (int)len, req.out);

        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static bool
puts_all(const char *text)
{
    return put(text, strlen(text));
}

bool
fcgi_reply(const struct http_reply *r)
{
    char status[64];
    bool ok;

    snprintf(status, sizeof status, "Status: %d\r\nCache-Control: no-store\r\n", r->status);
    ok = puts_all(status);
    if (r->allow_post)
        ok = ok && puts_all("Allow: POST\r\n");
    if (r->ask_key)
        ok = ok && puts_all("WWW-Authenticate: Bearer\r\n");
    if (r->session)
        ok = ok && puts_all("Mcp-Session-Id: ") && puts_all(r->session) && puts_all("\r\n");
    if (r->content_type) {
        snprintf(status, sizeof status, "Content-Length: %zu\r\n", r->body_len);
        ok = ok && puts_all("Content-Type: ") && puts_all(r->content_type) && puts_all("\r\n") &&
             puts_all(status);
    }
    ok = ok && puts_all("\r\n");
    if (r->content_type)
        ok = ok && put(r->body, r->body_len);
    return FCGX_FFlush(req.out) == 0 && ok;
}

bool
fcgi_stream_start(const char *session)
{
    bool ok = puts_all("Status: 200\r\nContent-Type: text/event-stream\r\n"
                       "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n");

    if (session)
        ok = ok && puts_all("Mcp-Session-Id: ") && puts_all(session) && puts_all("\r\n");
    return ok && puts_all("\r\n") && FCGX_FFlush(req.out) == 0;
}

bool
fcgi_stream_write(const char *bytes, size_t len)
{
    return put(bytes, len) && FCGX_FFlush(req.out) == 0;
}

bool
fcgi_stream_put(const char *bytes, size_t len)
{
    return put(bytes, len);
}

/* The library fills a record up to a multiple of 8 bytes, and nginx holds a head back behind which
 * there is anything in its buffer, so the status gets blanks (which nginx drops) until nothing is.
 */
bool
fcgi_relay_start(int status, const char *headers, size_t len)
{
    static const char end[] = "\r\n", blanks[] = "        ";
    char line[64];
    size_t n = (size_t)snprintf(line, sizeof line, "Status: %d", status);
    size_t over = (n + len + 2 * strlen(end)) % 8;

    return puts_all(line) && put(blanks, over ? 8 - over : 0) && puts_all(end) &&
           put(headers, len) && puts_all(end) && FCGX_FFlush(req.out) == 0;
}

void
fcgi_finish(void)
{
    FCGX_Finish_r(&req);
}

/* nginx takes the mere end of the connection for the end of the answer; a record of a version that
 * does not exist makes it cut its client off. */
void
fcgi_break(void)
{
    static const char none[8];

    FCGX_FFlush(req.out);
    if (req.ipcFd >= 0)
        send(req.ipcFd, none, sizeof none, MSG_NOSIGNAL); /* it may have closed already */
    FCGX_Free(&req, 1);
}

int
fcgi_descriptor(void)
{
    return req.ipcFd;
}

/* The web server closes, or half-closes, the connection when its client went away; it sends nothing
 * between requests' ends otherwise, except an abort record, which means the same. */
bool
fcgi_client_gone(void)
{
    struct pollfd fd = {.fd = req.ipcFd, .events = POLLIN | POLLRDHUP};

    return req.ipcFd >= 0 && poll(&fd, 1, 0) > 0;
}
