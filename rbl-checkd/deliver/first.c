/*
 * Life of an entry with first attempts.  The store names its receivers, its
 * attempts wait and run.  The entry is recorded when all of them are over, or
 * some time after the first one began, since after a crash all attempts that
 * were not recorded are repeated.  Records wait for a moment to share a call of
 * the store, which costs more than its content.
 *
 * An entry is in one ring (first_link), or in a call.  Its record is fixed when
 * it is sent for the first time (`recorded`): an attempt that ends later waits
 * for the reply and then has a record of its own.
 */

#include "base/xalloc.h"
#include "first.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "rbl_mp.h"


#define FIRST_TICK    0.02              /* s */
#define FIRST_HOLD    0.1               /* s after the first attempt began, */
#define FIRST_WAIT    0.5               /* or that none has */
#define FIRST_LEASE   8                 /* and this part of the lease */
#define FIRST_AGAIN   1.0               /* s after the store could not */


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


static void first_send(first_call_t *call);


/* All deliveries succeeded, so nothing needs the body. */

static int
first_is_well(const entry_t *e)
{
    unsigned                 i;
    const entry_delivery_t  *to;

    for (i = 0; i < e->n_deliveries; i++) {
        to = &e->deliveries[i];

        if (!to->told || strcmp(to->attempt->outcome, "ok") != 0) {
            return 0;
        }
    }

    return 1;
}


static void
first_pack_delivery(rbl_out_t *out, const entry_delivery_t *to)
{
    const attempt_t  *a = to->attempt;

    rbl_mp_put_array(out, to->told ? 9 : 5);
    rbl_mp_put_z(out, to->target);
    rbl_mp_put_z(out, to->told ? a->outcome : a != NULL ? "now" : "later");
    rbl_mp_put_str(out, to->told ? rbl_buf_str(&a->log) : RBL_STR(""));
    rbl_mp_put_str(out, to->url);
    rbl_mp_put_str(out, to->app);

    if (to->told) {
        rbl_mp_put_int(out, a->delay);
        rbl_mp_put_int(out, a->status);
        rbl_mp_put_z(out, a->error);
        rbl_mp_put_int(out, a->quiet);
    }
}


static void
first_pack(rbl_out_t *out, const entry_t *e)
{
    unsigned  i;

    rbl_mp_put_array(out, 6);
    rbl_mp_put_str(out, e->id);
    rbl_mp_put_str(out, e->account);
    rbl_mp_put_str(out, e->event.id);
    rbl_mp_put_str(out, e->event.type);
    rbl_mp_put_str(out, first_is_well(e) ? RBL_STR("")
                                         : payload_str(e->body));
    rbl_mp_put_array(out, e->n_deliveries);

    for (i = 0; i < e->n_deliveries; i++) {
        first_pack_delivery(out, &e->deliveries[i]);
    }
}


/* The record has the attempts that are over now, and no later ones. */

static void
first_freeze(entry_t *e)
{
    unsigned    i;
    attempt_t  *a;

    if (e->recorded) {
        return;
    }

    e->recorded = 1;

    for (i = 0; i < e->n_deliveries; i++) {
        a = e->deliveries[i].attempt;

        if (a != NULL) {
            e->deliveries[i].told = a->state == ATTEMPT_OVER;
            a->claimed = clock_now();
        }
    }
}


static void
first_put_back(first_call_t *call)
{
    first_t  *first = call->first;

    if (link_empty(&first->kept)) {
        first->again = clock_now() + FIRST_AGAIN;
    }

    while (!link_empty(&call->entries)) {
        link_add(&first->kept, link_shift(&call->entries));
    }

    if (!ev_is_active(&first->tick)) {
        ev_timer_again(first->deliver->loop, &first->tick);
    }
}


/* The script failed: sends each entry alone, to find the one at fault. */

static void
first_part(first_call_t *call)
{
    link_t         one;
    first_call_t  *single;

    while (!link_empty(&call->entries)) {
        link_init(&one);
        link_add(&one, link_shift(&call->entries));
        single = first_call(call->first, &one, 1);

        if (single == NULL) {
            link_add(&call->entries, link_shift(&one));
            first_put_back(call);
            return;
        }

        call->n--;
        call->deliveries -= single->deliveries;
        first_send(single);
    }
}


