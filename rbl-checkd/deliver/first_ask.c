/*
 * The receivers of the events of a partition: one call of event_targets for a
 * batch of entries, which names each receiver once.  The deliveries become
 * attempts if there is room; the rest is left to the claims.
 */

#include "base/xalloc.h"
#include "first.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "rbl_mp.h"
#include "rbl_sid.h"


#define FIRST_CALLBACKS   1024u         /* of one event */


/* Room for so many more deliveries. */

static void
first_grow(entry_t *e, size_t n)
{
    if (n > 0) {
        e->deliveries = xrealloc(e->deliveries, (e->n_deliveries + n)
                                                * sizeof(entry_delivery_t));
        memset(e->deliveries + e->n_deliveries, 0,
               n * sizeof(entry_delivery_t));
    }
}


/* NULL, or why it cannot be delivered. */

static const char *
first_callbacks(entry_t *e)
{
    size_t             i, n;
    rbl_mp_t           mp;
    rbl_sid_t          sid;
    entry_delivery_t  *to;

    rbl_mp_init(&mp, e->event.callbacks);
    n = rbl_mp_array(&mp);
    n = n < FIRST_CALLBACKS ? n : FIRST_CALLBACKS;

    first_grow(e, n);

    for (i = 0; i < n; i++) {
        to = &e->deliveries[e->n_deliveries++];

        if (rbl_mp_array(&mp) != 2) {
            return "malformed callbacks";
        }

        to->url = rbl_mp_str(&mp);
        to->app = rbl_mp_str(&mp);
        snprintf(to->target, sizeof(to->target), "CB%zu", i);

        if (mp.failed || rbl_sid_parse(&sid, RBL_SID_APP, to->app) != RBL_OK) {
            return "malformed callbacks";
        }

        to->what = xmalloc(to->app.n + to->url.n);
        memcpy(mempcpy(to->what, to->app.p, to->app.n), to->url.p, to->url.n);
    }

    return NULL;
}


void
first_add(first_t *first, entry_t *e)
{
    const char  *why;

    why = first_callbacks(e);

    if (why != NULL) {
        entry_bury(e, why);

    } else {
        link_add(&first->fresh, &e->first_link);
    }
}


/* The index of that request in the call; adds a new one. */

static size_t
first_question(first_call_t *call, rbl_str_t account, rbl_str_t what)
{
    size_t                     i;
    rbl_event_targets_each_t  *each = call->asked->each;

    for (i = 0; i < call->n_asked; i++) {
        if (rbl_str_eq(each[i].what, what)
            && rbl_str_eq(each[i].account, account))
        {
            return i;
        }
    }

    each[i].account = account;
    each[i].what = what;
    call->n_asked++;

    return i;
}


static rbl_str_t
first_what(const entry_delivery_t *to)
{
    return (rbl_str_t) { to->what, to->app.n + to->url.n };
}


/* Adds the requests of an entry. */

static void
first_questions(first_call_t *call, const entry_t *e)
{
    unsigned  i;

    if (e->event.hooks) {
        first_question(call, e->account, e->event.type);
    }

    for (i = 0; i < e->n_deliveries; i++) {
        first_question(call, e->account, first_what(&e->deliveries[i]));
    }
}


/* Queues the attempt of one delivery, or leaves it to the claims. */

static void
first_try(entry_t *e, entry_delivery_t *to,
    const rbl_event_targets_target_t *target)
{
    char                           *p, member[2 * (RBL_SID_MAX + 1) + 40];
    attempt_t                      *a;
    deliver_t                      *d = e->set->deliver;
    rbl_delivery_claim_delivery_t   row;

    if (target->sid.p == NULL || target->url.p == NULL
        || target->secret.p == NULL || target->old.p == NULL || d->stopped)
    {
        return;
    }

    /* SIDs both, that were judged */

    p = mempcpy(member, e->account.p, e->account.n);
    *p++ = ':';
    p = mempcpy(p, e->event.id.p, e->event.id.n);
    *p++ = ':';
    p = stpcpy(p, to->target);

    memset(&row, 0, sizeof(row));
    row.member = (rbl_str_t) { member, (size_t) (p - member) };
    row.type = e->event.type;
    row.to = to->app.n > 0 ? to->url : target->url;
    row.secret = target->secret;
    row.old = target->old;
    row.event = e->event.id;
    row.first = (int64_t) (ev_now(d->loop) * 1000);

    a = attempt_new(d, e->part, e->since, &row, e->body);
    if (a == NULL) {
        return;
    }

    a->entry = e;
    a->first = 1;
    to->attempt = a;
    e->n_open++;
    queue_put(d, a);
}


