/*
 * Batches of scheduled checks: one call of a script starts (check_open) or
 * finishes (check_clear) several checks of one partition.  A batch takes the
 * checks that come within a moment.
 */

#ifndef BATCHES_H_INCLUDED
#define BATCHES_H_INCLUDED

#include "jobs.h"
#include "store/store.h"

#define BATCHES_ARG_MAX   64
#define BATCHES_MORE_MAX  272

typedef struct batches_s  batches_t;

/*
 * `said`: the reply of the script for that check; NULL: unknown.  Never called
 * from inside batches_add.
 */
typedef void (*batches_done_pt)(void *data, const redisReply *said);

/* `moment` in seconds. */
batches_t *batches_new(struct ev_loop *loop, store_t *store,
    const rbl_script_t *script, double moment);
void batches_free(batches_t *batches);  /* without call backs */

/*
 * The script gets `head` (of the whole call), then for each check
 * "<AC>:<HT>", its entry of flight:due for that number of starts, `tail` and
 * `more`.  Empty strings are left out.  0, or -1: an argument is too long.
 */
int batches_add(batches_t *batches, const job_t *job, unsigned attempts,
    const char *head, rbl_str_t tail, rbl_str_t more, batches_done_pt done,
    void *data);

/* No call back for `data` will come; a batch that was sent is still done. */
void batches_forget(batches_t *batches, void *data);

#endif /* BATCHES_H_INCLUDED */
