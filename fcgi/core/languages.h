/* languages.h - the rows of sandbox-image/languages.json: how run_code saves, compiles
 * and runs a program. Loaded once at start; lives as long as the process. */
#ifndef CORE_LANGUAGES_H
#define CORE_LANGUAGES_H

#include "base/arena.h"
#include "base/fault.h"

struct language {
    const char *id;             /* "cpp" */
    const char *name;           /* "C++" */
    const char *const *aliases; /* NULL-ended, lower case, id included */
    const char *file;           /* file name under the program's folder, e.g. "main.cpp" */
    const char *const *compile; /* argv, or NULL; {file}, {dir}, {main}: see program_names.h */
    const char *const *run;     /* argv */
    const char *fence;          /* tag of a Markdown code block */
    bool shell;                 /* checked with ShellCheck first */
    bool class_file;            /* file and main class are named as the code says */
};

struct languages {
    const struct language *rows;
    size_t count;
};

/* text: the whole JSON file. Everything is allocated from a. */
bool languages_load(const char *text, size_t len, struct arena *a, struct languages *ret,
                    struct fault *f) MUST_CHECK;
/* By id or alias, any case, surrounding white space ignored; NULL when unknown. */
const struct language *languages_find(const struct languages *l, const char *name);
/* "python, cpp, c, ...": for messages and the schema. */
const char *languages_names(const struct languages *l, struct arena *a);

#endif