/* 0, or -1: malformed. */

static int
first_receivers(entry_t *e, const redisReply *targets)
{
    size_t                      i, n;
    rbl_sid_t                   sid;
    entry_delivery_t           *to;
    rbl_event_targets_target_t  target;

    n = rbl_reply_len(targets);

    if (rbl_reply_str(targets).p != NULL) {
        return -1;
    }

    first_grow(e, n);

    for (i = 0; i < n; i++) {
        rbl_event_targets_target(&target, rbl_reply_at(targets, i));

        if (rbl_sid_parse(&sid, RBL_SID_HOOK, target.sid) != RBL_OK) {
            continue;
        }

        to = &e->deliveries[e->n_deliveries++];
        rbl_copy(to->target, sizeof(to->target), target.sid);
        first_try(e, to, &target);
    }

    return 0;
}


static void
first_begin(first_call_t *call, entry_t *e, const redisReply *reply)
{
    size_t                      question;
    unsigned                    i, n;
    const redisReply           *targets;
    entry_delivery_t           *to;
    rbl_event_targets_target_t  target;

    n = e->n_deliveries;

    if (e->event.hooks) {
        question = first_question(call, e->account, e->event.type);

        if (first_receivers(e, rbl_reply_at(reply, 1 + question)) != 0) {
            entry_bury(e, "its receivers cannot be notified");
            return;
        }
    }

    for (i = 0; i < n; i++) {
        to = &e->deliveries[i];
        question = first_question(call, e->account, first_what(to));
        targets = rbl_reply_at(reply, 1 + question);
        rbl_event_targets_target(&target, rbl_reply_at(targets, 0));
        first_try(e, to, &target);
    }

    first_open(call->first, e);
}


static void
on_targets(void *data, const redisReply *reply)
{
    entry_t                   *e;
    first_call_t              *call = data;
    deliver_t                 *d = call->first->deliver;
    rbl_event_targets_reply_t  said;

    rbl_event_targets_reply(&said, reply);
    d->n_asking -= call->n;

    while (!link_empty(&call->entries)) {
        e = link_of(link_shift(&call->entries), entry_t, first_link);

        if (reply == NULL) {
            entry_end(e, 0);

        } else if (said.word != RBL_EVENT_TARGETS_OK) {
            entry_bury(e, "its receivers cannot be notified");

        } else {
            first_begin(call, e, reply);
        }
    }

    first_look(call->first);
    first_call_free(call);
    queue_run(d);
}


static void
first_ask_call(first_call_t *call)
{
    size_t         n;
    store_t       *store = call->first->deliver->store;
    const link_t  *l;
    rbl_key_t      key;

    n = 0;

    for (l = call->entries.next; l != &call->entries; l = l->next) {
        n += 1 + link_of(l, entry_t, first_link)->n_deliveries;
    }

    call->asked = xcalloc(1, sizeof(*call->asked)
                            + n * sizeof(call->asked->each[0]));
    call->asked->args.outbox = store_key(store, &key, call->part, "outbox");

    for (l = call->entries.next; l != &call->entries; l = l->next) {
        first_questions(call, link_of(l, entry_t, first_link));
    }

    call->first->deliver->n_asking += call->n;
    n = (size_t) RBL_ARGC(call->asked->args)
        + call->n_asked * (size_t) RBL_ARGC(call->asked->each[0]);
    store_script(store, &rbl_script_event_targets, on_targets, call, (int) n,
                 call->asked->args.argv);
}


void
first_ask(first_t *first)
{
    first_call_t  *call;

    while ((call = first_call(first, &first->fresh, FIRST_ASKED)) != NULL) {
        first_ask_call(call);
    }
}
