/* The MCP protocol. Most of it is told by the directories of tests/cases/rpc (see the README
 * there): each is run as a test of its own. UPDATE=1 writes the expected replies anew. */
#include "config.h"

#include "core/json_text.h"
#include "core/mcp.h"
#include "core/rpc.h"
#include "core/slice.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

enum { CASES_MAX = 400, FILE_MAX_BYTES = 1 << 20, BODY_MAX_BYTES = 65536 };

static struct arena *arena;
static struct mcp_server server;

/* ---- a server to ask ---------------------------------------------------------------- */

static const char run_schema[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"$schema\":\"x\",\"properties\":{"
    "\"command\":{\"type\":\"string\",\"description\":\"What to run/\",\"minLength\":1,"
    "\"pattern\":\".\"},\"timeout\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1800,"
    "\"default\":300}},\"required\":[\"command\"]}";
static const char reset_schema[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{},\"required\":[]}";

static struct mcp_tool tools[] = {
    {.name = "run", .title = "Run", .doc = "Runs a \"command\"."},
    {.name = "reset", .title = "Reset", .doc = "Makes the machine new."},
};
static const char *const origins[] = {"http://localhost:8080", NULL};

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(65536);
    tools[0].schema = json_tokener_parse(run_schema);
    tools[1].schema = json_tokener_parse(reset_schema);
    server = (struct mcp_server){.name = "backtalk",
                                 .version = "0.1.0",
                                 .instructions = "Each chat has a machine.",
                                 .tools = tools,
                                 .tool_count = COUNT_OF(tools),
                                 .origins = origins,
                                 .body_max_bytes = BODY_MAX_BYTES};
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    json_object_put(tools[0].schema);
    json_object_put(tools[1].schema);
    arena_free(arena);
    return 0;
}

/* What the request loop does, with a tool that prints "it ran". `seen` takes note of what
 * happened besides the reply. */
static struct http_reply
answer_messages(const struct http_request *q, struct mcp_messages *m, struct buf *seen)
{
    struct mcp_answer answers[MCP_BATCH_MAX];
    const char *texts[MCP_BATCH_MAX];
    struct http_reply r;

    for (size_t i = 0; i < m->count; i++) {
        struct mcp_answer *w = &answers[i];

        *w = mcp_answer(&server, q, &m->list[i], arena);
        texts[i] = w->text;
        if (w->outcome == MCP_CANCEL)
            buf_printf(seen, "cancel: %s\n", w->cancel_id);
        if (w->mint_session)
            buf_adds(seen, "session: fresh\n");
        if (w->outcome != MCP_CALL)
            continue;
        buf_printf(seen, "call: %s %s\n", w->tool,
                   w->arguments ? json_object_to_json_string_ext(w->arguments, 0) : "(none)");
        buf_printf(seen, "stream: %s\n",
                   mcp_must_stream(q)  ? "must"
                   : mcp_may_stream(q) ? "may"
                                       : "no");
        if (mcp_progress(&m->list[i], 1.5, "line", arena))
            buf_printf(seen, "progress: %s\n", mcp_progress(&m->list[i], 1.5, "line", arena));
        texts[i] = mcp_result(&server, &m->list[i], "it ran", false, arena);
    }
    r = mcp_reply(m, answers, texts, arena);
    mcp_messages_release(m);
    return r;
}

static struct http_reply
answer(const struct http_request *q, struct buf *seen)
{
    struct mcp_messages m;
    struct http_reply r;

    if (!mcp_admit(&server, q, arena, &r))
        return r;
    if (q->authorization && !auth_bearer(q->authorization, arena))
        return mcp_unauthorized(arena);
    if (!mcp_admit_body(&server, q, arena, &r) || !mcp_read(&server, q, arena, &m, &r))
        return r;
    return answer_messages(q, &m, seen);
}

/* ---- what holds for every reply ----------------------------------------------------- */

static void
check_reply(const struct http_reply *r, bool has_results)
{
    static const char *const words[] = {"401",        "429",  "unauthorized", "authentication",
                                        "rate limit", "oauth"};
    json_object *tree;

    assert_true(r->status == 200 || r->status == 202 || (r->status >= 400 && r->status < 500));
    assert_int_equal(r->allow_post, r->status == 405);
    assert_int_equal(r->ask_key, r->status == 401);
    assert_int_equal(r->content_type == NULL, r->body == NULL);
    assert_int_equal(r->status == 202, r->body == NULL);
    if (!r->body)
        return;
    assert_int_equal(r->body_len, strlen(r->body));
    assert_true(slice_check(r->body, r->body_len, 32));
    tree = json_tokener_parse(r->body);
    assert_non_null(tree);
    json_object_put(tree);
    for (size_t i = 0; !has_results && i < COUNT_OF(words); i++)
        assert_null(strcasestr(r->body, words[i]));
}

/* ---- cases -------------------------------------------------------------------------- */

static const char *
case_path(const char *name, const char *file)
{
    const char *top = getenv("SRCDIR");

    return arena_printf(arena, "%s/tests/cases/rpc/%s/%s", top ? top : ".", name, file);
}

/* NULL when there is no such file. */
static char *
read_file(const char *path, size_t *ret_len)
{
    FILE *in = fopen(path, "rb");
    char *text;

    if (!in)
        return NULL;
    text = arena_alloc(arena, FILE_MAX_BYTES + 1);
    *ret_len = fread(text, 1, FILE_MAX_BYTES, in);
    text[*ret_len] = '\0';
    fclose(in);
    return text;
}

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
        {"Mcp-Session-Id", &q->session},
    };

    if (strcmp(name, "Content-Length") == 0) {
        q->content_length = strtoll(value, NULL, 10);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(name, known[i].name) == 0) {
            *known[i].at = value;
            return;
        }
    fail_msg("unknown header %s", name);
}

