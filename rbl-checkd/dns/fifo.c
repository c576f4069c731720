/*
 * Deadlines.  All questions that wait for the same length of time stand in
 * one list in the order of their deadlines, with one timer for the first of
 * them: joining and leaving cost nothing, whatever their number.  A timer is
 * not moved when the first leaves; it then fires early and is set again.
 *
 * A question leaves a FIFO by link_remove(); the lists own nothing.
 */

#include "dns_int.h"

/* A timer is never set for less: the clocks are not the same. */
#define FIFO_LEAST  0.0005


static void
fifo_set(dns_fifo_t *fifo, double now)
{
    double           wait;
    dns_question_t  *q;

    q = (dns_question_t *) fifo->list.next;
    wait = q->deadline - now;

    ev_timer_set(&fifo->timer, wait > FIFO_LEAST ? wait : FIFO_LEAST, 0.);
    ev_timer_start(fifo->engine->loop, &fifo->timer);
}


static void
fifo_expired(dns_question_t *q)
{
    dns_engine_t  *engine;

    engine = q->engine;
    link_remove(&q->link);

    switch (q->state) {

    case DNS_ON_WIRE:
        dns_socket_forget(q);
        dns_resolver_lost(engine, q->resolver, 0);
        engine->counters.timeouts++;
        dns_try_lost(q, DNS_TIMEOUT);
        break;

    case DNS_PAUSED:
        dns_pace_queue(q, 1);
        break;

    default:
        dns_finish_later(q, DNS_TRUNCATED);
    }
}


static void
fifo_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    dns_fifo_t      *fifo;
    dns_engine_t    *engine;
    dns_question_t  *q;

    (void) loop;
    (void) events;

    fifo = timer->data;
    engine = fifo->engine;
    engine->now = dns_clock();

    while (!link_empty(&fifo->list)) {
        q = (dns_question_t *) fifo->list.next;

        if (q->deadline > engine->now) {
            fifo_set(fifo, engine->now);
            return;
        }

        fifo_expired(q);
    }
}


void
dns_fifo_init(dns_engine_t *engine)
{
    unsigned     i;
    double       period;
    dns_fifo_t  *fifo;

    period = engine->conf.timeout;

    for (i = 0; i < DNS_FIFOS; i++) {
        fifo = &engine->fifo[i];
        fifo->engine = engine;
        fifo->period = period;
        period *= 1.5;
        link_init(&fifo->list);
        ev_init(&fifo->timer, fifo_timer);
        fifo->timer.data = fifo;
    }

    engine->fifo[DNS_FIFO_PAUSE].period = DNS_PAUSE;
    engine->fifo[DNS_FIFO_TCP].period = 2 * engine->conf.timeout;
}


void
dns_fifo_stop(dns_engine_t *engine)
{
    unsigned  i;

    for (i = 0; i < DNS_FIFOS; i++) {
        ev_timer_stop(engine->loop, &engine->fifo[i].timer);
    }
}


void
dns_fifo_put(dns_engine_t *engine, unsigned n, dns_question_t *q)
{
    dns_fifo_t  *fifo;

    fifo = &engine->fifo[n];
    q->deadline = engine->now + fifo->period;
    link_add(&fifo->list, &q->link);

    if (!ev_is_active(&fifo->timer)) {
        fifo_set(fifo, engine->now);
    }
}
