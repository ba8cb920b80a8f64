#include "config.h"

#include "languages_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LANGUAGES_MAX = 256 * 1024 };

bool
languages_file_load(const char *path, struct arena *a, struct languages *ret, struct fault *f)
{
    FILE *in = fopen(path, "r");
    char *text = arena_alloc(a, LANGUAGES_MAX);
    size_t len;

    if (!in)
        return fault_set(f, FAULT_INTERNAL, "%s: %s.", path, strerror(errno));
    len = fread(text, 1, LANGUAGES_MAX, in);
    fclose(in);
    if (len == LANGUAGES_MAX)
        return fault_set(f, FAULT_INTERNAL, "%s is larger than %d bytes.", path, LANGUAGES_MAX);
    return languages_load(text, len, a, ret, f);
}
