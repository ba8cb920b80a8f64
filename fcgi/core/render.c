#include "config.h"

#include "base/buf.h"
#include "core/clean.h"
#include "core/past_end.h"
#include "core/render.h"
#include "core/render_stream.h"
#include "core/words.h"
#include <errno.h>
#include <signal.h>
#include <string.h>

enum {
    COMMAND_CHARS = 600,
    INPUT_LINES_FIRST = 8,
    INPUT_LINES_LAST = 3,
    INPUT_LINE_CHARS = 100,
    PATH_CHARS = 300,
    TEXT_MAX = 1 << 26, /* far above what the parts add up to, each has its own budget */
};

/* A result under construction. */
struct result {
    struct buf b;
    const struct plan *plan;
    const struct observation *seen;
    const struct judgement *judgement;
    const struct render_limits *limits;
    size_t steps;       /* of the plan that are observed */
    size_t last;        /* the last step that was started; == steps when there is none */
    size_t memory_step; /* the step that was killed for want of memory; == steps: none */
    uint64_t cut_bytes;
};

static bool
step_failed(const struct step_seen *s)
{
    return s->end != STEP_EXITED || s->exit_code != 0;
}

static bool
was_started(const struct step_seen *s)
{
    return s->end != STEP_NOT_RUN && s->end != STEP_NOT_STARTED;
}

static bool
killed_hard(const struct step_seen *s)
{
    return (s->end == STEP_SIGNALED && s->signal == SIGKILL) ||
           (s->end == STEP_EXITED && s->exit_code == 128 + SIGKILL);
}

static bool
is_run_code(const struct plan *p)
{
    return strcmp(p->tool, "run_code") == 0;
}

/* ---- header: what was run, and how it ended -------------------------------------------- */

/* A command or a path, cleaned; further lines begin with "> ". */
static void
add_command(struct buf *b, const char *shown)
{
    size_t len = strlen(shown);
    struct buf text;

    buf_init(&text, b->arena, clean_bound(len) + 64);
    clean_text(&text, shown, len);
    clean_cut(&text, 0, COMMAND_CHARS);
    buf_adds(b, "$ ");
    for (const char *at = buf_text(&text), *end; *at; at = end) {
        end = strchrnul(at, '\n');
        buf_add(b, at, (size_t)(end - at));
        if (*end && *++end)
            buf_adds(b, "\n> ");
    }
    buf_addc(b, '\n');
}

