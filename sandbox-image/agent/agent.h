/* agent.h - what the files of backtalk-agent share. The agent is PID 1 of a sandbox: one
 * process, one thread, one loop, no heap. It takes calls apart that arrive as frames on
 * stdin (wire.h), carries them out one at a time and reports on stdout.
 *
 *     agent.c   the loop, signals, which frame goes where
 *     stage.c   a call arrives: frames -> struct job
 *     call.c    a call is carried out: files, steps, killing, the report, step by step
 *     files.c   writing the job's files
 *     step.c    a program under its anchor process
 *     output.c  what programs print: counts, head, tail
 *     logs.c    ... and the whole of it, in files
 *     procs.c   who belongs to a call, looked up in /proc
 *     dirs.c    reading directories
 *     look.c    what changed on disk, out-of-memory counters
 *     tell.c    what a call says of itself: payloads
 *     report.c  frames on their way out
 *     guard.c   system calls that nothing in a sandbox may make
 *
 * Nothing here waits, but tell.c for a fork that is about to begin its program, a quarter of a
 * second at most: whatever takes time is done a piece at a time from the loop. Times
 * are milliseconds of the monotonic clock. */
#ifndef AGENT_H
#define AGENT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "wire.h"
#include <limits.h>
#include <sys/types.h>
#include <time.h>

enum {
    FILES_MAX = 4,
    FILE_BYTES_MAX = 64 << 20,
    STEPS_MAX = 4,
    STRINGS_MAX = 4096, /* arguments and environment of one step */
    TIMEOUT_MAX_MS = 24 * 3600 * 1000,
    HEAD_MAX = 1 << 20,
    TAIL_MAX = 64 << 10,
    WATCH_MAX = 32,
    WATCH_BYTES = 4096,
    RECENT_MAX = 16,
    TAPS_MAX = 512, /* a machine with 512 processes has no use for more */
    WINDOW_BYTES = 64 << 10,
    IN_BYTES = 2 * WIRE_FRAME_MAX,
    OUTBOX_BYTES = 2 * WIRE_FRAME_MAX,
    BACKGROUND_MAX = 8,
    BACKGROUND_TEXT = 200,
    LINE_TEXT = 200,
    LOG_PATH_MAX = 256,
    NEVER = -1,
};

#define DEFAULT_LOG_DIR "/var/log/backtalk"
#define DEFAULT_WORK "/work"
#define CALL_VARIABLE "BACKTALK_CALL" /* in the environment of what a call starts */

int64_t clock_now_ms(void);
/* The earlier of two points in time; NEVER is later than any other. */
int64_t earlier(int64_t a_ms, int64_t b_ms);
void close_fd(int *fd); /* closes unless -1, sets -1 */
/* Gives whole pages of static memory back to the kernel (they are zero afterwards): an idle
 * sandbox is small. */
void give_back(void *memory, size_t len);

/* Room for whatever is read and used up within one function. */
enum { SCRATCH_BYTES = 128 << 10 };
extern uint8_t scratch[SCRATCH_BYTES];

/* ---- dirs.c ------------------------------------------------------------------------- */

/* Reads a directory without heap. */
struct dir {
    int fd; /* owned */
    size_t at, end;
    _Alignas(8) uint8_t bytes[4096];
};
bool dir_open(struct dir *d, int parent_fd, const char *path); /* no symlink; false with errno */
const char *dir_next(struct dir *d); /* NULL at the end; never "." or ".." */
void dir_close(struct dir *d);

/* ---- stage.c ------------------------------------------------------------------------ */

/* Bytes that arrive in DATA frames, kept where nobody sees them: in memory, or, when many,
 * in an unlinked file. */
struct spool {
    int fd;
    uint64_t size, got;
    int error; /* errno when they could not be kept */
};

struct job_file {
    char path[PATH_MAX];
    uint32_t mode;
    struct spool bytes;
};

struct job_step {
    uint8_t text[WIRE_PAYLOAD_MAX + 1]; /* the STEP payload: cwd, argv, environment */
    size_t text_len;
    uint32_t timeout_ms, head_bytes, tail_bytes;
    bool has_input;
    struct spool input;
};

