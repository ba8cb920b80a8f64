#include "config.h"

#include "core/mcp_era.h"
#include "core/json_text.h"
#include <string.h>

/* Newest first. */
static const struct {
    const char *version;
    enum mcp_era era;
} revisions[] = {
    {MCP_REVISION_MODERN, MCP_MODERN}, {MCP_REVISION_LEGACY, MCP_LEGACY},
    {"2025-06-18", MCP_LEGACY},        {MCP_REVISION_BATCH, MCP_LEGACY},
    {"2024-11-05", MCP_LEGACY},
};

enum { REQUESTED_MAX = 128 }; /* bytes of an unknown revision that are echoed */

static const char key_version[] = MCP_META_PREFIX "protocolVersion";
static const char key_capabilities[] = MCP_META_PREFIX "clientCapabilities";

const char *
mcp_header(const char *value, struct arena *a)
{
    size_t len;

    if (!value)
        return NULL;
    value += strspn(value, " \t");
    len = strlen(value);
    while (len > 0 && strchr(" \t", value[len - 1]))
        len--;
    return len > 0 ? arena_strndup(a, value, len) : NULL;
}

static bool
is_served(const char *version, enum mcp_era era)
{
    for (size_t i = 0; i < COUNT_OF(revisions); i++)
        if (revisions[i].era == era && strcmp(revisions[i].version, version) == 0)
            return true;
    return false;
}

bool
mcp_era_legacy_revision(const char *version)
{
    return is_served(version, MCP_LEGACY);
}

void
mcp_era_revisions(struct buf *b)
{
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        buf_addc(b, i == 0 ? '[' : ',');
        json_text_string(b, revisions[i].version, strlen(revisions[i].version));
    }
    buf_addc(b, ']');
}

/* Revisions are dates; text that is none is older than everything. */
static bool
is_modern(const char *version)
{
    static const char shape[] = "dddd-dd-dd";

    if (!version || strlen(version) != sizeof shape - 1)
        return false;
    for (size_t i = 0; shape[i] != '\0'; i++) {
        bool digit = version[i] >= '0' && version[i] <= '9';

        if (shape[i] == 'd' ? !digit : version[i] != '-')
            return false;
    }
    return strcmp(version, MCP_REVISION_MODERN) >= 0;
}

static struct json_object *
meta_of(struct json_object *params)
{
    struct json_object *meta = NULL;

    json_object_object_get_ex(params, "_meta", &meta);
    return json_object_is_type(meta, json_type_object) ? meta : NULL;
}

/* An initialize request belongs to the legacy era whatever its headers say. Only one that
 * claims a modern revision in _meta and lacks the handshake's own protocolVersion is a modern
 * request, for a method that era does not have. */
static bool
is_handshake(const struct rpc_message *m, struct json_object *claim)
{
    struct json_object *asked = NULL;
    const char *version = rpc_string(claim);

    if (!m->method || strcmp(m->method, "initialize") != 0)
        return false;
    json_object_object_get_ex(m->params, "protocolVersion", &asked);
    return asked || !is_modern(version);
}

enum mcp_era
mcp_era_of(const struct http_request *q, const struct rpc_message *m, struct arena *a)
{
    struct json_object *claim = NULL;
    bool claims = json_object_object_get_ex(meta_of(m->params), key_version, &claim);

    if (m->kind == RPC_RESPONSE || is_handshake(m, claim))
        return MCP_LEGACY;
    if (claims || is_modern(mcp_header(q->protocol_version, a)))
        return MCP_MODERN;
    return MCP_LEGACY;
}

/* {"supported":[...],"requested":"..."} */
static bool
refuse_revision(const char *requested, struct arena *a, struct mcp_refusal *ret)
{
    size_t len = strlen(requested);
    struct buf b;

    buf_init(&b, a, 4096);
    buf_adds(&b, "{\"supported\":");
    mcp_era_revisions(&b);
    buf_adds(&b, ",\"requested\":");
    json_text_string(&b, requested, len < REQUESTED_MAX ? len : REQUESTED_MAX);
    buf_addc(&b, '}');
    ret->code = RPC_CODE_VERSION;
    ret->data = buf_text(&b);
    buf_init(&b, a, 4096);
    buf_adds(&b, "This protocol revision is not served here. Served: ");
    for (size_t i = 0; i < COUNT_OF(revisions); i++)
        buf_printf(&b, "%s%s", i == 0 ? "" : ", ", revisions[i].version);
    buf_addc(&b, '.');
    ret->message = buf_text(&b);
    return false;
}

static bool
refuse(enum rpc_code code, const char *message, struct mcp_refusal *ret)
{
    *ret = (struct mcp_refusal){.code = code, .message = message};
    return false;
}

