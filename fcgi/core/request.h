/* request.h - one HTTP request and its answer as plain data: what io/fcgi hands to
 * core/ and takes back. Strings are NUL-ended, owned by the request's arena; a header
 * that was not sent is NULL. */
#ifndef CORE_REQUEST_H
#define CORE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

struct http_request {
    const char *method; /* "POST" */
    const char *target; /* path and query as they were sent; only where the web server tells them */
    const char *content_type, *accept, *origin;
    const char *authorization;
    const char *conversation;          /* from X-Conversation-Id, or the name in /mcp/c/NAME */
    const char *user;                  /* X-User-Id: believed only from front-end keys */
    const char *protocol_version;      /* MCP-Protocol-Version */
    const char *mcp_method, *mcp_name; /* Mcp-Method, Mcp-Name */
    const char *session;               /* Mcp-Session-Id */
    const char *user_agent;
    long long content_length; /* bytes announced; -1 when there was none */
    const char *body;         /* read after the key was checked; may hold any byte */
    size_t body_len;
};

struct http_reply {
    int status;               /* 200, 202, 400, ... */
    const char *content_type; /* NULL: no body */
    const char *body;
    size_t body_len;
    bool allow_post;     /* send "Allow: POST" */
    bool ask_key;        /* send "WWW-Authenticate: Bearer" */
    const char *session; /* send "Mcp-Session-Id", or NULL */
};

#endif
