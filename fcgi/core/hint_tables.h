/* hint_tables.h - the tables of hint rules, one a file, in the order they are asked. */
#ifndef CORE_HINT_TABLES_H
#define CORE_HINT_TABLES_H

#include "core/hint_rule.h"

/* All of them, in that order. */
extern const struct hint_table *const hint_tables[];
extern const size_t hint_tables_count;

extern const struct hint_table hint_table_packages;  /* apt, pip, npm */
extern const struct hint_table hint_table_modules;   /* modules of Python and Node */
extern const struct hint_table hint_table_libraries; /* headers, libraries, other modules */
extern const struct hint_table hint_table_terminal;  /* nobody types */
extern const struct hint_table hint_table_hidden;    /* exit 0, and yet not done */
extern const struct hint_table hint_table_call;      /* what is in the wrong place */
extern const struct hint_table hint_table_built;     /* compiled, not run */
extern const struct hint_table hint_table_services;  /* services and ports */
extern const struct hint_table hint_table_waiting;   /* calls that ran out of time */
extern const struct hint_table hint_table_state;     /* what a later call does not see */
extern const struct hint_table hint_table_limits;    /* what this machine has */
extern const struct hint_table hint_table_show;      /* rights and owners as they are now */
extern const struct hint_table hint_table_shell;     /* the shell and its tools */
extern const struct hint_table hint_table_script;    /* what ShellCheck finds in a script */
extern const struct hint_table hint_table_compile;   /* compilers and build tools */
extern const struct hint_table hint_table_runtime;   /* programs that stop while they run */
extern const struct hint_table hint_table_git;       /* git */
extern const struct hint_table hint_table_names;     /* commands that are not there */
extern const struct hint_table hint_table_files; /* files that are not there, or cannot be run */

/* A command that cannot be found: captures its name. False also where the message may be a mere
 * text: it has to come from the shell, or name a program of the command. */
bool hint_look_not_found(struct hint *h);
/* The package to install for a name of a kind: the one that is preferred among values. */
const char *hint_pick_package(const char *name, const char *const *values);

/* What runs a file of that name: "python3"; NULL: not known. */
const char *hint_interpreter(const char *file);

/* Asks about a path of a message or of the command line (word[0]; absolute: word[1], fact[0]). */
bool hint_ask_path(struct hint *h, const char *path);
/* That it does not exist or is empty, and what there is in its place; false: it is as it should. */
bool hint_say_path(struct hint *h, struct buf *b);
/* The path whose name is most like that of the first, or NULL. */
const char *hint_similar(const char *path, const char *const *paths);

#endif
