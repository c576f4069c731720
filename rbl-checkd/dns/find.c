/*
 * Finds the servers of a zone, through the resolvers: queries the SOA of its
 * name, which names the apex of the zone, then the NS records of the apex, then
 * the addresses of each name server.  Glue is not used.
 *
 * If a name has no SOA (an alias, or a resolver that hides it), the engine
 * queries its NS records, then continues with the name above it.  Addresses
 * that are not public are left out unless they are allowed, as are those that
 * this machine has no route to.  Names, addresses, steps and time are bounded.
 */

#include "base/netaddr.h"
#include "dns_int.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIND_TIME       10.0        /* s, for the whole search */
#define FIND_PATIENCE   1.0         /* s, for more addresses after the first */
#define FIND_STEPS      8           /* names upwards */
#define FIND_ADDRESSES  32
#define FIND_LEAST      3           /* least labels of a zone, with the
                                       root's */
#define FIND_PORT       53

typedef struct {
    dns_find_t      *find;
    dns_query_t     *q;
    unsigned         ns;            /* index of the name */
} find_ask_t;

struct dns_find_s {
    dns_engine_t    *engine;
    dns_zone_t      *zone;
    uint64_t         account;
    dns_query_t     *q;             /* query for SOA or NS */
    ev_timer         timer;
    double           end;
    unsigned         steps;
    dns_status_t     failure;       /* of the last query that failed; NOERROR:
                                       none did */
    unsigned         known:1;       /* `apex` is set */
    dns_name_t       name;          /* the current name */
    dns_name_t       apex;
    uint32_t         ttl;
    unsigned         n_ns;
    unsigned         open;          /* queries of `ask` under way */
    find_ask_t       ask[2 * DNS_MAX_NS];
    unsigned         n;
    unsigned         of[FIND_ADDRESSES];        /* index of the name */
    struct sockaddr_storage  sa[FIND_ADDRESSES];
};


void
dns_find_free(dns_find_t *find)
{
    unsigned  i;

    if (find == NULL) {
        return;
    }

    ev_timer_stop(find->engine->loop, &find->timer);

    if (find->q != NULL) {
        dns_cancel(find->q);
    }

    for (i = 0; i < 2 * DNS_MAX_NS; i++) {
        if (find->ask[i].q != NULL) {
            dns_cancel(find->ask[i].q);
        }
    }

    free(find);
}


/* --- the end -------------------------------------------------------------- */

/*
 * Takes one address of each name, then another one of each, and so on, up to
 * the size of a set.
 */
static unsigned
find_choose(const dns_find_t *find, struct sockaddr_storage *sa)
{
    unsigned  i, ns, nth, k, n, before;

    n = 0;
    nth = 0;

    do {
        before = n;

        for (ns = 0; ns < find->n_ns && n < DNS_MAX_SERVERS; ns++) {
            k = nth;

            for (i = 0; i < find->n; i++) {
                if (find->of[i] == ns && k-- == 0) {
                    sa[n++] = find->sa[i];
                    break;
                }
            }
        }

        nth++;
    } while (n > before && n < DNS_MAX_SERVERS);

    return n;
}


static void
find_end(dns_find_t *find, dns_status_t search)
{
    unsigned                 n;
    struct sockaddr_storage  sa[DNS_MAX_SERVERS];

    n = find_choose(find, sa);
    dns_trace_zone(find->engine, &find->zone->wire,
                   n ? "found:" : search == DNS_NXDOMAIN
                   ? "none: the zone does not exist" : "none can be found",
                   sa, n);
    dns_zone_found(find->zone, sa, n, &find->apex, find->ttl, search);
    dns_find_free(find);
}


static void
find_done(dns_find_t *find)
{
    find_end(find, find->failure);
}


static void
find_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    double       now;
    dns_find_t  *find;

    (void) events;

    find = timer->data;
    now = dns_clock();

    if (find->n || now >= find->end) {
        find->failure = DNS_TIMEOUT;
        find_done(find);
        return;
    }

    ev_timer_set(timer, find->end - now > 0.01 ? find->end - now : 0.01, 0.);
    ev_timer_start(loop, timer);
}


/* --- addresses ------------------------------------------------------------ */

