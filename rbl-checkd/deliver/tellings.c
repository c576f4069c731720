/*
 * Notifies the many contacts of a host in slices (telling_step.lua).  Each
 * slice is one step; any daemon may do the next one.
 *
 * One step is in flight at a time.  A pause follows a step that leaves work, so
 * that the store serves the other accounts meanwhile.
 */

#include "deliver_int.h"

#include "base/log.h"


#define TELLINGS_POLL   1.0             /* s between looks at a partition */
#define TELLINGS_PAUSE  0.01            /* s after a slice */
#define TELLINGS_AGAIN  5.0             /* s after trouble */


static void
tellings_done(void *data, const redisReply *reply)
{
    double                    wait;
    turn_t                   *turn = data;
    rbl_str_t                 why;
    deliver_t                *d = turn->data;
    rbl_telling_step_reply_t  said;

    rbl_telling_step_reply(&said, reply);
    d->telling = 0;
    d->telling_pause = 0;
    wait = TELLINGS_AGAIN;

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot notify contacts in partition %u: %.*s", turn->n,
                  (int) why.n, why.p);

    } else if (reply != NULL && said.more == 1) {
        wait = TELLINGS_PAUSE;
        d->telling_pause = clock_now() + wait;

    } else if (reply != NULL) {
        wait = turns_interval(turn->turns);
    }

    turns_done(turn, clock_now() + wait);
    turns_by(turn->turns, d->telling_pause);    /* for the other partitions */
}


static int
tellings_step(turn_t *turn)
{
    rbl_key_t                key;
    deliver_t               *d = turn->data;
    rbl_telling_step_args_t  args;

    if (d->telling) {
        return 0;
    }

    if (clock_now() < d->telling_pause) {
        turns_by(turn->turns, d->telling_pause);
        return 0;
    }

    args.tellings = store_key(d->store, &key, turn->n, "tellings");
    d->telling = 1;
    store_call(d->store, telling_step, tellings_done, turn, args);

    return 1;
}


static const turns_kind_t  tellings_turns = {
    .size = sizeof(turn_t),
    .spread = 1,
    .take = tellings_step
};


turns_t *
tellings_new(deliver_t *d)
{
    return turns_new(d->loop, d->store, &tellings_turns, TELLINGS_POLL, d);
}
