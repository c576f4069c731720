/*
 * The choice of the server for a query.
 *
 * Resolvers: the first healthy one in the configured order; a retry goes to the
 * next.  If none is healthy, all are used.
 *
 * Servers of a zone: a distrusted server is used only if no trusted one is
 * left.  Among the others, a server that is up goes before one that is down,
 * then one that was neither lame nor late before a late one before a lame one,
 * then one with room.  Among equals the choice is random between those that are
 * nearly as quick as the quickest, but one query in SET_EXPLORE goes to any of
 * them, so that the response times of the others stay up to date.  A retry goes
 * to another server if there is one.
 */

#include "base/xalloc.h"
#include "dns_int.h"

#include <stdlib.h>
#include <string.h>

#define SET_EXPLORE  16
#define SET_NEAR     0.005          /* s, plus half of the quickest server's
                                       time */


unsigned
dns_name_labels(const dns_name_t *name)
{
    unsigned  at, labels;

    labels = 0;

    for (at = 0; at < name->len; at += name->wire[at] + 1u) {
        labels++;
    }

    return labels;
}


dns_set_t *
dns_set_new(dns_engine_t *engine, uint64_t account,
    const struct sockaddr_storage *sa, unsigned n, const dns_name_t *apex)
{
    unsigned       i;
    dns_set_t     *set;
    dns_server_t  *r;

    set = xcalloc(1, sizeof(dns_set_t));
    set->refs = 1;
    set->recursive = apex == NULL;

    if (apex != NULL) {
        set->apex = *apex;
        set->labels = dns_name_labels(apex);
    }

    for (i = 0; i < n && set->n < DNS_MAX_SERVERS; i++) {
        r = dns_server_get(engine, account, &sa[i], set);

        /* Resolvers keep their numbers, even if one is configured twice. */
        if (!set->recursive && dns_set_at(set, r) < set->n) {
            dns_server_put(r);
            continue;
        }

        set->server[set->n++] = r;
    }

    return set;
}


dns_set_t *
dns_set_ref(dns_set_t *set)
{
    set->refs++;
    return set;
}


void
dns_set_put(dns_set_t *set)
{
    if (set == NULL || --set->refs) {
        return;
    }

    while (set->n) {
        dns_server_put(set->server[--set->n]);
    }

    free(set);
}


unsigned
dns_set_at(const dns_set_t *set, const dns_server_t *r)
{
    unsigned  i;

    for (i = 0; i < set->n && set->server[i] != r; i++) { /* void */ }

    return i;
}


unsigned
dns_set_at_id(const dns_set_t *set, uint32_t id)
{
    unsigned  i;

    for (i = 0; i < set->n && set->server[i]->id != id; i++) { /* void */ }

    return i;
}


int
dns_set_room(const dns_query_t *q, unsigned n)
{
    unsigned             i;
    const dns_engine_t  *engine;
    const dns_server_t  *r;

    engine = q->engine;
    r = q->set->server[n];

    if (r->in_flight < engine->conf.max_in_flight) {
        return 1;
    }

    /* A query already in flight there counts only once. */
    for (i = 0; i < engine->conf.tries && q->hedge; i++) {
        if (q->flight[i].counted && q->flight[i].socket->server == r) {
            return 1;
        }
    }

    return 0;
}


static unsigned
set_all(const dns_set_t *set)
{
    return (1u << set->n) - 1;
}


int
dns_set_trusted(const dns_set_t *set)
{
    return (set_all(set) & ~set->distrusted) != 0;
}


/* Servers that may be queried at all, as bits. */
static unsigned
set_mask(const dns_query_t *q)
{
    if (q->fixed) {
        return 1u << q->at;
    }

    return dns_set_trusted(q->set) ? set_all(q->set) & ~q->set->distrusted
                                   : set_all(q->set);
}


int
dns_set_all(const dns_query_t *q, unsigned mask)
{
    return (set_mask(q) & ~mask) == 0;
}


static int
set_usable(const dns_query_t *q, unsigned n)
{
    const dns_server_t  *r;

    r = q->set->server[n];
    return !dns_server_down(r) || q->engine->now >= r->down_until;
}


static unsigned
set_pick_resolver(const dns_query_t *q)
{
    unsigned  i, k, n, start, avoid, second;

    n = q->set->n;
    start = q->sends == 0 ? 0 : (q->at + !q->stay) % n;
    avoid = q->refused | q->unable;
    second = n;

    for (i = 0; i < n; i++) {
        k = (start + i) % n;

        if (avoid & 1u << k) {
            continue;
        }

        if (set_usable(q, k)) {
            return k;
        }

        second = second == n ? k : second;
    }

    return second == n ? start : second;
}


/* Less is better. */
static unsigned
set_rank(const dns_query_t *q, unsigned n)
{
    double    left;
    unsigned  rank, bit;

    bit = 1u << n;
    left = q->set->lame[n] - q->engine->now;
    rank = (q->refused | q->unable) & bit ? 32 : 0;
    rank += q->sends && q->at == n ? 16 : 0;
    rank += set_usable(q, n) ? 0 : 8;
    rank += left > DNS_LATE ? 6 : left > 0 ? 4 : 0;
    rank += dns_set_room(q, n) ? 0 : 1;

    return rank;
}


/* Servers of the mask that are nearly as quick as the quickest. */
static unsigned
set_quick(const dns_query_t *q, unsigned mask)
{
    double    least;
    unsigned  i, quick;

    least = 1e9;

    for (i = 0; i < q->set->n; i++) {
        if (mask & 1u << i && q->set->server[i]->rtt.srtt < least) {
            least = q->set->server[i]->rtt.srtt;
        }
    }

    quick = 0;

    for (i = 0; i < q->set->n; i++) {
        if (mask & 1u << i
            && q->set->server[i]->rtt.srtt <= least * 1.5 + SET_NEAR)
        {
            quick |= 1u << i;
        }
    }

    return quick;
}


/* A random server of the mask, which is not empty. */
static unsigned
set_any(unsigned mask, unsigned chance)
{
    unsigned  i, n;

    n = chance % (unsigned) __builtin_popcount(mask);

    for (i = 0; /* void */ ; i++) {
        if (mask & 1u << i && n-- == 0) {
            return i;
        }
    }
}


static unsigned
set_pick_server(const dns_query_t *q)
{
    uint16_t  chance;
    unsigned  i, mask, rank, least, equals;

    mask = set_mask(q);
    least = UINT32_MAX;
    equals = 0;

    for (i = 0; i < q->set->n; i++) {
        if (!(mask & 1u << i)) {
            continue;
        }

        rank = set_rank(q, i);

        if (rank < least) {
            least = rank;
            equals = 0;
        }

        equals |= rank == least ? 1u << i : 0;
    }

    if (dns_random(q->engine, &chance) != 0) {
        return set_any(equals, 0);
    }

    if (chance % SET_EXPLORE != 0) {
        equals = set_quick(q, equals);
    }

    return set_any(equals, chance / SET_EXPLORE);
}


unsigned
dns_set_pick(const dns_query_t *q)
{
    if (q->fixed || q->set->n == 1 || (q->stay && !q->set->recursive)) {
        return q->at;
    }

    return q->set->recursive ? set_pick_resolver(q) : set_pick_server(q);
}
