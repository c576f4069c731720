/*
 * The queue between claim and attempt.
 *
 * Waiting places: a slow receiver may hold at most half as many as are free,
 * and its account as many as are free, so that the next account finds room.
 * Only attempts in flight show that a receiver is slow, never the time in the
 * queue.  A dropped attempt comes back after its lease, behind deliveries that
 * are due earlier; a first attempt becomes a queued delivery.
 *
 * Mails all go to one server, one after the other, so they have a queue of
 * their own: a server that hangs delays only mail.  Each round has one mail of
 * each account.
 *
 * Slots of all other attempts in flight, and how accounts share them:
 *
 * - an account that has nothing in flight may take any free place; a quarter of
 *   the places is kept for that;
 * - of the others an account may hold at most as many as are still free, and of
 *   what it may still take a receiver gets at most half;
 * - when an account that holds less than a quarter of an equal share finds no
 *   place, the attempt that has held its place for long beside how many its
 *   account holds gives way: it has failed, as if its time were over.
 */

#include "deliver_int.h"

#include "base/log.h"


#define QUEUE_ROUNDS    4u              /* places per attempt in flight */
#define QUEUE_FIRST     8u              /* times the places: first attempts */
#define QUEUE_PATIENCE  1.0             /* s that an attempt in flight has */
#define QUEUE_PROMPT    0.05            /* s, if those that wait behind it keep
                                           the outbox from being read */
#define QUEUE_MAILS     512u            /* that wait */

#define SHARE_RECORD   5.0              /* s that the record may take */
#define SHARE_SENDING  (2 * SMTP_QUEUE) /* mails sent or recorded at a time */
#define SHARE_LEAST    1.0              /* s that an attempt has in any case */
#define SHARE_HOLD     4                /* one of an account that holds no more
                                           than its share: this part of the
                                           time of an attempt */
#define SHARE_POOR     4                /* less than this part of a share */
#define SHARE_KEPT     4                /* this part of all places is kept */
#define SHARE_AGAIN    0.1              /* s until it is looked at again */


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

    taken = d->n_waiting - d->n_first + d->n_asked;

    return taken < queue_places(d) ? queue_places(d) - taken : 0;
}


/*
 * Reading events and their receivers takes some iterations of the loop.  All
 * attempts in flight may end in one, so the next ones must wait already.
 */

int
queue_has_room(const deliver_t *d)
{
    return d->n_first + d->n_asking < queue_places(d);
}


/* Has `flight` waited for its response longer than `a` can wait for a slot? */

static int
queue_is_old(const attempt_t *flight, const attempt_t *a)
{
    return clock_now() - flight->began
           > (a->first ? QUEUE_PROMPT : QUEUE_PATIENCE);
}


/* 1: the oldest attempt of the receiver in flight is old. */

static int
queue_slow(const attempt_t *a)
{
    const link_t  *in_flight = &a->receiver_queue->in_flight;

    return !link_empty(in_flight)
           && queue_is_old(link_of(in_flight->next, attempt_t,
                                   receiver_link), a);
}


/*
 * 1: the receiver has no attempt in flight, and half of the attempts of its
 * account in flight are old.
 */

static int
queue_slow_account(const attempt_t *a)
{
    unsigned       n;
    const link_t  *l, *in_flight = &a->account_queue->in_flight;

    l = in_flight->next;

    for (n = a->account_queue->running / 2; n > 0 && l != in_flight; n--) {
        l = l->next;
    }

    return link_empty(&a->receiver_queue->in_flight) && l != in_flight
           && queue_is_old(link_of(l, attempt_t, account_link), a);
}


/* Does it have more places than are free? */

static int
queue_greedy(const deliver_t *d, const attempt_t *a)
{
    unsigned  room;

    room = queue_places(d) > d->n_waiting ? queue_places(d) - d->n_waiting : 0;

    return a->account_queue->waiting >= room
           || a->receiver_queue->waiting >= room / 2;
}


/* Receivers and contacts have a SID, callbacks a host. */

static rbl_str_t
queue_receiver(const attempt_t *a)
{
    size_t     n;
    rbl_str_t  s;

    s = a->target;

    if (memcmp(s.p, "CB", 2) == 0) {
        s = a->job.to;
        n = strcspn(s.p, "/");
        n += strspn(s.p + n, "/");
        s.n = n + strcspn(s.p + n, "/");
    }

    return s;
}


