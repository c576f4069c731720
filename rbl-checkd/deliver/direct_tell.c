/*
 * The record of events that were tried at once (event_done): what became of
 * their attempts, and which deliveries are not over.
 */

#include "direct_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "rbl_mp.h"


#define DIRECT_AGAIN  1.0               /* s after the store could not */


static void direct_send(direct_call_t *call);


/* Is there anything that needs the body? */

static int
direct_is_well(const entry_t *e)
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
direct_pack_delivery(rbl_out_t *out, const entry_delivery_t *to)
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
direct_pack(rbl_out_t *out, const entry_t *e)
{
    unsigned  i;

    rbl_mp_put_array(out, 6);
    rbl_mp_put_str(out, e->id);
    rbl_mp_put_str(out, e->account);
    rbl_mp_put_str(out, e->event.id);
    rbl_mp_put_str(out, e->event.type);
    rbl_mp_put_str(out, direct_is_well(e) ? RBL_STR("")
                                          : payload_str(e->body));
    rbl_mp_put_array(out, e->n_deliveries);

    for (i = 0; i < e->n_deliveries; i++) {
        direct_pack_delivery(out, &e->deliveries[i]);
    }
}


/* What is over by now is recorded, and nothing that ends later. */

static void
direct_freeze(entry_t *e)
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
            a->claimed = ev_now(a->deliver->loop);
        }
    }
}


static void
direct_put_back(direct_call_t *call)
{
    direct_t  *dr = call->direct;

    dr->n_over += call->n;
    dr->n_ended += call->deliveries;

    while (!link_empty(&call->entries)) {
        link_add(&dr->over, link_shift(&call->entries));
    }

    if (!ev_is_active(&dr->tick)) {
        ev_timer_again(dr->deliver->loop, &dr->tick);
    }
}


/* The script failed: which of them is it? */

static void
direct_part(direct_call_t *call)
{
    link_t          one;
    direct_call_t  *single;

    while (!link_empty(&call->entries)) {
        link_init(&one);
        link_add(&one, link_shift(&call->entries));
        single = direct_call(call->direct, &one, 1);

        if (single == NULL) {
            link_add(&call->entries, link_shift(&one));
            direct_put_back(call);
            return;
        }

        call->n--;
        call->deliveries -= single->deliveries;
        direct_send(single);
    }
}


/* An attempt that is not over has no record then: the store says so at its
   end. */

static void
direct_failed(entry_t *e)
{
    direct_forget(e);
    entry_bury(e, "the script failed");
}


/* OK, deliveries that were left to the claims, what became of each. */

static void
direct_recorded(direct_call_t *call, int64_t later, const redisReply *reply)
{
    size_t             i;
    entry_t           *e;
    const redisReply  *r;

    if (later > 0) {
        deliver_kick(call->direct->deliver, call->part);
    }

    for (i = 2; !link_empty(&call->entries); i++) {
        e = link_of(link_shift(&call->entries), entry_t, turn);
        r = rbl_reply_at(reply, i);

        if (rbl_reply_int(r, -1) >= 0) {
            entry_end(e, 1);

        } else if (rbl_reply_str(r).n > 0) {
            entry_dead(e, rbl_reply_str(r));

        } else {
            direct_failed(e);           /* no answer for it */
        }
    }
}


static void
direct_told(void *data, const redisReply *reply)
{
    rbl_str_t               why;
    direct_call_t          *call = data;
    direct_t               *dr = call->direct;
    rbl_event_done_reply_t  said;

    rbl_event_done_reply(&said, reply);

    if (reply == NULL) {
        dr->again = ev_now(dr->deliver->loop) + DIRECT_AGAIN;
        direct_put_back(call);

    } else if (said.word == RBL_EVENT_DONE_OK) {
        direct_recorded(call, said.later, reply);

    } else if (call->n > 1) {
        direct_part(call);

    } else if (!link_empty(&call->entries)) {
        why = rbl_reply_error(reply);
        log_error("cannot record an event: %.*s", (int) why.n, why.p);
        direct_failed(link_of(link_shift(&call->entries), entry_t, turn));
    }

    direct_call_free(call);
}


static void
direct_send(direct_call_t *call)
{
    char          lease[24];
    size_t        i, n, from;
    size_t        end[DIRECT_BATCH];
    store_t      *store = call->direct->deliver->store;
    link_t       *l;
    rbl_buf_t     packed;
    rbl_key_t     key;
    rbl_str_t     all;

    struct {
        rbl_event_done_args_t  args;
        rbl_str_t              events[DIRECT_BATCH];
    } done;

    n = 0;
    rbl_buf_init(&packed);

    for (l = call->entries.next; l != &call->entries; l = l->next) {
        direct_freeze(link_of(l, entry_t, turn));
        direct_pack(&packed.out, link_of(l, entry_t, turn));
        end[n++] = rbl_buf_str(&packed).n;
    }

    if (packed.out.failed) {
        call->direct->again = ev_now(call->direct->deliver->loop)
                              + DIRECT_AGAIN;
        direct_put_back(call);
        direct_call_free(call);
        rbl_buf_free(&packed);
        return;
    }

    snprintf(lease, sizeof(lease), "%.0f",
             call->direct->deliver->lease * 1000.0);
    done.args.outbox = rbl_key(&key, store_keyspace(store), call->part,
                               "outbox", RBL_STR(""), RBL_STR(""));
    done.args.lease = rbl_str(lease);
    all = rbl_buf_str(&packed);
    from = 0;

    for (i = 0; i < n; i++) {
        done.events[i] = (rbl_str_t) { all.p + from, end[i] - from };
        from = end[i];
    }

    store_script(store, &rbl_script_event_done, direct_told, call,
                 RBL_ARGC(done.args) + (int) n, done.args.argv);
    rbl_buf_free(&packed);
}


void
direct_tell(direct_t *dr)
{
    direct_call_t  *call;

    if (ev_now(dr->deliver->loop) < dr->again) {
        return;
    }

    while ((call = direct_call(dr, &dr->over, DIRECT_BATCH)) != NULL) {
        dr->n_over -= call->n;
        dr->n_ended -= call->deliveries;
        direct_send(call);

        if (ev_now(dr->deliver->loop) < dr->again) {
            return;
        }
    }
}
