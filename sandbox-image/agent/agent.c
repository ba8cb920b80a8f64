#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READS_MAX = 8,         /* of stdin, before other things get their turn */
    REAPED_MAX = 256,      /* likewise */
    STDIN_BACK_MS = 1000,  /* between looks whether a closed stdin has a writer again */
    STAGED_MAX_MS = 30000, /* a call that stopped arriving is given up */
    GOODBYE_MS = 30,       /* for what runs to end by itself when the agent must */
};

static struct agent agent;
uint8_t scratch[SCRATCH_BYTES];

int64_t
clock_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t
earlier(int64_t a_ms, int64_t b_ms)
{
    if (a_ms == NEVER)
        return b_ms;
    return b_ms != NEVER && b_ms < a_ms ? b_ms : a_ms;
}

void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void
give_back(void *memory, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = (page - (uintptr_t)memory % page) % page;

    if (len >= skip + page)
        madvise((uint8_t *)memory + skip, (len - skip) / page * page, MADV_DONTNEED);
}

/* ---- frames in -------------------------------------------------------------------------- */

static void
forget_staged(struct agent *a)
{
    struct fate f = {.call = a->job.call, .state = WIRE_FATE_STAGED};

    call_remember(a, &f);
    stage_discard(&a->job);
}

static void
on_staging_frame(struct agent *a, const struct wire_frame *f, int64_t now_ms)
{
    uint32_t refusal;

    if (f->type == WIRE_BEGIN && a->job.staged && a->job.call != f->call)
        forget_staged(a);
    if (stage_frame(&a->job, f, now_ms, &refusal)) {
        call_begin(a, now_ms);
        return;
    }
    if (f->type != WIRE_RUN)
        return;
    tell_refused(a, f->call, refusal,
                 refusal == WIRE_REFUSED_BAD ? a->job.bad : "frames are missing or damaged",
                 now_ms);
    if (a->job.staged && a->job.call == f->call)
        forget_staged(a);
}

static void
on_frame(struct agent *a, const struct wire_frame *f, int64_t now_ms)
{
    const struct fate *past = call_recent(a, f->call);
    bool ran = past && past->state != WIRE_FATE_STAGED;

    if (f->type >= WIRE_ACCEPTED || f->call == 0)
        return; /* not said by a worker */
    if (call_runs(a) && a->call.id == f->call) {
        if (f->type == WIRE_CANCEL)
            call_cancel(a, now_ms);
        if (f->type == WIRE_RUN)
            tell_accepted(a, f->call, 1, now_ms);
    } else if (f->type == WIRE_CANCEL) {
        if (!call_runs(a) && a->job.staged && a->job.call == f->call)
            forget_staged(a);
    } else if (ran) {
        if (f->type == WIRE_RUN)
            tell_accepted(a, f->call, 2, now_ms);
    } else if (call_runs(a)) {
        if (f->type == WIRE_RUN)
            tell_refused(a, f->call, WIRE_REFUSED_BUSY, "another call runs", now_ms);
    } else {
        on_staging_frame(a, f, now_ms);
    }
}

static void
take_frames(struct agent *a, int64_t now_ms)
{
    struct wire_frame f;

    while (wire_next(&a->in, &f)) {
        on_frame(a, &f, now_ms);
        call_tick(a, now_ms);
    }
}

static void
read_stdin(struct agent *a, int64_t now_ms)
{
    for (int i = 0; i < READS_MAX; i++) {
        size_t room;
        uint8_t *to = wire_reader_room(&a->in, &room);
        ssize_t n = read(STDIN_FILENO, to, room);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        a->stdin_gone = n <= 0;
        if (n <= 0) {
            a->look_again_ms = now_ms + STDIN_BACK_MS;
            return;
        }
        a->heard_ms = now_ms;
        a->untidy = true;
        wire_reader_fed(&a->in, (size_t)n);
        take_frames(a, now_ms);
    }
}

/* What silence means: that a half frame may never become whole, and a half call neither. */
static int64_t
mind_silence(struct agent *a, int64_t now_ms)
{
    int64_t due_ms = NEVER;

    if (wire_reader_partial(&a->in) && a->doubted_ms != a->heard_ms) {
        due_ms = a->heard_ms + WIRE_STALE_MS;
        if (now_ms >= due_ms) {
            a->doubted_ms = a->heard_ms;
            if (wire_reader_resync(&a->in))
                take_frames(a, now_ms);
        }
    }
    if (a->job.staged && !call_runs(a)) {
        if (now_ms >= a->job.heard_ms + STAGED_MAX_MS)
            forget_staged(a);
        else
            due_ms = earlier(due_ms, a->job.heard_ms + STAGED_MAX_MS);
    }
    return due_ms;
}

/* ---- children ---------------------------------------------------------------------------- */

static void
reap(struct agent *a)
{
    struct rusage used;
    int status;
    pid_t pid;

    a->reap_more = true;
    for (int i = 0; i < REAPED_MAX; i++) {
        pid = wait4(-1, &status, WNOHANG, &used);
        if (pid <= 0) {
            a->reap_more = false;
            return;
        }
        call_reaped(a, pid, status, (uint64_t)used.ru_maxrss * 1024);
    }
}

