/*
 * The order of sending.  Queries wait in the queue of their pacing class (one
 * nameless class for those without).  Classes with waiting queries are in the
 * ready list of their owner (owner.c), which sends one query of each in
 * turn, or in the throttled list until the time of their next query.  A class
 * that has its share on the wire is in neither list.  So a dead list, whose
 * queries all stay on the wire until they time out, does not take the slots
 * of others.
 *
 * System lists have one owner, which goes first.  Accounts with own lists send
 * one query each in turn, as long as they have room.  An account that has
 * its share on the wire, or has used up its rate, is skipped.
 *
 * The rate of a class is kept as the time of its next query; queries may be
 * sent up to PACE_SLACK earlier, so that high rates do not depend on the
 * resolution of timers.
 */

#include "dns_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PACE_SLACK  0.01
#define PACE_TICK   0.002


/* Is the next query of the queue already in flight? */
static int
pace_hedged(const dns_class_t *class)
{
    return !link_empty(&class->queue)
           && ((dns_query_t *) class->queue.next)->hedge;
}


/* A class that needs no slot goes first, since an owner without room looks no
   further. */
static void
pace_ready(dns_class_t *class)
{
    dns_owner_t  *owner;

    owner = class->owner;
    class->listed = 1;
    link_add(pace_hedged(class) ? owner->ready.next : &owner->ready,
             &class->link);
    owner->n_ready++;
    dns_owner_wake(owner);
}


static void
pace_set_timer(dns_engine_t *engine, double at)
{
    double  wait;

    if (engine->pace_at != 0 && engine->pace_at <= at) {
        return;
    }

    wait = at - engine->now;
    wait = wait > PACE_TICK ? wait : PACE_TICK;

    ev_timer_stop(engine->loop, &engine->pace);
    ev_timer_set(&engine->pace, wait, 0.);
    ev_timer_start(engine->loop, &engine->pace);
    engine->pace_at = at;
}


/* Does the class have its share on the wire? */
static int
pace_full(const dns_engine_t *engine, const dns_class_t *class)
{
    unsigned  share;

    share = engine->conf.max_in_flight / DNS_SHARE;
    return dns_class_limited(class) && class->in_flight >= (share ? share : 1);
}


/* Are all resolvers full?  Zones have their own servers. */
static int
pace_all_full(const dns_engine_t *engine)
{
    unsigned  i;

    if (engine->conf.direct) {
        return 0;
    }

    for (i = 0; i < engine->resolvers->n; i++) {
        if (engine->resolvers->server[i]->in_flight
            < engine->conf.max_in_flight)
        {
            return 0;
        }
    }

    return 1;
}


static double
pace_due(const dns_class_t *class)
{
    return class->turn - PACE_SLACK;
}


/* Wakes the accounts that may send again; returns the earliest time of the
   others. */
static double
pace_wake_owners(dns_engine_t *engine)
{
    double        next;
    link_t       *link, *after;
    dns_owner_t  *owner;

    next = INFINITY;

    for (link = engine->resting.next; link != &engine->resting; link = after) {
        after = link->next;
        owner = link_of(link, dns_owner_t, link);

        if (dns_owner_due(owner) <= engine->now) {
            link_remove(link);
            dns_owner_wake(owner);

        } else if (dns_owner_due(owner) < next) {
            next = dns_owner_due(owner);
        }
    }

    return next;
}


/* Looks at all throttled classes, since there are few lists. */
static void
pace_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    double         next;
    link_t        *link, *after;
    dns_class_t   *class;
    dns_engine_t  *engine;

    (void) loop;
    (void) events;

    engine = timer->data;
    engine->now = clock_now();
    engine->pace_at = 0;
    next = pace_wake_owners(engine);

    for (link = engine->throttled.next; link != &engine->throttled;
         link = after)
    {
        after = link->next;
        class = (dns_class_t *) link;

        if (pace_due(class) <= engine->now) {
            link_remove(link);
            class->throttled = 0;
            pace_ready(class);

        } else if (pace_due(class) < next) {
            next = pace_due(class);
        }
    }

    if (next < INFINITY) {
        pace_set_timer(engine, next);
    }
}


int
dns_pace_init(dns_engine_t *engine)
{
    uint16_t  high, low;

    dns_owner_init(engine);
    link_init(&engine->throttled);
    ev_init(&engine->pace, pace_timer);
    engine->pace.data = engine;

    if (dns_random(engine, &high) != 0 || dns_random(engine, &low) != 0) {
        return -1;
    }

    engine->seed = (uint32_t) high << 16 | low;
    return 0;
}


void
dns_pace_free(dns_engine_t *engine)
{
    unsigned      i;
    dns_class_t  *class, *next;

    ev_timer_stop(engine->loop, &engine->pace);

    for (i = 0; i < DNS_CLASSES; i++) {
        for (class = engine->classes[i]; class; class = next) {
            next = class->next;
            dns_list_free(&class->queue);
            dns_list_free(&class->tcp_queue);
            free(class);
        }
    }

    dns_owner_free(engine);
}


void
dns_pace_queue(dns_query_t *q, int retry)
{
    dns_class_t  *class;

    class = q->class;
    q->state = DNS_WAITING;
    q->engine->counters.waiting++;
    dns_wake(q->engine);
    link_add(retry ? class->queue.next : &class->queue, &q->link);
    link_remove(&q->timer);

    if (q->open) {
        q->hedge = 1;
        q->engine->n_hedges++;
        q->engine->own_hedges += class->owner->account != 0;
        dns_wheel_put(q, q->expires);
    }

    if (class->listed && !class->throttled && q->hedge) {
        link_remove(&class->link);
        class->owner->n_ready--;
        pace_ready(class);

    } else if (!class->listed
               && (q->hedge || !pace_full(q->engine, class)))
    {
        pace_ready(class);
    }

    if (q->hedge) {
        dns_owner_wake(class->owner);
    }
}