static void
queue_subqueues(deliver_t *d, attempt_t *a)
{
    rbl_str_t  account;

    account = rbl_str(a->account);
    a->account_queue = subqueue_get(&d->subqueues, account, RBL_STR(""));
    a->receiver_queue = subqueue_get(&d->subqueues, account, queue_receiver(a));
}


/* Removes an attempt that is not made now. */

static void
queue_forget(attempt_t *a)
{
    if (a->entry != NULL) {
        a->deliver->first_dropped(a);
    }

    attempt_free(a);
}


static void
queue_drop(attempt_t *a)
{
    log_debug("delivery %s waits for its lease: its receiver is slow",
              a->member.p);
    queue_forget(a);
}


static int
queue_is_mail(const attempt_t *a)
{
    return a->channel != NULL && a->channel->way == CHANNEL_SMTP
           && a->deliver->smtp != NULL;
}


/*
 * Each account has one mail in each round; new mails go to the rounds after the
 * current one.  An account may have half of the free places.
 */

static void
queue_put_mail(deliver_t *d, attempt_t *a)
{
    link_t     *l;
    unsigned    n;
    attempt_t  *other;

    n = queue_count(&d->mails, a->account);

    if (n >= QUEUE_MAILS - d->n_mails) {
        queue_drop(a);
        return;
    }

    a->round = d->round + 1 + n;

    for (l = d->mails.prev; l != &d->mails; l = l->prev) {
        other = link_of(l, attempt_t, link);

        if (other->round <= a->round) {
            break;
        }
    }

    link_add(l->next, &a->link);        /* in front of its successor */
    d->n_mails++;
}


void
queue_put(deliver_t *d, attempt_t *a)
{
    if (queue_is_mail(a)) {
        queue_put_mail(d, a);
        return;
    }

    queue_subqueues(d, a);

    if ((queue_slow(a) && queue_greedy(d, a))
        || (a->first && d->n_first >= QUEUE_FIRST * queue_places(d)))
    {
        queue_drop(a);
        return;
    }

    link_add(&d->waiting, &a->link);
    d->n_waiting++;
    d->n_accounts += a->account_queue->waiting + a->account_queue->running == 0;
    d->n_first += (unsigned) a->first;
    a->account_queue->waiting++;
    a->receiver_queue->waiting++;
}


/* It waits no more. */

static void
queue_take(deliver_t *d, attempt_t *a)
{
    link_remove(&a->link);

    if (a->receiver_queue == NULL) {
        d->n_mails--;
        return;
    }

    d->n_waiting--;
    d->n_first -= (unsigned) a->first;
    a->account_queue->waiting--;
    a->receiver_queue->waiting--;
    d->n_accounts -= a->account_queue->waiting + a->account_queue->running == 0;
}


/* The latest go first. */

static void
queue_drop_slow(deliver_t *d, int (*slow)(const attempt_t *a))
{
    link_t     *l, *prev;
    attempt_t  *a;

    for (l = d->waiting.prev;
         l != &d->waiting && d->n_waiting >= queue_places(d) / 2;
         l = prev)
    {
        prev = l->prev;
        a = link_of(l, attempt_t, link);

        if (slow(a) && queue_greedy(d, a)) {
            queue_take(d, a);
            queue_drop(a);
        }
    }
}


/* Drops waiting attempts of slow receivers if no place is free. */

static void
queue_make_room(deliver_t *d)
{
    if (d->n_waiting >= queue_places(d)) {
        queue_drop_slow(d, queue_slow);
    }

    if (d->n_waiting >= queue_places(d)) {
        queue_drop_slow(d, queue_slow_account);
    }

    /* No other event may come before the attempts in flight count as slow. */

    if (!queue_has_room(d)) {
        turns_by(d->claims, clock_now() + QUEUE_PROMPT);
    }
}


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

    if (a->state != ATTEMPT_SENDING || a->sends > 0
        || a->account_queue == poorest->account_queue || age < SHARE_LEAST)
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


static void
queue_empty(link_t *head)
{
    attempt_t  *a;

    while (!link_empty(head)) {
        a = link_of(head->next, attempt_t, link);
        link_remove(&a->link);
        attempt_landed(a);
        queue_forget(a);
    }
}


void
queue_clear(deliver_t *d, int running_too)
{
    queue_empty(&d->waiting);
    queue_empty(&d->mails);
    d->n_waiting = 0;
    d->n_first = 0;
    d->n_mails = 0;

    if (running_too) {
        queue_empty(&d->running);
        queue_empty(&d->sending);
        d->n_running = 0;
        d->n_sending = 0;
        d->n_busy = 0;
        d->n_accounts = 0;
    }
}
