/* words.h - numbers, times, signals and system errors as words of a result. Pure: the
 * words do not depend on a locale. Texts live in the arena or for ever. */
#ifndef CORE_WORDS_H
#define CORE_WORDS_H

#include "base/arena.h"
#include <stdint.h>

/* "41,310" */
const char *words_number(struct arena *a, uint64_t n);
/* "1 line", "41,310 lines": one and many are the noun's two forms. */
const char *words_count(struct arena *a, uint64_t n, const char *one, const char *many);
/* A size as people read it, three digits at most: "12 bytes", "256 MiB", "1.2 GiB". */
const char *words_size(struct arena *a, uint64_t bytes);
/* A duration: "0.24 s", "12.3 s", "300 s". */
const char *words_seconds(struct arena *a, int64_t us);
/* How long ago: "40 seconds", "3 hours", "2 days". */
const char *words_ago(struct arena *a, int64_t seconds);
/* "segmentation fault"; "" for a number that is no Linux signal. */
const char *words_signal(int number);
/* "no space is left on the disk"; NULL for an errno value that has no words here. */
const char *words_errno(int number);

#endif
