/*
 * Timers of the event loop that call a function with its owner's data.  A timer
 * that is zeroed and was never set up may be stopped, too.
 */

#ifndef TIMER_H_INCLUDED
#define TIMER_H_INCLUDED

#include <ev.h>

/* May set the timer again, stop it, and free its owner. */
typedef void (*timer_run_pt)(void *data);

typedef struct {
    ev_timer         ev;                /* first */
    struct ev_loop  *loop;
    timer_run_pt     run;
} loop_timer_t;


static inline void
timer_fire(struct ev_loop *on, ev_timer *ev, int revents)
{
    (void) on;
    (void) revents;

    ((loop_timer_t *) (void *) ev)->run(ev->data);
}


static inline void
timer_init(loop_timer_t *timer, struct ev_loop *on, timer_run_pt then,
    void *data)
{
    ev_init(&timer->ev, timer_fire);
    timer->ev.data = data;
    timer->loop = on;
    timer->run = then;
}


static inline void
timer_stop(loop_timer_t *timer)
{
    if (timer->loop != NULL) {
        ev_timer_stop(timer->loop, &timer->ev);
    }
}


/* Calls after `wait` seconds, at least 0, and then every `interval` seconds;
   replaces what was set before. */

static inline void
timer_every(loop_timer_t *timer, double wait, double interval)
{
    timer_stop(timer);
    ev_timer_set(&timer->ev, wait > 0 ? wait : 0, interval);
    ev_timer_start(timer->loop, &timer->ev);
}


static inline void
timer_in(loop_timer_t *timer, double wait)
{
    timer_every(timer, wait, 0);
}


/* 1: its call is to come, perhaps in this turn of the loop. */

static inline int
timer_is_set(const loop_timer_t *timer)
{
    return ev_is_active(&timer->ev) || ev_is_pending(&timer->ev);
}


/* Leaves a timer alone that is set already. */

static inline void
timer_arm(loop_timer_t *timer, double wait)
{
    if (!timer_is_set(timer)) {
        timer_in(timer, wait);
    }
}


/* Leaves a timer alone that calls sooner. */

static inline void
timer_by(loop_timer_t *timer, double wait)
{
    if (!ev_is_active(&timer->ev)
        || ev_timer_remaining(timer->loop, &timer->ev) > wait)
    {
        timer_in(timer, wait);
    }
}

#endif /* TIMER_H_INCLUDED */
