/*
 * The waiting room between claim and attempt.  It keeps an account, or a
 * receiver, that is slow or never answers from taking all places: of the
 * attempts in flight an account may hold at most as many as are still free, so
 * that whoever comes next finds one, and of what it may still take a receiver
 * gets at most half, so that its others find one; and receivers whose
 * deliveries have waited too long give up the places that others may need.
 * What is dropped comes back by its lease, behind what is due before it, or is
 * left to the claims if it is tried here at once.
 *
 * Mails all go to one server, one after the other, so they have a room of their
 * own: a server that hangs holds up nothing but mail.  In it accounts take
 * turns.
 */

#include "deliver_int.h"

#include "../log.h"


#define QUEUE_ROUNDS    4u              /* places per attempt in flight */
#define QUEUE_DIRECT    8u              /* times the places: of events that are
                                           tried at once */
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

    taken = d->n_waiting - d->n_direct + d->n_asked;

    return taken < queue_places(d) ? queue_places(d) - taken : 0;
}


/*
 * To read events and to ask for their receivers takes some turns of the loop,
 * and in each all that are in flight may end: whoever waits for the next ones
 * has them when they are needed.
 */

int
queue_has_room(const deliver_t *d)
{
    return d->n_direct + direct_asking(d->direct) < queue_places(d);
}


/* Its oldest delivery has waited too long: the receiver does not keep up. */

static int
queue_slow(const deliver_t *d, const lane_t *lane)
{
    const attempt_t  *a;

    if (link_empty(&lane->attempts)) {
        return 0;
    }

    a = link_of(lane->attempts.next, attempt_t, lane_link);

    return ev_now(d->loop) - a->claimed > QUEUE_PATIENCE;
}


/* More places than are free, and no hope of leaving them soon? */

static int
queue_greedy(const deliver_t *d, const attempt_t *a)
{
    unsigned  room;

    room = queue_places(d) > d->n_waiting ? queue_places(d) - d->n_waiting : 0;

    return (a->account_lane->waiting >= room || a->lane->waiting >= room / 2)
           && queue_slow(d, a->lane);
}


/* May one more of its receiver begin? */

static int
queue_may_run(const deliver_t *d, const attempt_t *a)
{
    unsigned  room;

    room = d->conf->deliveries_max - d->n_running;

    /* the last place goes to whoever has none */

    if (a->account_lane->running >= room) {
        return 0;
    }

    room -= a->account_lane->running;

    return a->lane->running == 0 || a->lane->running < room / 2;
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


static int
queue_lanes(deliver_t *d, attempt_t *a)
{
    rbl_str_t  account;

    account = rbl_str(a->account);
    a->account_lane = lane_get(&d->lanes, account, RBL_STR(""));
    a->lane = lane_get(&d->lanes, account, queue_receiver(a));

    return a->account_lane != NULL && a->lane != NULL ? 0 : -1;
}


/* It is not tried now. */

static void
queue_forget(attempt_t *a)
{
    if (a->entry != NULL) {
        direct_dropped(a);
    }

    attempt_free(a);
}


static void
queue_drop(attempt_t *a)
{
    log_debug("delivery %.*s waits for its lease: its receiver is slow",
              (int) a->member.n, a->member.p);
    queue_forget(a);
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

    if (queue_lanes(d, a) != 0 || queue_greedy(d, a)
        || (a->direct && d->n_direct >= QUEUE_DIRECT * queue_places(d)))
    {
        queue_drop(a);
        return;
    }

    link_add(&d->waiting, &a->link);
    link_add(&a->lane->attempts, &a->lane_link);
    d->n_waiting++;
    d->n_direct += (unsigned) a->direct;
    a->account_lane->waiting++;
    a->lane->waiting++;
}


/* It waits no more. */

static void
queue_take(deliver_t *d, attempt_t *a)
{
    link_remove(&a->link);

    if (a->lane == NULL) {
        d->n_mails--;
        return;
    }

    link_remove(&a->lane_link);
    d->n_waiting--;
    d->n_direct -= (unsigned) a->direct;
    a->account_lane->waiting--;
    a->lane->waiting--;
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

        if (queue_greedy(d, a)) {
            queue_take(d, a);
            queue_drop(a);
        }
    }
}


ev_tstamp
queue_latest(const attempt_t *a)
{
    const deliver_t  *d = a->deliver;

    if (a->entry != NULL) {
        return a->claimed + d->conf->lease / 2;
    }

    return a->claimed + d->lease - QUEUE_RECORD
           - (queue_is_mail(a) ? d->conf->smtp_timeout
                               : d->conf->deliver_timeout);
}


static void
queue_begin(attempt_t *a, link_t *ring, unsigned *running)
{
    queue_take(a->deliver, a);

    if (ev_now(a->deliver->loop) >= queue_latest(a)) {
        queue_forget(a);
        return;
    }

    link_add(ring, &a->link);
    (*running)++;
    a->counted = running;

    if (a->lane != NULL) {
        a->account_lane->running++;
        a->lane->running++;
    }

    if (a->entry != NULL) {
        direct_began(a);
    }

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
        queue_begin(a, &d->sending, &d->n_sending);
    }
}


void
queue_run(deliver_t *d)
{
    link_t     *l, *next;
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

        if (queue_may_run(d, a)) {
            queue_begin(a, &d->running, &d->n_running);
        }
    }
}


void
queue_leave(attempt_t *a)
{
    deliver_t  *d = a->deliver;

    link_remove(&a->link);
    (*a->counted)--;
    a->counted = NULL;

    if (a->lane != NULL) {
        a->account_lane->running--;
        a->lane->running--;
    }

    deliver_kick(d, d->n_parts);
}


void
queue_over(attempt_t *a)
{
    queue_leave(a);
    attempt_free(a);
}


static void
queue_empty(link_t *head)
{
    attempt_t  *a;

    while (!link_empty(head)) {
        a = link_of(head->next, attempt_t, link);
        link_remove(&a->link);
        link_remove(&a->lane_link);
        queue_forget(a);
    }
}


void
queue_clear(deliver_t *d, int running_too)
{
    queue_empty(&d->waiting);
    queue_empty(&d->mails);
    d->n_waiting = 0;
    d->n_direct = 0;
    d->n_mails = 0;

    if (running_too) {
        queue_empty(&d->running);
        queue_empty(&d->sending);
        d->n_running = 0;
        d->n_sending = 0;
    }
}
