/* test_reply.c - final answers: requests that are looked at, answers, code blocks, what is
 * appended, how it is written, what of HTTP passes. */
#include "config.h"

#include "core/reply_answer.h"
#include "core/reply_choice.h"
#include "core/reply_http.h"
#include "core/reply_request.h"
#include "core/reply_write.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena *a;

static int
setup(void **state)
{
    (void)state;
    a = arena_new(4096);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

/* ---- requests ----------------------------------------------------------------------------------
 */

#define USER "{\"role\":\"user\",\"content\":\"x\"}"
#define CALL(name)                                                                                 \
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"" name         \
    "\",\"arguments\":\"{}\"}}]}"
#define RESULT "{\"role\":\"tool\",\"content\":\"y\"}"
#define TURN USER "," CALL("run_code") "," RESULT

static void
requests_left_alone(void **state)
{
    static const struct {
        const char *body, *leave;
    } rows[] = {
        {"{\"messages\":[" TURN "]}", NULL},
        {"{\"messages\":[" TURN "],\"n\":1,\"logprobs\":false}", NULL},
        {"{\"messages\":[" TURN "],\"n\":null,\"logprobs\":null,\"response_format\":null}", NULL},
        {"{\"messages\":[" TURN "],\"response_format\":{\"type\":\"text\"}}", NULL},
        {"", "not a JSON object"},
        {"[1]", "not a JSON object"},
        {"{\"messages\":", "not a JSON object"},
        {"{}", "no messages"},
        {"{\"messages\":[]}", "no messages"},
        {"{\"messages\":{}}", "no messages"},
        {"{\"messages\":[" TURN "],\"n\":2}", "several answers"},
        {"{\"messages\":[" TURN "],\"logprobs\":true}", "logprobs"},
        {"{\"messages\":[" TURN "],\"logprobs\":5}", "logprobs"},
        {"{\"messages\":[" TURN "],\"top_logprobs\":1}", "logprobs"},
        {"{\"messages\":[" TURN "],\"response_format\":{\"type\":\"json_object\"}}",
         "structured output"},
        {"{\"messages\":[" TURN "],\"response_format\":\"json\"}", "structured output"},
        {"{\"messages\":[" TURN "],\"grammar\":\"root ::= x\"}", "structured output"},
        {"{\"messages\":[" TURN "],\"guided_json\":{}}", "structured output"},
        {"{\"messages\":[" USER "]}", "no tool was used"},
        {"{\"messages\":[" TURN "," USER "]}", "no tool was used"},
        {"{\"messages\":[" TURN ",{\"role\":\"system\",\"content\":\"Sum up.\"}]}",
         "no tool was used"},
        {"{\"messages\":[1]}", "no tool was used"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct reply_request r;

        reply_request_read(rows[i].body, strlen(rows[i].body), a, &r);
        if (rows[i].leave)
            assert_string_equal(r.leave, rows[i].leave);
        else
            assert_null(r.leave);
        reply_request_release(&r);
    }
}

static void
calls_of_a_turn(void **state)
{
    static const char body[] =
        "{\"messages\":[" TURN "," USER
        "," CALL("write_file") "," RESULT
                               "," CALL("run") "," RESULT
                                               ",{\"role\":\"assistant\",\"content\":\"So\"}]}";
    struct reply_request r;

    (void)state;
    reply_request_read(body, strlen(body), a, &r);
    assert_null(r.leave);
    assert_int_equal(r.call_count, 3);
    assert_string_equal(r.calls[0].tool, "run_code");
    assert_false(r.calls[0].in_turn);
    assert_string_equal(r.calls[1].tool, "write_file");
    assert_true(r.calls[1].in_turn);
    assert_true(r.calls[2].in_turn);
    assert_int_equal(r.begun_len, 2);
    assert_memory_equal(r.begun, "So", 2);
    reply_request_release(&r);
}

static void
many_calls_keep_the_newest(void **state)
{
    struct reply_request r;
    struct buf b;

    (void)state;
    buf_init(&b, a, 1 << 20);
    buf_adds(&b, "{\"messages\":[" USER);
    for (int i = 0; i < REPLY_CALLS_MAX; i++)
        buf_adds(&b, "," CALL("run"));
    buf_adds(&b, "," CALL("run_code") "," RESULT "]}");
    reply_request_read(buf_text(&b), b.len, a, &r);
    assert_int_equal(r.call_count, REPLY_CALLS_MAX);
    assert_string_equal(r.calls[0].tool, "run");
    assert_string_equal(r.calls[REPLY_CALLS_MAX - 1].tool, "run_code");
    reply_request_release(&r);
}

static void
names_of_tools(void **state)
{
    static const char *const good[] = {
        "run",          "run_mcp_backtalk", "mcp__backtalk__run", "backtalk.run",
        "backtalk-run", "backtalk:run",     "functions/run",      "a__run"};
    static const char *const bad[] = {"run_code", "run_code_mcp_x", "rerun", "dry_run", "ru",
                                      "Run",      "run_x"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(reply_tool_is(good[i], "run"));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(reply_tool_is(bad[i], "run"));
    assert_true(reply_tool_is("run_code_mcp_x", "run_code"));
}

/* ---- answers
 * ------------------------------------------------------------------------------------- */

#define CHUNK(delta, finish)                                                                       \
    "{\"id\":\"i\",\"created\":1,\"choices\":[{\"index\":0,\"delta\":" delta                       \
    ",\"finish_reason\":" finish "}]}"
#define USAGE "{\"choices\":[],\"usage\":{\"total_tokens\":3}}"

/* The text when chunks (NULL-ended) give an answer that may be completed; else NULL. */
static const char *
answer_of(const char *const *chunks, const char **ret_left)
{
    struct json_object *final = NULL;
    struct reply_answer r;
    const char *text;

    reply_answer_init(&r, "", 0, a);
    for (size_t i = 0; chunks[i]; i++) {
        struct json_object *is = reply_answer_chunk(&r, chunks[i], strlen(chunks[i]));

        if (is) {
            assert_null(final);
            final = is;
        }
    }
    *ret_left = r.left;
    text = final ? arena_printf(a, "%s", buf_text(&r.text)) : NULL;
    json_object_put(final);
    reply_answer_release(&r);
    return text;
}

static void
answers(void **state)
{
    static const struct {
        const char *chunks[5], *text, *left;
    } rows[] = {
        {{CHUNK("{\"role\":\"assistant\",\"content\":null}", "null"),
          CHUNK("{\"content\":\"a\"}", "null"), CHUNK("{}", "\"stop\""), USAGE, "[DONE]"},
         "a",
         NULL},
        {{CHUNK("{\"content\":\"a\"}", "null"), CHUNK("{\"content\":\"b\"}", "\"stop\"")},
         "ab",
         NULL},
        {{CHUNK("{\"reasoning_content\":\"r\"}", "null"), CHUNK("{}", "\"stop\"")}, "", NULL},
        {{CHUNK("{\"content\":\"a\"}", "null"), "[DONE]"}, NULL, NULL},
        {{CHUNK("{\"content\":\"a\"}", "\"length\"")}, NULL, "cut or a tool call"},
        {{CHUNK("{\"tool_calls\":[{}]}", "null"), CHUNK("{}", "\"tool_calls\"")},
         NULL,
         "tool call"},
        {{CHUNK("{\"tool_calls\":[{}]}", "null"), CHUNK("{}", "\"stop\"")}, NULL, "tool call"},
        {{CHUNK("{\"tool_calls\":[]}", "null"), CHUNK("{}", "\"stop\"")}, "", NULL},
        {{CHUNK("{\"function_call\":{}}", "\"stop\"")}, NULL, "no plain text"},
        {{CHUNK("{\"content\":[]}", "\"stop\"")}, NULL, "no plain text"},
        {{"{\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}]}"},
         NULL,
         "several answers"},
        {{"{\"choices\":[{\"index\":0,\"logprobs\":{},\"finish_reason\":\"stop\"}]}"},
         NULL,
         "logprobs"},
        {{"{\"error\":{\"message\":\"m\"}}", CHUNK("{}", "\"stop\"")}, NULL, "error"},
        {{"{\"choices\":[{", CHUNK("{}", "\"stop\"")}, NULL, "not understood"},
        {{"7", CHUNK("{}", "\"stop\"")}, NULL, "not understood"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *list[6] = {0}, *left, *text;

        memcpy(list, rows[i].chunks, sizeof rows[i].chunks);
        text = answer_of(list, &left);
        assert_true((text != NULL) == (rows[i].text != NULL));
        if (text)
            assert_string_equal(text, rows[i].text);
        assert_true((left != NULL) == (rows[i].left != NULL));
        if (left)
            assert_string_equal(left, rows[i].left);
    }
}

/* ---- code blocks
 * --------------------------------------------------------------------------------- */

static void
blocks(void **state)
{
    static const struct {
        const char *text,
            *seen; /* tag:code| for each, then = open fence's length, - blank, ? thinking */
    } rows[] = {
        {"", "-"},
        {" \n\t", "-"},
        {"text", ""},
        {"```python\na\nb\n```", "python:a\nb\n|"},
        {"x\n~~~\na\n~~~\ny", ":a\n|"},
        {"```a\n1\n```\n```b\n2\n```\n", "a:1\n|b:2\n|"},
        {"````\n```\n````", ":```\n|"},
        {"```\n~~~\n```", ":~~~\n|"},
        {"``` python title=x\na\n```", "python:a\n|"},
        {"```{.python .x}\na\n```", "python:a\n|"},
        {"```py`x\na", ""},
        {"`` `\na", ""},
        {"```c\na", "c:a|=3"},
        {"```c\na\n``", "c:a\n``|=3"},
        {"```c\na\n``` x\n", "c:a\n``` x\n|=3"},
        {"  ```c\n  a\n  ```", "c:  a\n|"},
        {"```c", "c:|=3"},
        {"```\r\na\r\n```\r\n", ":a\r\n|"},
        {"<think>\n```c\na\n```\n</think>\nb", ""},
        {"<think>a</think>", "-"},
        {" <think>\n```c\na", "-?"},
        {"a <think>\n```c\na\n```", "c:a\n|"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct code_blocks *b = arena_alloc(a, sizeof *b);
        struct buf seen;

        code_blocks_find(rows[i].text, strlen(rows[i].text), b);
        buf_init(&seen, a, 4096);
        for (size_t j = 0; j < b->count; j++)
            buf_printf(&seen, "%.*s:%.*s|", (int)b->list[j].tag_len, b->list[j].tag,
                       (int)b->list[j].len, b->list[j].code);
        if (b->open_len > 0)
            buf_printf(&seen, "=%zu", b->open_len);
        buf_adds(&seen, b->blank ? "-" : "");
        buf_adds(&seen, b->thinking ? "?" : "");
        assert_string_equal(buf_text(&seen), rows[i].seen);
    }
}

static void
same_code(void **state)
{
    static const struct {
        const char *block, *code;
        bool same;
    } rows[] = {
        {"```\na\n\nb\n```", "a\n\nb\n", true},
        {"```\na\n\nb\n```", "a\n\nb", true},
        {"```\na  \r\nb\n```", "a\nb\n\n", true},
        {"```\n\na\n```", "a", true},
        {"```\na\nb\n```", "a\n\nb", false},
        {"```\n a\n```", "a", false},
        {"```\na\n```", "a\nb", false},
        {"```\na\nb\n```", "a", false},
        {"```\n\n```", "\n", false},
        {"  ```\n  if x:\n    y\n  ```", "if x:\n  y", true},
        {"  ```\n  a\nb\n  ```", "a\nb", true},
        {"```\na", "a", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct code_blocks *b = arena_alloc(a, sizeof *b);

        code_blocks_find(rows[i].block, strlen(rows[i].block), b);
        assert_int_equal(b->count, 1);
        assert_int_equal(code_block_is(&b->list[0], rows[i].code, strlen(rows[i].code)),
                         rows[i].same);
    }
    assert_int_equal(code_fence_length("", 0), 3);
    assert_int_equal(code_fence_length("``", 2), 3);
    assert_int_equal(code_fence_length("a```b````", 9), 5);
}

/* ---- the choice
 * ----------------------------------------------------------------------------------- */

static const struct languages *
languages(void)
{
    static const char *const python[] = {"python", "py", NULL},
                             *const bash[] = {"bash", "sh", NULL},
                             *const cpp[] = {"cpp", "c++", NULL};
    static const struct language rows[] = {
        {.id = "python", .aliases = python, .fence = "python", .file = "main.py"},
        {.id = "bash", .aliases = bash, .fence = "bash", .file = "main.sh", .shell = true},
        {.id = "cpp", .aliases = cpp, .fence = "cpp", .file = "main.cpp"},
    };
    static const struct languages all = {.rows = rows, .count = COUNT_OF(rows)};

    return &all;
}

static struct reply_run
run(const char *id, const char *code, enum tested tested, bool compared)
{
    return (struct reply_run){.language = languages_find(languages(), id),
                              .code = code,
                              .len = strlen(code),
                              .tested = tested,
                              .compared = compared};
}

static void
choices(void **state)
{
    const struct {
        struct reply_run runs[4];
        size_t count;
        const char *code, *label;
    } rows[] = {
        {{run("py", "a", TESTED_PASSED, true)}, 1, "a", "passed 1 of 1 tests"},
        {{run("py", "a", TESTED_PASSED, true), run("py", "b", TESTED_FAILED, true)},
         2,
         "a",
         "passed 1 of 1 tests"},
        {{run("py", "a", TESTED_PASSED, true), run("py", "b", TESTED_PASSED, true)},
         2,
         "b",
         "passed 1 of 1 tests"},
        {{run("py", "a", TESTED_FAILED, true), run("py", "a", TESTED_PASSED, true),
          run("py", "a", TESTED_RAN, false)},
         3,
         "a",
         "passed 1 of 2 tests"},
        {{run("py", "a", TESTED_PASSED, true), run("c++", "a", TESTED_PASSED, true)},
         2,
         "a",
         "passed 1 of 1 tests"},
        {{run("py", "a", TESTED_RAN, false), run("py", "b", TESTED_FAILED, false)},
         2,
         "b",
         "did not pass"},
        {{run("py", "a", TESTED_FAILED, true), run("py", "b", TESTED_RAN, false)},
         2,
         "b",
         "ran, output not compared"},
        {{run("py", "a", TESTED_RAN, false), run("py", "b", TESTED_UNKNOWN, true)},
         2,
         "a",
         "ran, output not compared"},
        {{run("py", "a", TESTED_UNKNOWN, true)}, 1, NULL, NULL},
    };
    struct reply_choice c;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool any = reply_choose(rows[i].runs, rows[i].count, &c);

        assert_int_equal(any, rows[i].code != NULL);
        if (any) {
            assert_string_equal(c.run->code, rows[i].code);
            assert_string_equal(reply_label(&c, a), rows[i].label);
        }
    }
    assert_false(reply_choose(NULL, 0, &c));
}

#define TESTED "This is the program that was tested (passed 1 of 1 tests):\n\n"

static void
appendices(void **state)
{
    const struct languages *all = languages();
    static const struct {
        const char *text, *shown,
            *appendix; /* of print(1), which passed, after print(0), which did not */
    } rows[] = {
        {"", "missing", TESTED "```python\nprint(1)\n```\n"},
        {"Done.", "missing", "\n\n" TESTED "```python\nprint(1)\n```\n"},
        {"Done.\n", "missing", "\n" TESTED "```python\nprint(1)\n```\n"},
        {"Done.\n\n", "missing", TESTED "```python\nprint(1)\n```\n"},
        {"```text\n1\n```\n", "missing", "\n" TESTED "```python\nprint(1)\n```\n"},
        {"```bash\npython3 main.py\n```\n", "missing", "\n" TESTED "```python\nprint(1)\n```\n"},
        {"```\n1", "missing", "\n```\n\n" TESTED "```python\nprint(1)\n```\n"},
        {"~~~~\n1\n", "missing", "~~~~\n\n" TESTED "```python\nprint(1)\n```\n"},
        {"```python\nprint(1)\n```", "shown", NULL},
        {"```\nprint(1)\n```", "shown", NULL},
        {"```python\nprint(1)", "shown", NULL},
        {"```c++\nmain\n```", "elsewhere", NULL},
        {"```rust\nmain\n```", "elsewhere", NULL},
        {"```c++\nmain\n```\n```py\nx\n```\n", "different",
         "\nThe code above is not what was tested. " TESTED "```python\nprint(1)\n```\n"},
        {"```Python\nprint(0)\n```", "different",
         "\n\nThe code above is not what was tested. " TESTED "```python\nprint(1)\n```\n"},
    };
    const struct reply_run runs[] = {run("py", "print(0)", TESTED_FAILED, true),
                                     run("py", "print(1)", TESTED_PASSED, true)};
    struct reply_choice c;

    (void)state;
    assert_true(reply_choose(runs, 2, &c));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct code_blocks *b = arena_alloc(a, sizeof *b);
        enum reply_shown shown;
        size_t len;

        code_blocks_find(rows[i].text, strlen(rows[i].text), b);
        shown = reply_shows(b, &c, runs, 2, all);
        assert_string_equal(reply_shown_name(shown), rows[i].shown);
        if (rows[i].appendix) {
            const char *is =
                reply_appendix(rows[i].text, strlen(rows[i].text), b, &c, shown, a, &len);

            assert_string_equal(is, rows[i].appendix);
            assert_int_equal(len, strlen(is));
        }
    }
}

static void
a_program_too_long(void **state)
{
    char *code = arena_alloc(a, REPLY_CODE_MAX + 2);
    struct code_blocks *b = arena_alloc(a, sizeof *b);
    struct reply_run r;
    struct reply_choice c;
    size_t len;

    (void)state;
    memset(code, '`', REPLY_CODE_MAX + 1);
    code[REPLY_CODE_MAX + 1] = '\0';
    r = run("py", code, TESTED_RAN, false);
    code_blocks_find("", 0, b);
    assert_true(reply_choose(&r, 1, &c));
    assert_null(reply_appendix("", 0, b, &c, REPLY_MISSING, a, &len));
    r.len--;
    assert_non_null(reply_appendix("", 0, b, &c, REPLY_MISSING, a, &len));
    assert_true(len > 3 * (size_t)REPLY_CODE_MAX);
}

/* ---- writing
 * ---------------------------------------------------------------------------------------- */

static void
chunks_are_written(void **state)
{
    static const char raw[] = "data: " CHUNK("{}", "\"stop\"") "\n\n",
                      full[] = CHUNK("{\"content\":\"z\"}", "\"stop\"");
    struct json_object *final = json_tokener_parse(CHUNK("{}", "\"stop\""));
    size_t len;
    const char *out = reply_write_chunks(final, raw, strlen(raw), true, "a\"\xc3\xa9/", 5, a, &len);

    (void)state;
    assert_string_equal(
        out, "data: {\"id\":\"i\",\"created\":1,\"choices\":[{\"index\":0,\"delta\":{\"content\":"
             "\"a\\\"\xc3\xa9/\"},\"finish_reason\":null}]}\n\n"
             "data: " CHUNK("{}", "\"stop\"") "\n\n");
    assert_int_equal(len, strlen(out));
    out = reply_write_chunks(final, raw, strlen(raw), false, "a", 1, a, &len);
    assert_non_null(strstr(out, "\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}"));
    json_object_put(final);

    final = json_tokener_parse(full);
    out = reply_write_chunks(final, "", 0, true, "a", 1, a, &len);
    assert_string_equal(
        out, "data: {\"id\":\"i\",\"created\":1,\"choices\":[{\"index\":0,\"delta\":{\"content\":"
             "\"z\"},\"finish_reason\":null}]}\n\n"
             "data: {\"id\":\"i\",\"created\":1,\"choices\":[{\"index\":0,\"delta\":{\"content\":"
             "\"a\"},\"finish_reason\":null}]}\n\n"
             "data: " CHUNK("{\"content\":\"\"}", "\"stop\"") "\n\n");
    json_object_put(final);
}

/* Cut into chunks, the text is the same, and no character is cut. */
static void
long_texts(void **state)
{
    struct json_object *final = json_tokener_parse(CHUNK("{}", "\"stop\""));
    struct buf text, got;
    const char *out;
    size_t len, count = 0;

    (void)state;
    buf_init(&text, a, 1 << 20);
    buf_init(&got, a, 1 << 20);
    for (int i = 0; i < 3000; i++)
        buf_adds(&text, i % 3 ? "\xf0\x9f\x8e\x89" : "x");
    out = reply_write_chunks(final, "", 0, true, buf_text(&text), text.len, a, &len);
    for (const char *p = out; (p = strstr(p, "data: ")) != NULL; p++, count++) {
        struct json_object *o = json_tokener_parse(p + 6), *v;
        const char *piece;

        assert_int_equal(json_pointer_get(o, "/choices/0/delta/content", &v), 0);
        piece = json_object_get_string(v);
        assert_true(((unsigned char)piece[0] & 0xc0) != 0x80);
        buf_adds(&got, piece);
        json_object_put(o);
    }
    assert_true(count > 5);
    assert_string_equal(buf_text(&got), buf_text(&text));
    json_object_put(final);
}

static void
whole_answers(void **state)
{
    struct json_object *root = json_tokener_parse("{\"x\":1.50,\"choices\":[{\"message\":{\"role\":"
                                                  "\"assistant\",\"content\":\"a\"}}],\"u\":{}}");
    size_t len;

    (void)state;
    assert_string_equal(reply_write_whole(root, "b", 1, a, &len),
                        "{\"x\":1.50,\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":"
                        "\"ab\"}}],\"u\":{}}");
    json_object_put(root);
    root = json_tokener_parse("{\"choices\":[{\"message\":{\"content\":null}}]}");
    assert_string_equal(reply_write_whole(root, "b", 1, a, &len),
                        "{\"choices\":[{\"message\":{\"content\":\"b\"}}]}");
    json_object_put(root);
    root = json_tokener_parse("{\"choices\":[]}");
    assert_null(reply_write_whole(root, "b", 1, a, &len));
    json_object_put(root);
}

/* ---- HTTP
 * ------------------------------------------------------------------------------------------- */

static void
targets(void **state)
{
    static const char *const good[][2] = {
        {"/v1/models", "/models"},
        {"/v1/chat/completions?x=1", "/chat/completions?x=1"},
        {"/v1/", "/"},
        {"/v1", ""},
        {"/v1/files/a..b", "/files/a..b"},
        {"/v1/x?../..", "/x?../.."},
        {"/v1/models/a%2Fb", "/models/a%2Fb"},
        {"/v1/...", "/..."},
    };
    static const char *const bad[] = {
        "",         "/",           "/v2/x",        "/v1x",         "/mcp",       "/v1/../x",
        "/v1/x/..", "/v1/./x",     "/v1/%2e%2e/x", "/v1/.%2E/x",   "/v1/x/%2E",  "/v1/..?x",
        "/v1/a b",  "/v1/a\tb",    "/v1/\xc3\xa9", "/v1/a%2f../x", "/v1/..%2fx", "/v1/..\\x",
        "/v1/#x",   "http://x/v1", "/V1/x",        "/v1/a\\..\\x"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_string_equal(reply_http_rest(good[i][0]), good[i][1]);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (reply_http_rest(bad[i]))
            fail_msg("accepted: %s", bad[i]);
    assert_null(reply_http_rest(NULL));
    assert_true(reply_http_is_chat("POST", "/chat/completions"));
    assert_true(reply_http_is_chat("POST", "/chat/completions?x"));
    assert_false(reply_http_is_chat("GET", "/chat/completions"));
    assert_false(reply_http_is_chat("POST", "/completions"));
    assert_false(reply_http_is_chat("POST", "/chat/completions/x"));
}

static void
headers(void **state)
{
    static const char *const lines[] = {
        "Content-Type: text/event-stream; charset=utf-8",
        "content-length: 12",
        "Server: secret",
        "X-Accel-Redirect: /etc/passwd",
        "Status: 500",
        "Set-Cookie: a=b",
        "Transfer-Encoding: chunked",
        "Connection: close",
        "Location: http://inside/",
        "X-RateLimit-Remaining: 3",
        "openai-processing-ms: 5",
        "openai-",
        "Retry-After: 1",
        "no colon",
        ": none",
    };
    struct reply_head h = {0};
    struct buf out, length;

    (void)state;
    buf_init(&out, a, 4096);
    buf_init(&length, a, 4096);
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        reply_http_header(lines[i], strlen(lines[i]), &h, &out, &length);
    assert_string_equal(buf_text(&out), "Content-Type: text/event-stream; charset=utf-8\r\n"
                                        "X-RateLimit-Remaining: 3\r\n"
                                        "openai-processing-ms: 5\r\n"
                                        "Retry-After: 1\r\n");
    assert_string_equal(buf_text(&length), "content-length: 12\r\n");
    assert_true(h.events && !h.json && !h.encoded);
    reply_http_header("Content-Encoding: gzip", 22, &h, &out, &length);
    assert_true(h.encoded);
    reply_http_header("Content-Type:application/json", 29, &h, &out, &length);
    assert_true(h.json && !h.events);
}

static void
errors(void **state)
{
    struct http_reply r = reply_http_error(401, "t", "c", "Say \"no\".", a);

    (void)state;
    assert_int_equal(r.status, 401);
    assert_true(r.ask_key);
    assert_string_equal(r.body, "{\"error\":{\"message\":\"Say \\\"no\\\".\",\"type\":\"t\","
                                "\"param\":null,\"code\":\"c\"}}\n");
    assert_int_equal(r.body_len, strlen(r.body));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_left_alone),
        cmocka_unit_test(calls_of_a_turn),
        cmocka_unit_test(many_calls_keep_the_newest),
        cmocka_unit_test(names_of_tools),
        cmocka_unit_test(answers),
        cmocka_unit_test(blocks),
        cmocka_unit_test(same_code),
        cmocka_unit_test(choices),
        cmocka_unit_test(appendices),
        cmocka_unit_test(a_program_too_long),
        cmocka_unit_test(chunks_are_written),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(whole_answers),
        cmocka_unit_test(targets),
        cmocka_unit_test(headers),
        cmocka_unit_test(errors),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
