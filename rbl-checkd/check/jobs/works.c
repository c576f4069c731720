/*
 * Finishes the work that nginx has left.  At intervals each partition is
 * searched for accounts with such work.  Each account gets one slice in a
 * round, and few slices are under way at a time: Redis runs the commands of a
 * connection one after the other, and serves no other client meanwhile.
 */

#include "base/link.h"
#include "base/log.h"
#include "rbl_sid.h"
#include "works.h"

#include <stdlib.h>
#include <string.h>

#define WORKS_POLL      2.0             /* s between looks at a partition */
#define WORKS_TAKE      "8"             /* accounts of a partition a look */
#define WORKS_ACCOUNTS  64              /* at hand; others come later */
#define WORKS_FLIGHT    2               /* slices under way */


typedef struct {
    works_t   *works;
    unsigned   n;
    int        asked;
} works_part_t;

/* An account at hand: in the ring, or with a slice under way. */
typedef struct {
    link_t     link;
    works_t   *works;
    rbl_sid_t  account;
} works_item_t;

struct works_s {
    struct ev_loop  *loop;
    store_t         *store;
    ev_timer         tick;
    unsigned         n_parts;           /* 0: not known yet */
    works_part_t    *parts;
    link_t           waiting;           /* accounts that wait for a slice */
    link_t           flight;
    unsigned         at_hand, in_flight;
    int              stopped;
};


static void works_go_on(works_t *works);


static void
works_drop(works_item_t *item)
{
    link_remove(&item->link);
    item->works->at_hand--;
    free(item);
}


static void
on_step(void *data, const redisReply *reply)
{
    works_t               *works;
    rbl_str_t              why;
    works_item_t          *item = data;
    rbl_work_step_reply_t  said;

    rbl_work_step_reply(&said, reply);
    works = item->works;
    works->in_flight--;
    link_remove(&item->link);
    link_add(&works->waiting, &item->link);

    why = reply == NULL ? RBL_STR("")
          : rbl_reply_class(reply) != RBL_REPLY_OK ? rbl_reply_error(reply)
          : said.dropped;

    if (why.n > 0) {
        log_error("deferred work of account %s failed: %.*s", item->account.s,
                  (int) why.n, why.p);
    }

    if (works->stopped || said.word != RBL_WORK_STEP_OK || said.left == 0) {
        works_drop(item);
    }

    works_go_on(works);
}


static void
works_go_on(works_t *works)
{
    link_t               *l;
    rbl_key_t             key;
    works_item_t         *item;
    rbl_work_step_args_t  args;

    while (works->in_flight < WORKS_FLIGHT && !link_empty(&works->waiting)
           && store_ready(works->store))
    {
        l = link_shift(&works->waiting);
        link_add(&works->flight, l);
        item = link_of(l, works_item_t, link);
        works->in_flight++;

        args.acct = rbl_account_key(&key, store_keyspace(works->store), "acct",
                                    rbl_sid_str(&item->account), RBL_STR(""));
        args.id = RBL_STR("");
        store_call(works->store, work_step, on_step, item, args);
    }
}


static int
works_has(const link_t *ring, rbl_str_t account)
{
    link_t  *l;

    for (l = ring->next; l != ring; l = l->next) {
        if (rbl_str_is(account, link_of(l, works_item_t, link)->account.s)) {
            return 1;
        }
    }

    return 0;
}


static void
works_add(works_t *works, rbl_str_t account)
{
    works_item_t  *item;

    if (works->stopped || works->at_hand == WORKS_ACCOUNTS
        || works_has(&works->waiting, account)
        || works_has(&works->flight, account))
    {
        return;
    }

    item = calloc(1, sizeof(works_item_t));
    if (item == NULL) {
        log_error("out of memory: other daemons do the deferred work");
        return;
    }

    if (rbl_sid_parse(&item->account, RBL_SID_ACCOUNT, account) != RBL_OK) {
        free(item);
        return;
    }

    item->works = works;
    link_add(&works->waiting, &item->link);
    works->at_hand++;
}


static void
on_taken(void *data, const redisReply *reply)
{
    size_t         i;
    rbl_str_t      why;
    works_part_t  *part = data;

    part->asked = 0;

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot look for deferred work in partition %u: %.*s",
                  part->n, (int) why.n, why.p);
        return;
    }

    for (i = 1; i < rbl_reply_len(reply); i++) {
        works_add(part->works, rbl_reply_str(rbl_reply_at(reply, i)));
    }

    works_go_on(part->works);
}


static int
works_set_parts(works_t *works)
{
    unsigned  p, n;

    n = store_keyspace(works->store)->partitions;

    if (works->n_parts > 0 || n == 0) {
        return works->n_parts > 0 ? 0 : -1;
    }

    works->parts = calloc(n, sizeof(works_part_t));
    if (works->parts == NULL) {
        return -1;
    }

    works->n_parts = n;

    for (p = 0; p < n; p++) {
        works->parts[p].works = works;
        works->parts[p].n = p;
    }

    return 0;
}


static void
on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
    unsigned              p;
    works_t              *works = w->data;
    rbl_key_t             key;
    rbl_work_take_args_t  args;

    (void) loop;
    (void) revents;

    if (!store_ready(works->store) || works_set_parts(works) != 0) {
        return;
    }

    works_go_on(works);

    for (p = 0; p < works->n_parts; p++) {
        if (works->parts[p].asked || works->at_hand == WORKS_ACCOUNTS) {
            continue;
        }

        works->parts[p].asked = 1;
        args.works = rbl_key(&key, store_keyspace(works->store), p, "works",
                             RBL_STR(""), RBL_STR(""));
        args.most = RBL_STR(WORKS_TAKE);
        store_call(works->store, work_take, on_taken, &works->parts[p], args);
    }
}


works_t *
works_new(struct ev_loop *loop, store_t *store)
{
    works_t  *works;

    works = calloc(1, sizeof(works_t));
    if (works == NULL) {
        return NULL;
    }

    works->loop = loop;
    works->store = store;
    link_init(&works->waiting);
    link_init(&works->flight);
    ev_timer_init(&works->tick, on_tick, WORKS_POLL, WORKS_POLL);
    works->tick.data = works;
    ev_timer_start(loop, &works->tick);

    return works;
}


void
works_stop(works_t *works)
{
    works->stopped = 1;
    ev_timer_stop(works->loop, &works->tick);

    while (!link_empty(&works->waiting)) {
        works_drop(link_of(works->waiting.next, works_item_t, link));
    }
}


void
works_free(works_t *works)
{
    unsigned       p;
    works_item_t  *item;

    if (works == NULL) {
        return;
    }

    works_stop(works);

    while (!link_empty(&works->flight)) {
        item = link_of(works->flight.next, works_item_t, link);
        store_forget(works->store, item);
        works_drop(item);
    }

    for (p = 0; p < works->n_parts; p++) {
        store_forget(works->store, &works->parts[p]);
    }

    free(works->parts);
    free(works);
}
