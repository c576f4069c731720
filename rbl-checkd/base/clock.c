/*
 * The clock of durations.
 */

#include "clock.h"

#include <time.h>


double
clock_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_BOOTTIME, &ts);

    return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}
