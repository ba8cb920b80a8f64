#include "config.h"

#include "golden.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

bool
golden_updating(void)
{
    return getenv("UPDATE_CASES") != NULL;
}

const char *
golden_dir(struct arena *a, const char *name)
{
    const char *cases = getenv("CASES");

    if (!cases) {
        printf("Bail out! CASES must name the directory tests/cases\n");
        exit(1);
    }
    return arena_printf(a, "%s/%s", cases, name);
}

char *
golden_read(struct arena *a, const char *path, size_t *ret_len)
{
    FILE *in = fopen(path, "rb");
    char *text;
    size_t len;

    if (!in)
        return NULL;
    text = arena_alloc(a, GOLDEN_FILE_MAX);
    len = fread(text, 1, GOLDEN_FILE_MAX - 1, in);
    fclose(in);
    text[len] = '\0';
    if (ret_len)
        *ret_len = len;
    return text;
}

void
golden_check(struct arena *a, const char *path, const char *got)
{
    const char *want;

    if (golden_updating()) {
        FILE *out = fopen(path, "wb");

        assert_non_null(out);
        assert_int_equal(fwrite(got, 1, strlen(got), out), strlen(got));
        assert_int_equal(fclose(out), 0);
        return;
    }
    want = golden_read(a, path, NULL);
    if (!want) {
        fail_msg("%s does not exist; this came out:\n%s", path, got);
        return; /* fail_msg does not come back; the analyser cannot know */
    }
    if (strcmp(want, got) != 0)
        fail_msg("%s wants:\n%s\nthis came out:\n%s", path, want, got);
}

static int
by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

const char *const *
golden_cases(struct arena *a, const char *dir, size_t *ret_count)
{
    const char **names = arena_alloc(a, (GOLDEN_CASES_MAX + 1) * sizeof *names);
    DIR *d = opendir(dir);
    struct dirent *e;
    size_t n = 0;

    while (d && n < GOLDEN_CASES_MAX && (e = readdir(d)) != NULL) {
        struct stat st;

        if (e->d_name[0] != '.' && stat(arena_printf(a, "%s/%s", dir, e->d_name), &st) == 0 &&
            S_ISDIR(st.st_mode))
            names[n++] = arena_strndup(a, e->d_name, strlen(e->d_name));
    }
    if (d)
        closedir(d);
    qsort(names, n, sizeof *names, by_name);
    names[n] = NULL;
    *ret_count = n;
    return names;
}