void
dns_pace_on_wire(dns_query_t *q)
{
    dns_owner_t  *owner;

    owner = q->class->owner;
    q->class->in_flight++;
    owner->in_flight++;
    q->engine->own_in_flight += owner->account != 0;
    q->engine->counters.in_flight++;
}


void
dns_pace_off_wire(dns_query_t *q)
{
    dns_class_t  *class;
    dns_owner_t  *owner;

    class = q->class;
    owner = class->owner;
    class->in_flight--;
    owner->in_flight--;
    q->engine->own_in_flight -= owner->account != 0;
    q->engine->counters.in_flight--;

    if (!class->listed && !link_empty(&class->queue)) {
        pace_ready(class);
        dns_wake(q->engine);
    }

    dns_owner_wake(owner);
}


/*
 * An empty class stays in its list until its turn; only dns_pace_run() takes
 * classes out.
 */
void
dns_pace_unqueue(dns_query_t *q)
{
    link_remove(&q->link);
    dns_pace_alone(q);
    q->engine->counters.waiting--;
}


void
dns_pace_alone(dns_query_t *q)
{
    q->engine->n_hedges -= q->hedge;
    q->engine->own_hedges -= q->hedge && q->class->owner->account != 0;
    q->hedge = 0;
}


/* --- sending ------------------------------------------------------------- */

static void
pace_send(dns_engine_t *engine, dns_class_t *class, dns_query_t *q,
    unsigned at)
{
    engine->counters.hedged += q->hedge;
    dns_pace_unqueue(q);
    pace_ready(class);

    if (engine->conf.zone_rate > 0 && dns_class_limited(class)) {
        class->turn = (class->turn > engine->now ? class->turn : engine->now)
                      + 1 / engine->conf.zone_rate;
    }

    dns_class_sends(q);
    dns_owner_spend(class->owner);
    dns_server_use(q->set->server[at]);
    dns_socket_send(q, at);
}


/* Fails a query of a hopeless class at once: its check need not wait. */
static void
pace_fail(dns_class_t *class, dns_query_t *q)
{
    dns_pace_unqueue(q);
    pace_ready(class);
    dns_finish_later(q, DNS_TIMEOUT);
}


/* Sends one query of the owner.  1; 0: none may be sent now. */
static int
pace_one(dns_engine_t *engine, dns_owner_t *owner, int hedges)
{
    unsigned         blocked, at;
    dns_class_t     *class;
    dns_query_t     *q;

    blocked = 0;

    while (blocked < owner->n_ready) {
        class = (dns_class_t *) owner->ready.next;

        if (hedges && !pace_hedged(class)) {
            break;
        }

        link_remove(&class->link);
        owner->n_ready--;
        q = (dns_query_t *) class->queue.next;

        if (link_empty(&class->queue)
            || (!q->hedge && pace_full(engine, class)))
        {
            class->listed = 0;
            continue;
        }

        if (dns_class_hopeless(q)) {
            pace_fail(class, q);
            continue;
        }

        if (pace_due(class) > engine->now) {
            class->throttled = 1;
            link_add(&engine->throttled, &class->link);
            pace_set_timer(engine, pace_due(class));
            continue;
        }

        at = dns_set_pick(q);

        if (!dns_set_room(q, at)) {
            link_add(hedges ? owner->ready.next : &owner->ready,
                     &class->link);
            owner->n_ready++;

            if (hedges || (engine->n_hedges == 0 && pace_all_full(engine))) {
                break;
            }

            blocked++;
            continue;
        }

        pace_send(engine, class, q, at);
        return 1;
    }

    return 0;
}


/*
 * Serves the next account in turn.  1: it has sent; 0: it has not, and was put
 * behind the others, or waits for room or time.
 */
static int
pace_owner(dns_engine_t *engine)
{
    int           room, sent;
    dns_owner_t  *owner;

    owner = link_of(link_shift(&engine->owners), dns_owner_t, link);
    engine->n_owners--;

    if (dns_owner_due(owner) > engine->now) {
        link_add(&engine->resting, &owner->link);
        pace_set_timer(engine, dns_owner_due(owner));
        return 0;
    }

    room = dns_owner_room(owner);
    sent = pace_one(engine, owner, !room || !dns_owner_part(engine));

    if (sent || room) {
        dns_owner_wake(owner);
    }

    return sent;
}


/* Sends a query for an own list.  1; 0: none may be sent now. */
static int
pace_own(dns_engine_t *engine)
{
    unsigned  i;

    if (!dns_owner_part(engine) && engine->own_hedges == 0) {
        return 0;
    }

    for (i = engine->n_owners; i; i--) {
        if (pace_owner(engine)) {
            engine->since_own = 0;
            return 1;
        }
    }

    return 0;
}


/* Own lists get a free slot at least once in DNS_SHARE times. */
void
dns_pace_run(dns_engine_t *engine)
{
    int  sent;

    do {
        sent = 0;

        if (engine->since_own >= DNS_SHARE) {
            engine->since_own = 0;
            sent = pace_own(engine);
        }

        if (pace_one(engine, &engine->system, 0)) {
            engine->since_own++;
            sent = 1;

        } else if (!sent) {
            sent = pace_own(engine);
        }
    } while (sent);

    dns_batch_flush(engine);
}
