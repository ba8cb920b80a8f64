/* program_names.h - what a program must be saved as where its language has a say: a public Java
 * class lives in a file of its own name, and the JVM is started with the class that has main. */
#ifndef CORE_PROGRAM_NAMES_H
#define CORE_PROGRAM_NAMES_H

#include "core/languages.h"

struct program_names {
    const char *file; /* plain file name: the row's, or derived from the code */
    const char *main; /* class to start, with its package; the row's file without its ending when
                       * the code names none */
};

/* Never fails: code that cannot be read gets the row's own names, and the compiler says what is
 * wrong with it. Results are the row's or live in the arena. */
void program_names(const struct language *l, const char *code, struct arena *a,
                   struct program_names *ret);

#endif
