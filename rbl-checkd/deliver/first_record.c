/*
 * Records events with first attempts (event_done): outcomes of their attempts,
 * and deliveries that are not over.
 */

#include "first_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "rbl_mp.h"


#define FIRST_AGAIN   1.0               /* s after the store could not */


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

    if (e->frozen) {
        return;
    }

    e->frozen = 1;

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
    first_forget(e);
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
    done.args.outbox = rbl_key(&key, store_keyspace(store), call->part,
                               "outbox", RBL_STR(""), RBL_STR(""));
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


void
first_record(first_t *first)
{
    first_call_t  *call;

    while ((call = first_call(first, &first->over, FIRST_BATCH)) != NULL) {
        first->n_over -= call->n;
        first->n_ended -= call->deliveries;
        first_send(call);
    }
}
