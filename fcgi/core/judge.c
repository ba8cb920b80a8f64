#include "config.h"

#include "core/judge.h"
#include "core/judge_output.h"
#include "core/words.h"
#include <signal.h>
#include <string.h>

static struct judgement
fail(const char *kind, const char *line, const char *detail)
{
    return (struct judgement){VERDICT_FAIL, line, detail, kind};
}

static struct judgement
none(void)
{
    return (struct judgement){VERDICT_NONE, "", "", ""};
}

/* The step that is judged, or SIZE_MAX. */
static size_t
run_step(const struct plan *p, const struct observation *o)
{
    size_t i = p->step_count < o->step_count ? p->step_count : o->step_count;

    for (i = i < PLAN_STEPS_MAX ? i : PLAN_STEPS_MAX; i-- > 0;)
        if (p->steps[i].role == STEP_RUN)
            return i;
    return SIZE_MAX;
}

/* Why the program was never run: an earlier step failed. */
static struct judgement
judge_not_run(const struct plan *p, const struct observation *o, size_t run)
{
    for (size_t i = 0; i < run; i++) {
        const struct step_seen *s = &o->steps[i];

        switch (s->end) {
        case STEP_NOT_RUN:
        case STEP_CANCELLED:
            return none();
        case STEP_NOT_STARTED:
            return fail("not-started", "FAIL: the program was not run.", "");
        case STEP_EXITED:
            if (s->exit_code == 0)
                continue;
            break;
        case STEP_SIGNALED:
        case STEP_TIMED_OUT:
            break;
        }
        if (s->end == STEP_TIMED_OUT || s->end == STEP_SIGNALED)
            return fail("compile", "FAIL: the compiler was killed. The program was not run.", "");
        return p->steps[i].role == STEP_CHECK
                   ? fail("check", "FAIL: the check found errors in the code. It was not run.", "")
                   : fail("compile", "FAIL: the code does not compile. It was not run.", "");
    }
    return none();
}

static struct judgement
judge_signal(struct arena *a, const struct observation *o, int number)
{
    const char *name = words_signal(number);

    if (number == SIGKILL && o->oom_kills > 0)
        return fail("memory", "FAIL: the program was killed: out of memory.", "");
    switch (number) {
    case SIGSEGV:
    case SIGABRT:
    case SIGFPE:
    case SIGBUS:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
        return fail("crash",
                    arena_printf(a, "FAIL: the program crashed: signal %d (%s).", number, name),
                    "");
    default:
        return fail("signal",
                    arena_printf(a, "FAIL: the program was killed by signal %d%s%s%s.", number,
                                 name[0] ? " (" : "", name, name[0] ? ")" : ""),
                    "");
    }
}

static struct judgement
judge_exit(struct arena *a, const struct plan *p, const struct observation *o,
           const struct step_seen *s)
{
    int number = s->exit_code - 128;
    const char *name;

    if (s->exit_code == 128 + SIGKILL && o->oom_kills > 0)
        return judge_signal(a, o, SIGKILL);
    name = words_signal(number);
    return fail("exit",
                arena_printf(a, "FAIL: the program ended with exit code %d%s%s%s, not 0.",
                             s->exit_code, name[0] ? " (" : "", name, name[0] ? ")" : ""),
                judge_output_exact(a, p, s)
                    ? "Its output is exactly the expected output. Only the exit code is wrong."
                    : "");
}

static struct judgement
judge_timeout(struct arena *a, const struct plan *p, const struct plan_step *step,
              const struct step_seen *s)
{
    const char *detail = "";

    if (s->out.seen == 0)
        detail = "Up to then it had printed nothing on stdout.";
    else if (judge_output_exact(a, p, s))
        detail = "Up to then it had printed exactly the expected output, but it did not end.";
    return fail("timeout",
                arena_printf(a, "FAIL: the program did not end within %lld s.",
                             (long long)((step->timeout_ms + 999) / 1000)),
                detail);
}

struct judgement
judge(struct arena *a, const struct plan *p, const struct observation *o)
{
    size_t run = run_step(p, o);
    const struct step_seen *s;

    if (!p->expected || p->kind != PLAN_STEPS || o->file_failed || run == SIZE_MAX)
        return none();
    s = &o->steps[run];
    switch (s->end) {
    case STEP_NOT_RUN:
        return judge_not_run(p, o, run);
    case STEP_CANCELLED:
        return none();
    case STEP_NOT_STARTED:
        return fail("not-started", "FAIL: the program was not run.", "");
    case STEP_SIGNALED:
        return judge_signal(a, o, s->signal);
    case STEP_TIMED_OUT:
        return judge_timeout(a, p, &p->steps[run], s);
    case STEP_EXITED:
        break;
    }
    if (s->exit_code != 0)
        return judge_exit(a, p, o, s);
    return judge_output(a, p, &p->steps[run], s);
}
