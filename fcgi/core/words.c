#include "config.h"

#include "core/words.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *
words_number(struct arena *a, uint64_t n)
{
    char digits[24], out[32];
    size_t len, used = 0;

    len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    return arena_strndup(a, out, used);
}

const char *
words_count(struct arena *a, uint64_t n, const char *one, const char *many)
{
    return arena_printf(a, "%s %s", words_number(a, n), n == 1 ? one : many);
}

const char *
words_size(struct arena *a, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double n = (double)bytes / 1024;
    uint64_t tenths;
    size_t u = 0;

    if (bytes < 1024)
        return words_count(a, bytes, "byte", "bytes");
    while (n >= 1023.5 && u + 1 < COUNT_OF(units)) {
        n /= 1024;
        u++;
    }
    tenths = (uint64_t)(n * 10 + 0.5);
    if (tenths < 100 && tenths % 10 != 0)
        return arena_printf(a, "%.1f %s", n, units[u]);
    return arena_printf(a, "%.0f %s", n, units[u]);
}

const char *
words_seconds(struct arena *a, int64_t us)
{
    double s = us < 0 ? 0 : (double)us / 1e6;

    return arena_printf(a, "%.*f s", s < 9.995 ? 2 : s < 99.95 ? 1 : 0, s);
}

const char *
words_ago(struct arena *a, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        const char *one, *many;
    } units[] = {
        {86400, "day", "days"},
        {3600, "hour", "hours"},
        {60, "minute", "minutes"},
        {1, "second", "seconds"},
    };
    size_t u = 0;

    if (seconds < 0)
        seconds = 0;
    while (u + 1 < COUNT_OF(units) && seconds < units[u].seconds * (u == 0 ? 2 : 1))
        u++;
    return words_count(a, (uint64_t)(seconds / units[u].seconds), units[u].one, units[u].many);
}

/* Linux numbers of x86-64 and arm64, which agree. */
const char *
words_signal(int number)
{
    static const char *const names[32] = {
        [1] = "hangup",
        [2] = "interrupt",
        [3] = "quit",
        [4] = "illegal instruction",
        [5] = "trace trap",
        [6] = "aborted",
        [7] = "bus error",
        [8] = "arithmetic error, such as division by zero",
        [9] = "killed",
        [10] = "user signal 1",
        [11] = "segmentation fault",
        [12] = "user signal 2",
        [13] = "broken pipe",
        [14] = "alarm clock",
        [15] = "terminated",
        [16] = "stack fault",
        [17] = "child ended",
        [18] = "continue",
        [19] = "stopped",
        [20] = "stopped by terminal",
        [21] = "terminal input",
        [22] = "terminal output",
        [23] = "urgent data",
        [24] = "CPU time limit",
        [25] = "file size limit",
        [26] = "virtual alarm",
        [27] = "profiling alarm",
        [28] = "window size",
        [29] = "input or output possible",
        [30] = "power failure",
        [31] = "bad system call",
    };

    if (number >= 34 && number <= 64)
        return "real-time signal";
    if (number < 1 || number >= (int)COUNT_OF(names))
        return "";
    return names[number];
}

const char *
words_errno(int number)
{
    static const struct {
        int number;
        const char *words;
    } rows[] = {
        {EPERM, "this is not permitted"},
        {ENOENT, "it does not exist"},
        {EIO, "the disk reports an error"},
        {E2BIG, "the arguments are too long"},
        {ENOEXEC, "it is not a program that this machine can run"},
        {EAGAIN, "the machine has too many processes"},
        {ENOMEM, "there is not enough memory"},
        {EACCES, "permission is denied"},
        {EBUSY, "it is in use"},
        {EEXIST, "it exists already"},
        {ENOTDIR, "a part of the path is a file, not a directory"},
        {EISDIR, "it is a directory, not a file"},
        {EINVAL, "the path or a value is not valid"},
        {EMFILE, "too many files are open"},
        {ENFILE, "too many files are open"},
        {ETXTBSY, "it is a program that is running now"},
        {EFBIG, "the file is too large"},
        {ENOSPC, "no space is left on the disk"},
        {EROFS, "this place is read-only"},
        {EMLINK, "it has too many links"},
        {ENAMETOOLONG, "the name or the path is too long"},
        {ELOOP, "the path has too many symbolic links"},
        {EDQUOT, "the disk limit is reached"},
        {ENXIO, "nothing reads this device or pipe"},
        {EILSEQ, "the name is not valid text"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].number == number)
            return rows[i].words;
    return NULL;
}
