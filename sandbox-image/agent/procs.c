#include "agent.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PROCS_MAX = 4096,
    STAT_BYTES = 1024,
    FORKED_NO_EXEC = 0x40, /* PF_FORKNOEXEC among the flags of the stat file */
};

static int proc_fd = -1;
static struct proc procs[PROCS_MAX + 1];
static size_t count;
static pid_t self;

void
procs_start(void)
{
    proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self = getpid();
}

int
procs_open(const char *path, int flags)
{
    return openat(proc_fd, path, flags | O_CLOEXEC);
}

uint64_t
procs_ticks(void)
{
    struct timespec t;
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * hz + (uint64_t)t.tv_nsec * hz / 1000000000;
}

/* Reads a small file below /proc; returns its length. */
static size_t
slurp(pid_t pid, const char *name, char *to, size_t cap)
{
    char path[48];
    size_t len = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "%d/%s", (int)pid, name);
    fd = procs_open(path, O_RDONLY);
    while (fd >= 0 && len < cap && (n = read(fd, to + len, cap - len)) > 0)
        len += (size_t)n;
    close_fd(&fd);
    return len;
}

/* "PID (name) state ppid ..." where name may hold anything: what counts comes after the last
 * parenthesis. state is field 3, the flags are field 9, start_ticks is field 22. */
static bool
read_stat(pid_t pid, struct proc *ret)
{
    char text[STAT_BYTES];
    size_t len = slurp(pid, "stat", text, sizeof text - 1);
    char *at;

    text[len] = '\0';
    at = strrchr(text, ')');
    if (!at || strlen(at) < 4)
        return false;
    *ret = (struct proc){.pid = pid, .state = at[2]};
    ret->parent = (pid_t)strtol(at + 4, &at, 10);
    for (int field = 5; at && field < 22; field++) {
        at = strchr(at + 1, ' ');
        if (field == 8 && at)
            ret->copied = strtoul(at, NULL, 10) & FORKED_NO_EXEC;
    }
    ret->start_ticks = at ? strtoull(at, NULL, 10) : 0;
    return true;
}

static void
look_at_all(void)
{
    struct dir d;
    const char *name;

    count = 0;
    if (!dir_open(&d, proc_fd, "."))
        return;
    while (count < PROCS_MAX && (name = dir_next(&d)) != NULL)
        if (name[0] >= '1' && name[0] <= '9' &&
            read_stat((pid_t)strtol(name, NULL, 10), &procs[count]))
            count++;
    dir_close(&d);
}

/* Process ids ascend in /proc. */
static const struct proc *
find(pid_t pid)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (procs[mid].pid == pid)
            return &procs[mid];
        if (procs[mid].pid < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* Whoever descends from a member is one. Parents mostly come before their children, so one
 * round does nearly always. */
static void
add_descendants(void)
{
    bool more = true;

    while (more) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            const struct proc *parent = procs[i].member ? NULL : find(procs[i].parent);

            if (parent && parent->member)
                procs[i].member = more = true;
        }
    }
}

static struct proc *
only_living_members(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (procs[i].member && procs[i].state != 'Z' && procs[i].state != 'X')
            procs[kept++] = procs[i];
    procs[kept].pid = 0;
    return procs;
}

/* The call a process was started for, as its environment says; 0 when it says nothing. */
static uint64_t
call_of(pid_t pid)
{
    char *text = (char *)scratch;
    size_t len = slurp(pid, "environ", text, sizeof scratch - 1);

    text[len] = '\0';
    for (const char *at = text; at < text + len; at += strlen(at) + 1)
        if (strncmp(at, CALL_VARIABLE "=", sizeof CALL_VARIABLE) == 0)
            return strtoull(at + sizeof CALL_VARIABLE, NULL, 16);
    return 0;
}

static bool
among(pid_t pid, const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

struct proc *
procs_of_call(uint64_t call, const pid_t *anchors, size_t n, bool lost, uint64_t started_ticks)
{
    look_at_all();
    for (size_t i = 0; i < count; i++) {
        struct proc *p = &procs[i];

        if (among(p->parent, anchors, n)) {
            p->member = true;
        } else if (lost && p->parent == self && !among(p->pid, anchors, n) &&
                   p->start_ticks + 1 >= started_ticks) {
            uint64_t marked = call_of(p->pid);

            p->member = marked == call || marked == 0;
        }
    }
    add_descendants();
    return only_living_members();
}

struct proc *
procs_below_me(void)
{
    look_at_all();
    for (size_t i = 0; i < count; i++)
        procs[i].member = procs[i].parent == self;
    add_descendants();
    return only_living_members();
}

size_t
procs_command(pid_t pid, char to[BACKGROUND_TEXT])
{
    char text[4 * BACKGROUND_TEXT];
    size_t len = slurp(pid, "cmdline", text, sizeof text);

    if (len == 0)
        len = slurp(pid, "comm", text, sizeof text);
    while (len > 0 && (text[len - 1] == '\0' || text[len - 1] == '\n'))
        len--;
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\0' || text[i] == '\n')
            text[i] = ' ';
    len = text_clean(text, len, BACKGROUND_TEXT);
    memcpy(to, text, len);
    return len;
}

void
procs_give_back(void)
{
    give_back(procs, sizeof procs);
}
