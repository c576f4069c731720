/*
 * Turns hosts that are due into jobs, a partition at a time, a little ahead of
 * what is being done.  Any number of daemons may do so.
 */

#ifndef SCHEDULE_H_INCLUDED
#define SCHEDULE_H_INCLUDED

#include "../daemon.h"

typedef struct schedule_s  schedule_t;

/* NULL: out of memory. */
schedule_t *schedule_new(daemon_t *d);
void schedule_free(schedule_t *schedule);

void schedule_state(schedule_t *schedule, int ready);
void schedule_stop(schedule_t *schedule);

/*
 * When to ask a partition again, in seconds: `claimed` of the `asked` hosts
 * were due, the next one is in `wait` ms (-1: there is none).
 */
double schedule_wait(unsigned asked, int64_t claimed, int64_t wait);

#endif /* SCHEDULE_H_INCLUDED */
