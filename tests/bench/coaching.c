/* coaching CASES - the CPU time of all that is decided about a result once it is known: judge,
 * hints (without the look into the machine) and render. Over the recorded calls of CASES/hints and
 * CASES/render, and over 10 MiB of hostile output. Ends with 0 when both goals are reached: a
 * typical result costs less than 1 ms, a hostile one less than 50 ms. */
#include "config.h"

#include "core/hints.h"
#include "core/judge.h"
#include "core/recording.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CASES_MAX = 2000,
    ROUNDS = 50,
    HOSTILE_BYTES = 10 << 20,
    TYPICAL_GOAL_US = 1000,
    HOSTILE_GOAL_US = 50000,
};

static double
cpu_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static struct recording_text
read_text(struct arena *a, const char *dir, const char *name)
{
    FILE *in = fopen(arena_printf(a, "%s/%s.txt", dir, name), "rb");
    struct recording_text t = {NULL, 0};
    char *text;

    if (!in)
        return t;
    text = arena_alloc(a, RECORDING_BYTES_MAX);
    t.len = fread(text, 1, RECORDING_BYTES_MAX - 1, in);
    text[t.len] = '\0';
    t.at = text;
    fclose(in);
    return t;
}

static bool
load(struct arena *a, const char *dir, struct recording *ret)
{
    const struct recording_texts texts = {
        .call = read_text(a, dir, "call"),
        .expected = read_text(a, dir, "expected"),
        .code = read_text(a, dir, "code"),
        .input = read_text(a, dir, "input"),
        .out = read_text(a, dir, "out"),
        .err = read_text(a, dir, "err"),
    };
    struct fault f;

    return recording_read(&texts, a, ret, &f);
}

/* CPU time of one coaching, in microseconds: the mean of some. */
static double
coach(const struct recording *r, const char *probe, size_t probe_len, int rounds)
{
    double start = cpu_us();

    for (int i = 0; i < rounds; i++) {
        struct arena *a = arena_new(65536);
        const char *texts[HINTS_SAID_MAX + 1], *ids[HINTS_SAID_MAX + 1];
        struct judgement j = judge(a, &r->plan, &r->seen);
        struct hint_set s;

        hints_look(&r->plan, &r->seen, &j, "", a, &s);
        hints_say(&s, probe, probe_len, a, texts, ids);
        render_call(a, &r->plan, &r->seen, &j, &r->notices, texts, &r->limits);
        arena_free(a);
    }
    return (cpu_us() - start) / rounds;
}

static int
by_time(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

/* The times of a folder's cases, from ret_times on; returns how many. */
static size_t
measure(const char *folder, double *ret_times, size_t most)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    size_t n = 0;

    while (d && n < most && (e = readdir(d)) != NULL) {
        struct arena *a = arena_new(65536);
        const char *dir = arena_printf(a, "%s/%s", folder, e->d_name);
        struct recording_text probe = read_text(a, dir, "probe");
        struct recording r;

        if (e->d_name[0] != '.' && read_text(a, dir, "call").at && load(a, dir, &r)) {
            coach(&r, probe.at, probe.len, 1); /* patterns are compiled once */
            ret_times[n++] = coach(&r, probe.at, probe.len, ROUNDS);
        }
        arena_free(a);
    }
    if (d)
        closedir(d);
    return n;
}

/* The slowest of some texts that patterns may stumble over. */
static double
hostile(const char *dir)
{
    static const char *const units[] = {
        "a",         " ",
        "\n",        "\033[1m",
        "a: ",       "No module named 'a",
        "\xff",      "error: x",
        "E: Unable", "bash: line 1: a: command not",
        "'a' \"",    "/a/b.c:1: ",
        "(((((",     "\\\"",
        "a.b/",      "\r",
    };
    struct arena *a = arena_new(65536);
    char *text = malloc(HOSTILE_BYTES + 64);
    struct recording r;
    double worst = 0;

    if (!text || !load(a, dir, &r))
        abort();
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        size_t n = strlen(units[i]), len = 0;
        double us;

        for (; len + n <= HOSTILE_BYTES; len += n)
            memcpy(text + len, units[i], n);
        r.seen.steps[0].err = r.seen.steps[0].out =
            (struct stream){text, text + len - 32768, 1024, 32768, len, "/var/log/backtalk/1.err"};
        us = coach(&r, NULL, 0, 3);
        worst = us > worst ? us : worst;
    }
    free(text);
    arena_free(a);
    return worst;
}

int
main(int argc, char **argv)
{
    static double times[CASES_MAX];
    struct arena *a = arena_new(4096);
    const char *cases = argc > 1 ? argv[1] : "tests/cases";
    size_t n = measure(arena_printf(a, "%s/hints", cases), times, CASES_MAX);
    double worst;

    n += measure(arena_printf(a, "%s/render", cases), times + n, CASES_MAX - n);
    if (n == 0) {
        fprintf(stderr, "no cases in %s\n", cases);
        return 2;
    }
    qsort(times, n, sizeof *times, by_time);
    worst = hostile(arena_printf(a, "%s/hints/file-missing", cases));
    printf(
        "coaching of %zu recorded results: median %.0f us, 90 %% below %.0f us, slowest %.0f us\n",
        n, times[n / 2], times[n * 9 / 10], times[n - 1]);
    printf("10 MiB of hostile output: %.1f ms at most\n", worst / 1000);
    printf("goals: median below %d us, hostile below %d ms: %s\n", TYPICAL_GOAL_US,
           HOSTILE_GOAL_US / 1000,
           times[n / 2] < TYPICAL_GOAL_US && worst < HOSTILE_GOAL_US ? "reached" : "missed");
    arena_free(a);
    return times[n / 2] < TYPICAL_GOAL_US && worst < HOSTILE_GOAL_US ? 0 : 1;
}
