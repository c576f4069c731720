/*
 * The waiting room between claim and attempt.  It keeps one account with many
 * deliveries, or with a receiver that never answers, from taking all places:
 * an account may hold at most as many places as are still free, so that
 * whoever comes next finds some.  What is left out is dropped and comes back
 * by its lease, behind what is due before it.
 */

#include "deliver_int.h"

#include "../log.h"


#define QUEUE_ROUNDS  4u                /* places per attempt in flight */


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


void
queue_put(deliver_t *d, attempt_t *a)
{
    unsigned  room;

    room = queue_places(d) > d->n_waiting ? queue_places(d) - d->n_waiting : 0;

    if (queue_count(&d->waiting, a->account) >= room) {
        log_debug("delivery %.*s waits for its lease: account is busy",
                  (int) a->member.n, a->member.p);
        attempt_free(a);
        return;
    }

    link_add(&d->waiting, &a->link);
    d->n_waiting++;
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
