/*
 * Budgets of accounts for the queries of their own lists: in flight, over TCP
 * and per second, over all their zones.
 *
 * An account has two owners: one for its data queries, and one for the probes
 * (test points and random names), which have a fifth of the rate.  The rate is
 * kept by one time, `due`: each query moves it on by 1 / rate, and it may be as
 * far ahead of the clock as the burst is long.  A whole burst is enough for ten
 * checks with 200 lists, or for the test points of 200 lists.
 */

#include "base/xalloc.h"
#include "dns_int.h"

#include <stdlib.h>

#define OWNER_PROBES       5        /* probes get one fifth of the rate */
#define OWNER_BURST        20.0     /* s of the rate that may be sent at once */
#define OWNER_PROBE_BURST  60.0


static void
owner_set(dns_owner_t *owner, dns_engine_t *engine)
{
    owner->engine = engine;
    link_init(&owner->link);
    link_init(&owner->ready);
    link_init(&owner->tcp_link);
    link_init(&owner->tcp_ready);
}


void
dns_owner_init(dns_engine_t *engine)
{
    link_init(&engine->owners);
    link_init(&engine->resting);
    link_init(&engine->tcp_owners);
    owner_set(&engine->system, engine);
}


void
dns_owner_free(dns_engine_t *engine)
{
    unsigned      i;
    dns_owner_t  *owner, *next;

    for (i = 0; i < DNS_OWNERS; i++) {
        for (owner = engine->owner[i]; owner; owner = next) {
            next = owner->next;
            free(owner);
        }
    }
}


static size_t
owner_slot(const dns_payer_t *payer)
{
    return (size_t) (payer->account ^ payer->account >> 32) % DNS_OWNERS;
}


static int
owner_is(const dns_owner_t *owner, const dns_payer_t *payer)
{
    return owner->account == payer->account && owner->probe == payer->probe;
}


/* Owners without classes are freed when their whole burst is available
   again. */
static int
owner_idle(const dns_owner_t *owner)
{
    return owner->refs == 0 && link_empty(&owner->link)
           && owner->due <= owner->engine->now;
}


dns_owner_t *
dns_owner_get(dns_engine_t *engine, const dns_payer_t *payer)
{
    dns_owner_t  **at, *owner;

    if (payer == NULL || payer->account == 0) {
        return &engine->system;
    }

    at = &engine->owner[owner_slot(payer)];

    while ((owner = *at) != NULL) {
        if (owner_is(owner, payer)) {
            return owner;
        }

        if (owner_idle(owner)) {
            *at = owner->next;
            free(owner);
            continue;
        }

        at = &owner->next;
    }

    owner = xcalloc(1, sizeof(dns_owner_t));
    owner_set(owner, engine);
    owner->account = payer->account;
    owner->probe = payer->probe;
    *at = owner;

    return owner;
}


const dns_owner_t *
dns_owner_find(const dns_engine_t *engine, const dns_payer_t *payer)
{
    const dns_owner_t  *owner;

    if (payer->account == 0) {
        return &engine->system;
    }

    owner = engine->owner[owner_slot(payer)];

    while (owner != NULL && !owner_is(owner, payer)) {
        owner = owner->next;
    }

    return owner;
}


void
dns_owner_wake(dns_owner_t *owner)
{
    if (owner->account != 0 && owner->n_ready != 0
        && link_empty(&owner->link))
    {
        link_add(&owner->engine->owners, &owner->link);
        owner->engine->n_owners++;
    }
}


static unsigned
owner_share(unsigned all, unsigned part)
{
    return all / part ? all / part : 1;
}


int
dns_owner_room(const dns_owner_t *owner)
{
    return owner->account == 0
           || owner->in_flight < owner_share(owner->engine->conf.max_in_flight,
                                             DNS_SHARE);
}


int
dns_owner_part(const dns_engine_t *engine)
{
    return engine->own_in_flight < owner_share(engine->conf.max_in_flight,
                                               DNS_OWN_PART);
}


/* System lists leave an eighth of the slots to own lists. */
int
dns_owner_tcp_room(const dns_owner_t *owner)
{
    unsigned             max;
    const dns_engine_t  *engine;

    engine = owner->engine;
    max = engine->conf.max_tcp;

    if (engine->n_tcp >= max) {
        return 0;
    }

    if (owner->account == 0) {
        return owner->n_tcp < max - max / DNS_SHARE;
    }

    return owner->n_tcp < owner_share(max, DNS_SHARE)
           && engine->own_tcp < owner_share(max, DNS_OWN_PART);
}


static double
owner_rate(const dns_owner_t *owner)
{
    double  rate;

    rate = owner->account == 0 ? 0 : owner->engine->conf.own_rate;

    return owner->probe ? rate / OWNER_PROBES : rate;
}


double
dns_owner_due(const dns_owner_t *owner)
{
    return owner->due - (owner->probe ? OWNER_PROBE_BURST : OWNER_BURST);
}


void
dns_owner_spend(dns_owner_t *owner)
{
    double  rate;

    rate = owner_rate(owner);

    if (rate > 0) {
        owner->due = (owner->due > owner->engine->now ? owner->due
                      : owner->engine->now) + 1 / rate;
    }
}


double
dns_behind(const dns_engine_t *engine, const dns_payer_t *payer)
{
    double              behind, rate;
    const dns_owner_t  *owner;

    owner = dns_owner_find(engine, payer);
    rate = owner != NULL ? owner_rate(owner) : 0;

    if (rate <= 0) {
        return 0;
    }

    behind = dns_owner_due(owner) - clock_now()
             + (owner->queries - owner->in_flight) / rate;

    return behind > 0 ? behind : 0;
}
