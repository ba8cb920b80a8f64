/* mcp_era.h - revisions of the protocol: which era a message belongs to, and the checks of
 * headers against the body that each era asks for. Pure.
 * Source: modelcontextprotocol/modelcontextprotocol, docs/specification/2026-07-28/basic/
 * (versioning, transports/streamable-http) and 2025-11-25/basic/transports. */
#ifndef CORE_MCP_ERA_H
#define CORE_MCP_ERA_H

#include "core/mcp.h"
#include "core/rpc.h"

#define MCP_REVISION_MODERN "2026-07-28"
#define MCP_REVISION_LEGACY "2025-11-25" /* offered when the client asks for an unknown one */
#define MCP_REVISION_BATCH "2025-03-26"  /* the one with batches; assumed without a header */
#define MCP_META_PREFIX "io.modelcontextprotocol/"

/* Why a message is refused. */
struct mcp_refusal {
    enum rpc_code code;
    const char *message;
    const char *data; /* JSON text, or NULL */
};

/* A header's value without the white space around it, in the arena; NULL when it was not
 * sent or is empty. */
const char *mcp_header(const char *value, struct arena *a);
enum mcp_era mcp_era_of(const struct http_request *q, const struct rpc_message *m, struct arena *a);
/* True for a revision with an initialize handshake that is served. */
bool mcp_era_legacy_revision(const char *version);
/* All revisions as a JSON array, the newest first. */
void mcp_era_revisions(struct buf *b);
/* False: *ret says why a message other than initialize is refused, with HTTP status 400. named:
 * the method's requests carry Mcp-Name (modern only). */
bool mcp_era_check(const struct http_request *q, const struct mcp_message *m, bool named,
                   struct arena *a, struct mcp_refusal *ret) MUST_CHECK;
/* The value of an Mcp-Name header, =?base64?...?= decoded, in the arena; NULL when that form is
 * broken. */
const char *mcp_era_name(const char *header, struct arena *a);

#endif