/* Method, headers, an empty line, the body; one line break at its end does not count. */
static struct http_request
parse_request(char *text, size_t len)
{
    struct http_request q = {.content_type = "application/json", .content_length = -1};
    char *end, *line = text;

    for (bool first = true; (end = strchr(line, '\n')) != line; first = false) {
        char *colon;

        if (!end) {
            fail_msg("no empty line in %s", text);
            break;
        }
        *end = '\0';
        colon = strstr(line, ": ");
        if (first) {
            q.method = line;
        } else if (colon) {
            *colon = '\0';
            set_header(&q, line, colon + 2);
        } else {
            fail_msg("no header: %s", line);
        }
        line = end + 1;
    }
    q.body = line + 1;
    q.body_len = len - (size_t)(q.body - text);
    if (q.body_len > 0 && q.body[q.body_len - 1] == '\n')
        q.body_len--;
    return q;
}

static void
a_case_gets_its_reply(void **state)
{
    const char *name = *state, *path = case_path(name, "reply.txt");
    char *text, *expected;
    struct http_request q;
    struct http_reply r;
    struct buf seen;
    size_t len;

    text = read_file(case_path(name, "request.txt"), &len);
    if (!text) {
        fail_msg("%s has no request.txt", name);
        return;
    }
    q = parse_request(text, len);
    buf_init(&seen, arena, FILE_MAX_BYTES);
    r = answer(&q, &seen);
    check_reply(&r, seen.len > 0);
    text = arena_printf(arena, "%d\n%s%s%s\n%s%s", r.status, r.allow_post ? "Allow: POST\n" : "",
                        r.ask_key ? "WWW-Authenticate: Bearer\n" : "", buf_text(&seen),
                        r.body ? r.body : "", r.body ? "\n" : "");
    if (getenv("UPDATE")) {
        FILE *out = fopen(path, "wb");

        assert_non_null(out);
        assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
        assert_int_equal(fclose(out), 0);
    }
    expected = read_file(path, &len);
    if (!expected)
        fail_msg("%s is missing", path);
    assert_string_equal(text, expected);
}

