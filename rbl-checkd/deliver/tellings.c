/*
 * Notifies the many contacts of a host in slices (telling_step.lua).  Each
 * slice is one step; any daemon may do the next one.
 *
 * One step is in flight at a time.  A pause follows a step that leaves work, so
 * that the store serves the other accounts meanwhile.
 *
 * A step also asks for the next times of mutes that are repeated, since the
 * store knows no time zones.
 */

#include "deliver_int.h"

#include "base/log.h"
#include "rbl_rhythm.h"


#define TELLINGS_POLL   1.0             /* s between looks at a partition */
#define TELLINGS_PAUSE  0.01            /* s after a slice */
#define TELLINGS_AGAIN  5.0             /* s after trouble */


/* Without a reply the next time is asked for again. */

static void
tellings_on_next(void *data, const redisReply *reply)
{
    rbl_str_t  why;

    (void) data;

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot store the next time of a mute: %.*s", (int) why.n,
                  why.p);
    }
}


/* A mute that is over before its next time has none. */

static void
tellings_next(turn_t *turn, const redisReply *row)
{
    char                    begins[RBL_OUT_INT], ends[RBL_OUT_INT];
    int64_t                 from, to;
    deliver_t              *d = turn->data;
    rbl_key_t               key;
    rbl_mute_next_args_t    args;
    rbl_telling_step_ask_t  ask;

    rbl_telling_step_ask(&ask, row);
    from = rbl_window_next(ask.rule, ask.minutes, ask.from, ask.now,
                           timezones_find(d->timezones, ask.timezone));

    if (from < 0 || (ask.last > 0 && from >= ask.last)) {
        from = 0;
        to = 0;

    } else {
        to = from + ask.minutes * 60000;
        to = ask.last > 0 && to > ask.last ? ask.last : to;
    }

    args.unmutes = store_key(d->store, &key, turn->n, "unmutes");
    args.member = ask.member;
    args.begins = rbl_out_int_text(begins, from);
    args.ends = rbl_out_int_text(ends, to);
    store_call(d->store, mute_next, tellings_on_next, turn, args);
}


static void
tellings_done(void *data, const redisReply *reply)
{
    double                    wait;
    size_t                    i;
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

    for (i = 0; i < rbl_reply_len(said.asks); i++) {
        tellings_next(turn, rbl_reply_at(said.asks, i));
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