static size_t
count_lines(const char *text, size_t len)
{
    size_t n = len > 0 && text[len - 1] != '\n';

    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

/* What the program got on stdin. That it got nothing is said when it failed. */
static void
add_input(struct result *r, size_t i)
{
    const struct plan_step *step = &r->plan->steps[i];
    const struct step_seen *seen = &r->seen->steps[i];
    const char *input = step->input;
    size_t len = input ? step->input_len : 0, lines = count_lines(input, len), line = 0;
    size_t hidden = lines > INPUT_LINES_FIRST + INPUT_LINES_LAST + 1
                        ? lines - INPUT_LINES_FIRST - INPUT_LINES_LAST
                        : 0;
    struct buf *b = &r->b;

    if (len == 0) {
        if (was_started(seen) && step_failed(seen))
            buf_adds(b, "input: (empty)\n");
        return;
    }
    if (lines == 1)
        buf_adds(b, "input: ");
    else
        buf_printf(b, "input (%s):\n", words_count(b->arena, lines, "line", "lines"));
    for (size_t at = 0; at < len; line++) {
        const char *end = memchr(input + at, '\n', len - at);
        size_t n = end ? (size_t)(end - input) - at : len - at;

        if (hidden > 0 && line == INPUT_LINES_FIRST)
            buf_printf(b, "  [... %s lines left out ...]\n", words_number(b->arena, hidden));
        if (hidden == 0 || line < INPUT_LINES_FIRST || line >= INPUT_LINES_FIRST + hidden) {
            buf_adds(b, lines == 1 ? "" : "  ");
            clean_line(b, input + at, n, INPUT_LINE_CHARS);
            buf_addc(b, '\n');
        }
        at += n + (end ? 1 : 0);
    }
}

static const char *
memory_words(struct arena *a, const struct render_limits *l)
{
    if (l->memory_bytes == 0)
        return "";
    if (l->memory_swap_bytes <= l->memory_bytes)
        return arena_printf(a, "; the machine's limit is %s of memory",
                            words_size(a, l->memory_bytes));
    return arena_printf(a, "; the machine's limit is %s of memory, %s together with swap",
                        words_size(a, l->memory_bytes), words_size(a, l->memory_swap_bytes));
}

static void
add_exit_code(struct buf *b, int code, const char *time)
{
    const char *name = code > 128 ? words_signal(code - 128) : "";

    buf_printf(b, "exit code %d", code);
    if (code == 126)
        buf_adds(b, ": not executable");
    else if (code == 127)
        buf_adds(b, ": not found");
    else if (name[0])
        buf_printf(b, ": signal %d, %s", code - 128, name);
    buf_printf(b, " (%s)\n", time);
}

static void
add_not_started(struct buf *b, const struct plan_step *step, int number)
{
    const char *why = words_errno(number), *program = step->argv ? step->argv[0] : NULL;
    const char *name =
        program ? clean_short(b->arena, program, strlen(program), PATH_CHARS) : "the program";

    if (number == ENOENT)
        buf_printf(b,
                   "not started: %s is not on this machine, or the directory %s does not exist\n",
                   name, step->cwd ? step->cwd : "/work");
    else if (why)
        buf_printf(b, "not started: %s: %s\n", name, why);
    else
        buf_printf(b, "not started: %s: system error %d\n", name, number);
}

static void
add_timed_out(struct buf *b, int64_t timeout_ms)
{
    if (timeout_ms % 1000 == 0)
        buf_printf(b, "timed out after %lld s: it was killed\n", (long long)(timeout_ms / 1000));
    else
        buf_printf(b, "timed out after %s: it was killed\n",
                   words_seconds(b->arena, timeout_ms * 1000));
}

/* The line that says how a step ended. */
static void
add_end(struct result *r, size_t i)
{
    const struct step_seen *s = &r->seen->steps[i];
    const char *time = words_seconds(r->b.arena, s->wall_us);
    struct buf *b = &r->b;

    if (i == r->memory_step) {
        buf_printf(b, "killed: out of memory%s (%s)\n", memory_words(b->arena, r->limits), time);
        return;
    }
    switch (s->end) {
    case STEP_NOT_RUN:
        buf_adds(b, "not run\n");
        break;
    case STEP_EXITED:
        add_exit_code(b, s->exit_code, time);
        break;
    case STEP_SIGNALED:
        buf_printf(b, "killed by signal %d", s->signal);
        if (words_signal(s->signal)[0])
            buf_printf(b, " (%s)", words_signal(s->signal));
        buf_printf(b, " (%s)\n", time);
        break;
    case STEP_TIMED_OUT:
        add_timed_out(b, r->plan->steps[i].timeout_ms);
        break;
    case STEP_CANCELLED:
        buf_printf(b, "cancelled after %s: it was killed\n", time);
        break;
    case STEP_NOT_STARTED:
        add_not_started(b, &r->plan->steps[i], s->start_errno);
        break;
    }
}

static void
add_header(struct result *r)
{
    for (size_t i = 0; i < r->steps; i++) {
        const struct plan_step *step = &r->plan->steps[i];

        if (step->role == STEP_CHECK && i != r->last)
            continue; /* what it found is shown; that it was made is not */
        add_command(&r->b, step->shown);
        if (is_run_code(r->plan) && step->role == STEP_RUN)
            add_input(r, i);
        add_end(r, i);
    }
    if (r->seen->oom_kills > 0 && r->memory_step == r->steps)
        buf_printf(&r->b, "Out of memory during this call: %s%s.\n",
                   r->seen->oom_kills == 1
                       ? "1 process was killed"
                       : arena_printf(r->b.arena, "%u processes were killed", r->seen->oom_kills),
                   memory_words(r->b.arena, r->limits));
}

static void
add_verdict(struct result *r)
{
    const char *past_end = NULL;

    if (r->judgement->verdict != VERDICT_NONE)
        buf_printf(&r->b, "%s\n", r->judgement->line);
    if (r->judgement->verdict != VERDICT_NONE && r->judgement->detail[0])
        buf_printf(&r->b, "%s\n", r->judgement->detail);
    if (is_run_code(r->plan) && r->last < r->steps)
        past_end = past_end_words(r->b.arena, &r->plan->steps[r->last], &r->seen->steps[r->last]);
    if (past_end)
        buf_printf(&r->b, "%s\n", past_end);
}

/* ---- output ------------------------------------------------------------------------------ */

static void
add_stream(struct result *r, const struct stream *s, enum render_keep keep, size_t chars)
{
    r->cut_bytes += render_stream(&r->b, s, keep, chars, r->limits->line_chars);
}

/* What an earlier step printed (a compiler's warnings) before the last one ran. */
static bool
add_earlier_output(struct result *r)
{
    bool any = false;

    for (size_t i = 0; i < r->last && i < r->steps; i++) {
        const struct step_seen *s = &r->seen->steps[i];
        const char *who = r->plan->steps[i].role == STEP_CHECK ? "ShellCheck" : "compiler";
        uint64_t bytes = s->out.seen + s->err.seen;

        if (bytes == 0 || r->plan->steps[i].role == STEP_RUN)
            continue;
        if (r->judgement->verdict == VERDICT_PASS) {
            buf_printf(&r->b, "\n(The %s also printed %s of messages, not shown here.)\n", who,
                       words_count(r->b.arena, bytes, "byte", "bytes"));
            r->cut_bytes += bytes;
            continue;
        }
        buf_printf(&r->b, "\n%s messages:\n", who);
        add_stream(r, &s->err, KEEP_BEGINNING, r->limits->stream_chars / 4);
        add_stream(r, &s->out, KEEP_BEGINNING, r->limits->stream_chars / 4);
        any = true;
    }
    return any;
}

static void
add_output(struct result *r)
{
    bool earlier = add_earlier_output(r), labels;
    const struct step_seen *s;
    enum render_keep keep;

    if (r->last == r->steps)
        return;
    s = &r->seen->steps[r->last];
    keep = r->plan->steps[r->last].role == STEP_RUN ? KEEP_END : KEEP_BEGINNING;
    labels = s->out.seen > 0 && s->err.seen > 0;
    buf_addc(&r->b, '\n');
    if (s->out.seen > 0) {
        buf_adds(&r->b, labels || earlier ? "stdout:\n" : "");
        add_stream(r, &s->out, keep, r->limits->stream_chars);
    }
    if (s->err.seen > 0) {
        buf_adds(&r->b, labels || earlier ? "stderr:\n" : "");
        add_stream(r, &s->err, keep, r->limits->stream_chars);
    }
    if (s->out.seen == 0 && s->err.seen == 0)
        buf_adds(&r->b, "(no output)\n");
}

static void
add_background(struct result *r)
{
    const struct observation *o = r->seen;
    const struct step_seen *s = r->last < r->steps ? &o->steps[r->last] : NULL;
    size_t listed = o->background_count < OBSERVED_BACKGROUND_MAX ? o->background_count
                                                                  : OBSERVED_BACKGROUND_MAX;

    if (o->background_count == 0)
        return;
    buf_adds(&r->b, "\nStill running in the background:\n");
    for (size_t i = 0; i < listed; i++)
        buf_printf(&r->b, "  process %d: %s\n", o->background[i].pid,
                   clean_short(r->b.arena, o->background[i].command,
                               strlen(o->background[i].command), PATH_CHARS));
    if (o->background_count > listed)
        buf_printf(&r->b, "  and %zu more\n", o->background_count - listed);
    if (s && (s->out.log[0] || s->err.log[0]))
        buf_printf(&r->b, "What it still prints, if it is not redirected, goes to %s%s%s.\n",
                   s->out.log, s->out.log[0] && s->err.log[0] ? " and " : "", s->err.log);
}

/* ---- files and the machine --------------------------------------------------------------- */

static const char *
file_next(int number)
{
    switch (number) {
    case EISDIR:
        return " Give the path of a file in it.";
    case ENOTDIR:
    case EEXIST:
        return " Use another path.";
    case ENOSPC:
    case EDQUOT:
        return " Delete files that are not needed, then try again.";
    case EACCES:
    case EPERM:
    case EROFS:
        return " Use a path under /work.";
    case ENAMETOOLONG:
        return " Use a shorter name.";
    case ETXTBSY:
        return " Stop the program first, or use another name.";
    default:
        return "";
    }
}

static void
add_file_failed(struct result *r)
{
    const char *path = r->seen->file_failed, *why = words_errno(r->seen->file_errno);

    buf_printf(&r->b, "The file %s was not written: %s.%s\n",
               clean_short(r->b.arena, path, strlen(path), PATH_CHARS),
               why ? why : arena_printf(r->b.arena, "system error %d", r->seen->file_errno),
               file_next(r->seen->file_errno));
}

static void
add_files_written(struct result *r)
{
    for (size_t i = 0; i < r->plan->file_count && i < PLAN_FILES_MAX; i++) {
        const struct plan_file *f = &r->plan->files[i];

        buf_printf(&r->b, "The file %s was written: ",
                   clean_short(r->b.arena, f->path, strlen(f->path), PATH_CHARS));
        if (f->len == 0)
            buf_adds(&r->b, "it is empty.\n");
        else
            buf_printf(&r->b, "%s, %s.\n",
                       words_count(r->b.arena, count_lines(f->bytes, f->len), "line", "lines"),
                       words_count(r->b.arena, f->len, "byte", "bytes"));
    }
}

/* ---- the end ------------------------------------------------------------------------------- */

static void
add_hints(struct buf *b, const char *const *hints)
{
    for (bool first = true; hints && *hints; hints++, first = false)
        buf_printf(b, "%s[%s]\n", first ? "\n" : "", *hints);
}

bool
render_failed(const struct plan *p, const struct observation *o, const struct judgement *j)
{
    if (o->file_failed || j->verdict == VERDICT_FAIL)
        return true;
    for (size_t i = 0; i < o->step_count; i++)
        if (step_failed(&o->steps[i]))
            return true;
    return p->kind == PLAN_STEPS && o->step_count < p->step_count;
}

/* The sentence a failed run_code ends with. Nothing may come after it. */
static void
add_closing(struct result *r)
{
    const char *first = "fix the code and";
    bool compared = r->plan->expected != NULL;

    if (!is_run_code(r->plan) || !render_failed(r->plan, r->seen, r->judgement))
        return;
    if (r->seen->file_failed)
        first = "solve this first, then";
    for (size_t i = 0; i < r->steps; i++) {
        if (r->seen->steps[i].end == STEP_CANCELLED)
            return;
        if (r->seen->steps[i].end == STEP_NOT_STARTED)
            first = "solve this first, then";
    }
    buf_printf(&r->b, "\nDon't answer yet: %s call run_code again, until it %s.\n", first,
               compared ? "says PASS" : "runs");
}

static struct rendered
finish(struct buf *b, bool is_error, uint64_t cut_bytes)
{
    while (b->len > 0 && b->data[b->len - 1] == '\n')
        b->data[--b->len] = '\0';
    if (b->len == 0)
        buf_adds(b, "(no output)");
    return (struct rendered){
        .text = buf_text(b), .len = b->len, .is_error = is_error, .cut_bytes = cut_bytes};
}

static void
survey(struct result *r)
{
    r->steps = r->plan->step_count;
    if (r->steps > r->seen->step_count)
        r->steps = r->seen->step_count;
    if (r->steps > OBSERVED_STEPS_MAX)
        r->steps = OBSERVED_STEPS_MAX;
    r->last = r->memory_step = r->steps;
    for (size_t i = 0; i < r->steps; i++) {
        if (was_started(&r->seen->steps[i]))
            r->last = i;
        if (r->seen->oom_kills > 0 && r->memory_step == r->steps && killed_hard(&r->seen->steps[i]))
            r->memory_step = i;
    }
}

struct rendered
render_call(struct arena *a, const struct plan *p, const struct observation *o,
            const struct judgement *j, const struct notices *n, const char *const *hints,
            const struct render_limits *limits)
{
    struct result r = {.plan = p, .seen = o, .judgement = j, .limits = limits};

    buf_init(&r.b, a, TEXT_MAX);
    survey(&r);
    notices_add(&r.b, n);
    for (size_t i = 0; i < p->note_count && i < PLAN_NOTES_MAX; i++)
        buf_printf(&r.b, "[%s]\n", clean_short(a, p->notes[i], strlen(p->notes[i]), COMMAND_CHARS));
    if (o->file_failed)
        add_file_failed(&r);
    else if (p->kind == PLAN_WRITE_FILE)
        add_files_written(&r);
    if (p->kind == PLAN_RESET)
        buf_adds(&r.b, "The machine was removed, with all files, installed packages and running "
                       "programs. The next call starts on a clean machine.\n");
    add_header(&r);
    add_verdict(&r);
    add_output(&r);
    add_background(&r);
    add_hints(&r.b, hints);
    add_closing(&r);
    return finish(&r.b, render_failed(r.plan, r.seen, r.judgement), r.cut_bytes);
}

struct rendered
render_refusal(struct arena *a, const struct notices *n, const char *what, const char *next)
{
    struct buf b;

    buf_init(&b, a, TEXT_MAX);
    if (n)
        notices_add(&b, n);
    buf_adds(&b, what);
    if (next && next[0])
        buf_printf(&b, "%s%s", what[0] ? "\n" : "", next);
    return finish(&b, true, 0);
}
