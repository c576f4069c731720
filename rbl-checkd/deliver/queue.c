/*
 * The waiting room between claim and attempt.  It keeps one account with a
 * receiver that is slow or never answers from taking all places: of the
 * attempts in flight an account may hold at most as many as are still free, so
 * that whoever comes next finds one; and an account whose deliveries have
 * waited too long gives up the places that others may need.  What is dropped
 * comes back by its lease, behind what is due before it.
 *
 * Mails all go to one server, one after the other, so they have a room of their
 * own: a server that hangs holds up nothing but mail.  In it accounts take
 * turns.
 */

#include "deliver_int.h"

#include "../log.h"


#define QUEUE_ROUNDS    4u              /* places per attempt in flight */
#define QUEUE_PATIENCE  3.0             /* s */
#define QUEUE_RECORD    5.0             /* s that the record may take */
#define QUEUE_MAILS     512u            /* that wait */
#define QUEUE_SENDING   (2 * SMTP_QUEUE)    /* sent or recorded at a time */


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


static int
queue_is_mail(const attempt_t *a)
{
    return a->channel != NULL && a->channel->way == CHANNEL_SMTP
           && a->deliver->smtp != NULL;
}


/*
 * The n-th mail of an account comes before any other's n+1-th, counted from the
 * round that is on.  An account may have half of the free places.
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

    link_add(l->next, &a->link);        /* before what follows l */
    d->n_mails++;
}


void
queue_put(deliver_t *d, attempt_t *a)
{
    if (queue_is_mail(a)) {
        queue_put_mail(d, a);
        return;
    }

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


ev_tstamp
queue_latest(const attempt_t *a)
{
    const deliver_t  *d = a->deliver;

    return a->claimed + d->lease - QUEUE_RECORD
           - (queue_is_mail(a) ? d->conf->smtp_timeout
                               : d->conf->deliver_timeout);
}


static void
queue_begin(attempt_t *a, unsigned *waiting, link_t *ring, unsigned *running)
{
    link_remove(&a->link);
    (*waiting)--;

    if (ev_now(a->deliver->loop) >= queue_latest(a)) {
        attempt_free(a);
        return;
    }

    link_add(ring, &a->link);
    (*running)++;
    a->counted = running;
    attempt_start(a);
}


static void
queue_run_mails(deliver_t *d)
{
    attempt_t  *a;

    while (!link_empty(&d->mails) && d->n_sending < QUEUE_SENDING
           && smtp_room(d->smtp) > 0)
    {
        a = link_of(d->mails.next, attempt_t, link);
        d->round = a->round;
        queue_begin(a, &d->n_mails, &d->sending, &d->n_sending);
    }
}


void
queue_run(deliver_t *d)
{
    link_t     *l, *next;
    unsigned    room;
    attempt_t  *a;

    queue_run_mails(d);

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
            queue_begin(a, &d->n_waiting, &d->running, &d->n_running);
        }
    }
}


void
queue_over(attempt_t *a)
{
    deliver_t  *d = a->deliver;

    link_remove(&a->link);
    (*a->counted)--;
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
    queue_empty(&d->mails);
    d->n_waiting = 0;
    d->n_mails = 0;

    if (running_too) {
        queue_empty(&d->running);
        queue_empty(&d->sending);
        d->n_running = 0;
        d->n_sending = 0;
    }
}
