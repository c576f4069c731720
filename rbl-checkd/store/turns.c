/*
 * A look begins behind the partition that was the last to take its turn, so
 * that no partition is always the last to find room.  Partitions that find none
 * do not wake the loop: an owner that has room again calls turns_run or
 * turns_by.
 */

#include "turns.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/timer.h"
#include "base/xalloc.h"


#define TURNS_READY  0.1                /* s until the store is asked again
                                           whether it is ready */
#define TURNS_MANY   64                 /* above, the interval is spread out */

struct turns_s {
    const turns_kind_t  *kind;
    void                *data;
    store_t             *store;
    double               interval;
    loop_timer_t         tick;
    ev_tstamp            at;            /* time of the tick */
    ev_tstamp            by;            /* of turns_by, during a look */
    int                  looking, stopped;
    unsigned             n;
    unsigned             first;         /* partition to begin with */
    char                *parts;
};


double
turns_interval(const turns_t *turns)
{
    return turns->kind->spread && turns->n > TURNS_MANY
           ? turns->interval * turns->n / TURNS_MANY : turns->interval;
}


unsigned
turns_parts(const turns_t *turns)
{
    return turns->n;
}


turn_t *
turns_part(const turns_t *turns, unsigned n)
{
    return (turn_t *) (void *) (turns->parts + n * turns->kind->size);
}


static void
turns_tick_at(turns_t *turns, ev_tstamp when)
{
    turns->at = when;
    timer_in(&turns->tick, when - clock_now());
}


void
turns_by(turns_t *turns, ev_tstamp when)
{
    if (turns->stopped) {
        return;
    }

    if (turns->looking) {
        turns->by = when < turns->by ? when : turns->by;

    } else if (when < turns->at) {
        turns_tick_at(turns, when);
    }
}


void
turns_done(turn_t *turn, ev_tstamp next)
{
    turn->busy = 0;
    turn->next = turn->again ? 0 : next;
    turn->again = 0;
    turns_by(turn->turns, turn->next);
}


void
turns_soon(turns_t *turns, unsigned part)
{
    turn_t  *turn;

    if (part < turns->n) {
        turn = turns_part(turns, part);
        turn->next = 0;
        turn->again = turn->busy;
    }

    turns_by(turns, 0);
}


void
turns_all_soon(turns_t *turns)
{
    unsigned  p;

    for (p = 0; p < turns->n; p++) {
        turns_soon(turns, p);
    }

    turns_by(turns, 0);
}


static int
turns_know_parts(turns_t *turns)
{
    turn_t    *turn;
    unsigned   p, n;

    n = store_keyspace(turns->store)->partitions;

    if (turns->n > 0 || n == 0) {
        return turns->n > 0;
    }

    turns->parts = xcalloc(n, turns->kind->size);
    turns->n = n;

    for (p = 0; p < n; p++) {
        turn = turns_part(turns, p);
        turn->turns = turns;
        turn->data = turns->data;
        turn->n = p;

        if (turns->kind->init != NULL) {
            turns->kind->init(turn);
        }
    }

    return 1;
}


/* The time of the next turn that is not due yet. */

static ev_tstamp
turns_take(turns_t *turns)
{
    turn_t     *turn;
    unsigned    i, p, first;
    ev_tstamp   now, next;

    now = clock_now();
    next = now + turns_interval(turns);
    first = turns->first;

    for (i = 0; i < turns->n; i++) {
        p = (first + i) % turns->n;
        turn = turns_part(turns, p);

        if (turn->busy) {
            continue;
        }

        if (turn->next > now) {
            next = turn->next < next ? turn->next : next;
            continue;
        }

        turn->busy = 1;

        if (turns->kind->take(turn)) {
            turns->first = p + 1;

        } else {
            turn->busy = 0;
        }
    }

    return next;
}


void
turns_run(turns_t *turns)
{
    ev_tstamp  next;

    if (turns->stopped || turns->looking) {
        return;
    }

    turns->looking = 1;
    turns->by = clock_now() + turns_interval(turns);

    if (turns->kind->look != NULL) {
        turns->kind->look(turns->data);
    }

    next = store_ready(turns->store) && turns_know_parts(turns)
           ? turns_take(turns) : clock_now() + TURNS_READY;
    turns->looking = 0;

    if (!turns->stopped) {
        turns_tick_at(turns, turns->by < next ? turns->by : next);
    }
}


static void
turns_tick_handler(void *data)
{
    turns_run(data);
}


turns_t *
turns_new(struct ev_loop *loop, store_t *store, const turns_kind_t *kind,
    double interval, void *data)
{
    turns_t  *turns;

    turns = xcalloc(1, sizeof(turns_t));
    turns->kind = kind;
    turns->data = data;
    turns->store = store;
    turns->interval = interval;
    timer_init(&turns->tick, loop, turns_tick_handler, turns);
    turns_tick_at(turns, clock_now());

    return turns;
}


void
turns_stop(turns_t *turns)
{
    turns->stopped = 1;
    timer_stop(&turns->tick);
}


void
turns_forget(turns_t *turns)
{
    unsigned  p;

    for (p = 0; p < turns->n; p++) {
        store_forget(turns->store, turns_part(turns, p));
    }
}


void
turns_free(turns_t *turns)
{
    turns_stop(turns);
    turns_forget(turns);
    free(turns->parts);
    free(turns);
}
