/*
 * The turns of an entry that is tried at once: its receivers are asked for, its
 * attempts wait and run, and it is recorded when all of them are over, or some
 * time after the first began: what a daemon that is killed has not recorded is
 * sent again.  Records are gathered for a moment, for a call of the store costs
 * more than what is in it.
 *
 * An entry is in one ring by its turn, or in a call.  What is recorded is
 * settled when it is first sent (`frozen`): an attempt that ends later waits
 * for the answer and then has a record of its own.
 */

#include "direct_int.h"

#include <stdlib.h>


#define DIRECT_TICK   0.02              /* s */
#define DIRECT_HOLD   0.1               /* s after the first attempt began, */
#define DIRECT_WAIT   0.5               /* or that none has */
#define DIRECT_LEASE  8                 /* and this part of the lease */


static double
direct_bound(const direct_t *dr, double wait)
{
    double  bound = dr->deliver->conf->lease / DIRECT_LEASE;

    return wait < bound ? wait : bound;
}


direct_call_t *
direct_call(direct_t *dr, link_t *from, unsigned max)
{
    size_t          octets;
    link_t         *l, *next;
    entry_t        *e;
    direct_call_t  *call;

    if (link_empty(from)) {
        return NULL;
    }

    call = calloc(1, sizeof(direct_call_t));
    if (call == NULL) {
        return NULL;
    }

    call->direct = dr;
    call->part = link_of(from->next, entry_t, turn)->part;
    link_init(&call->entries);
    link_add(&dr->calls, &call->link);

    octets = 0;

    for (l = from->next;
         l != from && call->n < max && call->deliveries < DIRECT_DELIVERIES
         && octets < DIRECT_OCTETS;
         l = next)
    {
        next = l->next;
        e = link_of(l, entry_t, turn);

        if (e->part == call->part) {
            link_remove(l);
            link_add(&call->entries, l);
            call->n++;
            call->deliveries += e->n_deliveries;
            octets += e->body != NULL ? payload_str(e->body).n : 0;
        }
    }

    return call;
}


void
direct_call_free(direct_call_t *call)
{
    link_remove(&call->link);
    free(call->asked);
    free(call);
}


void
direct_look(direct_t *dr)
{
    if (dr->n_open == 0 || dr->n_over >= DIRECT_BATCH
        || dr->n_ended >= DIRECT_DELIVERIES)
    {
        direct_tell(dr);
    }

    if (dr->n_open > 0 || dr->n_over > 0) {
        if (!ev_is_active(&dr->tick)) {
            ev_timer_again(dr->deliver->loop, &dr->tick);
        }

    } else {
        ev_timer_stop(dr->deliver->loop, &dr->tick);
    }
}


static void
direct_close(direct_t *dr, entry_t *e)
{
    link_remove(&e->turn);
    link_add(&dr->over, &e->turn);
    e->open = 0;
    dr->n_open--;
    dr->n_over++;
    dr->n_ended += e->n_deliveries;
}


static void
direct_close_late(direct_t *dr, link_t *ring, ev_tstamp now)
{
    entry_t  *e;

    while (!link_empty(ring)) {
        e = link_of(ring->next, entry_t, turn);

        if (e->until > now) {
            break;
        }

        direct_close(dr, e);
    }
}


static void
direct_tick_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    direct_t  *dr = timer->data;

    (void) revents;

    direct_close_late(dr, &dr->idle, ev_now(loop));
    direct_close_late(dr, &dr->begun, ev_now(loop));
    direct_tell(dr);
    direct_look(dr);
}


void
direct_open(direct_t *dr, entry_t *e)
{
    e->until = ev_now(dr->deliver->loop) + direct_bound(dr, DIRECT_WAIT);
    link_add(&dr->idle, &e->turn);
    e->open = 1;
    dr->n_open++;

    if (e->n_open == 0) {
        direct_close(dr, e);
    }
}


void
direct_began(attempt_t *a)
{
    entry_t   *e = a->entry;
    direct_t  *dr = a->deliver->direct;

    if (e->open && !e->begun) {
        e->until = ev_now(dr->deliver->loop) + direct_bound(dr, DIRECT_HOLD);
        link_remove(&e->turn);
        link_add(&dr->begun, &e->turn);
    }

    e->begun = 1;
}


/* One attempt less that the record waits for. */

static void
direct_less(direct_t *dr, entry_t *e)
{
    e->n_open--;

    if (e->open && e->n_open == 0) {
        direct_close(dr, e);
        direct_look(dr);
    }
}


void
direct_over(attempt_t *a)
{
    if (!a->entry->frozen) {
        queue_leave(a);
        direct_less(a->deliver->direct, a->entry);
    }
}


void
direct_dropped(attempt_t *a)
{
    unsigned   i;
    entry_t   *e = a->entry;

    for (i = 0; i < e->n_deliveries; i++) {
        if (e->deliveries[i].attempt == a) {
            e->deliveries[i].attempt = NULL;
        }
    }

    a->entry = NULL;

    if (!e->frozen) {
        direct_less(a->deliver->direct, e);
    }
}


/*
 * Attempts that were recorded with it go; one that ended since has its record
 * now, and those that still wait or run go on as if they had been claimed.
 */

void
direct_forget(entry_t *e)
{
    unsigned    i;
    attempt_t  *a;

    link_remove(&e->turn);

    for (i = 0; i < e->n_deliveries; i++) {
        free(e->deliveries[i].what);
        a = e->deliveries[i].attempt;

        if (a == NULL) {
            continue;
        }

        a->entry = NULL;

        if (a->state != ATTEMPT_OVER) {
            continue;
        }

        if (a->counted == NULL) {
            attempt_free(a);

        } else {
            attempt_record(a);
        }
    }

    free(e->deliveries);
    e->deliveries = NULL;
    e->n_deliveries = 0;
}


unsigned
direct_asking(const direct_t *dr)
{
    return dr->n_asking;
}


direct_t *
direct_new(deliver_t *d)
{
    direct_t  *dr;

    dr = calloc(1, sizeof(direct_t));
    if (dr == NULL) {
        return NULL;
    }

    dr->deliver = d;
    link_init(&dr->fresh);
    link_init(&dr->idle);
    link_init(&dr->begun);
    link_init(&dr->over);
    link_init(&dr->calls);
    ev_init(&dr->tick, direct_tick_handler);
    dr->tick.repeat = DIRECT_TICK;
    dr->tick.data = dr;

    return dr;
}


void
direct_free(direct_t *dr)
{
    direct_call_t  *call;

    ev_timer_stop(dr->deliver->loop, &dr->tick);

    while (!link_empty(&dr->calls)) {
        call = link_of(dr->calls.next, direct_call_t, link);
        store_forget(dr->deliver->store, call);
        direct_call_free(call);
    }

    free(dr);
}
