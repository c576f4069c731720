/*
 * The daemon measures durations and deadlines with this clock, which cannot be
 * set: a new date ends no wait and lengthens none.  Stored dates come from
 * clock_date().
 */

#ifndef CLOCK_H_INCLUDED
#define CLOCK_H_INCLUDED

#include <stdint.h>
#include <time.h>

/* Seconds, with the time of a suspended machine, so that cached data age. */
double clock_now(void);


/* The date: ms since 1970. */

static inline int64_t
clock_date(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_REALTIME, &ts);

    return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

#endif /* CLOCK_H_INCLUDED */