/* An unfinished attempt has no record then; delivery_done reports this at its
   end. */

static void
first_failed(entry_t *e)
{
    entry_forget(e);
    entry_bury(e, "the script failed");
}


/* Reply: OK, number of deliveries left to the claims, one result an entry. */

static void
first_end_all(first_call_t *call, int64_t later, const redisReply *reply)
{
    size_t             i;
    entry_t           *e;
    const redisReply  *r;

    if (later > 0) {
        turns_soon(call->first->deliver->claims, call->part);
    }

    for (i = 2; !link_empty(&call->entries); i++) {
        e = link_of(link_shift(&call->entries), entry_t, first_link);
        r = rbl_reply_at(reply, i);

        if (rbl_reply_int(r, -1) >= 0) {
            entry_end(e, 1);

        } else if (rbl_reply_str(r).n > 0) {
            entry_dead(e, rbl_reply_str(r));

        } else {
            first_failed(e);            /* no reply for it */
        }
    }
}


static void
on_record(void *data, const redisReply *reply)
{
    rbl_str_t               why;
    first_call_t           *call = data;
    rbl_event_done_reply_t  said;

    rbl_event_done_reply(&said, reply);

    if (reply == NULL) {
        first_put_back(call);

    } else if (said.word == RBL_EVENT_DONE_OK) {
        first_end_all(call, said.later, reply);

    } else if (call->n > 1) {
        first_part(call);

    } else if (!link_empty(&call->entries)) {
        why = rbl_reply_error(reply);
        log_error("cannot record an event: %.*s", (int) why.n, why.p);
        first_failed(link_of(link_shift(&call->entries), entry_t, first_link));
    }

    first_call_free(call);
}


static void
first_send(first_call_t *call)
{
    char       lease[24];
    size_t     i, n, from;
    size_t     end[FIRST_BATCH];
    store_t   *store = call->first->deliver->store;
    link_t    *l;
    rbl_buf_t  packed;
    rbl_key_t  key;
    rbl_str_t  all;

    struct {
        rbl_event_done_args_t  args;
        rbl_str_t              events[FIRST_BATCH];
    } done;

    n = 0;
    rbl_buf_init(&packed);

    for (l = call->entries.next; l != &call->entries; l = l->next) {
        first_freeze(link_of(l, entry_t, first_link));
        first_pack(&packed.out, link_of(l, entry_t, first_link));
        end[n++] = rbl_buf_str(&packed).n;
    }

    snprintf(lease, sizeof(lease), "%.0f",
             call->first->deliver->lease * 1000.0);
    done.args.outbox = store_key(store, &key, call->part, "outbox");
    done.args.lease = rbl_str(lease);
    all = rbl_buf_str(&packed);
    from = 0;

    for (i = 0; i < n; i++) {
        done.events[i] = (rbl_str_t) { all.p + from, end[i] - from };
        from = end[i];
    }

    store_script(store, &rbl_script_event_done, on_record, call,
                 RBL_ARGC(done.args) + (int) n, done.args.argv);
    rbl_buf_free(&packed);
}


/* Sends all records. */

static void
first_record(first_t *first)
{
    first_call_t  *call;

    while ((call = first_call(first, &first->over, FIRST_BATCH)) != NULL) {
        first->n_over -= call->n;
        first->n_ended -= call->deliveries;
        first_send(call);
    }
}


static double
first_bound(const first_t *first, double wait)
{
    double  bound = first->deliver->conf->lease / FIRST_LEASE;

    return wait < bound ? wait : bound;
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


static void
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


static void
first_over(attempt_t *a)
{
    if (!a->entry->recorded) {
        queue_leave(a);
        first_less(a->deliver->first, a->entry);
    }
}


static void
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

    if (!e->recorded) {
        first_less(a->deliver->first, e);
    }
}


first_t *
first_new(deliver_t *d)
{
    first_t  *first;

    first = xcalloc(1, sizeof(first_t));
    first->deliver = d;
    d->first_began = first_began;
    d->first_over = first_over;
    d->first_dropped = first_dropped;
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
