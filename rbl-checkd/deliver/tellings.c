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
#define TELLINGS_PARTS  64              /* above, the poll is spread out */
#define TELLINGS_PAUSE  0.01            /* s after a slice */
#define TELLINGS_AGAIN  5.0             /* s after trouble */

struct tellings_s {
    deliver_t   *deliver;
    ev_timer     tick;
    unsigned     n_parts;               /* 0: not known yet */
    unsigned     at;                    /* current partition */
    int          asked;
    ev_tstamp   *next;                  /* of each, when to look again */
};


static void
tellings_tick_in(tellings_t *ts, double wait)
{
    struct ev_loop  *loop = ts->deliver->loop;

    ev_timer_stop(loop, &ts->tick);
    ev_timer_set(&ts->tick, wait > 0.0 ? wait : 0.0, 0.0);
    ev_timer_start(loop, &ts->tick);
}


static double
tellings_poll(const tellings_t *ts)
{
    return ts->n_parts > TELLINGS_PARTS
           ? TELLINGS_POLL * ts->n_parts / TELLINGS_PARTS : TELLINGS_POLL;
}


static void
tellings_done(void *data, const redisReply *reply)
{
    int                       more;
    double                    wait;
    rbl_str_t                 why;
    tellings_t               *ts = data;
    rbl_telling_step_reply_t  said;

    rbl_telling_step_reply(&said, reply);
    ts->asked = 0;
    wait = TELLINGS_AGAIN;
    more = 0;

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot notify contacts in partition %u: %.*s", ts->at,
                  (int) why.n, why.p);

    } else if (reply != NULL) {
        more = said.more == 1;
        wait = more ? 0.0 : tellings_poll(ts);
    }

    ts->next[ts->at] = clock_now() + wait;

    if (!ts->deliver->stopped) {
        tellings_tick_in(ts, more ? TELLINGS_PAUSE : 0.0);
    }
}


static void
tellings_step(tellings_t *ts)
{
    deliver_t               *d = ts->deliver;
    rbl_key_t                key;
    rbl_telling_step_args_t  args;

    args.tellings = rbl_key(&key, store_keyspace(d->store), ts->at, "tellings",
                            RBL_STR(""), RBL_STR(""));
    ts->asked = 1;
    store_call(d->store, telling_step, tellings_done, ts, args);
}


static int
tellings_set_parts(tellings_t *ts)
{
    unsigned  n;

    n = store_keyspace(ts->deliver->store)->partitions;

    if (ts->n_parts == 0 && n > 0) {
        ts->next = xcalloc(n, sizeof(ev_tstamp));
        ts->n_parts = n;
    }

    return ts->n_parts > 0 ? 0 : -1;
}


/* The partitions take turns. */

static void
tellings_tick_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    unsigned     i, p;
    ev_tstamp    now, next;
    tellings_t  *ts = timer->data;

    (void) loop;
    (void) revents;

    now = clock_now();

    if (ts->asked) {
        return;
    }

    if (!store_ready(ts->deliver->store) || tellings_set_parts(ts) != 0) {
        tellings_tick_in(ts, TELLINGS_POLL);
        return;
    }

    next = now + tellings_poll(ts);

    for (i = 1; i <= ts->n_parts; i++) {
        p = (ts->at + i) % ts->n_parts;

        if (ts->next[p] <= now) {
            ts->at = p;
            tellings_step(ts);
            return;
        }

        next = ts->next[p] < next ? ts->next[p] : next;
    }

    tellings_tick_in(ts, next - now);
}


tellings_t *
tellings_new(deliver_t *d)
{
    tellings_t  *ts;

    ts = xcalloc(1, sizeof(tellings_t));
    ts->deliver = d;
    ev_init(&ts->tick, tellings_tick_handler);
    ts->tick.data = ts;
    tellings_tick_in(ts, 0.0);

    return ts;
}


void
tellings_stop(tellings_t *ts)
{
    ev_timer_stop(ts->deliver->loop, &ts->tick);
}


unsigned
tellings_pending(const tellings_t *ts)
{
    return (unsigned) ts->asked;
}


void
tellings_free(tellings_t *ts)
{
    tellings_stop(ts);
    store_forget(ts->deliver->store, ts);
    free(ts->next);
    free(ts);
}
