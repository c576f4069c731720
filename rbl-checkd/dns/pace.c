/*
 * Whose turn it is.  Questions wait in the queue of their pacing class (one
 * nameless class for those without); classes with waiting questions stand in
 * the ready list, from which they send in turn, one question each, or in the
 * throttled list until their turn comes.  A class that has its share on the
 * wire is in neither, so that a dead list, whose questions all stay there till
 * they time out, does not take the places of the others.
 *
 * A class's rate is kept by the time at which its next question is due;
 * PACE_SLACK may be sent ahead of that, so that high rates do not hang on the
 * resolution of timers.
 *
 * Classes are owned by the table.  They outlive their questions, because
 * their turn must; the forgotten ones go when a new one joins their slot.
 */

#include "dns_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PACE_SLACK  0.01
#define PACE_TICK   0.002


static void
pace_ready(dns_engine_t *engine, dns_class_t *class)
{
    link_add(&engine->ready, &class->link);
    engine->n_ready++;
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


static int
pace_limited(const dns_class_t *class)
{
    return class->name[0] != '\0';
}


/* The class has its share on the wire. */
static int
pace_full(const dns_engine_t *engine, const dns_class_t *class)
{
    unsigned  share;

    share = engine->conf.max_in_flight / DNS_SHARE;
    return pace_limited(class) && class->in_flight >= (share ? share : 1);
}


/* No resolver takes another question. */
static int
pace_all_full(const dns_engine_t *engine)
{
    unsigned  i;

    for (i = 0; i < engine->conf.n_resolvers; i++) {
        if (engine->resolver[i].in_flight < engine->conf.max_in_flight) {
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


/* The lists are few: all throttled classes are looked at. */
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
    engine->now = dns_clock();
    engine->pace_at = 0;
    next = INFINITY;

    for (link = engine->throttled.next; link != &engine->throttled;
         link = after)
    {
        after = link->next;
        class = (dns_class_t *) link;

        if (pace_due(class) <= engine->now) {
            link_remove(link);
            pace_ready(engine, class);

        } else if (pace_due(class) < next) {
            next = pace_due(class);
        }
    }

    if (!link_empty(&engine->throttled)) {
        pace_set_timer(engine, next);
    }
}


int
dns_pace_init(dns_engine_t *engine)
{
    uint16_t  high, low;

    link_init(&engine->ready);
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
            free(class);
        }
    }
}


static uint32_t
pace_hash(uint32_t hash, const char *name)
{
    while (*name) {
        hash = (hash ^ (uint8_t) *name++) * 16777619u;
    }

    return (hash ^ hash >> 15) % DNS_CLASSES;
}


dns_class_t *
dns_class_get(dns_engine_t *engine, const char *name)
{
    size_t         n;
    dns_class_t  **at, *class;

    at = &engine->classes[pace_hash(engine->seed, name)];

    while ((class = *at) != NULL) {
        if (strcmp(class->name, name) == 0) {
            class->refs++;
            return class;
        }

        if (class->refs == 0 && !class->listed
            && class->turn < engine->now)
        {
            *at = class->next;
            free(class);
            continue;
        }

        at = &class->next;
    }

    n = strlen(name) + 1;
    class = calloc(1, sizeof(dns_class_t) + n);

    if (class == NULL) {
        return NULL;
    }

    memcpy(class->name, name, n);
    link_init(&class->queue);
    class->refs = 1;
    *at = class;

    return class;
}


void
dns_class_put(dns_class_t *class)
{
    class->refs--;
}


void
dns_pace_queue(dns_question_t *q, int retry)
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
        dns_wheel_put(q, q->expires);
    }

    if (!class->listed && (q->hedge || !pace_full(q->engine, class))) {
        class->listed = 1;
        pace_ready(q->engine, class);
    }
}


void
dns_pace_on_wire(dns_question_t *q)
{
    q->class->in_flight++;
    q->engine->counters.in_flight++;
}


void
dns_pace_off_wire(dns_question_t *q)
{
    dns_class_t  *class;

    class = q->class;
    class->in_flight--;
    q->engine->counters.in_flight--;

    if (!class->listed && !link_empty(&class->queue)) {
        class->listed = 1;
        pace_ready(q->engine, class);
        dns_wake(q->engine);
    }
}


/*
 * An emptied class stays in its list until it is its turn; only
 * dns_pace_run() takes classes out.
 */
void
dns_pace_unqueue(dns_question_t *q)
{
    link_remove(&q->link);
    dns_pace_alone(q);
    q->engine->counters.waiting--;
}


void
dns_pace_alone(dns_question_t *q)
{
    q->engine->n_hedges -= q->hedge;
    q->hedge = 0;
}


static void
pace_send(dns_engine_t *engine, dns_class_t *class, dns_question_t *q,
    unsigned resolver)
{
    engine->counters.hedged += q->hedge;
    dns_pace_unqueue(q);

    if (engine->conf.zone_rate > 0 && pace_limited(class)) {
        class->turn = (class->turn > engine->now ? class->turn : engine->now)
                      + 1 / engine->conf.zone_rate;
    }

    dns_resolver_use(engine, resolver);
    dns_socket_send(q, resolver);
}


void
dns_pace_run(dns_engine_t *engine)
{
    unsigned         blocked, resolver;
    dns_class_t     *class;
    dns_question_t  *q;

    blocked = 0;

    while (blocked < engine->n_ready) {
        class = (dns_class_t *) engine->ready.next;
        link_remove(&class->link);
        engine->n_ready--;

        q = (dns_question_t *) class->queue.next;

        if (link_empty(&class->queue)
            || (!q->hedge && pace_full(engine, class)))
        {
            class->listed = 0;
            continue;
        }

        if (pace_due(class) > engine->now) {
            link_add(&engine->throttled, &class->link);
            pace_set_timer(engine, pace_due(class));
            continue;
        }

        pace_ready(engine, class);
        resolver = dns_resolver_pick(q);

        if (!dns_resolver_room(q, resolver)) {
            if (engine->n_hedges == 0 && pace_all_full(engine)) {
                break;
            }

            blocked++;
            continue;
        }

        blocked = 0;
        pace_send(engine, class, q, resolver);
    }

    dns_batch_flush(engine);
}