/* The decoded name in [at, at + len) base64 text (RFC 4648, section 4, padded); NULL if broken. */
static const char *
decode_base64(const char *at, size_t len, struct arena *a)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = arena_alloc(a, len / 4 * 3 + 1);
    size_t n = 0, pad = 0;

    if (len == 0 || len % 4 != 0)
        return NULL;
    if (at[len - 1] == '=')
        pad = at[len - 2] == '=' ? 2 : 1;
    for (size_t i = 0; i < len; i += 4) {
        unsigned long group = 0;

        for (size_t k = 0; k < 4; k++) {
            const char *d = at[i + k] != '\0' ? strchr(digits, at[i + k]) : NULL;

            if (!d && i + k < len - pad)
                return NULL;
            group = group << 6 | (d ? (unsigned long)(d - digits) : 0);
        }
        for (int shift = 16; shift >= 0; shift -= 8)
            out[n++] = (char)(group >> shift & 0xff);
    }
    n -= pad;
    out[n] = '\0';
    return strlen(out) == n ? out : NULL;
}

const char *
mcp_era_name(const char *header, struct arena *a)
{
    static const char open[] = "=?base64?", close[] = "?=";
    const size_t open_len = sizeof open - 1, close_len = sizeof close - 1;
    size_t len = strlen(header);

    if (len < open_len + close_len || memcmp(header, open, open_len) != 0 ||
        memcmp(header + len - close_len, close, close_len) != 0)
        return header;
    return decode_base64(header + open_len, len - open_len - close_len, a);
}

static bool
check_legacy(const struct http_request *q, struct arena *a, struct mcp_refusal *ret)
{
    const char *version = mcp_header(q->protocol_version, a);

    return !version || mcp_era_legacy_revision(version) || refuse_revision(version, a, ret);
}

static bool
check_name(const struct http_request *q, const struct mcp_message *m, struct arena *a,
           struct mcp_refusal *ret)
{
    const char *header = mcp_header(q->mcp_name, a);
    struct json_object *value = NULL;
    const char *name;

    if (!header)
        return refuse(RPC_CODE_HEADER, "The header Mcp-Name is missing.", ret);
    header = mcp_era_name(header, a);
    if (!header)
        return refuse(RPC_CODE_HEADER, "The header Mcp-Name is not valid base64.", ret);
    json_object_object_get_ex(m->params, "name", &value);
    name = rpc_string(value);
    if (name && strcmp(header, name) != 0)
        return refuse(RPC_CODE_HEADER, "The header Mcp-Name differs from params.name.", ret);
    return true;
}

/* The order is the specification's: what is wrong with the body comes before the headers. */
static bool
check_modern(const struct http_request *q, const struct mcp_message *m, bool named, struct arena *a,
             struct mcp_refusal *ret)
{
    const char *version = mcp_header(q->protocol_version, a);
    const char *method = mcp_header(q->mcp_method, a);
    struct json_object *meta = meta_of(m->params), *value = NULL;
    const char *claim;

    json_object_object_get_ex(meta, key_version, &value);
    claim = rpc_string(value);
    if (!claim)
        return refuse(RPC_CODE_PARAMS,
                      "params._meta must hold \"io.modelcontextprotocol/protocolVersion\".", ret);
    value = NULL;
    json_object_object_get_ex(meta, key_capabilities, &value);
    if (!json_object_is_type(value, json_type_object))
        return refuse(RPC_CODE_PARAMS,
                      "params._meta must hold \"io.modelcontextprotocol/clientCapabilities\".",
                      ret);
    if (version && strcmp(version, claim) != 0)
        return refuse(RPC_CODE_HEADER,
                      "The header MCP-Protocol-Version differs from the version in params._meta.",
                      ret);
    if (method && strcmp(method, m->method) != 0)
        return refuse(RPC_CODE_HEADER, "The header Mcp-Method differs from the method.", ret);
    if (!is_served(claim, MCP_MODERN))
        return refuse_revision(claim, a, ret);
    if (!version)
        return refuse(RPC_CODE_HEADER, "The header MCP-Protocol-Version is missing.", ret);
    if (!method)
        return refuse(RPC_CODE_HEADER, "The header Mcp-Method is missing.", ret);
    return !named || check_name(q, m, a, ret);
}

bool
mcp_era_check(const struct http_request *q, const struct mcp_message *m, bool named,
              struct arena *a, struct mcp_refusal *ret)
{
    if (m->era == MCP_LEGACY)
        return check_legacy(q, a, ret);
    /* The modern revisions ask nothing of the headers of a notification. */
    return !m->id || check_modern(q, m, named, a, ret);
}
