/* A request of any bytes gets a well-formed reply, and a tool is run only when a request with an
 * id asks for one that exists. The input is laid out like tests/cases/rpc/NAME/request.txt. */
#include "config.h"

#include "core/mcp.h"
#include "core/slice.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mcp_tool tools[] = {{.name = "run", .title = "Run", .doc = "Runs."},
                                  {.name = "reset", .title = "Reset", .doc = "Resets."}};
static const char *const origins[] = {"http://localhost:8080", NULL};
static const struct mcp_server server = {.name = "backtalk",
                                         .version = "0",
                                         .instructions = "A machine.",
                                         .tools = tools,
                                         .tool_count = COUNT_OF(tools),
                                         .origins = origins,
                                         .body_max_bytes = 32768};

static void
set_header(struct http_request *q, const char *name, const char *value)
{
    const struct {
        const char *name, **at;
    } known[] = {
        {"Content-Type", &q->content_type},
        {"Accept", &q->accept},
        {"Origin", &q->origin},
        {"Authorization", &q->authorization},
        {"MCP-Protocol-Version", &q->protocol_version},
        {"Mcp-Method", &q->mcp_method},
        {"Mcp-Name", &q->mcp_name},
    };

    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(name, known[i].name) == 0)
            *known[i].at = value;
}

/* False when there is no empty line. */
static bool
parse_request(char *text, size_t len, struct http_request *q)
{
    char *line = text, *end;

    *q = (struct http_request){.content_type = "application/json", .content_length = -1};
    while ((end = memchr(line, '\n', len - (size_t)(line - text))) && end != line) {
        char *colon;

        *end = '\0';
        colon = strstr(line, ": ");
        if (!q->method)
            q->method = line;
        else if (colon) {
            *colon = '\0';
            set_header(q, line, colon + 2);
        }
        line = end + 1;
    }
    if (!end)
        return false;
    q->body = line + 1;
    q->body_len = len - (size_t)(q->body - text);
    return true;
}

static void
check_json(const char *text)
{
    if (!slice_check(text, strlen(text), 32))
        __builtin_trap();
}

static void
check_reply(const struct http_reply *r)
{
    if (r->status != 200 && r->status != 202 && (r->status < 400 || r->status > 499))
        __builtin_trap();
    if ((r->body == NULL) != (r->status == 202))
        __builtin_trap();
    if (r->body)
        check_json(r->body);
}

static const char *
answer_one(const struct http_request *q, const struct mcp_message *m, struct mcp_answer *ret,
           struct arena *a)
{
    const char *progress = mcp_progress(m, 1, "x", a);

    if (progress)
        check_json(progress);
    *ret = mcp_answer(&server, q, m, a);
    if (ret->outcome != MCP_CALL)
        return ret->text;
    if (!m->id || (strcmp(ret->tool, "run") != 0 && strcmp(ret->tool, "reset") != 0))
        __builtin_trap();
    return mcp_result(&server, m, q->mcp_name ? q->mcp_name : "done", false, a);
}

static void
serve(const struct http_request *q, struct arena *a)
{
    struct mcp_answer answers[MCP_BATCH_MAX];
    const char *texts[MCP_BATCH_MAX];
    struct mcp_messages m;
    struct http_reply r;

    auth_bearer(q->authorization, a);
    mcp_must_stream(q);
    if (mcp_admit(&server, q, a, &r) && mcp_admit_body(&server, q, a, &r) &&
        mcp_read(&server, q, a, &m, &r)) {
        for (size_t i = 0; i < m.count; i++)
            texts[i] = answer_one(q, &m.list[i], &answers[i], a);
        r = mcp_reply(&m, answers, texts, a);
        mcp_messages_release(&m);
    }
    check_reply(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(65536);
    struct http_request q;

    for (size_t i = 0; i < COUNT_OF(tools); i++)
        if (!tools[i].schema)
            tools[i].schema = json_tokener_parse("{\"type\":\"object\",\"properties\":{}}");
    if (parse_request(arena_strndup(a, (const char *)data, size), size, &q))
        serve(&q, a);
    arena_free(a);
    return 0;
}
