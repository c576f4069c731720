/*
 * Finds the servers of a zone.  The resolvers are queried for the SOA of its
 * name, which names the apex of the zone, then for the NS records of the apex,
 * then for the addresses of each name server.
 *
 * If a name is an alias, the engine continues with the name above it.
 *
 * Many zones work although their own servers do not answer for their SOA or NS
 * records, or do not know their own addresses.  If anything is missing, the
 * engine does as a resolver does: it finds the next zone above that answers
 * properly, and follows the referrals of that zone's servers, with their glue
 * (hosts.c), down to the zone.
 *
 * Names, addresses, steps and time are bounded.
 */

#include "find.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define FIND_TIME   10.0            /* s, for the resolvers' answers, and once
                                       more for the zones above */
#define FIND_STEPS  8               /* names upwards */
#define FIND_ABOVE  4               /* name servers of a zone above */
#define FIND_LEAST  3               /* least labels of a zone, with the
                                       root's */

struct dns_find_s {
    dns_engine_t    *engine;
    dns_zone_t      *zone;
    uint64_t         account;
    dns_query_t     *q;             /* query for SOA or NS */
    ev_timer         timer;
    unsigned         steps;
    unsigned         levels;        /* referrals followed */
    dns_status_t     failure;       /* of the resolvers, before any zone above
                                       was looked at; NOERROR: none */
    unsigned         known:1;       /* `apex` is set */
    unsigned         above:1;       /* looks at the zones above */
    unsigned         doubted:1;     /* the resolvers contradict a referral */
    unsigned         plain:1;       /* nothing above: they are believed */
    dns_name_t       name;          /* the current name */
    dns_name_t       apex;
    dns_set_t       *set;           /* servers that are queried for a
                                       referral */
    dns_hosts_t      hosts;
};


void
dns_find_free(dns_find_t *find)
{
    if (find == NULL) {
        return;
    }

    ev_timer_stop(find->engine->loop, &find->timer);
    dns_hosts_stop(&find->hosts);

    if (find->q != NULL) {
        dns_cancel(find->q);
    }

    dns_set_put(find->set);
    free(find);
}


/* --- the end -------------------------------------------------------------- */

static void
find_end(dns_find_t *find, const struct sockaddr_storage *sa, unsigned n,
    dns_status_t search)
{
    n = dns_name_labels(&find->apex) < FIND_LEAST ? 0 : n;
    dns_trace_zone(find->engine, &find->zone->wire,
                   n ? "found:" : search == DNS_NXDOMAIN
                   ? "none: the zone does not exist" : "none can be found",
                   sa, n);
    dns_zone_found(find->zone, sa, n, &find->apex, find->hosts.ttl, search);
    dns_find_free(find);
}


static void find_soa(void *data, const dns_answer_t *answer);
static void find_ns(void *data, const dns_answer_t *answer);


static void
find_ask(dns_find_t *find, const dns_name_t *name, uint16_t type)
{
    find->q = dns_ask_look(find->engine, NULL, find->account, name, type,
                           type == DNS_TYPE_SOA ? find_soa : find_ns, find);
}


/* If the referral that the resolvers contradict leads nowhere, they are
   right. */
static void
find_fail(dns_find_t *find)
{
    if (!find->doubted) {
        find_end(find, NULL, 0, find->failure);
        return;
    }

    find->doubted = find->above = find->known = 0;
    find->plain = 1;
    find->steps = find->levels = 0;
    find->name = find->zone->wire;
    find_ask(find, &find->name, DNS_TYPE_SOA);
}


static void
find_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    dns_find_t  *find;

    (void) loop;
    (void) events;

    find = timer->data;

    if (find->failure == DNS_NOERROR) {
        find->failure = DNS_TIMEOUT;
    }

    find_end(find, NULL, 0, find->failure);
}


/* --- the resolvers -------------------------------------------------------- */

/* Continues with the name above that one. */
static void
find_up(dns_find_t *find, const dns_name_t *from)
{
    unsigned    n;
    dns_name_t  above;

    n = from->wire[0] + 1u;

    if (from->wire[0] == 0 || ++find->steps == FIND_STEPS) {
        find_fail(find);
        return;
    }

    above.len = (uint8_t) (from->len - n);
    memcpy(above.wire, from->wire + n, above.len);
    find->name = above;
    find->known = 0;
    find_ask(find, &find->name, DNS_TYPE_SOA);
}


/* Something is missing: continues with the zone above. */
static void
find_higher(dns_find_t *find)
{
    /* No resolver can be reached. */
    if (find->failure == DNS_NETWORK || find->plain) {
        find_fail(find);
        return;
    }

    if (!find->above) {
        find->above = 1;
        dns_trace_zone(find->engine, &find->zone->wire,
                       "searched at the servers of the zone above", NULL, 0);
        ev_timer_stop(find->engine->loop, &find->timer);
        ev_timer_set(&find->timer, FIND_TIME, 0.);
        ev_timer_start(find->engine->loop, &find->timer);
    }

    find_up(find, find->known ? &find->apex : &find->name);
}


/* Was there no readable response, or a failure? */
static int
find_failed(dns_find_t *find, const dns_answer_t *answer)
{
    dns_status_t  status;

    status = !dns_answered(answer->status) ? answer->status
             : find->engine->referred ? DNS_NOERROR : DNS_BADREPLY;

    if (!find->above && status != DNS_NOERROR) {
        find->failure = status;
    }

    return status != DNS_NOERROR;
}


