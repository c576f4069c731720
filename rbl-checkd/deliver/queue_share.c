/*
 * The slots of attempts in flight, and how accounts share them:
 *
 * - an account that has nothing in flight may take any free place; a quarter of
 *   the places is kept for that;
 * - of the others an account may hold at most as many as are still free, and of
 *   what it may still take a receiver gets at most half;
 * - when an account that holds less than a quarter of an equal share finds no
 *   place, the attempt that has held its place for long beside how many its
 *   account holds gives way: it has failed, as if its time were over.
 */

#include "queue_int.h"

#include "base/log.h"


#define SHARE_RECORD   5.0              /* s that the record may take */
#define SHARE_SENDING  (2 * SMTP_QUEUE) /* mails sent or recorded at a time */
#define SHARE_LEAST    1.0              /* s that an attempt has in any case */
#define SHARE_HOLD     4                /* one of an account that holds no more
                                           than its share: this part of the
                                           time of an attempt */
#define SHARE_POOR     4                /* less than this part of a share */
#define SHARE_KEPT     4                /* this part of all places is kept */
#define SHARE_AGAIN    0.1              /* s until it is looked at again */


/* Places beyond the first of each account. */

static unsigned
share_extra(const deliver_t *d)
{
    unsigned  max = d->conf->deliveries_max;

    return max - max / SHARE_KEPT;
}


/* May one more of its receiver begin?  There is a free place. */

static int
share_may_run(const deliver_t *d, const attempt_t *a)
{
    unsigned           room;
    const subqueue_t  *account = a->account_queue;

    if (account->running == 0) {
        return 1;
    }

    room = d->conf->deliveries_max - d->n_running;

    if (d->n_running - d->n_busy >= share_extra(d)
        || account->running >= room)
    {
        return 0;
    }

    room -= account->running;

    return a->receiver_queue->running == 0
           || a->receiver_queue->running < room / 2;
}


static ev_tstamp
share_latest(const attempt_t *a)
{
    const deliver_t  *d = a->deliver;

    if (a->entry != NULL) {
        return a->claimed + d->conf->lease / 2;
    }

    return a->claimed + d->lease - SHARE_RECORD
           - (queue_is_mail(a) ? d->conf->smtp_timeout
                               : d->conf->deliver_timeout);
}


/* It takes a place. */

static void
share_fly(deliver_t *d, attempt_t *a)
{
    d->n_accounts += a->account_queue->waiting + a->account_queue->running == 0;
    d->n_busy += a->account_queue->running == 0;
    a->account_queue->running++;
    a->receiver_queue->running++;
    link_add(&a->account_queue->in_flight, &a->account_link);
    link_add(&a->receiver_queue->in_flight, &a->receiver_link);
}


void
queue_leave(attempt_t *a)
{
    deliver_t  *d = a->deliver;

    link_remove(&a->link);
    (*a->counted)--;
    a->counted = NULL;

    if (a->receiver_queue != NULL) {
        attempt_landed(a);
        a->account_queue->running--;
        a->receiver_queue->running--;
        d->n_busy -= a->account_queue->running == 0;
        d->n_accounts -= a->account_queue->waiting + a->account_queue->running
                         == 0;
    }

    turns_by(d->claims, 0);
}


static void
share_over(attempt_t *a)
{
    queue_leave(a);
    attempt_free(a);
}


static void
share_begin(attempt_t *a, link_t *ring, unsigned *running)
{
    queue_take(a->deliver, a);
    a->latest = share_latest(a);

    if (clock_now() >= a->latest) {
        queue_forget(a);
        return;
    }

    link_add(ring, &a->link);
    (*running)++;
    a->counted = running;

    if (a->receiver_queue != NULL) {
        share_fly(a->deliver, a);
    }

    if (a->entry != NULL) {
        a->deliver->first_began(a);
    }

    attempt_start(a, share_over);
}


static void
share_run_mails(deliver_t *d)
{
    attempt_t  *a;

    while (!link_empty(&d->mails) && d->n_sending < SHARE_SENDING
           && smtp_room(d->smtp) > 0)
    {
        a = link_of(d->mails.next, attempt_t, link);
        d->round = a->round;
        share_begin(a, &d->sending, &d->n_sending);
    }
}