/* A call that is arriving, has arrived, or runs. */
struct job {
    uint64_t call;
    bool staged; /* false: nothing here */
    bool broken;
    char bad[120]; /* why it is refused, or "" */
    uint32_t next_seq, flags;
    uint64_t previous;
    int64_t heard_ms;
    struct spool *filling; /* DATA goes there; NULL when none is due */
    struct spool input;    /* for the next STEP */
    bool has_input;
    size_t file_count, step_count, watch_count;
    char watch[WATCH_BYTES]; /* watch_count paths, each ended by NUL */
    struct job_file files[FILES_MAX];
    struct job_step steps[STEPS_MAX];
};

struct agent;

/* Takes one frame of a call that does not run and has not run. True when it was a RUN and
 * the whole call is here, intact; *ret_refusal is 0 or the reason to refuse a RUN. */
bool stage_frame(struct job *j, const struct wire_frame *f, int64_t now_ms, uint32_t *ret_refusal);
void stage_discard(struct job *j); /* closes what it holds; nothing is staged afterwards */
/* cwd, argv and environment of a step, as NUL-ended strings inside its text, which is spoilt
 * by it. argv (with room for STRINGS_MAX + 1) is NULL-ended. */
void stage_strings(struct job_step *s, const char **ret_cwd, char **argv, char **env,
                   size_t *ret_env_count);

/* ---- files.c ------------------------------------------------------------------------ */

enum files_state { FILES_MORE, FILES_DONE, FILES_FAILED };

void files_begin(const struct job *j);

/* Writes the job's files a piece at a time, all of them beside their targets first, then
 * each in its place. A regular file is replaced in one go and keeps owner and mode; other
 * things are written to as a shell would. FILES_FAILED: *ret_errno and *ret_path (borrowed
 * from the job) say which; nothing was replaced unless the last moment failed. */
enum files_state files_write(struct job *j, int *ret_errno, const char **ret_path);
void files_abort(void); /* removes what lies beside the targets */
/* Makes path's parents; path itself too when `whole`. False with errno. */
bool files_make_dirs(const char *path, bool whole);

/* ---- logs.c ------------------------------------------------------------------------- */

/* The whole output of one stream of a step, in a file of its own. */
struct log {
    int fd;         /* -1: none yet, or no more */
    bool lacking;   /* something that was printed is not in it */
    uint64_t bytes; /* in it */
    uint32_t number;
    uint16_t purse; /* whose space it takes up */
    uint8_t stream; /* 0 stdout, 1 stderr */
};

void logs_start(void); /* at the agent's start: looks which log files there are */
/* Two logs of a new step; files are made when something is written. */
void logs_open(struct log *ret_out, struct log *ret_err, uint64_t call);
void log_drop_removed(struct log *l); /* its file is no longer among the newest: gives it up */
void log_add(struct log *l, const void *bytes, size_t len);
void log_close(struct log *l);
/* The whole `seen` bytes are in the log: writes its path, else "". */
void log_path_if_whole(const struct log *l, uint64_t seen, char ret[LOG_PATH_MAX]);
const char *logs_dir(void);

/* ---- output.c ----------------------------------------------------------------------- */

/* What one step prints: two pipes that are drained as long as anyone holds their other ends,
 * which may be long after the step. */
struct tap {
    bool used, active; /* active: the step runs or is being reported */
    struct stream {
        int fd; /* -1: ended */
        uint64_t seen;
        int64_t rest_ms; /* it is not read again before that */
        struct log log;
    } s[2];
};

/* Makes the pipes; the ends to write to are in ret_ends, close-on-exec. NULL with errno. */
struct tap *output_open(const struct job_step *s, uint64_t call, bool quiet, int ret_ends[2]);
/* The step is reported, or never started: from now on the pipes are only drained. */
void output_retire(struct tap *t);
/* Reads what lies in the pipes at this moment, no more. */
void output_drain(struct tap *t, int64_t now_ms);
bool output_ended(const struct tap *t); /* nobody holds the other ends any more */
int64_t output_heard_ms(void);          /* when the active step last printed */

struct pollfd;
/* Adds descriptors to p; returns how many, at most 2 * TAPS_MAX. *due_ms becomes the time at
 * which one that rests is to be read, when that is earlier. */
size_t output_poll(struct pollfd *p, int64_t now_ms, int64_t *due_ms);
void output_polled(const struct pollfd *p, size_t n, int64_t now_ms); /* the same array */

