#include "config.h"

#include "base/log.h"
#include "crew.h"
#include "io/fcgi.h"
#include "languages_file.h"
#include "serve.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARENA_BLOCK = 64 * 1024,
    RECORD_BUFFER_BYTES = 256 * 1024, /* libpq's buffers grow and never shrink */
    RECORD_ANSWER_MS = 1500,          /* a record that has not answered by then is down */
    TOOLS_MAX = 16,
};

static const char usage[] =
    "usage: backtalk-fcgi [--help | --version | --print-gate]\n"
    "\n"
    "Serves MCP over FastCGI on the listening socket it gets as descriptor 0 (from systemd or\n"
    "spawn-fcgi): a parent and BACKTALK_WORKERS workers, each with one request at a time.\n"
    "\n"
    "  --print-gate  print the pattern of the one container body the Docker gate lets pass\n"
    "  --help        print this text and the settings\n"
    "  --version     print the version\n"
    "\n"
    "Settings are environment variables:\n";

static const char instructions[] =
    "Each chat has its own Debian 13 machine where you are root. Every result says what was run, "
    "its exit code and its output. Read it before you answer.";

static int
fail(const struct fault *f)
{
    fprintf(stderr, "backtalk-fcgi: %s%s%s\n", f->message, f->hint[0] ? " " : "", f->hint);
    return 2;
}

static const struct mcp_tool *
tool_rows(const struct tool_context *c, struct arena *a, size_t *ret_count)
{
    struct mcp_tool *rows = arena_alloc(a, TOOLS_MAX * sizeof *rows);
    size_t n = 0;

    for (; tools[n] && n < TOOLS_MAX; n++)
        rows[n] = (struct mcp_tool){
            .name = tools[n]->name,
            .title = tools[n]->title,
            .doc = tools[n]->doc,
            .schema = tool_schema(tools[n], c, a),
        };
    *ret_count = n;
    return rows;
}

static void
init_worker(struct worker *w, const struct settings *s, const struct languages *l, struct arena *a)
{
    const struct create_spec *spec = settings_create_spec(s, a);

    *w = (struct worker){
        .settings = s,
        .server = {.name = PACKAGE_NAME,
                   .version = PACKAGE_VERSION,
                   .instructions = instructions,
                   .origins = s->origins,
                   .body_max_bytes = (size_t)s->body_max_bytes},
        .tools = {.languages = l,
                  .timeout_default_s = s->timeout_s,
                  .timeout_max_s = s->timeout_max_s,
                  .stream_chars = (size_t)s->stream_chars,
                  .content_max_bytes = (size_t)s->content_max_bytes},
        .limits = {.stream_chars = (size_t)s->stream_chars,
                   .line_chars = 1000,
                   .memory_bytes = (uint64_t)spec->memory_bytes,
                   .memory_swap_bytes = (uint64_t)spec->memory_swap_bytes,
                   .pids = (int)spec->pids},
        .store = store_new(s->database, RECORD_ANSWER_MS),
        .engine = engine_new(s->gate, spec),
        .arena = arena_new(ARENA_BLOCK),
    };
    w->server.tools = tool_rows(&w->tools, a, &w->server.tool_count);
}

static void
serve(void *ctx)
{
    struct worker *w = ctx;
    struct http_request q;

    while (fcgi_accept(w->arena, &q)) {
        long long bytes = q.content_length;

        serve_request(w, &q);
        arena_reset(w->arena);
        if (bytes > RECORD_BUFFER_BYTES)
            store_rest(w->store);
        if (bytes > ARENA_BLOCK)
            malloc_trim(0); /* one big file must not stay resident for ever */
    }
}

int
main(int argc, char **argv)
{
    struct arena *a = arena_new(4096);
    struct languages languages;
    struct settings s;
    struct worker w;
    struct fault f;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("%s\n", PACKAGE_STRING) < 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return printf("%s%s", usage, settings_help(a)) < 0;
    if (argc > 2 || (argc == 2 && strcmp(argv[1], "--print-gate") != 0)) {
        fputs(usage, stderr);
        return 2;
    }
    if (!settings_load(&s, a, &f))
        return fail(&f);
    if (argc == 2)
        return printf("%s\n", create_pattern(settings_create_spec(&s, a), a)) < 0;
    log_init("backtalk-fcgi", s.log);
    if (!languages_file_load(s.languages, a, &languages, &f))
        return fail(&f);
    if (!fcgi_init()) {
        fputs("backtalk-fcgi: descriptor 0 is no listening socket. Start it with spawn-fcgi -n, "
              "or from a systemd socket.\n",
              stderr);
        return 2;
    }
    init_worker(&w, &s, &languages, a);
    return crew_run((int)s.workers, serve, &w);
}
