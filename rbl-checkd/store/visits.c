/*
 * Each account gets one step in a round, and few steps are under way at a time:
 * Redis runs the commands of a connection one after the other, and serves no
 * other client meanwhile.  A partition in which a look found as many as it may
 * is looked at again at once, in its turn.
 */

#include "base/clock.h"
#include "base/link.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "rbl_sid.h"
#include "visits.h"

#include <stdlib.h>
#include <string.h>

#define VISITS_POLL      2.0            /* s between looks at a partition */
#define VISITS_TAKE      8              /* accounts of a partition a look */
#define VISITS_ACCOUNTS  64             /* at hand; others come later */
#define VISITS_LOG       60.0           /* s between lines about clocks */


typedef struct {
    visits_t  *visits;
    unsigned   n;
    int        wanted;                  /* a look is due */
    int        asked;                   /* its reply is under way */
} visits_part_t;

struct visits_s {
    const visits_kind_t  *kind;
    void                 *data;
    struct ev_loop       *loop;
    store_t              *store;
    ev_timer              tick;
    unsigned              n_parts;      /* 0: not known yet */
    unsigned              next_part, looks;     /* looks under way */
    visits_part_t        *parts;
    link_t                waiting;      /* accounts that wait for a step */
    link_t                flight;
    unsigned              at_hand, in_flight;
    int                   stopped;
    double                apart;        /* when the log said that the clocks
                                           differ; 0: it did not */
};


static void visits_go_on(visits_t *visits);
static void visits_look(visits_t *visits);


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

    visits_go_on(visits);
    visits_look(visits);
}


rbl_str_t
visit_refusal(const redisReply *reply)
{
    return reply == NULL || rbl_reply_class(reply) == RBL_REPLY_OK
           ? RBL_STR("") : rbl_reply_error(reply);
}


static void
visits_go_on(visits_t *visits)
{
    link_t   *l;
    visit_t  *item;

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
    return rbl_out_int_text(text, (int64_t) (ev_time() * 1000));
}


static void
on_taken(void *data, const redisReply *reply)
{
    size_t                     i;
    rbl_str_t                  why;
    visits_part_t             *part = data;
    rbl_accounts_take_reply_t  said;

    part->asked = 0;
    part->visits->looks--;
    rbl_accounts_take_reply(&said, reply);

    if (said.word == RBL_ACCOUNTS_TAKE_APART) {
        visits_apart(part->visits);
        return;
    }

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot look for %s in partition %u: %.*s",
                  part->visits->kind->what, part->n, (int) why.n, why.p);
        return;
    }

    for (i = 1; i < rbl_reply_len(reply); i++) {
        visits_add(part->visits, rbl_reply_str(rbl_reply_at(reply, i)));
    }

    part->wanted |= i > VISITS_TAKE;    /* there may be more */
    visits_go_on(part->visits);
    visits_look(part->visits);
}


/* Looks at partitions in turn, as long as there is room for all that the looks
   under way may find. */

static void
visits_look(visits_t *visits)
{
    char                      most[RBL_OUT_INT], clock[RBL_OUT_INT];
    unsigned                  i;
    rbl_key_t                 key;
    visits_part_t            *part;
    rbl_accounts_take_args_t  args;

    for (i = 0; i < visits->n_parts; i++) {
        if (visits->stopped || !store_ready(visits->store)
            || visits->at_hand + (visits->looks + 1) * VISITS_TAKE
               > VISITS_ACCOUNTS)
        {
            return;
        }

        part = &visits->parts[visits->next_part];
        visits->next_part = (visits->next_part + 1) % visits->n_parts;

        if (!part->wanted || part->asked) {
            continue;
        }

        part->wanted = 0;
        part->asked = 1;
        visits->looks++;
        args.times = rbl_key(&key, store_keyspace(visits->store), part->n,
                             visits->kind->times, RBL_STR(""), RBL_STR(""));
        args.most = rbl_out_int_text(most, VISITS_TAKE);
        args.clock = visits->kind->dated ? visits_clock(clock) : RBL_STR("");
        store_call(visits->store, accounts_take, on_taken, part, args);
    }
}


static int
visits_set_parts(visits_t *visits)
{
    unsigned  p, n;

    n = store_keyspace(visits->store)->partitions;

    if (visits->n_parts > 0 || n == 0) {
        return visits->n_parts > 0 ? 0 : -1;
    }

    visits->parts = xcalloc(n, sizeof(visits_part_t));
    visits->n_parts = n;

    for (p = 0; p < n; p++) {
        visits->parts[p].visits = visits;
        visits->parts[p].n = p;
    }

    return 0;
}


static void
on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
    unsigned   p;
    visits_t  *visits = w->data;

    (void) loop;
    (void) revents;

    if (!store_ready(visits->store) || visits_set_parts(visits) != 0) {
        return;
    }

    for (p = 0; p < visits->n_parts; p++) {
        visits->parts[p].wanted = 1;
    }

    visits_go_on(visits);
    visits_look(visits);
}


visits_t *
visits_new(struct ev_loop *loop, store_t *store, const visits_kind_t *kind,
    void *data)
{
    visits_t  *visits;

    visits = xcalloc(1, sizeof(visits_t));
    visits->kind = kind;
    visits->data = data;
    visits->loop = loop;
    visits->store = store;
    link_init(&visits->waiting);
    link_init(&visits->flight);
    ev_timer_init(&visits->tick, on_tick, VISITS_POLL, VISITS_POLL);
    visits->tick.data = visits;
    ev_timer_start(loop, &visits->tick);

    return visits;
}


void
visits_wake(visits_t *visits)
{
    if (!visits->stopped) {
        ev_timer_again(visits->loop, &visits->tick);
        ev_feed_event(visits->loop, &visits->tick, EV_TIMER);
    }
}


void
visits_stop(visits_t *visits)
{
    visits->stopped = 1;
    ev_timer_stop(visits->loop, &visits->tick);

    while (!link_empty(&visits->waiting)) {
        visits_drop(link_of(visits->waiting.next, visit_t, link));
    }
}


void
visits_free(visits_t *visits)
{
    unsigned       p;
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

    for (p = 0; p < visits->n_parts; p++) {
        store_forget(visits->store, &visits->parts[p]);
    }

    free(visits->parts);
    free(visits);
}
