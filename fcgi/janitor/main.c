#include "config.h"

#include "base/clock.h"
#include "base/log.h"
#include "io/env.h"
#include "janitor/report.h"
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ARENA_BLOCK = 64 * 1024,
    TROUBLE_BYTES = 4096,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NO_ENGINE = 3,
    EXIT_NO_RECORD = 4,
};
#define MIB ((int64_t)1048576)

static const char usage[] =
    "usage: backtalk-janitor [--once | --passes N [--every-s S]] [--dry-run] [--json]\n"
    "\n"
    "Keeps the sandboxes within their limits and the record true: stops what is idle, removes what "
    "is\n"
    "unused or too much, watches disks, closes calls whose worker is gone, drops old months of "
    "the\n"
    "log. Started every minute by cron or a timer; a pass that finds another one at work does "
    "nothing.\n"
    "\n"
    "  --once        one pass (what it does without options)\n"
    "  --passes N    N passes; 0: until it is told to end (SIGTERM)\n"
    "  --every-s S   seconds from the beginning of a pass to that of the next one, 30 if not "
    "given\n"
    "  --dry-run     say what would be done and why, and change nothing\n"
    "  --json        a line of JSON a pass on standard output\n"
    "  --help        print this text and the settings\n"
    "  --version     print the version\n"
    "\n"
    "Exit status: 0 all is well (or another pass is under way); 1 something could not be done, "
    "the\n"
    "next pass tries it again; 2 wrong usage or settings; 3 the container engine, 4 the record "
    "cannot be\n"
    "reached, nothing was changed. The worst of all passes counts.\n"
    "\n"
    "Settings are environment variables, the same as those of backtalk-fcgi:\n";

struct options {
    int passes, every_s;
    bool dry_run, json;
};

static volatile sig_atomic_t leave;

static void
on_signal(int sig)
{
    (void)sig;
    leave = 1;
}

static bool
read_number(const char *text, int most, int *ret)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (errno || end == text || *end || n < 0 || n > most)
        return false;
    *ret = (int)n;
    return true;
}

/* False: wrong usage. Texts on request end the program. */
static bool
read_options(int argc, char **argv, struct options *ret)
{
    static const struct option known[] = {
        {"once", no_argument, NULL, 'o'},          {"passes", required_argument, NULL, 'p'},
        {"every-s", required_argument, NULL, 'e'}, {"dry-run", no_argument, NULL, 'd'},
        {"json", no_argument, NULL, 'j'},          {NULL, 0, NULL, 0}};
    int c;

    *ret = (struct options){.passes = 1, .every_s = 30};
    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        bool good = c != '?';

        if (c == 'p')
            good = read_number(optarg, INT_MAX, &ret->passes);
        else if (c == 'e')
            good = read_number(optarg, 86400, &ret->every_s);
        ret->dry_run = ret->dry_run || c == 'd';
        ret->json = ret->json || c == 'j';
        if (!good)
            return false;
    }
    return optind == argc;
}

static int
exit_status(enum pass_end end)
{
    static const int codes[] = {[PASS_DONE] = 0,
                                [PASS_BUSY] = 0,
                                [PASS_FAILED] = EXIT_FAILED,
                                [PASS_NO_ENGINE] = EXIT_NO_ENGINE,
                                [PASS_NO_RECORD] = EXIT_NO_RECORD};
    return codes[end];
}

static void
wait_until(int64_t at_ms)
{
    while (!leave) {
        int left = clock_left_ms(at_ms);
        const struct timespec t = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000L};

        if (left == 0 || nanosleep(&t, NULL) == 0)
            return;
    }
}

/* Runs the passes; the worst exit status of them. */
static int
run(struct janitor *j, const struct options *o)
{
    struct arena *a = arena_new(ARENA_BLOCK), *last_arena = arena_new(TROUBLE_BYTES);
    int64_t next_ms = clock_ms();
    const char *last = NULL;
    int worst = 0;

    for (int i = 0; !leave && (o->passes == 0 || i < o->passes); i++) {
        struct pass p;
        const char *trouble;

        wait_until(next_ms);
        if (leave)
            break;
        next_ms = clock_ms() + o->every_s * INT64_C(1000);
        pass_run(j, a, &p);
        trouble = report_log(&p, last, a);
        if (o->json)
            fputs(report_json(&p, o->dry_run, a), stdout);
        else if (o->dry_run && !trouble)
            fputs(report_dry_run(&p, a), stdout);
        fflush(stdout);
        if (exit_status(p.end) > worst)
            worst = exit_status(p.end);
        arena_reset(last_arena);
        last = trouble ? arena_printf(last_arena, "%s", trouble) : NULL;
        arena_reset(a);
    }
    arena_free(a);
    arena_free(last_arena);
    return worst;
}

static struct janitor
new_janitor(const struct settings *s, const struct options *o, struct arena *a)
{
    const struct create_spec *spec = settings_create_spec(s, a);

    return (struct janitor){
        .limits = {.idle_s = s->idle_s,
                   .work_s = s->work_s,
                   .unused_s = s->unused_s,
                   .kept = s->kept,
                   .kept_bytes = s->kept_mib * MIB,
                   .disk_bytes = s->disk_mib * MIB},
        .spec = spec,
        .store = janitor_store_new(s->janitor_database),
        .engine = engine_new(s->janitor_gate, spec),
        .dry_run = o->dry_run,
        .leave = &leave,
    };
}

int
main(int argc, char **argv)
{
    const struct sigaction end = {.sa_handler = on_signal};
    struct arena *a = arena_new(4096);
    struct options o;
    struct settings s;
    struct janitor j;
    struct fault f;
    int status;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("%s\n", PACKAGE_STRING) < 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return printf("%s%s", usage, settings_help(a)) < 0;
    if (!read_options(argc, argv, &o)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (!settings_load(&s, a, &f)) {
        fprintf(stderr, "backtalk-janitor: %s%s%s\n", f.message, f.hint[0] ? " " : "", f.hint);
        return EXIT_USAGE;
    }
    log_init("backtalk-janitor", s.log);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGINT, &end, NULL);
    j = new_janitor(&s, &o, a);
    status = run(&j, &o);
    janitor_store_free(j.store);
    engine_free(j.engine);
    arena_free(a);
    return status;
}