/* Places that each account would have if all had the same. */

static unsigned
share_equal(const deliver_t *d)
{
    unsigned  share;

    share = d->conf->deliveries_max / (d->n_accounts > 0 ? d->n_accounts : 1);

    return share > 0 ? share : 1;
}


/*
 * The one that waits of the account that has next to nothing in flight; NULL:
 * there is none.
 */

static attempt_t *
share_poorest(const deliver_t *d)
{
    link_t     *l;
    unsigned    limit;
    attempt_t  *a, *poorest;

    poorest = NULL;
    limit = (share_equal(d) + SHARE_POOR - 1) / SHARE_POOR;

    for (l = d->waiting.next; l != &d->waiting; l = l->next) {
        a = link_of(l, attempt_t, link);

        if (a->account_queue->running < limit) {
            limit = a->account_queue->running;
            poorest = a;
        }

        if (limit == 0) {
            break;
        }
    }

    return poorest;
}


/* 1: only an account without attempts in flight could start one. */

static int
share_is_full(const deliver_t *d)
{
    return d->n_running >= d->conf->deliveries_max
           || d->n_running - d->n_busy >= share_extra(d);
}


/* How much an attempt holds that may give way for this one; 0: it may not. */

static double
share_held(const deliver_t *d, const attempt_t *a, const attempt_t *poorest)
{
    double  age;

    age = clock_now() - a->began;

    if ((a->state != ATTEMPT_RESOLVING && a->state != ATTEMPT_SENDING)
        || a->sends > 0 || a->account_queue == poorest->account_queue
        || age < SHARE_LEAST)
    {
        return 0;
    }

    if (a->account_queue->running <= share_equal(d)
        && (poorest->account_queue->running > 0
            || age < d->conf->deliver_timeout / SHARE_HOLD))
    {
        return 0;
    }

    return age * a->account_queue->running;
}


/*
 * Takes a slot back for an account with hardly any; not if an attempt is being
 * recorded, whose slot becomes free anyway.
 */

static void
share_take_back(deliver_t *d, const attempt_t *poorest)
{
    double      held, most;
    link_t     *l;
    attempt_t  *a, *holder;

    most = 0;
    holder = NULL;

    for (l = d->running.next; l != &d->running; l = l->next) {
        a = link_of(l, attempt_t, link);

        if (a->state == ATTEMPT_RECORDING) {
            return;
        }

        held = share_held(d, a, poorest);

        if (held > most) {
            most = held;
            holder = a;
        }
    }

    if (holder != NULL) {
        attempt_yield(holder);
    }
}


static void
share_start(deliver_t *d)
{
    link_t     *l, *next;
    attempt_t  *a;

    for (l = d->waiting.next; l != &d->waiting; l = next) {
        next = l->next;

        if (d->n_running >= d->conf->deliveries_max) {
            return;
        }

        a = link_of(l, attempt_t, link);

        if (share_may_run(d, a)) {
            share_begin(a, &d->running, &d->n_running);
        }
    }
}


/* Nothing has to give way while every attempt is young. */

static void
share_out(deliver_t *d)
{
    ev_tstamp         when;
    const attempt_t  *poorest;

    if (link_empty(&d->waiting) || !share_is_full(d)) {
        return;
    }

    when = link_of(d->running.next, attempt_t, link)->began + SHARE_LEAST;

    if (clock_now() < when) {
        turns_by(d->claims, when);
        return;
    }

    poorest = share_poorest(d);

    if (poorest != NULL) {
        turns_by(d->claims, clock_now() + SHARE_AGAIN);
        share_take_back(d, poorest);
    }
}


void
queue_run(deliver_t *d)
{
    share_run_mails(d);
    queue_make_room(d);
    share_start(d);
    share_out(d);
}


void
queue_rest(deliver_t *d)
{
    if (!d->stopped) {
        queue_run(d);
        turns_by(d->claims, 0);
    }
}
