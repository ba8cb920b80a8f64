/* clock.h - monotonic time in milliseconds. Deadlines are absolute values of this
 * clock and travel down as arguments; core/ never asks the time. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_ms(void);
/* Seconds since this computer was started, sleep included. */
int64_t clock_up_s(void);
/* Milliseconds until `deadline_ms`, at least 0, at most INT_MAX: fit for poll(2). */
int clock_left_ms(int64_t deadline_ms);

#endif
