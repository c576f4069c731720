/*
 * Life of an entry with first attempts.  The store names its receivers, its
 * attempts wait and run.  The entry is recorded when all of them are over, or
 * some time after the first one began, since after a crash all attempts that
 * were not recorded are repeated.  Records wait for a moment to share a call of
 * the store, which costs more than its content.
 *
 * An entry is in one ring (first_link), or in a call.  Its record is fixed when
 * it is sent for the first time (`frozen`): an attempt that ends later waits
 * for the reply and then has a record of its own.
 */

#include "base/xalloc.h"
#include "first_int.h"

#include <stdlib.h>


#define FIRST_TICK    0.02              /* s */
#define FIRST_HOLD    0.1               /* s after the first attempt began, */
#define FIRST_WAIT    0.5               /* or that none has */
#define FIRST_LEASE   8                 /* and this part of the lease */


static double
first_bound(const first_t *first, double wait)
{
    double  bound = first->deliver->conf->lease / FIRST_LEASE;

    return wait < bound ? wait : bound;
}


first_call_t *
first_call(first_t *first, link_t *from, unsigned max)
{
    size_t         octets;
    link_t        *l, *next;
    entry_t       *e;
    first_call_t  *call;

    if (link_empty(from)) {
        return NULL;
    }

    call = xcalloc(1, sizeof(first_call_t));
    call->first = first;
    call->part = link_of(from->next, entry_t, first_link)->part;
    link_init(&call->entries);
    link_add(&first->calls, &call->link);

    octets = 0;

    for (l = from->next;
         l != from && call->n < max && call->deliveries < FIRST_DELIVERIES
         && octets < FIRST_OCTETS;
         l = next)
    {
        next = l->next;
        e = link_of(l, entry_t, first_link);

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
first_call_free(first_call_t *call)
{
    link_remove(&call->link);
    free(call->asked);
    free(call);
}


void
first_look(first_t *first)
{
    if (first->n_open == 0 || first->n_over >= FIRST_BATCH
        || first->n_ended >= FIRST_DELIVERIES)
    {
        first_record(first);
    }

    if (first->n_open > 0 || first->n_over > 0 || !link_empty(&first->kept)) {
        if (!ev_is_active(&first->tick)) {
            ev_timer_again(first->deliver->loop, &first->tick);
        }

    } else {
        ev_timer_stop(first->deliver->loop, &first->tick);
    }
}


static void
first_close(first_t *first, entry_t *e)
{
    link_remove(&e->first_link);
    link_add(&first->over, &e->first_link);
    e->open = 0;
    first->n_open--;
    first->n_over++;
    first->n_ended += e->n_deliveries;
}


static void
first_close_late(first_t *first, link_t *ring, ev_tstamp now)
{
    entry_t  *e;

    while (!link_empty(ring)) {
        e = link_of(ring->next, entry_t, first_link);

        if (e->until > now) {
            break;
        }

        first_close(first, e);
    }
}


static void
first_take_kept(first_t *first)
{
    link_t  *l;

    while (!link_empty(&first->kept)) {
        l = link_shift(&first->kept);
        link_add(&first->over, l);
        first->n_over++;
        first->n_ended += link_of(l, entry_t, first_link)->n_deliveries;
    }
}


static void
first_tick_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    first_t  *first = timer->data;

    (void) loop;
    (void) revents;

    first_close_late(first, &first->idle, clock_now());
    first_close_late(first, &first->begun, clock_now());

    if (clock_now() >= first->again) {
        first_take_kept(first);
    }

    first_record(first);
    first_look(first);
}


void
first_open(first_t *first, entry_t *e)
{
    e->until = clock_now() + first_bound(first, FIRST_WAIT);
    link_add(&first->idle, &e->first_link);
    e->open = 1;
    first->n_open++;

    if (e->n_open == 0) {
        first_close(first, e);
    }
}


void
first_began(attempt_t *a)
{
    entry_t  *e = a->entry;
    first_t  *first = a->deliver->first;

    if (e->open && !e->begun) {
        e->until = clock_now()
                   + first_bound(first, FIRST_HOLD);
        link_remove(&e->first_link);
        link_add(&first->begun, &e->first_link);
    }

    e->begun = 1;
}


/* The record waits for one attempt less. */

static void
first_less(first_t *first, entry_t *e)
{
    e->n_open--;

    if (e->open && e->n_open == 0) {
        first_close(first, e);
        first_look(first);
    }
}


void
first_over(attempt_t *a)
{
    if (!a->entry->frozen) {
        queue_leave(a);
        first_less(a->deliver->first, a->entry);
    }
}


void
first_dropped(attempt_t *a)
{
    unsigned  i;
    entry_t  *e = a->entry;

    for (i = 0; i < e->n_deliveries; i++) {
        if (e->deliveries[i].attempt == a) {
            e->deliveries[i].attempt = NULL;
        }
    }

    a->entry = NULL;

    if (!e->frozen) {
        first_less(a->deliver->first, e);
    }
}


/*
 * Frees the attempts that were recorded with the entry.  Records those that
 * ended since.  Those that wait or run continue as claimed deliveries.
 */

void
first_forget(entry_t *e)
{
    unsigned    i;
    attempt_t  *a;

    link_remove(&e->first_link);

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
first_asking(const first_t *first)
{
    return first->n_asking;
}


first_t *
first_new(deliver_t *d)
{
    first_t  *first;

    first = xcalloc(1, sizeof(first_t));
    first->deliver = d;
    link_init(&first->fresh);
    link_init(&first->idle);
    link_init(&first->begun);
    link_init(&first->over);
    link_init(&first->kept);
    link_init(&first->calls);
    ev_init(&first->tick, first_tick_handler);
    first->tick.repeat = FIRST_TICK;
    first->tick.data = first;

    return first;
}


void
first_free(first_t *first)
{
    first_call_t  *call;

    ev_timer_stop(first->deliver->loop, &first->tick);

    while (!link_empty(&first->calls)) {
        call = link_of(first->calls.next, first_call_t, link);
        store_forget(first->deliver->store, call);
        first_call_free(call);
    }

    free(first);
}
