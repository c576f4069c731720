/*
 * Each account gets one step in a round, and few steps are under way at a time:
 * Redis runs the commands of a connection one after the other, and serves no
 * other client meanwhile.  A partition in which a look found as many as it may
 * has another turn at once.
 */

#include "base/clock.h"
#include "base/link.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "rbl_sid.h"
#include "turns.h"
#include "visits.h"

#include <stdlib.h>
#include <string.h>

#define VISITS_POLL      2.0            /* s between looks at a partition */
#define VISITS_TAKE      8              /* accounts of a partition a look */
#define VISITS_ACCOUNTS  64             /* at hand; others come later */
#define VISITS_LOG       60.0           /* s between lines about clocks */


struct visits_s {
    const visits_kind_t  *kind;
    void                 *data;
    store_t              *store;
    turns_t              *turns;
    unsigned              looks;        /* under way */
    link_t                waiting;      /* accounts that wait for a step */
    link_t                flight;
    unsigned              at_hand, in_flight;
    int                   stopped;
    double                apart;        /* when the log said that the clocks
                                           differ; 0: it did not */
};


static void
visits_drop(visit_t *item)
{
    link_remove(&item->link);
    item->visits->at_hand--;
    free(item);
}


void
visit_stepped(visit_t *item, rbl_str_t why, int again)
{
    visits_t  *visits;

    visits = item->visits;
    visits->in_flight--;
    link_remove(&item->link);
    link_add(&visits->waiting, &item->link);

    if (why.n > 0) {
        log_error("%s of account %s failed: %.*s", visits->kind->what,
                  item->account.s, (int) why.n, why.p);
    }

    if (visits->stopped || !again) {
        visits_drop(item);
    }

    turns_run(visits->turns);
}


rbl_str_t
visit_refusal(const redisReply *reply)
{
    return reply == NULL || rbl_reply_class(reply) == RBL_REPLY_OK
           ? RBL_STR("") : rbl_reply_error(reply);
}


static void
visits_go_on(void *data)
{
    link_t    *l;
    visit_t   *item;
    visits_t  *visits = data;

    while (visits->in_flight < visits->kind->flight
           && !link_empty(&visits->waiting)
           && store_ready(visits->store))
    {
        l = link_shift(&visits->waiting);
        link_add(&visits->flight, l);
        item = link_of(l, visit_t, link);
        visits->in_flight++;

        visits->kind->step(visits->data, visits->store, item);
    }
}


static int
visits_has(const link_t *ring, rbl_str_t account)
{
    link_t  *l;

    for (l = ring->next; l != ring; l = l->next) {
        if (rbl_str_is(account, link_of(l, visit_t, link)->account.s)) {
            return 1;
        }
    }

    return 0;
}


static void
visits_add(visits_t *visits, rbl_str_t account)
{
    visit_t    *item;
    rbl_sid_t   sid;

    if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, account) != RBL_OK
        || visits->stopped || visits->at_hand == VISITS_ACCOUNTS
        || visits_has(&visits->waiting, account)
        || visits_has(&visits->flight, account))
    {
        return;
    }

    item = xcalloc(1, sizeof(visit_t));
    item->account = sid;
    item->visits = visits;
    link_add(&visits->waiting, &item->link);
    visits->at_hand++;
}


static void
visits_apart(visits_t *visits)
{
    double  now = clock_now();

    if (visits->apart == 0 || now - visits->apart >= VISITS_LOG) {
        visits->apart = now;
        log_error("%s: nothing is done while the clocks of this machine and of"
                  " the store differ by more than an hour; set them right",
                  visits->kind->what);
    }
}


void
visit_apart(visit_t *item)
{
    visits_apart(item->visits);
    visit_stepped(item, RBL_STR(""), 0);
}


rbl_str_t
visits_clock(char text[RBL_OUT_INT])
{
    return rbl_out_int_text(text, clock_date());
}


static void
on_taken(void *data, const redisReply *reply)
{
    size_t                     i;
    turn_t                    *turn = data;
    visits_t                  *visits = turn->data;
    rbl_str_t                  why;
    ev_tstamp                  next;
    rbl_accounts_take_reply_t  said;

    visits->looks--;
    next = clock_now() + VISITS_POLL;
    rbl_accounts_take_reply(&said, reply);

    if (said.word == RBL_ACCOUNTS_TAKE_APART) {
        visits_apart(visits);

    } else if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot look for %s in partition %u: %.*s",
                  visits->kind->what, turn->n, (int) why.n, why.p);

    } else {
        for (i = 1; i < rbl_reply_len(reply); i++) {
            visits_add(visits, rbl_reply_str(rbl_reply_at(reply, i)));
        }

        next = i > VISITS_TAKE ? 0 : next;      /* there may be more */
    }

    turns_done(turn, next);
    turns_run(visits->turns);
}


/* There must be room for all that the looks under way may find. */

static int
visits_look(turn_t *turn)
{
    char                      most[RBL_OUT_INT], clock[RBL_OUT_INT];
    visits_t                 *visits = turn->data;
    rbl_key_t                 key;
    rbl_accounts_take_args_t  args;

    if (visits->at_hand + (visits->looks + 1) * VISITS_TAKE > VISITS_ACCOUNTS) {
        return 0;
    }

    visits->looks++;
    args.times = store_key(visits->store, &key, turn->n, visits->kind->times);
    args.most = rbl_out_int_text(most, VISITS_TAKE);
    args.clock = visits->kind->dated ? visits_clock(clock) : RBL_STR("");
    store_call(visits->store, accounts_take, on_taken, turn, args);

    return 1;
}


static const turns_kind_t  visits_turns = {
    .size = sizeof(turn_t),
    .take = visits_look,
    .look = visits_go_on
};


visits_t *
visits_new(struct ev_loop *loop, store_t *store, const visits_kind_t *kind,
    void *data)
{
    visits_t  *visits;

    visits = xcalloc(1, sizeof(visits_t));
    visits->kind = kind;
    visits->data = data;
    visits->store = store;
    link_init(&visits->waiting);
    link_init(&visits->flight);
    visits->turns = turns_new(loop, store, &visits_turns, VISITS_POLL, visits);

    return visits;
}


void
visits_wake(visits_t *visits)
{
    turns_all_soon(visits->turns);
}


void
visits_stop(visits_t *visits)
{
    visits->stopped = 1;
    turns_stop(visits->turns);

    while (!link_empty(&visits->waiting)) {
        visits_drop(link_of(visits->waiting.next, visit_t, link));
    }
}


void
visits_free(visits_t *visits)
{
    visit_t  *item;

    if (visits == NULL) {
        return;
    }

    visits_stop(visits);

    while (!link_empty(&visits->flight)) {
        item = link_of(visits->flight.next, visit_t, link);
        store_forget(visits->store, item);
        visits_drop(item);
    }

    turns_free(visits->turns);
    free(visits);
}