/* Are the NS records those of the apex? */
static int
find_fits(const dns_find_t *find, const dns_referral_t *referral)
{
    if (referral->n_ns == 0) {
        return 0;
    }

    return find->known
           ? dns_name_equal(referral->zone.wire, referral->zone.len,
                            find->apex.wire, find->apex.len)
           : find->above || dns_name_labels(&referral->zone) >= FIND_LEAST;
}


static void
find_ns(void *data, const dns_answer_t *answer)
{
    dns_find_t            *find;
    const dns_referral_t  *referral;

    find = data;
    find->q = NULL;
    referral = &find->engine->referral;

    if (find_failed(find, answer) || !find_fits(find, referral)) {
        find_higher(find);
        return;
    }

    find->apex = referral->zone;
    find->known = 1;
    dns_hosts_begin(&find->hosts, referral,
                    find->above ? FIND_ABOVE : DNS_MAX_NS, 0);
}


/* A zone that a referral has named is no part of a zone above it. */
static int
find_contradicts(const dns_find_t *find)
{
    return find->zone->zone[0] == '\0' && !find->above && !find->plain
           && find->steps == 0
           && find->apex.len < find->zone->wire.len;
}


static void
find_soa(void *data, const dns_answer_t *answer)
{
    unsigned               labels;
    dns_find_t            *find;
    const dns_referral_t  *referral;

    find = data;
    find->q = NULL;
    referral = &find->engine->referral;

    if (find_failed(find, answer)) {
        find_higher(find);
        return;
    }

    if (referral->target.len) {
        find_up(find, &find->name);
        return;
    }

    labels = dns_name_labels(&referral->apex);

    /* The SOA of a top-level domain: the queried name does not exist. */
    if (labels != 0 && labels < FIND_LEAST && !find->above) {
        find_end(find, NULL, 0,
                 answer->status == DNS_NXDOMAIN && find->steps == 0
                 ? DNS_NXDOMAIN : DNS_NOERROR);
        return;
    }

    if (labels != 0) {
        find->apex = referral->apex;

        if (find_contradicts(find)) {
            find->doubted = 1;
            find_higher(find);
            return;
        }
    }

    find->known = labels != 0;
    find_ask(find, find->known ? &find->apex : &find->name, DNS_TYPE_NS);
}


/* --- referrals ------------------------------------------------------------ */

/* The servers that were queried have the zone. */
static void
find_keep(dns_find_t *find)
{
    unsigned                 i;
    struct sockaddr_storage  sa[DNS_MAX_SERVERS];

    for (i = 0; i < find->set->n; i++) {
        sa[i] = find->set->server[i]->sa;
    }

    find_end(find, sa, i, find->failure);
}


/*
 * Servers that a referral named have the zone, even if they do not say so:
 * that is the fault of the zones that are searched here.
 */
static void
find_referred(void *data, const dns_answer_t *answer)
{
    dns_find_t            *find;
    const dns_referral_t  *referral;

    find = data;
    find->q = NULL;
    referral = &find->engine->referral;

    if (dns_answered(answer->status) && find->engine->referred
        && dns_referral_below(referral, &find->set->apex)
        && find->levels++ < DNS_DEPTH)
    {
        find->apex = referral->zone;
        dns_hosts_begin(&find->hosts, referral, DNS_MAX_NS, 1);

    } else if (find->levels
               || (dns_answered(answer->status) && answer->aa))
    {
        find_keep(find);

    } else {
        find_fail(find);
    }
}


/* Queries these servers of `apex` for the name servers of the zone. */
static void
find_refer(dns_find_t *find, const struct sockaddr_storage *sa, unsigned n)
{
    dns_set_put(find->set);
    find->set = dns_set_new(find->engine, find->account, sa, n, &find->apex);
    find->q = dns_ask_look(find->engine, find->set, find->account,
                           &find->zone->wire, DNS_TYPE_NS, find_referred, find);
}


static void
find_hosts(void *data)
{
    unsigned                 n;
    dns_find_t              *find;
    struct sockaddr_storage  sa[DNS_MAX_SERVERS];

    find = data;
    n = dns_hosts_choose(&find->hosts, sa);

    if (n && (!find->above || find->apex.len == find->zone->wire.len)) {
        find_end(find, sa, n, DNS_NOERROR);

    } else if (n) {
        find_refer(find, sa, n);

    } else if (find->levels) {
        find_fail(find);

    } else {
        if (!find->above && find->hosts.failure != DNS_NOERROR) {
            find->failure = find->hosts.failure;
        }

        find_higher(find);
    }
}


dns_find_t *
dns_find_new(dns_engine_t *engine, dns_zone_t *zone, uint64_t account,
    const dns_name_t *name)
{
    dns_find_t  *find;

    find = xcalloc(1, sizeof(dns_find_t));
    find->engine = engine;
    find->zone = zone;
    find->account = account;
    find->name = *name;
    find->hosts.engine = engine;
    find->hosts.account = account;
    find->hosts.trace = &zone->wire;
    find->hosts.done = find_hosts;
    find->hosts.data = find;
    ev_timer_init(&find->timer, find_timer, FIND_TIME, 0.);
    find->timer.data = find;
    find->q = dns_ask_look(engine, NULL, account, name, DNS_TYPE_SOA, find_soa,
                           find);
    dns_trace_zone(engine, name, "searched through the resolvers", NULL, 0);
    ev_timer_start(engine->loop, &find->timer);
    return find;
}
