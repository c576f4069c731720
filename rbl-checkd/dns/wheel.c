/*
 * Deadlines.  The wheel has a slot for each tick of the near future.  A
 * query is in the slot of its deadline, or in the last one if the deadline
 * is later; from there it is added again.  Adding and removing take constant
 * time.  One timer runs for the next slot that is not empty.  It is not moved
 * when that slot becomes empty: it then expires without effect.
 *
 * The wheel owns nothing.
 */

#include "dns_int.h"

/* Least time of the timer, since the clocks differ. */
#define WHEEL_LEAST  0.0005

#define WHEEL_QUERY(l)  link_of(l, dns_query_t, timer)


static void
wheel_set(dns_engine_t *engine, uint64_t tick)
{
    double  wait;

    engine->tick_set = tick;
    wait = (double) tick * DNS_TICK - engine->now;
    wait = wait > WHEEL_LEAST ? wait : WHEEL_LEAST;

    timer_in(&engine->ticker, wait);
}


/* Sets the timer for the next slot that is not empty. */
static void
wheel_next(dns_engine_t *engine)
{
    uint64_t  tick;

    for (tick = engine->tick + 1; tick < engine->tick + DNS_WHEEL; tick++) {
        if (!link_empty(&engine->wheel[tick % DNS_WHEEL])) {
            wheel_set(engine, tick);
            return;
        }
    }
}


static void
wheel_turn(void *data)
{
    link_t           slot;
    uint64_t         until;
    dns_engine_t    *engine;
    dns_query_t     *q;

    engine = data;
    engine->now = clock_now();
    until = (uint64_t) (engine->now / DNS_TICK);

    if (until >= engine->tick + DNS_WHEEL) {
        engine->tick = until - DNS_WHEEL;
    }

    link_init(&slot);
    engine->turning = 1;

    while (engine->tick < until) {
        engine->tick++;
        link_move(&slot, &engine->wheel[engine->tick % DNS_WHEEL]);

        while (!link_empty(&slot)) {
            q = WHEEL_QUERY(link_shift(&slot));

            if (q->due > engine->now) {
                dns_wheel_put(q, q->due);
            } else {
                engine->due(q);
            }
        }
    }

    engine->turning = 0;
    wheel_next(engine);
}


void
dns_wheel_init(dns_engine_t *engine, void (*due)(dns_query_t *q))
{
    unsigned  i;

    engine->due = due;

    for (i = 0; i < DNS_WHEEL; i++) {
        link_init(&engine->wheel[i]);
    }

    /* Runs after input is read: a process that was stopped finds its responses
       first. */
    timer_init(&engine->ticker, engine->loop, wheel_turn, engine);
    ev_set_priority(&engine->ticker.ev, EV_MINPRI);
}


void
dns_wheel_put(dns_query_t *q, double at)
{
    int            running;
    uint64_t       tick;
    dns_engine_t  *engine;

    engine = q->engine;
    q->due = at;

    running = timer_is_set(&engine->ticker) || engine->turning;

    /* Without a timer the wheel is empty, and its tick is out of date. */
    if (!running) {
        engine->tick = (uint64_t) (engine->now / DNS_TICK);
    }

    /* Neither the current slot nor an earlier one. */
    tick = (uint64_t) (at / DNS_TICK) + 1;
    tick = tick > engine->tick ? tick : engine->tick + 1;
    tick = tick < engine->tick + DNS_WHEEL ? tick
                                           : engine->tick + DNS_WHEEL - 1;

    link_remove(&q->timer);
    link_add(&engine->wheel[tick % DNS_WHEEL], &q->timer);

    if (!running || (!engine->turning && tick < engine->tick_set)) {
        wheel_set(engine, tick);
    }
}
