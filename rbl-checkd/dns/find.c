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
 * properly, and follows the referrals of that zone's servers, with their glue,
 * down to the zone.
 *
 * The addresses of a name server are those that the resolvers give; a name
 * inside of the zone that has none there gets its glue.  Foreign names get no
 * glue: it could lead anywhere.  Addresses that are not public are left out
 * unless they are allowed, as are those that this machine has no route to.
 *
 * Names, addresses, steps and time are bounded.
 */

#include "base/netaddr.h"
#include "base/xalloc.h"
#include "dns_int.h"

#include <stdlib.h>
#include <string.h>

#define FIND_TIME   10.0            /* s, for the resolvers' answers, and once
                                       more for the zones above */
#define FIND_STEPS  8               /* names upwards */
#define FIND_ABOVE  4               /* name servers of a zone above */
#define FIND_LEAST  3               /* least labels of a zone, with the
                                       root's */

#define HOSTS_PATIENCE  1.0         /* s, for more addresses after the first */
#define HOSTS_PORT      53
#define HOSTS_MAX       32          /* addresses of all names */

/* A query for the addresses of a name server. */
typedef struct {
    dns_find_t   *find;
    dns_query_t  *q;
    unsigned      ns;               /* index of the name */
} host_t;

/* The addresses of the name servers of one referral. */
typedef struct {
    loop_timer_t              timer;
    dns_status_t              failure;  /* of the last query that failed;
                                           NOERROR: none did */
    uint32_t                  ttl;      /* least of the names and addresses */
    unsigned                  open;     /* queries of `ask` under way */
    host_t                    ask[2 * DNS_MAX_NS];
    unsigned                  n_ns;
    unsigned                  n;
    unsigned                  of[HOSTS_MAX];    /* index of the name */
    struct sockaddr_storage   sa[HOSTS_MAX];
    unsigned                  n_glue;
    dns_glue_t                glue[DNS_MAX_GLUE];
} hosts_t;

struct dns_find_s {
    dns_engine_t    *engine;
    dns_zone_t      *zone;
    dns_query_t     *q;             /* query for SOA or NS */
    loop_timer_t     timer;
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
    hosts_t          hosts;
};


static void find_hosts(dns_find_t *find);
static void find_soa(void *data, const dns_answer_t *answer);
static void find_ns(void *data, const dns_answer_t *answer);


/* --- addresses of name servers -------------------------------------------- */

static void
hosts_stop(dns_find_t *find)
{
    unsigned  i;
    hosts_t  *h;

    h = &find->hosts;
    timer_stop(&h->timer);

    for (i = 0; i < 2 * DNS_MAX_NS; i++) {
        dns_cancel(h->ask[i].q);
        h->ask[i].q = NULL;
    }
}


/*
 * Some of the addresses, of as many names as possible: takes one address of
 * each name, then another one of each, and so on, up to the size of a set.
 * Returns their number.
 */
static unsigned
hosts_choose(const hosts_t *h, struct sockaddr_storage *sa)
{
    unsigned  i, ns, nth, k, n, before;

    n = 0;
    nth = 0;

    do {
        before = n;

        for (ns = 0; ns < h->n_ns && n < DNS_MAX_SERVERS; ns++) {
            k = nth;

            for (i = 0; i < h->n; i++) {
                if (h->of[i] == ns && k-- == 0) {
                    sa[n++] = h->sa[i];
                    break;
                }
            }
        }

        nth++;
    } while (n > before && n < DNS_MAX_SERVERS);

    return n;
}


int
dns_host_public(const dns_config_t *conf, const struct sockaddr_storage *sa)
{
    unsigned    i, port;
    rbl_addr_t  a;

    if (address_from_sockaddr(&a, &port, (const struct sockaddr *) sa) != 0) {
        return 0;
    }

    for (i = 0; i < conf->n_allow; i++) {
        if (rbl_subnet_has(&conf->allow[i], &a)) {
            return 1;
        }
    }

    return address_special(&a) == NULL;
}


void
dns_host_address(struct sockaddr_storage *sa, const void *octets, int v6)
{
    struct sockaddr_in   *in = (struct sockaddr_in *) sa;
    struct sockaddr_in6  *in6 = (struct sockaddr_in6 *) sa;

    memset(sa, 0, sizeof(*sa));

    if (v6) {
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(HOSTS_PORT);
        memcpy(&in6->sin6_addr, octets, sizeof(in6->sin6_addr));

    } else {
        in->sin_family = AF_INET;
        in->sin_port = htons(HOSTS_PORT);
        memcpy(&in->sin_addr, octets, sizeof(in->sin_addr));
    }
}


static void
hosts_add(dns_find_t *find, unsigned ns, const void *octets, int v6)
{
    unsigned                  i;
    hosts_t                  *h;
    struct sockaddr_storage   sa;

    h = &find->hosts;
    dns_host_address(&sa, octets, v6);

    for (i = 0; i < h->n; i++) {
        if (dns_address_same(&h->sa[i], &sa)) {
            return;
        }
    }

    if (h->n == HOSTS_MAX) {
        return;
    }

    if (!dns_host_public(&find->engine->conf, &sa)) {
        dns_trace_zone(find->engine, &find->zone->wire,
                       "left out, not public and not in list_server_allow:",
                       &sa, 1);

    } else if (!dns_address_routed(&sa)) {
        dns_trace_zone(find->engine, &find->zone->wire,
                       "left out, no route:", &sa, 1);

    } else {
        h->of[h->n] = ns;
        h->sa[h->n++] = sa;
    }
}


