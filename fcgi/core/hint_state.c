/* What a later call does not see: folder, variables, jobs; and what ended its own shell. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

/* ---- cd, export, activate alone
 * ------------------------------------------------------------------------- */

#define SETTERS                                                                                    \
    "cd pushd export source . alias set declare typeset unset shopt umask ulimit conda nvm popd "  \
    "readonly"

/* The call ends in another folder, or in an environment that ends with it. */
static bool
ends_with_cd(struct hint *h)
{
    const struct shell_script *s = &h->look->script;
    const struct shell_command *c = NULL;

    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].level == 0 && !hint_is_one_of(s->at[i].program, "pwd true"))
            c = &s->at[i];
    if (!c || c->count < 2 || c->joined == JOIN_PIPE || c->join == JOIN_BACKGROUND ||
        !(hint_is_one_of(c->program, "cd pushd") ||
          (hint_is_one_of(c->program, "source .") && strstr(c->words[1].text, "/bin/activate"))) ||
        (c->cwd && strcmp(c->cwd, "/work") != 0 && c->program[0] != 'c' && c->program[0] != 'p'))
        return false;
    if (hint_is_one_of(c->program, "cd pushd")) {
        const char *to = hint_path(h->look->a, c->cwd, c->words[1].text);

        if (!c->words[1].plain || !to || strcmp(c->words[1].text, "-") == 0 ||
            strcmp(to, "/work") == 0)
            return false; /* the next call starts there anyway */
    }
    h->command = c;
    h->word[0] = c->text;
    return true;
}

/* Nothing but commands whose effect ends with the shell. */
static bool
look_setters(struct hint *h)
{
    const struct shell_script *s = &h->look->script;

    h->word[0] = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const struct shell_command *c = &s->at[i];

        if (c->level > 0 || hint_is_one_of(c->program, "pwd true echo"))
            continue;
        if (c->program[0] && !hint_is_one_of(c->program, SETTERS))
            return false;
        if (!c->program[0] && (c->out_path || c->has_input))
            return false;
        if (!h->word[0]) {
            h->command = c;
            h->word[0] = c->text;
        }
    }
    return h->word[0] != NULL && !(h->command->count == 1 && h->command->program[0]);
}

static bool
look_lasting(struct hint *h)
{
    return look_setters(h) || ends_with_cd(h);
}

static bool
say_setters(struct hint *h, struct buf *b)
{
    const struct shell_command *c = h->command;
    const char *path = c->count > 1 ? c->words[1].text : "", *env = strstr(path, "/bin/activate");

    if (hint_is_one_of(c->program, "source .") && env)
        buf_printf(b,
                   "The virtual environment is active in this call only. Use its programs by path: "
                   "%.*s/bin/python, "
                   "%.*s/bin/pip.",
                   (int)(env - path), path, (int)(env - path), path);
    else if (hint_is_one_of(c->program, "cd pushd"))
        buf_printf(b,
                   "cd lasts for this call only: the next call starts in /work again. Put it into "
                   "the same command: %s && "
                   "COMMAND.",
                   h->word[0]);
    else
        buf_printf(b,
                   "This lasts for this call only: the next call is a new shell. Put it into the "
                   "same command: %s; COMMAND.",
                   h->word[0]);
    return true;
}

/* ---- variables without a value
 * --------------------------------------------------------------------------- */

static const char shell_names[] =
    "HOME PATH PWD OLDPWD USER LOGNAME SHELL HOSTNAME RANDOM SECONDS LINENO BASHPID PPID UID EUID "
    "GROUPS IFS OPTARG OPTIND "
    "REPLY PIPESTATUS BASH_SOURCE BASH_VERSION BASH_REMATCH FUNCNAME DISPLAY TERM LANG LC_ALL "
    "EDITOR TMPDIR COLUMNS LINES "
    "OSTYPE MACHTYPE HOSTTYPE EPOCHSECONDS SHLVL _ TZ XDG_CONFIG_HOME XDG_RUNTIME_DIR VIRTUAL_ENV "
    "PYTHONPATH NF NR FS OFS";

