#include "config.h"

#include "base/clock.h"
#include <limits.h>
#include <time.h>

int64_t
clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int
clock_left_ms(int64_t deadline_ms)
{
    int64_t left = deadline_ms - clock_ms();

    if (left < 0)
        return 0;
    return left > INT_MAX ? INT_MAX : (int)left;
}

int64_t
clock_up_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (int64_t)t.tv_sec;
}
