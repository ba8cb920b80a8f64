/* hint_command.h - a shell command line as the simple commands it is made of. A reading good
 * enough to tell which programs run, on which paths, in which folder; not a shell. Pure; time is
 * linear in the text, of which the first HINT_COMMAND_BYTES are read. */
#ifndef CORE_HINT_COMMAND_H
#define CORE_HINT_COMMAND_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

enum {
    HINT_COMMAND_BYTES = 16384,
    HINT_COMMANDS_MAX = 48,
    HINT_WORDS_MAX = 64,
    HINT_NAMES_MAX = 32,
};

struct shell_word {
    const char *text; /* quotes taken away; expansions as they were written */
    bool plain;       /* no expansion in it: this is what the program gets */
};

enum shell_join { JOIN_END, JOIN_NEXT, JOIN_AND, JOIN_OR, JOIN_PIPE, JOIN_BACKGROUND };

struct shell_command {
    const char *program;      /* last part of words[0]'s path; "" for assignments alone */
    struct shell_word *words; /* without sudo, env, nohup, timeout N, ... in front */
    size_t count;
    const char *text;             /* as it was written, shortened */
    const char *cwd;              /* folder it runs in; NULL: not known */
    enum shell_join join, joined; /* to the next command, and to the one before */
    unsigned level;          /* 0: of the command line itself; more: inside $(...), (...), sh -c */
    bool bounded;            /* behind timeout */
    bool other_user;         /* behind su, runuser, sudo -u */
    bool detached;           /* behind nohup, setsid */
    bool has_input;          /* <, << or a pipe gives it something to read */
    bool err_to_out;         /* 2>&1, &>, |& */
    bool out_gone, err_gone; /* to /dev/null */
    const char *in_path, *out_path; /* < and > files, as written; NULL: none or not plain */
    bool out_append;
};

struct shell_script {
    struct shell_command *at;
    size_t count;
    bool err_to_out; /* some command's stderr goes to stdout */
    /* Names of variables: that get a value in the text, and that are read without a default. */
    const char *set[HINT_NAMES_MAX], *used[HINT_NAMES_MAX];
    size_t set_count, used_count;
    bool cut; /* the text went on, or had more commands than fit */
};

/* text: what bash is given; cwd: where it starts. */
struct shell_script hint_command_parse(struct arena *a, const char *text, const char *cwd);
/* An argv as the one simple command it is. */
struct shell_script hint_command_argv(struct arena *a, const char *const *argv, const char *cwd);

/* True when name is one of the blank-separated names. */
bool hint_is_one_of(const char *name, const char *names);
/* The first command whose program is one of the names, or NULL. */
const struct shell_command *hint_command_find(const struct shell_script *s, const char *names);
/* The first plain word after the program that is no option, or NULL; skip: how many to leave out.
 */
const char *hint_command_operand(const struct shell_command *c, size_t skip);
/* True when a word is that option, or bundles its letter: "-i", "--interactive". */
bool hint_command_has(const struct shell_command *c, const char *word);
/* A path made absolute in the command's folder, without . and ..; NULL when that is not known. */
const char *hint_path(struct arena *a, const char *cwd, const char *path);

#endif
