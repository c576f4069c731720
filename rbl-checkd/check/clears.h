/*
 * Ends of scheduled checks that change nothing but times (check_clear): those
 * of one partition that come within a moment go to the store together.
 */

#ifndef CLEARS_H_INCLUDED
#define CLEARS_H_INCLUDED

#include "../store.h"
#include "jobs.h"

typedef struct clears_s  clears_t;

/*
 * 1: the check has ended.  0: it has not, or nobody knows: check_finish tells.
 * Never called from inside clears_add.
 */
typedef void (*clears_done_pt)(void *data, int ended);

/* NULL: out of memory. */
clears_t *clears_new(struct ev_loop *loop, store_t *store);
void clears_free(clears_t *clears);     /* no call back comes any more */

/*
 * The check of a host that was due, begun as the job says; `interval`: seconds
 * between the checks of the host.  0, or -1: out of memory.
 */
int clears_add(clears_t *clears, const job_t *job, int64_t interval,
    clears_done_pt done, void *data);

/* No call back of `data` will come; what was sent is done all the same. */
void clears_forget(clears_t *clears, void *data);

#endif /* CLEARS_H_INCLUDED */
