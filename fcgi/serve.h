/* serve.h - one request from head to answer: the way of a call, readable top to bottom. */
#ifndef SERVE_H
#define SERVE_H

#include "core/mcp.h"
#include "core/render.h"
#include "io/engine.h"
#include "io/env.h"
#include "io/store.h"
#include "tools/tool.h"

/* What lives as long as the process. */
struct worker {
    const struct settings *settings;
    struct mcp_server server;
    struct tool_context tools;
    struct render_limits limits;
    struct store *store;
    struct engine *engine;
    struct arena *arena; /* of the request being served; reset after it */
};

/* Serves the request that fcgi_accept returned, and finishes it. */
void serve_request(struct worker *w, struct http_request *q);

#endif
