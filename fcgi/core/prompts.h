/* prompts.h - finds the prompts ("Enter N: ") a program printed although nobody types.
 * Pure.
 *
 * A prompt is text at a line's start that ends in : ? or >, and either asks in words
 * ("enter", "how many", ...) or is printed by the program right where it reads. When only
 * values of the input follow it on the line, it is a label (`Input: [100, 4, 200]`),
 * unless the reading call itself prints it. */
#ifndef CORE_PROMPTS_H
#define CORE_PROMPTS_H

#include "core/compare.h"

struct prompts {
    size_t count;
    struct span first;   /* the first prompt, without blanks around it */
    struct span without; /* the output with the prompts taken away, trimmed */
    /* Lines that only repeat the input: a label, then nothing but values of the input, at least
     * two of them or after the word input. echo_line: the first, from 0. */
    size_t echo_count, echo_line;
    struct span without_echo; /* the output with these lines taken away, trimmed */
};

/* output, expected: from compare_trim() and clean. code and input may be empty. */
struct prompts prompts_find(struct arena *a, struct span output, struct span expected,
                            struct span code, struct span input);

#endif
