/*
 * The waiting room between claim and attempt.  It keeps one account with a
 * receiver that is slow or never answers from taking all places: of the
 * attempts in flight an account may hold at most as many as are still free, so
 * that whoever comes next finds one; and an account whose deliveries have
 * waited too long gives up the places that others may need.  What is dropped
 * comes back by its lease, behind what is due before it.
 */

#include "deliver_int.h"

#include "../log.h"


#define QUEUE_ROUNDS    4u              /* places per attempt in flight */
#define QUEUE_PATIENCE  3.0             /* s */


static unsigned
queue_places(const deliver_t *d)
{
    return d->conf->deliveries_max * QUEUE_ROUNDS;
}


static unsigned
queue_count(const link_t *head, const char *account)
{
    unsigned       n;
    const link_t  *l;

    n = 0;

    for (l = head->next; l != head; l = l->next) {
        n += strcmp(link_of(l, attempt_t, link)->account, account) == 0;
    }

    return n;
}


unsigned
queue_room(const deliver_t *d)
{
    unsigned  taken;

    taken = d->n_waiting + d->n_asked;

    return taken < queue_places(d) ? queue_places(d) - taken : 0;
}


/* Its oldest delivery has waited too long: the receivers do not keep up. */

static int
queue_slow(const deliver_t *d, const char *account)
{
    const link_t     *l;
    const attempt_t  *a;

    for (l = d->waiting.next; l != &d->waiting; l = l->next) {
        a = link_of(l, attempt_t, link);

        if (strcmp(a->account, account) == 0) {
            return ev_now(d->loop) - a->claimed > QUEUE_PATIENCE;
        }
    }

    return 0;
}


/* More places than are free, and no hope of leaving them soon? */

static int
queue_greedy(const deliver_t *d, const char *account)
{
    unsigned  room;

    room = queue_places(d) > d->n_waiting ? queue_places(d) - d->n_waiting : 0;

    return queue_count(&d->waiting, account) >= room && queue_slow(d, account);
}


static void
queue_drop(attempt_t *a)
{
    log_debug("delivery %.*s waits for its lease: its account is slow",
              (int) a->member.n, a->member.p);
    attempt_free(a);
}


void
queue_put(deliver_t *d, attempt_t *a)
{
    if (queue_greedy(d, a->account)) {
        queue_drop(a);
        return;
    }

    link_add(&d->waiting, &a->link);
    d->n_waiting++;
}


/* The latest go first. */

static void
queue_make_room(deliver_t *d)
{
    link_t     *l, *prev;
    attempt_t  *a;

    for (l = d->waiting.prev; l != &d->waiting; l = prev) {
        prev = l->prev;
        a = link_of(l, attempt_t, link);

        if (queue_greedy(d, a->account)) {
            link_remove(&a->link);
            d->n_waiting--;
            queue_drop(a);
        }
    }
}


/* Time enough that the attempt and its record fit into the lease? */

static int
queue_in_time(const attempt_t *a)
{
    const deliver_t  *d = a->deliver;

    return ev_now(d->loop) - a->claimed
           < d->lease - d->conf->deliver_timeout - 5.0;
}


static void
queue_begin(deliver_t *d, attempt_t *a)
{
    link_remove(&a->link);
    d->n_waiting--;

    if (!queue_in_time(a)) {
        attempt_free(a);
        return;
    }

    link_add(&d->running, &a->link);
    d->n_running++;
    attempt_start(a);
}


void
queue_run(deliver_t *d)
{
    link_t     *l, *next;
    unsigned    room;
    attempt_t  *a;

    if (d->n_waiting >= queue_places(d)) {
        queue_make_room(d);
    }

    for (l = d->waiting.next; l != &d->waiting; l = next) {
        next = l->next;

        if (d->n_running >= d->conf->deliveries_max) {
            return;
        }

        a = link_of(l, attempt_t, link);
        room = d->conf->deliveries_max - d->n_running;

        /* the last place goes to whoever has none */

        if (queue_count(&d->running, a->account) < room) {
            queue_begin(d, a);
        }
    }
}


void
queue_over(attempt_t *a)
{
    deliver_t  *d = a->deliver;

    link_remove(&a->link);
    d->n_running--;
    attempt_free(a);

    deliver_kick(d, d->n_parts);
}


static void
queue_empty(link_t *head)
{
    attempt_t  *a;

    while (!link_empty(head)) {
        a = link_of(head->next, attempt_t, link);
        link_remove(&a->link);
        attempt_free(a);
    }
}


void
queue_clear(deliver_t *d, int running_too)
{
    queue_empty(&d->waiting);
    d->n_waiting = 0;

    if (running_too) {
        queue_empty(&d->running);
        d->n_running = 0;
    }
}