static bool
is_set_here(const struct shell_script *s, const char *name)
{
    for (size_t i = 0; i < s->set_count; i++)
        if (strcmp(s->set[i], name) == 0)
            return true;
    return false;
}

/* In a word of a command that does more than to test it. */
static bool
is_used_in_earnest(const struct shell_script *s, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < s->count; i++) {
        const struct shell_command *c = &s->at[i];

        if (hint_is_one_of(c->program, "[ test [[ awk gawk sed perl sh bash xargs find printf for"))
            continue;
        for (size_t k = 0; k < c->count; k++)
            for (const char *at = strstr(c->words[k].text, name); !c->words[k].plain && at;
                 at = strstr(at + 1, name))
                if (at > c->words[k].text &&
                    (at[-1] == '$' ||
                     (at[-1] == '{' && at - 1 > c->words[k].text && at[-2] == '$')) &&
                    !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:",
                            at[len] ? at[len] : ' '))
                    return true;
    }
    return false;
}

static bool
look_unset(struct hint *h)
{
    const struct hint_look *l = h->look;
    const struct shell_script *s = &l->script;
    const char *names = "";

    if (l->is_code || s->cut || s->set_count == HINT_NAMES_MAX || strstr(l->command, "source ") ||
        strstr(l->command, ". ") == l->command || strstr(l->command, "eval ") ||
        strstr(l->command, "<<"))
        return false;
    for (size_t i = 0; i < s->used_count; i++)
        if (!is_set_here(s, s->used[i]) && !hint_is_one_of(s->used[i], shell_names) &&
            is_used_in_earnest(s, s->used[i]))
            names = arena_printf(l->a, "%s%s%s", names, names[0] ? " " : "", s->used[i]);
    if (!names[0])
        return false;
    h->fact[0] = hint_ask(h, FACT_UNSET, names);
    return true;
}

static bool
say_unset(struct hint *h, struct buf *b)
{
    const char *name = hint_fact(h, h->fact[0], "unset");

    if (!name[0])
        return false;
    buf_printf(b,
               "%s has no value: each call is a new shell, and what an earlier call exported is "
               "gone. Set it in the same "
               "command: export %s=VALUE; COMMAND.",
               name, name);
    return true;
}

/* ---- processes
 * -------------------------------------------------------------------------------------------- */

static bool
ask_processes(struct hint *h)
{
    h->fact[0] = hint_ask(h, FACT_PROCESS, "");
    return true;
}

static bool
say_no_job(struct hint *h, struct buf *b)
{
    const char *const *pid = hint_facts(h, h->fact[0], "pid");

    buf_adds(b, "Job numbers belong to the shell of one call; each call is a new shell. Find the "
                "process by name: pgrep -af NAME. "
                "Then: kill PID.");
    if (pid[0])
        buf_printf(b, " Running now: %s%s%s.", arena_strndup(b->arena, pid[0], strnlen(pid[0], 80)),
                   pid[1] ? "; " : "",
                   pid[1] ? arena_strndup(b->arena, pid[1], strnlen(pid[1], 80)) : "");
    return true;
}

/* pkill -f PATTERN finds its own shell too: the pattern is in that command line. */
static bool
look_pkill(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *pattern = NULL;

    for (size_t i = 1; i < c->count; i++)
        if (c->words[i].text[0] != '-')
            pattern = c->words[i].text;
    if (!hint_command_has(c, "-f") || !pattern || !pattern[0] || pattern[0] == '[')
        return false;
    h->word[0] = arena_printf(h->look->a, "[%c]%s", pattern[0], pattern + 1);
    return true;
}

static bool
look_kill_all(struct hint *h)
{
    const char *what = hint_command_operand(h->command, 0);

    return (what && hint_is_one_of(what, "bash sh")) || hint_command_has(h->command, "-1");
}

