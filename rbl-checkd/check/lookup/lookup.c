/*
 * Look-ups: the interface, the cache, call backs that are due.
 */

#include "base/xalloc.h"
#include "lookup_int.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>


void
lookup_reply(lookup_q_t *q, const lookup_answer_t *reply)
{
    void            *data;
    lookup_done_pt   done;

    done = q->done;
    data = q->data;
    free(q->kept);
    free(q);
    done(data, reply);
}


void
lookup_due(lookup_q_t *q, rbl_lookup_err_t error)
{
    lookup_t  *lookup;

    lookup = q->lookup;
    q->ask = NULL;
    q->error = error;
    link_add(&lookup->due, &q->link);

    if (!ev_is_active(&lookup->timer)) {
        ev_timer_set(&lookup->timer, 0., 0.);
        ev_timer_start(lookup->loop, &lookup->timer);
    }
}


static void
lookup_reply_due(lookup_q_t *q)
{
    lookup_t        *lookup;
    lookup_answer_t  reply;

    lookup = q->lookup;
    memset(&reply, 0, sizeof(reply));
    reply.error = q->error;
    reply.at = clock_now();

    if (q->kept != NULL) {
        cache_unpack(&lookup->scratch, q->kept, reply.at);
        reply.at = q->kept->at;
        reply.answer = &lookup->scratch;
        reply.kept = 1;
    }

    lookup_reply(q, &reply);
}


/* Only those that are due now: requests of their call backs are due the next
   time. */
static void
lookup_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    lookup_t  *lookup;
    link_t     now;

    (void) loop;
    (void) events;

    lookup = timer->data;
    link_init(&now);
    link_move(&now, &lookup->due);

    while (!link_empty(&now)) {
        lookup_reply_due((lookup_q_t *) link_shift(&now));
    }
}


lookup_t *
lookup_new(struct ev_loop *loop, dns_engine_t *dns, quota_t *quota,
    size_t octets)
{
    lookup_t  *lookup;

    lookup = xcalloc(1, sizeof(lookup_t));
    lookup->loop = loop;
    lookup->dns = dns;
    lookup->quota = quota;
    link_init(&lookup->due);
    ev_init(&lookup->timer, lookup_timer);
    lookup->timer.data = lookup;

    if (octets != 0) {
        lookup->cache = cache_new(octets);
    }

    if ((octets != 0 && lookup->cache == NULL)
        || getrandom(&lookup->seed, sizeof(lookup->seed), 0)
           != (ssize_t) sizeof(lookup->seed))
    {
        lookup_free(lookup);
        return NULL;
    }

    return lookup;
}


static void
lookup_drop_all(link_t *list)
{
    lookup_q_t  *q;

    while (!link_empty(list)) {
        q = (lookup_q_t *) link_shift(list);
        free(q->kept);
        free(q);
    }
}


void
lookup_free(lookup_t *lookup)
{
    unsigned   i;

    if (lookup == NULL) {
        return;
    }

    for (i = 0; i < LOOKUP_SLOTS; i++) {
        while (lookup->slot[i] != NULL) {
            lookup_drop_all(&lookup->slot[i]->waiting);
            ask_drop(lookup->slot[i]);
        }
    }

    lookup_drop_all(&lookup->due);
    ev_timer_stop(lookup->loop, &lookup->timer);
    cache_free(lookup->cache);
    free(lookup);
}


/* 1: the response is known, and the call back is due. */
static int
lookup_kept(lookup_q_t *q, const char *name, uint16_t type)
{
    size_t               n;
    lookup_t            *lookup;
    const cache_kept_t  *kept;

    lookup = q->lookup;

    if (lookup->cache == NULL) {
        return 0;
    }

    kept = cache_find(lookup->cache, name, type, clock_now());

    if (kept == NULL) {
        return 0;
    }

    n = cache_kept_size(kept);
    q->kept = xmalloc(n);
    memcpy(q->kept, kept, n);
    lookup->counters.hits++;
    lookup_due(q, RBL_ERR_NONE);

    return 1;
}


lookup_q_t *
lookup_ask(lookup_t *lookup, const list_t *list, const char *name,
    uint16_t type, double patience, int fresh, lookup_done_pt done, void *data)
{
    ask_t      **at;
    lookup_q_t  *q;

    if (!dns_name_ok(name)) {
        return NULL;
    }

    q = xcalloc(1, sizeof(lookup_q_t));
    q->lookup = lookup;
    q->done = done;
    q->data = data;
    q->until = clock_now() + patience;

    if (!fresh && lookup_kept(q, name, type)) {
        return q;
    }

    at = ask_place(lookup, name, type, list->account);

    if (*at != NULL) {
        q->ask = *at;
        link_add(&(*at)->waiting, &q->link);
        lookup->counters.joined++;

    } else if (ask_begin(at, q, list, name, type) != 0) {
        free(q);
        return NULL;
    }

    return q;
}


void
lookup_cancel(lookup_q_t *q)
{
    ask_t  *ask;

    ask = q->ask;
    link_remove(&q->link);
    free(q->kept);
    free(q);

    if (ask != NULL && link_empty(&ask->waiting)) {
        ask_drop(ask);
    }
}


int
lookup_sent(const lookup_q_t *q)
{
    return q->ask == NULL
           || (q->ask->query != NULL && dns_sent(q->ask->query));
}


void
lookup_list_counters(lookup_t *lookup, counters_t *list_counters)
{
    lookup->list_counters = list_counters;
}


const lookup_counters_t *
lookup_counters(lookup_t *lookup)
{
    if (lookup->cache != NULL) {
        lookup->counters.entries = cache_entries(lookup->cache);
        lookup->counters.octets = cache_octets(lookup->cache);
    }

    return &lookup->counters;
}
