#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    NOTE_STARTED = 1,
    NOTE_FAILED,
    NOTE_ENDED,
    NOTE_ALONE, /* nothing is left of what the program started */
    ENV_MAX = 2 * STRINGS_MAX,
    OOM_SCORE = 300, /* the sandbox's programs go before the agent does */
    NICENESS = 10,   /* and give way to it: among 500 busy processes it must be heard */
};

/* What the anchor writes to the agent. It comes from inside the sandbox: nothing in it is
 * believed further than the sandbox's own result. */
struct note {
    uint32_t what, killed;
    int32_t pid, status, error; /* status: exit code or signal */
    uint64_t wall_us, peak_bytes;
};

static uint64_t
clock_now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void
tell(int fd, const struct note *n)
{
    ssize_t done;

    do
        done = write(fd, n, sizeof *n);
    while (done < 0 && errno == EINTR);
}

/* ---- in the program's process, before it is the program ------------------------------- */

static void
plain_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
raise_oom_score(void)
{
    char text[8];
    int len = snprintf(text, sizeof text, "%d", OOM_SCORE);
    int fd = procs_open("self/oom_score_adj", O_WRONLY);

    if (fd < 0 || write(fd, text, (size_t)len) < 0)
        errno = 0; /* then it stays as it is */
    close_fd(&fd);
}

/* Puts one NAME=value into env, in the place of an older value. */
static void
env_put(char **env, size_t *count, char *entry)
{
    size_t name = strcspn(entry, "=") + 1;

    for (size_t i = 0; i < *count; i++)
        if (strncmp(env[i], entry, name) == 0) {
            env[i] = entry;
            return;
        }
    if (*count < ENV_MAX)
        env[(*count)++] = entry;
}

static void
make_environment(char *const *own, size_t own_count, uint64_t call)
{
    static char *env[ENV_MAX + 1];
    static char mark[40];
    size_t count = 0;

    for (char **e = environ; *e && count < ENV_MAX; e++)
        env[count++] = *e;
    for (size_t i = 0; i < own_count; i++)
        env_put(env, &count, own[i]);
    snprintf(mark, sizeof mark, "%s=%016llx", CALL_VARIABLE, (unsigned long long)call);
    env_put(env, &count, mark);
    env[count] = NULL;
    environ = env;
}

static bool
enter(const char *cwd)
{
    if (chdir(cwd) == 0)
        return true;
    /* the work directory is part of the machine: somebody removed it */
    return errno == ENOENT && strcmp(cwd, look_work_dir()) == 0 && files_make_dirs(cwd, true) &&
           chdir(cwd) == 0;
}

/* Returns only when the program cannot be started, with errno. It says itself who it is: it may
 * kill its anchor before that comes to say it. */
static void
become_program(struct job_step *js, uint64_t call, int in, const int ends[2], int note_fd)
{
    const struct note n = {.what = NOTE_STARTED, .pid = getpid()};
    static char *argv[STRINGS_MAX + 1], *env[STRINGS_MAX];
    struct rlimit core;
    const char *cwd;
    size_t env_count;

    tell(note_fd, &n);
    stage_strings(js, &cwd, argv, env, &env_count);
    plain_signals();
    setsid();
    umask(022);
    if (getrlimit(RLIMIT_CORE, &core) == 0) {
        core.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &core);
    }
    raise_oom_score();
    setpriority(PRIO_PROCESS, 0, NICENESS);
    if (dup2(in, 0) < 0 || dup2(ends[0], 1) < 0 || dup2(ends[1], 2) < 0 || !enter(cwd))
        return;
    make_environment(env, env_count, call);
    execvp(argv[0], argv);
}

/* ---- in the anchor -------------------------------------------------------------------- */

/* Closes everything but one descriptor: an anchor that lives long holds no pipe of anybody. */
static void
close_others(int kept)
{
#ifdef SYS_close_range
    if ((kept == 0 || syscall(SYS_close_range, 0, kept - 1, 0) == 0) &&
        syscall(SYS_close_range, kept + 1, ~0U, 0) == 0)
        return;
#endif
    for (int fd = 0; fd < 2 * TAPS_MAX + 64; fd++)
        if (fd != kept)
            close(fd);
}

/* What ended, without taking its status away: should the anchor be killed in this moment, the
 * agent inherits the status. libc's waitid leaves the rusage out. */
static pid_t
look_for_dead(siginfo_t *ret, struct rusage *ret_used)
{
    ret->si_pid = 0;
    if (syscall(SYS_waitid, P_ALL, 0, ret, WEXITED | WNOWAIT, ret_used) < 0)
        return -1;
    return ret->si_pid;
}

/* Waits for the program and then for everything it left behind. */
static void
outlive(pid_t program, int note_fd, uint64_t start_us)
{
    struct note n = {.what = NOTE_ENDED};
    struct rusage used;
    siginfo_t info;
    pid_t pid;

    while ((pid = look_for_dead(&info, &used)) > 0) {
        if (pid == program) {
            n.killed = info.si_code != CLD_EXITED;
            n.status = info.si_status;
            n.wall_us = clock_now_us() - start_us;
            n.peak_bytes = (uint64_t)used.ru_maxrss * 1024;
            tell(note_fd, &n);
        }
        waitpid(pid, NULL, 0);
        if (pid == program) {
            while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
                continue;
            n.what = NOTE_ALONE;
            if (pid < 0)
                tell(note_fd, &n);
            close_fd(&note_fd);
        }
    }
}

