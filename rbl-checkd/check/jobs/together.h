/*
 * Scripts that do the same for several checks of hosts that were due, begin
 * them (check_open) or end them (check_clear): those of one partition that come
 * within a moment go to the store together.
 */

#ifndef TOGETHER_H_INCLUDED
#define TOGETHER_H_INCLUDED

#include "jobs.h"
#include "store/store.h"

#define TOGETHER_ARG_MAX  64

typedef struct together_s  together_t;

/*
 * What the script said of that check; NULL: nobody knows.  Never called from
 * inside together_add.
 */
typedef void (*together_done_pt)(void *data, const redisReply *said);

/* `moment` in seconds.  NULL: out of memory. */
together_t *together_new(struct ev_loop *loop, store_t *store,
    const rbl_script_t *script, double moment);
void together_free(together_t *t);      /* no call back comes any more */

/*
 * The script gets `head` (of the whole call), then for each check
 * "<AC>:<HT>", its flight when it was begun so many times, and `tail`; what is
 * "" is left out.  0, or -1: out of memory, or an argument is too long.
 */
int together_add(together_t *t, const job_t *job, unsigned times,
    const char *head, const char *tail, together_done_pt done, void *data);

/* No call back of `data` will come; what was sent is done all the same. */
void together_forget(together_t *t, void *data);

#endif /* TOGETHER_H_INCLUDED */