/* Ends everything: a short time to end by itself, then the end of PID 1 is the end of all. */
static _Noreturn void
goodbye(void)
{
    int64_t until_ms = clock_now_ms() + GOODBYE_MS;
    bool init = getpid() == 1;

    if (init) {
        kill(-1, SIGTERM);
        kill(-1, SIGCONT);
    }
    while (init && clock_now_ms() < until_ms) {
        const struct timespec moment = {.tv_nsec = 1000000};
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0)
            break;
        if (pid == 0)
            nanosleep(&moment, NULL);
    }
    if (init)
        kill(-1, SIGKILL);
    else
        for (const struct proc *p = procs_below_me(); p->pid; p++)
            kill(p->pid, SIGKILL);
    _exit(0);
}

static void
on_signal(struct agent *a)
{
    struct signalfd_siginfo info;

    while (read(a->signal_fd, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGTERM)
            goodbye();
    reap(a);
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* Between calls, what they needed is given back. */
static void
tidy(struct agent *a)
{
    if (call_runs(a) || a->job.staged || report_pending(&a->out) || wire_reader_partial(&a->in))
        return;
    a->untidy = false;
    give_back(&a->job, sizeof a->job);
    give_back(a->out.bytes, sizeof a->out.bytes);
    give_back(a->in_bytes, sizeof a->in_bytes);
    give_back(scratch, sizeof scratch);
    output_give_back();
    procs_give_back();
}

/* True when something left the box, so that a call that waits for room can go on. */
static bool
flush(struct agent *a, int64_t now_ms)
{
    size_t held = a->out.end - a->out.start;

    if (!report_flush(&a->out, now_ms))
        a->call.mute = true;
    return a->out.end - a->out.start < held;
}

static void
turn(struct agent *a)
{
    static struct pollfd p[4 + 2 * TAPS_MAX];
    int64_t now_ms = clock_now_ms();
    int64_t due_ms = mind_silence(a, now_ms);
    size_t taps;

    call_tick(a, now_ms);
    if (a->untidy)
        tidy(a);
    due_ms = earlier(due_ms, a->call.due_ms);
    if (flush(a, now_ms))
        due_ms = now_ms;
    due_ms = earlier(due_ms, report_due(&a->out));
    if (a->stdin_gone)
        due_ms = earlier(due_ms, a->look_again_ms);
    if (a->reap_more)
        due_ms = now_ms;
    p[0] = (struct pollfd){.fd = a->signal_fd, .events = POLLIN};
    p[1] = (struct pollfd){.fd = a->stdin_gone ? -1 : STDIN_FILENO, .events = POLLIN};
    p[2] = (struct pollfd){.fd = report_pending(&a->out) ? STDOUT_FILENO : -1, .events = POLLOUT};
    p[3] = (struct pollfd){.fd = call_note_fd(a), .events = POLLIN};
    taps = output_poll(p + 4, now_ms, &due_ms);
    poll(p, 4 + taps, due_ms == NEVER ? -1 : due_ms > now_ms ? (int)(due_ms - now_ms) : 0);
    now_ms = clock_now_ms();
    if (p[0].revents)
        on_signal(a);
    else if (a->reap_more)
        reap(a);
    output_polled(p + 4, taps, now_ms);
    if (p[1].revents || (a->stdin_gone && now_ms >= a->look_again_ms))
        read_stdin(a, now_ms);
}

/* Descriptors 0 to 2 exist, so that nothing else gets their numbers. */
static void
fill_standard_fds(void)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    while (fd >= 0 && fd <= 2)
        fd = open("/dev/null", O_RDWR);
    close_fd(&fd);
}

static void
start(struct agent *a)
{
    sigset_t set;

    fill_standard_fds();
    umask(022);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* the sandbox has no CAP_SYS_PTRACE: this keeps its programs, also those of root, from opening
     * the agent's stdin and stdout below /proc and speaking in its place */
    prctl(PR_SET_DUMPABLE, 0);
    guard_start();
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    a->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    a->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
    a->call.due_ms = NEVER;
    procs_start();
    logs_start();
    wire_reader_init(&a->in, a->in_bytes, sizeof a->in_bytes);
}

static int
say(int fd, const char *text, int status)
{
    size_t len = strlen(text);

    return write(fd, text, len) == (ssize_t)len ? status : 1;
}

int
main(int argc, char **argv)
{
    static const char usage[] = "Usage: backtalk-agent [--version]\n"
                                "Serves a worker's calls on stdin and stdout, as PID 1 of a "
                                "sandbox.\n";

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return say(STDOUT_FILENO, "backtalk-agent " PACKAGE_VERSION "\n", 0);
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return say(STDOUT_FILENO, usage, 0);
    if (argc > 1)
        return say(STDERR_FILENO, usage, 2);
    start(&agent);
    for (;;)
        turn(&agent);
}