/* For the names that the resolvers gave no usable address of. */
static void
hosts_glue(dns_find_t *find)
{
    hosts_t           *h;
    unsigned           i, has;
    const dns_glue_t  *glue;

    h = &find->hosts;
    has = 0;

    for (i = 0; i < h->n; i++) {
        has |= 1u << h->of[i];
    }

    for (i = 0; i < h->n_glue; i++) {
        glue = &h->glue[i];

        if (!(has >> glue->ns & 1)) {
            hosts_add(find, glue->ns, glue->addr, glue->v6);
            h->ttl = glue->ttl < h->ttl ? glue->ttl : h->ttl;
        }
    }
}


static void
hosts_done(dns_find_t *find)
{
    hosts_stop(find);
    hosts_glue(find);
    find_hosts(find);
}


static void
hosts_timer(void *data)
{
    dns_find_t  *find;

    find = data;

    if (find->hosts.n || find->hosts.n_glue) {
        hosts_done(find);
    }
}


static void
hosts_answer(void *data, const dns_answer_t *answer)
{
    host_t    *ask;
    hosts_t   *h;
    unsigned   i;
    uint32_t   a;

    ask = data;
    h = &ask->find->hosts;
    ask->q = NULL;

    for (i = 0; i < answer->n_a && i < HOSTS_MAX; i++) {
        a = htonl(answer->a[i]);
        hosts_add(ask->find, ask->ns, &a, 0);
    }

    for (i = 0; i < answer->n_aaaa && i < HOSTS_MAX; i++) {
        hosts_add(ask->find, ask->ns, &answer->aaaa[i], 1);
    }

    if (!dns_answered(answer->status)) {
        h->failure = answer->status;
    }

    if (answer->n_a + answer->n_aaaa && answer->ttl < h->ttl) {
        h->ttl = answer->ttl;
    }

    if (--h->open == 0 || (h->n && !timer_is_set(&h->timer))) {
        hosts_done(ask->find);
    }
}


/* The glue of names inside of the zone. */
static void
hosts_keep(hosts_t *h, const dns_referral_t *referral)
{
    unsigned  i;

    h->n_glue = 0;

    for (i = 0; i < referral->n_glue; i++) {
        if (referral->glue[i].ns < h->n_ns
            && dns_referral_inside(referral, referral->glue[i].ns))
        {
            h->glue[h->n_glue++] = referral->glue[i];
        }
    }
}


/*
 * Looks for the addresses of the first `most` names in the referral, then calls
 * find_hosts.  `glue`: the referral comes from servers of the zone above, so
 * that its glue may be used.
 */
static void
hosts_begin(dns_find_t *find, const dns_referral_t *referral, unsigned most,
    int glue)
{
    host_t    *ask;
    hosts_t   *h;
    unsigned   i;

    h = &find->hosts;
    h->n = 0;
    h->failure = DNS_NOERROR;
    h->ttl = referral->ttl;
    h->n_ns = referral->n_ns < most ? referral->n_ns : most;
    h->open = 2 * h->n_ns;
    h->n_glue = 0;

    if (glue) {
        hosts_keep(h, referral);
    }

    for (i = 0; i < 2 * h->n_ns; i++) {
        ask = &h->ask[i];
        ask->find = find;
        ask->ns = i / 2;
        ask->q = dns_ask_look(find->engine, NULL, find->zone->account,
                              &referral->ns[i / 2],
                              i % 2 ? DNS_TYPE_AAAA : DNS_TYPE_A,
                              hosts_answer, ask);
    }

    timer_init(&h->timer, find->engine->loop, hosts_timer, find);
    timer_in(&h->timer, HOSTS_PATIENCE);
}


/* --- the search ----------------------------------------------------------- */

void
dns_find_free(dns_find_t *find)
{
    if (find == NULL) {
        return;
    }

    timer_stop(&find->timer);
    hosts_stop(find);
    dns_cancel(find->q);
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


static void
find_ask(dns_find_t *find, const dns_name_t *name, uint16_t type)
{
    find->q = dns_ask_look(find->engine, NULL, find->zone->account, name, type,
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
find_timer(void *data)
{
    dns_find_t  *find;

    find = data;

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
        timer_in(&find->timer, FIND_TIME);
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
    hosts_begin(find, referral, find->above ? FIND_ABOVE : DNS_MAX_NS, 0);
}


/* A zone that a referral has named is no part of a zone above it. */
static int
find_contradicts(const dns_find_t *find)
{
    return find->zone->referred && !find->above && !find->plain
           && find->steps == 0 && find->apex.len < find->zone->wire.len;
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
        hosts_begin(find, referral, DNS_MAX_NS, 1);

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
    find->set = dns_set_new(find->engine, find->zone->account, sa, n,
                            &find->apex);
    find->q = dns_ask_look(find->engine, find->set, find->zone->account,
                           &find->zone->wire, DNS_TYPE_NS, find_referred, find);
}


/* The addresses are known, as far as they can be. */
static void
find_hosts(dns_find_t *find)
{
    unsigned                 n;
    struct sockaddr_storage  sa[DNS_MAX_SERVERS];

    n = hosts_choose(&find->hosts, sa);

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
dns_find_new(dns_zone_t *zone)
{
    dns_find_t  *find;

    find = xcalloc(1, sizeof(dns_find_t));
    find->engine = zone->engine;
    find->zone = zone;
    find->name = zone->wire;
    timer_init(&find->timer, find->engine->loop, find_timer, find);
    timer_in(&find->timer, FIND_TIME);
    find_ask(find, &find->name, DNS_TYPE_SOA);
    dns_trace_zone(find->engine, &zone->wire, "searched through the resolvers",
                   NULL, 0);
    return find;
}
