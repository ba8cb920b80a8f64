#include "config.h"

#include "tools/repair.h"
#include "tools/tool.h"
#include <inttypes.h>
#include <string.h>

enum {
    /* A STEP frame holds the command line; what is longer travels as a file. */
    INLINE_MAX = 28000,
    SHOWN_CHARS = 1000,
    SHOWN_LINES = 20,
    HEAD_BYTES = 1024, /* enough to see what a binary output is */
};

#define COMMAND_FILE "/tmp/.backtalk/command.sh"

struct run_args {
    const char *command;
    int64_t timeout;
};

static const struct field args[] = {
    TEXT_FIELD(struct run_args, command, .required = true, .min = 1, .max = INT32_MAX,
               .aliases = "cmd shell bash sh script commandline",
               .doc = "bash command line or script"),
    INT_FIELD(struct run_args, timeout, .min = 1, .max = 1800, .def = 300, .unit = "s",
              .aliases = "timeout_s timeout_seconds timeoutsec seconds",
              .doc = "seconds before it is killed"),
};

static void
fit(const struct tool_context *c, struct arena *a, struct field *fields)
{
    (void)a;
    fields[0].max = (int64_t)c->content_max_bytes;
    fields[0].too_long = "Put the data into files with write_file, in parts.";
    fields[1].max = c->timeout_max_s;
    fields[1].def = c->timeout_default_s;
}

/* True when a here-document of the command has no end line: what comes after would go into it.
 * A false alarm (`1 << n`) only costs the suffix. */
static bool
open_heredoc(const char *command)
{
    for (const char *at = strstr(command, "<<"); at; at = strstr(at, "<<")) {
        const char *word, *line;
        size_t len;
        bool closed = false;

        at += strspn(at, "<");
        if (at[-2] == '<' && at - 3 >= command && at[-3] == '<')
            continue; /* <<< takes a word, not lines */
        at += strspn(at, "- \t\"'\\");
        word = at;
        len = strcspn(word, " \t\n\"';|&<>()");
        for (line = strchr(word, '\n'); line && !closed; line = strchr(line + 1, '\n')) {
            const char *text = line + 1 + strspn(line + 1, "\t");

            closed = strncmp(text, word, len) == 0 && (text[len] == '\n' || text[len] == '\0');
        }
        if (!closed)
            return true;
    }
    return false;
}

/* What bash reads. A single program would replace the shell, and a crash of it would print nothing;
 * with a second command after it the shell stays and says "Segmentation fault". */
static const char *
script_of(const char *command, struct arena *a)
{
    size_t len = strlen(command);
    bool continued = len > 0 && command[len - 1] == '\\';

    if (open_heredoc(command))
        return command;
    return arena_printf(a, "%s%s\nexit $?", command, continued ? "\n" : "");
}

/* The first bytes of at most `lines` lines and `chars` bytes, cut between characters. */
static size_t
fitting(const char *text, size_t chars, size_t lines)
{
    size_t n = 0;

    while (n < chars && lines > 0 && text[n])
        lines -= text[n++] == '\n';
    if (text[n])
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    return n;
}

/* The command as a result shows it: whole when it is short, else its beginning and end. */
static const char *
shown_of(const char *command, struct arena *a)
{
    size_t len = strlen(command), head, tail, lines = 0;

    while (len > 0 && strchr(" \t\r\n", command[len - 1]))
        len--;
    if (fitting(command, SHOWN_CHARS, SHOWN_LINES) >= len)
        return arena_strndup(a, command, len);
    head = fitting(command, SHOWN_CHARS * 2 / 3, SHOWN_LINES * 2 / 3);
    tail = len;
    while (tail > head && len - tail < SHOWN_CHARS / 4 && lines < SHOWN_LINES / 4)
        lines += command[--tail] == '\n';
    tail += command[tail] == '\n';
    while (tail < len && ((unsigned char)command[tail] & 0xc0) == 0x80)
        tail++;
    return arena_printf(a, "%.*s%s[... %zu bytes of the command not shown ...]%s%.*s", (int)head,
                        command, head > 0 && command[head - 1] == '\n' ? "" : "\n", tail - head,
                        "\n", (int)(len - tail), command + tail);
}

static const char *
clean(const char *command, struct arena *a, struct plan *p)
{
    const char *inner;

    command = repair_line_ends(command, a);
    inner = repair_fence(command, a);
    if (inner) {
        command = inner;
        plan_note(p, "The Markdown fence (```) around the command was removed.");
    }
    inner = repair_prompt(command, a);
    if (inner) {
        command = inner;
        plan_note(p, "The leading \"$ \" was removed: it is a prompt sign, not part of a command. "
                     "Send commands without it.");
    }
    return command + strspn(command, "\n");
}

static bool
plan(const struct tool_context *c, const void *opaque, struct arena *a, struct plan *ret,
     struct fault *f)
{
    const struct run_args *in = opaque;
    const char *command = clean(in->command, a, ret), *script = script_of(command, a);
    const char **argv = arena_alloc(a, 4 * sizeof *argv);

    if (repair_blank(command))
        return fault_set(f, FAULT_ARGUMENT, "Argument \"command\" is empty.");
    argv[0] = "bash";
    argv[1] = "-c";
    argv[2] = script;
    argv[3] = NULL;
    if (strlen(script) > INLINE_MAX) {
        argv[1] = COMMAND_FILE;
        argv[2] = NULL;
        ret->files[ret->file_count++] = (struct plan_file){
            .path = COMMAND_FILE, .bytes = script, .len = strlen(script), .mode = 0600};
    }
    ret->kind = PLAN_STEPS;
    ret->steps[ret->step_count++] = (struct plan_step){
        .role = STEP_RUN,
        .shown = shown_of(command, a),
        .argv = argv,
        .cwd = "/work",
        .timeout_ms = in->timeout * 1000,
        .head_bytes = HEAD_BYTES,
        .tail_bytes = tool_tail_bytes(c),
    };
    return true;
}

extern const struct tool tool_run;
const struct tool tool_run = {
    .name = "run",
    .title = "Run a command",
    .doc = "Run a bash command in /work on your own Debian Linux machine (you are root). "
           "Each call is a new shell. Nobody can type: no editors, no prompts.",
    .args = args,
    .arg_count = COUNT_OF(args),
    .arg_bytes = sizeof(struct run_args),
    .fit = fit,
    .plan = plan,
    .example = "{\"command\": \"ls -la\"}",
};