/* ---- what no file can hold ------------------------------------------------------------ */

static struct http_reply
post(const char *body, size_t len, struct buf *seen)
{
    struct http_request q = {.method = "POST",
                             .content_type = "application/json",
                             .content_length = (long long)len,
                             .body = body,
                             .body_len = len};
    struct http_reply r;

    buf_init(seen, arena, FILE_MAX_BYTES);
    r = answer(&q, seen);
    check_reply(&r, seen->len > 0);
    return r;
}

static void
a_body_over_the_limit_is_refused_unread(void **state)
{
    char *body = arena_alloc(arena, BODY_MAX_BYTES + 1);
    struct http_request q = {.method = "POST", .body = body, .body_len = BODY_MAX_BYTES + 1};
    struct mcp_messages m;
    struct http_reply r;
    struct buf seen;

    (void)state;
    memset(body, '[', BODY_MAX_BYTES + 1);
    assert_int_equal(post(body, BODY_MAX_BYTES + 1, &seen).status, 413);
    assert_int_equal(post(body, BODY_MAX_BYTES, &seen).status, 400);
    assert_false(mcp_read(&server, &q, arena, &m, &r));
    assert_int_equal(r.status, 413);
}

static void
ids_up_to_the_limit_come_back_whole(void **state)
{
    (void)state;
    for (size_t len = 1022; len <= 1025; len++) {
        char *id = arena_alloc(arena, len + 1);
        const char *body;
        struct http_reply r;
        struct buf seen;

        memset(id, '7', len);
        id[len] = '\0';
        body = arena_printf(arena, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", id);
        r = post(body, strlen(body), &seen);
        assert_int_equal(r.status, len <= 1024 ? 200 : 400);
        assert_int_equal(strstr(r.body, id) != NULL, len <= 1024);
    }
}

static void
a_request_without_a_body_is_refused(void **state)
{
    struct http_request q = {.method = "POST", .content_type = "application/json"};
    struct http_reply r;
    struct buf seen;

    (void)state;
    buf_init(&seen, arena, 100);
    r = answer(&q, &seen);
    assert_int_equal(r.status, 400);
}

static void
every_prefix_of_a_call_is_answered(void **state)
{
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u00e9\",\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"run\",\"arguments\":{\"command\":\"\xf0\x9f\x98\x80\"}}}";
    struct buf seen;

    (void)state;
    for (size_t len = 0; len < sizeof call - 1; len++) {
        assert_int_equal(post(call, len, &seen).status, 400);
        assert_int_equal(seen.len, 0);
    }
    assert_int_equal(post(call, sizeof call - 1, &seen).status, 200);
    assert_string_equal(buf_text(&seen),
                        "call: run {\"command\":\"\xf0\x9f\x98\x80\"}\nstream: no\n");
}

static void
a_message_json_c_refuses_is_refused(void **state)
{
    static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":{}}";
    const struct slice whole = {text, sizeof text - 1};
    struct rpc_message m;
    const char *id = NULL;
    struct fault f;

    (void)state;
    assert_false(rpc_read(whole, 0, arena, &m, &id, &f));
    assert_int_equal(f.kind, FAULT_REQUEST);
    assert_string_equal(id, "7");
    assert_true(rpc_read(whole, 2, arena, &m, &id, &f));
    assert_int_equal(m.kind, RPC_REQUEST);
    json_object_put(m.root);
}

static void
a_result_is_valid_json_whatever_the_text(void **state)
{
    const struct mcp_message legacy = {.era = MCP_LEGACY, .id = "1"};
    const char *r;

    (void)state;
    r = mcp_result(&server, &legacy, "a\xff\x1b[0m\x7f\"\\\n\t\xed\xa0\x80\xe2\x82z", true, arena);
    assert_string_equal(
        r, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
           "\"a\xef\xbf\xbd\\u001b[0m\\u007f\\\"\\\\\\n\\t\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
           "\xef\xbf\xbd\xef\xbf\xbdz\"}],\"isError\":true}}");
    assert_true(slice_check(r, strlen(r), 8));
}

static void
progress_is_json_and_only_sent_when_asked_for(void **state)
{
    struct mcp_message m = {.era = MCP_LEGACY, .id = "1"};
    const char *text;

    (void)state;
    assert_null(mcp_progress(&m, 1, "x", arena));
    m.progress_token = "\"t\\u0031\"";
    text = mcp_progress(&m, 0.0 / 0.0, NULL, arena);
    assert_string_equal(text, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                              "\"params\":{\"progressToken\":\"t\\u0031\",\"progress\":0}}");
    text = mcp_progress(&m, 2.25, "a\xff\n", arena);
    assert_string_equal(text, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                              "\"params\":{\"progressToken\":\"t\\u0031\",\"progress\":2.25,"
                              "\"message\":\"a\xef\xbf\xbd\\n\"}}");
}

static void
accept_decides_about_streams(void **state)
{
    static const struct {
        const char *accept;
        bool may, must;
    } rows[] = {
        {NULL, false, false},
        {"", false, false},
        {"*/*", false, false},
        {"application/json", false, false},
        {"application/json, text/event-stream", true, false},
        {"text/event-stream,application/json", true, false},
        {"Text/Event-Stream", true, true},
        {" text/event-stream ; charset=utf-8 ", true, true},
        {"text/event-stream, */*", true, false},
        {"text/event-stream, application/*;q=0.1", true, false},
        {"text/event-stream, application/json;q=0", true, true},
        {"text/event-stream, application/json; q=0.000", true, true},
        {"text/event-stream;q=0, application/json", false, false},
        {"text/event-stream-x", false, false},
        {",,;,text/event-stream,", true, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct http_request q = {.accept = rows[i].accept};

        if (mcp_may_stream(&q) != rows[i].may || mcp_must_stream(&q) != rows[i].must)
            fail_msg("Accept: %s", rows[i].accept);
    }
}

/* ---- main --------------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

static size_t
add_cases(struct CMUnitTest *tests)
{
    const char *top = getenv("SRCDIR");
    char path[4096];
    struct dirent *e;
    size_t n = 0;
    DIR *d;

    snprintf(path, sizeof path, "%s/tests/cases/rpc", top ? top : ".");
    d = opendir(path);
    while (d && (e = readdir(d)) != NULL && n < CASES_MAX) {
        char *name;

        if (e->d_name[0] == '.' || strchr(e->d_name, '.'))
            continue; /* README.md */
        name = strdup(e->d_name);
        tests[n++] = (struct CMUnitTest){.name = name,
                                         .test_func = a_case_gets_its_reply,
                                         .setup_func = set_up,
                                         .teardown_func = tear_down,
                                         .initial_state = name};
    }
    if (d)
        closedir(d);
    qsort(tests, n, sizeof *tests, by_name);
    return n;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    static const struct CMUnitTest fixed[] = {
        TEST(a_body_over_the_limit_is_refused_unread),
        TEST(ids_up_to_the_limit_come_back_whole),
        TEST(a_request_without_a_body_is_refused),
        TEST(every_prefix_of_a_call_is_answered),
        TEST(a_message_json_c_refuses_is_refused),
        TEST(a_result_is_valid_json_whatever_the_text),
        TEST(progress_is_json_and_only_sent_when_asked_for),
        TEST(accept_decides_about_streams),
    };
    static struct CMUnitTest tests[COUNT_OF(fixed) + CASES_MAX];
    size_t cases;
    int failed;

    memcpy(tests, fixed, sizeof fixed);
    cases = add_cases(tests + COUNT_OF(fixed));
    if (cases == 0) {
        puts("Bail out! No cases: SRCDIR must name the top of the source tree.");
        return 1;
    }
    failed = _cmocka_run_group_tests("mcp", tests, COUNT_OF(fixed) + cases, NULL, NULL);
    for (size_t i = 0; i < cases; i++)
        free(tests[COUNT_OF(fixed) + i].initial_state);
    return failed;
}
