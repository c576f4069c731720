/*
 * Notifies the many contacts of a host in slices (telling_step.lua).  Each
 * slice is one step; any daemon may do the next one.
 *
 * One step is in flight at a time.  A pause follows a step that leaves work, so
 * that the store serves the other accounts meanwhile.
 */

#include "base/xalloc.h"
#include "deliver_int.h"

#include <stdlib.h>

#include "base/log.h"


#define TELLINGS_POLL   1.0             /* s between looks at a partition */
#define TELLINGS_PAUSE  0.01            /* s after a slice */
#define TELLINGS_AGAIN  5.0             /* s after trouble */

struct tellings_s {
    deliver_t  *deliver;
    turns_t    *turns;
    int         asked;
    ev_tstamp   pause;                  /* end of the pause */
};


static void
tellings_done(void *data, const redisReply *reply)
{
    double                    wait;
    turn_t                   *turn = data;
    rbl_str_t                 why;
    tellings_t               *ts = turn->data;
    rbl_telling_step_reply_t  said;

    rbl_telling_step_reply(&said, reply);
    ts->asked = 0;
    ts->pause = 0;
    wait = TELLINGS_AGAIN;

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot notify contacts in partition %u: %.*s", turn->n,
                  (int) why.n, why.p);

    } else if (reply != NULL && said.more == 1) {
        wait = TELLINGS_PAUSE;
        ts->pause = clock_now() + wait;

    } else if (reply != NULL) {
        wait = turns_interval(ts->turns);
    }

    turns_done(turn, clock_now() + wait);
    turns_by(ts->turns, ts->pause);     /* for the other partitions */
}


static int
tellings_step(turn_t *turn)
{
    rbl_key_t                key;
    tellings_t              *ts = turn->data;
    deliver_t               *d = ts->deliver;
    rbl_telling_step_args_t  args;

    if (ts->asked) {
        return 0;
    }

    if (clock_now() < ts->pause) {
        turns_by(ts->turns, ts->pause);
        return 0;
    }

    args.tellings = store_key(d->store, &key, turn->n, "tellings");
    ts->asked = 1;
    store_call(d->store, telling_step, tellings_done, turn, args);

    return 1;
}


static const turns_kind_t  tellings_turns = {
    .size = sizeof(turn_t),
    .spread = 1,
    .take = tellings_step
};


tellings_t *
tellings_new(deliver_t *d)
{
    tellings_t  *ts;

    ts = xcalloc(1, sizeof(tellings_t));
    ts->deliver = d;
    ts->turns = turns_new(d->loop, d->store, &tellings_turns, TELLINGS_POLL,
                          ts);

    return ts;
}


void
tellings_stop(tellings_t *ts)
{
    turns_stop(ts->turns);
}


unsigned
tellings_pending(const tellings_t *ts)
{
    return (unsigned) ts->asked;
}


void
tellings_free(tellings_t *ts)
{
    turns_free(ts->turns);
    free(ts);
}