/* kill $(pgrep -f ...), ps | grep | xargs kill: the same in other words. */
static bool
look_kill_grep(struct hint *h)
{
    static const char pattern[] = "(?:pgrep -f|ps aux|ps -ef|ps ax)";
    const struct hint_rule from = {.from = FROM_COMMAND}, *kept = h->rule;
    bool found;

    h->rule = &from;
    found = hint_match(h, pattern);
    h->rule = kept;
    return found;
}

/* A background program of this call that has ended already. */
static bool
look_ended(struct hint *h)
{
    const struct hint_look *l = h->look;

    if (l->seen_all->background_count > 0 ||
        hint_command_find(&l->script, "wait kill pkill fg killall"))
        return false;
    for (size_t i = 0; i < l->script.count; i++) {
        const struct shell_command *c = &l->script.at[i];

        if (c->join != JOIN_BACKGROUND || !c->out_path || c->bounded || c->level > 1 ||
            hint_is_one_of(c->program, "sleep echo"))
            continue;
        h->command = c;
        h->word[0] = c->out_path;
        h->word[1] = hint_path(l->a, c->cwd, c->out_path);
        if (!h->word[1])
            return false;
        h->fact[0] = hint_ask(h, FACT_TAIL, h->word[1]);
        return true;
    }
    return false;
}

static bool
say_ended(struct hint *h, struct buf *b)
{
    const char *const *lines = hint_facts(h, h->fact[0], "line");
    const char *last = NULL;

    for (; *lines; lines++)
        last = *lines;
    if (!last ||
        (!strcasestr(last, "error") && !strcasestr(last, "fail") &&
         !strcasestr(last, "exception") && !strcasestr(last, "not found") &&
         !strcasestr(last, "denied") && !strcasestr(last, "in use") &&
         !strcasestr(last, "no such") && !strcasestr(last, "cannot") && !strcasestr(last, "fatal")))
        return false;
    buf_printf(b,
               "The background program (%s) has already ended. Its log %s ends with: \"%s\". Solve "
               "that, then start it again.",
               h->command->program, h->word[0], last);
    return true;
}

static const struct hint_rule rows[] = {
    {"pkill-self", FAMILY_STATE, ON_FAIL, .exits = {143, 144, 137, 129}, .programs = "pkill",
     .look = look_pkill,
     .text = "The pattern is also in this command itself, so pkill ended its own shell, and what "
             "stands after it was not run. Use: "
             "pkill -f \"{word0}\"."},
    {"kill-grep-self", FAMILY_STATE, ON_FAIL, .exits = {143, 137}, .programs = "kill xargs",
     .look = look_kill_grep,
     .text = "The list of processes also held this command itself, so it ended its own shell. Take "
             "the process id from pgrep -x NAME, "
             "then: kill PID."},
    {"kill-shell", FAMILY_STATE, ON_FAIL, .exits = {143, 137}, .programs = "killall pkill kill",
     .look = look_kill_all,
     .text = "The command ended its own shell, and what stands after it was not run. Name the "
             "process: pgrep -af NAME, then kill PID."},
    {"no-such-job", FAMILY_STATE, ON_ANY,
     .pattern = "(?:kill|fg|bg|disown|wait): (?:%\\S+|current|no current job|\\d+): no such job|no "
                "job control in this shell|: no "
                "current job",
     .look = ask_processes, .say = say_no_job},
    {"unbound-variable", FAMILY_STATE, ON_FAIL,
     .pattern = "^\\S+: (?:line )?\\d+: (\\w+): unbound variable",
     .text = "{1} has no value: each call is a new shell, and what an earlier call exported is "
             "gone. Set it in the same command: "
             "export {1}=VALUE; COMMAND."},
    {"variable-empty", FAMILY_STATE, ON_FAIL | ON_OK, .look = look_unset, .say = say_unset},
    {"state-lost", FAMILY_STATE, ON_OK, .look = look_lasting, .say = say_setters},
    {"background-ended", FAMILY_STATE, ON_OK, .look = look_ended, .say = say_ended},
};

const struct hint_table hint_table_state = {rows, COUNT_OF(rows)};
