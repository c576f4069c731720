/*
 * One partition after the other: one call is under way at a time.
 */

#include "ahead.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "rbl_out.h"

#include <stdlib.h>

#define EVERY  60.0                     /* s */
#define MOST   32                       /* accounts a call, and hosts of each */
#define BACK   5.0                      /* s by which the clock went back */

typedef struct {
    double   offset;                    /* of the store's clock, s; 0: not
                                           known */
    int64_t  from;                      /* where to go on */
    int      whole;                     /* look at the rest of it at once */
} ahead_part_t;

struct ahead_s {
    const checker_t  *checker;
    ev_timer          timer;
    unsigned          n, at;
    ahead_part_t     *part;
    int               asked;            /* a reply is under way */
    int64_t           pulled;           /* in this turn */
};


static void ask(ahead_t *a);


static void
turn_over(ahead_t *a)
{
    if (a->pulled > 0) {
        log_warn("%lld hosts, checks, deliveries or bills were due later than"
                 " they can be, since the clock of the store was ahead; they"
                 " are due now, hosts within an interval",
                 (long long) a->pulled);
    }

    a->at = 0;
    a->pulled = 0;
}


static void
on_look(void *data, const redisReply *reply)
{
    double                    offset;
    ahead_t                  *a = data;
    ahead_part_t             *part = &a->part[a->at];
    rbl_check_ahead_reply_t   said;

    a->asked = 0;
    rbl_check_ahead_reply(&said, reply);

    if (said.word != RBL_CHECK_AHEAD_OK) {
        a->at = 0;                      /* the next turn goes on */
        return;
    }

    offset = (double) said.now / 1000 - clock_now();

    if (part->offset != 0 && offset < part->offset - BACK) {
        part->whole = 1;
        part->from = 0;

    } else if (said.pulled > 0) {
        part->whole = 1;                /* there may be more of the same */

    } else {
        part->whole &= said.next >= 0;
        part->from = said.next >= 0 ? said.next : 0;
    }

    part->offset = offset;
    a->pulled += said.pulled;

    if (!part->whole && ++a->at == a->n) {
        turn_over(a);
        return;
    }

    ask(a);
}


static void
ask(ahead_t *a)
{
    char                    from[RBL_OUT_INT], most[RBL_OUT_INT];
    char                    lease[RBL_OUT_INT];
    rbl_key_t               key;
    rbl_check_ahead_args_t  args;

    a->asked = 1;
    args.due = store_key(a->checker->store, &key, a->at, "due");
    args.from = rbl_out_int_text(from, a->part[a->at].from);
    args.most = rbl_out_int_text(most, MOST);
    args.lease = rbl_out_int_text(lease, (int64_t) (a->checker->conf->lease
                                                    * 1000));
    store_call(a->checker->store, check_ahead, on_look, a, args);
}


/* The number of partitions is known when the store is ready. */

static int
set_parts(ahead_t *a)
{
    unsigned  i, n;

    n = store_keyspace(a->checker->store)->partitions;

    if (a->n > 0 || n == 0) {
        return a->n > 0 ? 0 : -1;
    }

    a->part = xcalloc(n, sizeof(ahead_part_t));
    a->n = n;

    for (i = 0; i < n; i++) {
        a->part[i].whole = 1;
    }

    return 0;
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    ahead_t  *a = w->data;

    (void) loop;
    (void) revents;

    if (!a->asked && store_ready(a->checker->store) && set_parts(a) == 0) {
        ask(a);
    }
}


ahead_t *
ahead_new(const checker_t *checker)
{
    ahead_t  *a;

    a = xcalloc(1, sizeof(ahead_t));
    a->checker = checker;
    ev_timer_init(&a->timer, on_timer, EVERY, EVERY);
    a->timer.data = a;
    ev_timer_start(checker->loop, &a->timer);

    return a;
}


void
ahead_wake(ahead_t *a)
{
    ev_timer_again(a->checker->loop, &a->timer);
    ev_feed_event(a->checker->loop, &a->timer, EV_TIMER);
}


void
ahead_free(ahead_t *a)
{
    if (a == NULL) {
        return;
    }

    ev_timer_stop(a->checker->loop, &a->timer);
    store_forget(a->checker->store, a);
    free(a->part);
    free(a);
}