static int
find_public(const dns_find_t *find, const struct sockaddr_storage *sa)
{
    unsigned             i, port;
    rbl_addr_t           a;
    const dns_config_t  *conf;

    conf = &find->engine->conf;

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


/* Sends nothing.  Any error other than a missing route is ignored. */
static int
find_route(const struct sockaddr_storage *sa)
{
    int  fd, rc;

    fd = socket(sa->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return sa->ss_family == AF_INET;
    }

    rc = connect(fd, (const struct sockaddr *) sa, dns_address_len(sa));
    close(fd);

    return rc == 0;
}


static void
find_add(dns_find_t *find, unsigned ns, const struct sockaddr_storage *sa)
{
    unsigned  i;

    for (i = 0; i < find->n; i++) {
        if (dns_address_same(&find->sa[i], sa)) {
            return;
        }
    }

    if (find->n == FIND_ADDRESSES) {
        return;
    }

    if (!find_public(find, sa)) {
        dns_trace_zone(find->engine, &find->zone->wire,
                       "left out, not public and not in list_server_allow:",
                       sa, 1);

    } else if (!find_route(sa)) {
        dns_trace_zone(find->engine, &find->zone->wire,
                       "left out, no route:", sa, 1);

    } else {
        find->of[find->n] = ns;
        find->sa[find->n++] = *sa;
    }
}


static void
find_addresses(void *data, const dns_answer_t *answer)
{
    unsigned                 i;
    dns_find_t              *find;
    find_ask_t              *ask;
    struct sockaddr_storage  sa;
    struct sockaddr_in      *in = (struct sockaddr_in *) &sa;
    struct sockaddr_in6     *in6 = (struct sockaddr_in6 *) &sa;

    ask = data;
    find = ask->find;
    ask->q = NULL;

    for (i = 0; i < answer->n_a && i < FIND_ADDRESSES; i++) {
        memset(&sa, 0, sizeof(sa));
        in->sin_family = AF_INET;
        in->sin_port = htons(FIND_PORT);
        in->sin_addr.s_addr = htonl(answer->a[i]);
        find_add(find, ask->ns, &sa);
    }

    for (i = 0; i < answer->n_aaaa && i < FIND_ADDRESSES; i++) {
        memset(&sa, 0, sizeof(sa));
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(FIND_PORT);
        in6->sin6_addr = answer->aaaa[i];
        find_add(find, ask->ns, &sa);
    }

    if (!dns_answered(answer->status)) {
        find->failure = answer->status;
    }

    if (answer->n_a + answer->n_aaaa && answer->ttl < find->ttl) {
        find->ttl = answer->ttl;
    }

    if (--find->open == 0) {
        find_done(find);
    }
}


static void
find_names(dns_find_t *find, const dns_referral_t *referral)
{
    unsigned     i;
    find_ask_t  *ask;

    find->apex = referral->zone;
    find->ttl = referral->ttl;
    find->n_ns = referral->n_ns;

    for (i = 0; i < 2 * find->n_ns; i++) {
        ask = &find->ask[i];
        ask->find = find;
        ask->ns = i / 2;
        ask->q = dns_ask_look(find->engine, find->account,
                              &referral->ns[i / 2],
                              i % 2 ? DNS_TYPE_AAAA : DNS_TYPE_A,
                              find_addresses, ask);
        find->open += ask->q != NULL;
    }

    if (find->open == 0) {
        find_done(find);
        return;
    }

    ev_timer_stop(find->engine->loop, &find->timer);
    ev_timer_set(&find->timer, FIND_PATIENCE, 0.);
    ev_timer_start(find->engine->loop, &find->timer);
}


/* --- the zone ------------------------------------------------------------- */

static void find_soa(void *data, const dns_answer_t *answer);
static void find_ns(void *data, const dns_answer_t *answer);


/* -1: out of memory. */
static int
find_ask(dns_find_t *find, const dns_name_t *name, uint16_t type)
{
    find->q = dns_ask_look(find->engine, find->account, name, type,
                           type == DNS_TYPE_SOA ? find_soa : find_ns, find);

    return find->q == NULL ? -1 : 0;
}


/* Continues with the name above. */
static void
find_up(dns_find_t *find)
{
    unsigned     n;
    dns_name_t  *name;

    name = &find->name;
    n = name->wire[0] + 1u;

    if (++find->steps == FIND_STEPS || dns_name_labels(name) <= FIND_LEAST) {
        find_done(find);
        return;
    }

    name->len -= (uint8_t) n;
    memmove(name->wire, name->wire + n, name->len);

    if (find_ask(find, name, DNS_TYPE_SOA) != 0) {
        find_done(find);
    }
}


/* Was there no readable response, or a failure? */
static int
find_failed(dns_find_t *find, const dns_answer_t *answer)
{
    if (!dns_answered(answer->status)) {
        find->failure = answer->status;

    } else if (!find->engine->referred) {
        find->failure = DNS_BADREPLY;
    }

    return find->failure != DNS_NOERROR;
}


static void
find_ns(void *data, const dns_answer_t *answer)
{
    dns_find_t            *find;
    const dns_referral_t  *referral;

    find = data;
    find->q = NULL;
    referral = &find->engine->referral;

    if (find_failed(find, answer)) {
        find_done(find);
        return;
    }

    if (referral->n_ns != 0 && dns_name_labels(&referral->zone) >= FIND_LEAST
        && (!find->known
            || dns_name_equal(referral->zone.wire, referral->zone.len,
                              find->apex.wire, find->apex.len)))
    {
        find_names(find, referral);

    } else if (find->known) {
        find_done(find);

    } else {
        find_up(find);
    }
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
        find_done(find);
        return;
    }

    if (referral->target.len) {
        find_up(find);
        return;
    }

    labels = dns_name_labels(&referral->apex);

    /* The SOA of a top-level domain: the queried name does not exist. */
    if (labels != 0 && labels < FIND_LEAST) {
        find_end(find, answer->status == DNS_NXDOMAIN && find->steps == 0
                       ? DNS_NXDOMAIN : DNS_NOERROR);
        return;
    }

    find->known = labels != 0;

    if (find->known) {
        find->apex = referral->apex;
    }

    if (find_ask(find, find->known ? &find->apex : &find->name, DNS_TYPE_NS)
        != 0)
    {
        find_done(find);
    }
}


dns_find_t *
dns_find_new(dns_engine_t *engine, dns_zone_t *zone, uint64_t account,
    const dns_name_t *name)
{
    dns_find_t  *find;

    find = calloc(1, sizeof(dns_find_t));

    if (find == NULL) {
        return NULL;
    }

    find->engine = engine;
    find->zone = zone;
    find->account = account;
    find->name = *name;
    find->end = dns_clock() + FIND_TIME;
    ev_timer_init(&find->timer, find_timer, FIND_TIME, 0.);
    find->timer.data = find;

    if (find_ask(find, name, DNS_TYPE_SOA) != 0) {
        free(find);
        return NULL;
    }

    dns_trace_zone(engine, name, "searched through the resolvers", NULL, 0);
    ev_timer_start(engine->loop, &find->timer);
    return find;
}
