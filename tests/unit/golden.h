/* golden.h - case directories under $CASES: inputs beside the text that must come out.
 * UPDATE_CASES=1 writes that text anew, to be read before it is committed. */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include "base/arena.h"
#include <stdbool.h>

enum { GOLDEN_FILE_MAX = 1 << 20, GOLDEN_CASES_MAX = 900 };

/* The directory $CASES/name; ends the program when CASES is not set. */
const char *golden_dir(struct arena *a, const char *name);
/* A whole file, NUL-ended; NULL when there is none. *ret_len may be NULL. */
char *golden_read(struct arena *a, const char *path, size_t *ret_len);
/* Fails the running cmocka test, showing both, unless the file holds exactly `got`. */
void golden_check(struct arena *a, const char *path, const char *got);
/* Names of the directories in dir, sorted, NULL-ended. */
const char *const *golden_cases(struct arena *a, const char *dir, size_t *ret_count);
bool golden_updating(void);

#endif
