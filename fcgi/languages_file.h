/* languages_file.h - reading languages.json at the start of a program. */
#ifndef LANGUAGES_FILE_H
#define LANGUAGES_FILE_H

#include "core/languages.h"

/* Everything lives in `a`. False: FAULT_INTERNAL, naming the file. */
bool languages_file_load(const char *path, struct arena *a, struct languages *ret,
                         struct fault *f) MUST_CHECK;

#endif
