/*
 * The queue between claim and attempt.  A slow receiver may hold at most half
 * as many waiting places as are free, and its account as many as are free, so
 * that the next account finds room.  Only attempts in flight show that a
 * receiver is slow, never the time in the queue.  A dropped attempt comes back
 * after its lease, behind deliveries that are due earlier; a first attempt
 * becomes a queued delivery.
 *
 * Mails all go to one server, one after the other, so they have a queue of
 * their own: a server that hangs delays only mail.  Each round has one mail of
 * each account. queue_share.c assigns the slots of all other attempts.
 */

#include "queue_int.h"

#include "base/log.h"


#define QUEUE_ROUNDS    4u              /* places per attempt in flight */
#define QUEUE_FIRST     8u              /* times the places: first attempts */
#define QUEUE_PATIENCE  1.0             /* s that an attempt in flight has */
#define QUEUE_PROMPT    0.05            /* s, if those that wait behind it keep
                                           the outbox from being read */
#define QUEUE_MAILS     512u            /* that wait */


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

void
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


int
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

void
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


void
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
