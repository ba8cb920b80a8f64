#include "config.h"

#include "base/log.h"
#include "crew.h"
#include "io/fcgi.h"
#include "languages_file.h"
#include "reply_serve.h"
#include <malloc.h>
#include <stdio.h>
#include <string.h>

enum {
    ARENA_BLOCK = 64 * 1024,
    RECORD_ANSWER_MS = 1500, /* a record that has not answered by then is down */
    STREAM_CHARS = 4000,     /* what tools/ sizes its captures by; nothing is captured here */
};

static const char usage[] =
    "usage: backtalk-reply [--help | --version]\n"
    "\n"
    "Passes an OpenAI-compatible API on to a model server, over FastCGI on the listening socket "
    "it\n"
    "gets as descriptor 0 (from systemd or spawn-fcgi), and appends to a final answer the program\n"
    "that the model ran but does not show. A parent and BACKTALK_REPLY_WORKERS workers, each with\n"
    "one request at a time.\n"
    "\n"
    "  --help        print this text and the settings\n"
    "  --version     print the version\n"
    "\n"
    "Settings are environment variables:\n";

static int
fail(const struct fault *f)
{
    fprintf(stderr, "backtalk-reply: %s%s%s\n", f->message, f->hint[0] ? " " : "", f->hint);
    return 2;
}

/* The worker's own connections are made after the fork. */
static void
serve(void *ctx)
{
    struct reply_worker *w = ctx;
    struct http_request q;

    w->store = store_new(w->settings->database, RECORD_ANSWER_MS);
    w->relay = relay_new();
    w->arena = arena_new(ARENA_BLOCK);
    while (fcgi_accept(w->arena, &q)) {
        bool large = arena_bytes(w->arena) > ARENA_BLOCK || q.content_length > ARENA_BLOCK;

        reply_serve(w, &q);
        large = large || arena_bytes(w->arena) > (size_t)4 * ARENA_BLOCK;
        arena_reset(w->arena);
        if (large)
            malloc_trim(0); /* one long chat must not stay resident for ever */
    }
}

int
main(int argc, char **argv)
{
    struct arena *a = arena_new(4096);
    struct languages languages;
    struct reply_settings s;
    struct reply_worker w;
    struct fault f;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("%s\n", PACKAGE_STRING) < 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return printf("%s%s", usage, reply_settings_help(a)) < 0;
    if (argc > 1) {
        fputs(usage, stderr);
        return 2;
    }
    if (!reply_settings_load(&s, a, &f))
        return fail(&f);
    log_init("backtalk-reply", s.log);
    if (!languages_file_load(s.languages, a, &languages, &f))
        return fail(&f);
    if (!fcgi_init()) {
        fputs("backtalk-reply: descriptor 0 is no listening socket. Start it with spawn-fcgi -n, "
              "or from a systemd socket.\n",
              stderr);
        return 2;
    }
    w = (struct reply_worker){
        .settings = &s,
        .tools = {.languages = &languages,
                  .timeout_default_s = 1,
                  .timeout_max_s = 86400,
                  .stream_chars = STREAM_CHARS,
                  .content_max_bytes = (size_t)s.content_max_bytes},
        .keys = keys_new(),
    };
    return crew_run((int)s.workers, serve, &w);
}