/* What the active step printed on a stream. Head and tail do not overlap. */
struct excerpt {
    uint64_t seen;
    size_t head_len, tail_len;
    char log[LOG_PATH_MAX]; /* "" when the whole was not kept */
};
void output_excerpt(const struct tap *t, int stream, struct excerpt *ret);
/* Copies n bytes from an offset of the head or the tail. */
void output_copy(const struct tap *t, int stream, const struct excerpt *e, bool tail, size_t offset,
                 uint8_t *to, size_t n);
void output_give_back(void); /* no step is active */
/* The last line with something on it, at most LINE_TEXT bytes; returns its length. */
size_t output_last_line(const struct tap *t, char to[LINE_TEXT]);

/* ---- step.c ------------------------------------------------------------------------- */

struct step_result {
    uint32_t end; /* enum wire_end */
    int exit_code, signal, error;
    uint64_t wall_us, peak_bytes, input_bytes, input_read;
};

/* A program that runs. Between the agent and the program stands an anchor: a process that
 * adopts whatever the program leaves behind, so that all of it can be found. */
struct step {
    struct tap *tap;
    pid_t anchor, main;
    int note_fd; /* what the anchor tells */
    bool ended;  /* the program's end is in result */
    bool alone;  /* and it left nothing behind */
    bool lost;   /* the anchor was killed */
    int64_t started_ms;
    struct step_result result;
};

/* False: the program was not started, result says why. */
bool step_start(struct agent *a, struct step *s, struct job_step *js, uint64_t call);
void step_notes(struct step *s); /* reads what the anchor has to tell */
/* A child of the agent has ended. True when it was the step's. */
bool step_reaped(struct step *s, pid_t pid, int status, uint64_t peak_bytes);
/* Whether a program whose anchor was killed is still there. */
void step_lost_track(struct step *s);

/* ---- procs.c ------------------------------------------------------------------------ */

struct proc {
    pid_t pid, parent;
    char state; /* as in /proc/PID/stat */
    bool member;
    bool copied; /* a copy of its parent still: it has not begun a program of its own */
    uint64_t start_ticks;
};

void procs_start(void);
/* The living processes of a call (its anchors not counted), ended by pid 0; borrowed until
 * the next look. anchors: n process ids, 0 for those that are gone. lost: one of them was
 * killed, so look among the agent's own adopted children as well. */
struct proc *procs_of_call(uint64_t call, const pid_t *anchors, size_t n, bool lost,
                           uint64_t started_ticks);
uint64_t procs_ticks(void); /* this moment, as in start_ticks */
/* All descendants of the agent, where it is not PID 1. */
struct proc *procs_below_me(void);
/* The command line of a process, cleaned, into to (room for BACKGROUND_TEXT); its length. */
size_t procs_command(pid_t pid, char to[BACKGROUND_TEXT]);
int procs_open(const char *path, int flags); /* below /proc */
void procs_give_back(void);
/* Control bytes and broken UTF-8 become '?'; cut to at most max bytes at a boundary. */
size_t text_clean(char *text, size_t len, size_t max);

/* ---- look.c ------------------------------------------------------------------------- */

struct moment {
    struct timespec coarse; /* what file times are taken from */
    int64_t offset_ms;      /* between wall clock and monotonic clock */
};

void look_start(void);
void look_moment(struct moment *ret);
/* 0 no, 1 yes, 2 unknown: anything in the work directory or among the watched paths that
 * changed since then. */
uint32_t look_changed(const struct moment *since, const struct job *j);
uint64_t look_oom_kills(void); /* of this container since it started; 0 when not known */
const char *look_work_dir(void);

/* ---- report.c ----------------------------------------------------------------------- */

struct outbox {
    size_t frame, start, end; /* what is to be sent; `frame` is where the frame of start begins */
    int64_t moved_ms;         /* when something last left, or came to an empty box */
    bool given_up;            /* nobody took it for too long */
    uint8_t bytes[OUTBOX_BYTES];
};

/* Begins a payload of at most `room` bytes in the box. False: no room now. */
bool report_begin(struct outbox *o, size_t room, struct wire_put *ret);
void report_end(struct outbox *o, const struct wire_put *p, uint8_t type, uint64_t call,
                uint32_t seq, int64_t now_ms);
