/* replay.c - without libFuzzer: run the target over its seed corpus, tests/fuzz/NAME.in, as TAP. */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly the size, so that a read past the end is seen by the sanitizers. */
static int
replay(const char *path)
{
    static uint8_t whole[INPUT_MAX];
    FILE *in = fopen(path, "rb");
    uint8_t *exact;
    size_t size;

    if (!in)
        return 0;
    size = fread(whole, 1, sizeof whole, in);
    fclose(in);
    exact = malloc(size > 0 ? size : 1);
    if (!exact)
        return 0;
    memcpy(exact, whole, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

int
main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/'), *source = getenv("SRCDIR");
    char dir[512], path[1024];
    struct dirent *e;
    int n = 0, failed = 0;
    DIR *d;

    (void)argc;
    snprintf(dir, sizeof dir, "%s/tests/fuzz/%s.in", source ? source : ".",
             name ? name + 1 : argv[0]);
    d = opendir(dir);
    if (!d) {
        printf("Bail out! no corpus %s\n", dir);
        return 1;
    }
    while ((e = readdir(d)) != NULL) {
        int good;

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        good = replay(path);
        failed += !good;
        printf("%s %d - %s\n", good ? "ok" : "not ok", ++n, e->d_name);
        fflush(stdout);
    }
    closedir(d);
    printf("1..%d\n", n);
    return failed > 0 || n == 0;
}
