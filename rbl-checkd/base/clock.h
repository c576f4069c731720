/*
 * The daemon measures durations and deadlines with this clock, which cannot be
 * set: a new date ends no wait and lengthens none.  Stored dates come from
 * CLOCK_REALTIME.
 */

#ifndef CLOCK_H_INCLUDED
#define CLOCK_H_INCLUDED

/* Seconds, with the time of a suspended machine, so that cached data age. */
double clock_now(void);

#endif /* CLOCK_H_INCLUDED */