static _Noreturn void
anchor(struct job_step *js, uint64_t call, int in, const int ends[2], int note_fd)
{
    uint64_t start_us = clock_now_us();
    pid_t program;
    sigset_t all;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "backtalk-anchor");
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    program = fork();
    if (program == 0)
        become_program(js, call, in, ends, note_fd);
    if (program <= 0) {
        const struct note n = {.what = NOTE_FAILED, .error = errno};

        tell(note_fd, &n);
        _exit(127);
    }
    close_others(note_fd);
    outlive(program, note_fd, start_us);
    _exit(0);
}

/* ---- in the agent --------------------------------------------------------------------- */

/* A descriptor that can only be read, at the beginning. Where the program has read to can be
 * asked of it later, since both ends share the offset. */
static int
open_input(struct job_step *js)
{
    char path[32];
    int fd;

    snprintf(path, sizeof path, "self/fd/%d", js->input.fd);
    fd = procs_open(path, O_RDONLY);
    if (fd < 0) {
        lseek(js->input.fd, 0, SEEK_SET);
        return js->input.fd;
    }
    close(js->input.fd);
    js->input.fd = fd;
    return fd;
}

bool
step_start(struct agent *a, struct step *s, struct job_step *js, uint64_t call)
{
    int in = js->has_input ? open_input(js) : a->null_fd;
    int ends[2] = {-1, -1}, note[2] = {-1, -1};

    *s = (struct step){.note_fd = -1, .started_ms = clock_now_ms()};
    s->result = (struct step_result){.end = WIRE_END_NOT_STARTED, .input_bytes = js->input.size};
    s->tap = output_open(js, call, (a->job.flags & WIRE_QUIET) != 0, ends);
    s->anchor = -1;
    if (s->tap && pipe2(note, O_CLOEXEC | O_NONBLOCK) == 0)
        s->anchor = fork();
    if (s->anchor == 0)
        anchor(js, call, in, ends, note[1]);
    s->result.error = errno;
    close_fd(&ends[0]);
    close_fd(&ends[1]);
    close_fd(&note[1]);
    s->note_fd = note[0];
    if (s->anchor > 0) {
        s->result.error = 0;
        return true;
    }
    s->anchor = 0;
    s->alone = s->ended = true;
    close_fd(&s->note_fd);
    if (s->tap)
        output_retire(s->tap);
    s->tap = NULL;
    return false;
}

/* status: exit code or signal. */
static void
set_end(struct step *s, bool killed, int status, uint64_t peak_bytes)
{
    struct step_result *r = &s->result;

    s->ended = true;
    r->peak_bytes = peak_bytes;
    if (r->error != 0) {
        r->end = WIRE_END_NOT_STARTED;
    } else if (killed) {
        r->end = WIRE_END_SIGNALED;
        r->signal = status;
    } else {
        r->end = WIRE_END_EXITED;
        r->exit_code = status & 255;
    }
}

void
step_notes(struct step *s)
{
    struct note n;
    ssize_t len;

    while (s->note_fd >= 0 && (len = read(s->note_fd, &n, sizeof n)) != -1) {
        if (len != sizeof n) {
            close_fd(&s->note_fd);
        } else if (n.what == NOTE_STARTED) {
            s->main = n.pid > 1 ? n.pid : 0;
        } else if (n.what == NOTE_FAILED) {
            s->result.error = n.error ? n.error : ECHILD;
        } else if (n.what == NOTE_ENDED && !s->ended) {
            s->result.wall_us = n.wall_us;
            set_end(s, n.killed != 0, n.status, n.peak_bytes);
        } else if (n.what == NOTE_ALONE) {
            s->alone = true;
        }
    }
}

bool
step_reaped(struct step *s, pid_t pid, int status, uint64_t peak_bytes)
{
    step_notes(s);
    if (pid == s->anchor) {
        s->anchor = 0;
        s->alone = WIFEXITED(status);
        s->lost = !WIFEXITED(status);
        if (s->result.error != 0 && !s->ended)
            set_end(s, false, 0, 0);
        return true;
    }
    if (pid != s->main || s->ended)
        return false;
    s->result.wall_us = (uint64_t)(clock_now_ms() - s->started_ms) * 1000;
    set_end(s, WIFSIGNALED(status), WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
            peak_bytes);
    return true;
}

void
step_lost_track(struct step *s)
{
    bool known = s->main > 0 || s->note_fd < 0; /* else it is yet to say who it is */

    if (s->ended || !known || (s->main > 0 && kill(s->main, 0) == 0))
        return;
    s->result.wall_us = (uint64_t)(clock_now_ms() - s->started_ms) * 1000;
    set_end(s, true, SIGKILL, 0);
}
