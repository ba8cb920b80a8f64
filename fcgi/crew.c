#include "config.h"

#include "base/clock.h"
#include "base/log.h"
#include "crew.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CREW_MAX = 256, SHORT_LIFE_MS = 1000 };

struct crew {
    int count;
    void (*work)(void *ctx);
    void *ctx;
    sigset_t watched, before;
    struct {
        pid_t pid;        /* 0: not running */
        int64_t start_ms; /* when it was started, or is to be */
    } workers[CREW_MAX];
};

static _Noreturn void
become_worker(const struct crew *c, pid_t parent)
{
    /* A parent that was killed must not leave workers that nobody replaces or stops. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
    if (getppid() == parent)
        c->work(c->ctx);
    exit(0);
}

static void
start_due(struct crew *c)
{
    int64_t now = clock_ms();
    pid_t parent = getpid();

    for (int i = 0; i < c->count; i++) {
        if (c->workers[i].pid != 0 || c->workers[i].start_ms > now)
            continue;
        c->workers[i].start_ms = now;
        c->workers[i].pid = fork();
        if (c->workers[i].pid == 0)
            become_worker(c, parent);
        if (c->workers[i].pid < 0) {
            log_line(LOG_LINE_ERROR, "a worker could not be started: %s", strerror(errno));
            c->workers[i].pid = 0;
            c->workers[i].start_ms = now + SHORT_LIFE_MS;
        }
    }
}

static void
ended(struct crew *c, pid_t pid, int status)
{
    for (int i = 0; i < c->count; i++) {
        bool brief = clock_ms() - c->workers[i].start_ms < SHORT_LIFE_MS;

        if (c->workers[i].pid != pid)
            continue;
        c->workers[i].pid = 0;
        c->workers[i].start_ms = clock_ms() + (brief ? SHORT_LIFE_MS : 0);
        log_line(LOG_LINE_ERROR, "worker %d ended (%s %d): another is started", (int)pid,
                 WIFSIGNALED(status) ? "signal" : "exit",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

static void
reap(struct crew *c)
{
    pid_t pid;
    int status;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        ended(c, pid, status);
}

static void
stop_all(const struct crew *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->workers[i].pid > 0)
            kill(c->workers[i].pid, SIGTERM);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
}

int
crew_run(int count, void (*work)(void *ctx), void *ctx)
{
    struct crew *c = calloc(1, sizeof *c);
    const struct timespec second = {.tv_sec = 1};

    if (!c)
        abort();
    *c = (struct crew){.count = count < CREW_MAX ? count : CREW_MAX, .work = work, .ctx = ctx};
    sigemptyset(&c->watched);
    sigaddset(&c->watched, SIGCHLD);
    sigaddset(&c->watched, SIGTERM);
    sigaddset(&c->watched, SIGINT);
    sigprocmask(SIG_BLOCK, &c->watched, &c->before);
    for (;;) {
        int sig;

        start_due(c);
        sig = sigtimedwait(&c->watched, NULL, &second);
        if (sig == SIGTERM || sig == SIGINT)
            break;
        reap(c);
    }
    stop_all(c);
    free(c);
    return 0;
}