/* Writes what stdout takes. False: the rest was dropped, since nobody reads. */
bool report_flush(struct outbox *o, int64_t now_ms);
bool report_pending(const struct outbox *o);
int64_t report_due(const struct outbox *o); /* when to give the reader up */

/* ---- call.c ------------------------------------------------------------------------- */

struct fate {
    uint64_t call;
    uint32_t state; /* enum wire_fate */
    int exit_code, signal;
    bool timed_out;
    uint64_t wall_us;
    char log[LOG_PATH_MAX];
};

enum call_phase {
    CALL_IDLE,
    CALL_WRITING,   /* the files */
    CALL_RUNNING,   /* a step */
    CALL_KILLING,   /* what the call started */
    CALL_LINGERING, /* the program has ended; the last of its output */
    CALL_REPORTING, /* a step */
    CALL_DONE,      /* waits for room for the last frame */
};

struct call {
    enum call_phase phase;
    uint64_t id;
    uint32_t seq;
    bool mute;      /* nobody reads: the frames that are left are not made */
    bool stopped;   /* no more steps */
    bool cancelled; /* by the worker */
    bool wrote;     /* files of its own */
    int file_errno;
    const char *file_path;
    int64_t started_ms, due_ms;
    struct moment began;
    uint64_t oom_before, seen_before[2];
    size_t index; /* of the step */
    struct step steps[STEPS_MAX];
    int64_t deadline_ms, progress_ms, linger_ms, quiet_ms; /* of the step */
    uint64_t started_ticks;
    bool killed, kill_hard;
    uint32_t kill_end; /* enum wire_end of the step that is killed */
    int64_t kill_ms, kill_gone_ms;
    struct {
        bool head_sent;
        int stream, part;
        size_t offset;
        struct excerpt what[2];
    } report;
    struct fate fate;
};

/* The job has arrived whole: carry it out. */
void call_begin(struct agent *a, int64_t now_ms);
void call_cancel(struct agent *a, int64_t now_ms);
/* Carries the running call as far as it goes without waiting; sets call.due_ms. */
void call_tick(struct agent *a, int64_t now_ms);
void call_reaped(struct agent *a, pid_t pid, int status, uint64_t peak_bytes);
int call_note_fd(const struct agent *a); /* to poll; -1 when none */
void call_notes(struct agent *a);
const struct fate *call_recent(const struct agent *a, uint64_t call);
void call_remember(struct agent *a, const struct fate *f);
bool call_runs(const struct agent *a);
struct step *call_step(struct agent *a); /* the one that runs or is reported */
/* Living processes of the running call, its anchors not counted; ended by pid 0. */
struct proc *call_members(struct agent *a);

/* ---- tell.c ------------------------------------------------------------------------- */

/* Answers to RUN. When there is no room for one, the worker asks again. again: as in wire.h. */
void tell_accepted(struct agent *a, uint64_t call, uint32_t again, int64_t now_ms);
void tell_refused(struct agent *a, uint64_t call, uint32_t reason, const char *text,
                  int64_t now_ms);
void tell_progress(struct agent *a, int64_t now_ms);
/* The step's end and output; the end of the call. False: no room, not all is told yet. */
bool tell_step(struct agent *a, int64_t now_ms);
bool tell_done(struct agent *a, int64_t now_ms);

/* ---- guard.c ------------------------------------------------------------------------ */

/* From here on, and in all that is started: sockets are of the families UNIX, INET, INET6 and
 * NETLINK only, and there is no io_uring. Where the kernel has no filters, nothing changes. */
void guard_start(void);

/* ---- agent.c ------------------------------------------------------------------------ */

struct agent {
    int signal_fd, null_fd;
    bool stdin_gone, reap_more;
    bool untidy;           /* memory was used that an idle agent does not need */
    int64_t heard_ms;      /* the last byte on stdin */
    int64_t doubted_ms;    /* heard_ms when a half frame was last looked through */
    int64_t look_again_ms; /* at a closed stdin */
    struct call call;
    struct fate recent[RECENT_MAX];
    size_t recent_next;
    struct job job;
    struct outbox out;
    struct wire_reader in;
    uint8_t in_bytes[IN_BYTES];
};

#endif
