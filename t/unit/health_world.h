/*
 * Simulated lists that replace the query engine: a query gets its response as
 * soon as the loop runs.  The clock can be advanced.
 */

#ifndef HEALTH_WORLD_H_INCLUDED
#define HEALTH_WORLD_H_INCLUDED

#include "check/verdict/health_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORLD      12
#define ADDRESS    0x7f000002u

typedef enum {
    W_GOOD = 0, W_EMPTY, W_NODATA, W_MUTE, W_SERVFAIL, W_REFUSED, W_WILD,
    W_HIJACK, W_RETIRED, W_ERROR, W_MIXED,
    W_TRUNCATED,
    W_HALF,                             /* every other name of a sample */
    W_NETWORK                           /* one network of a sample */
} way_t;

/* How a zone responds through a resolver. */
typedef struct {
    const char  *zone;
    unsigned     resolver;
    way_t        way;
    uint32_t     ttl;
    double       cached;                /* the cache has its test point since
                                           then */
    int          held;                  /* its responses are held back */
    unsigned     soa;                   /* in responses for missing names */
    int          other;                 /* its test name belongs to a host */
    uint32_t     serial;                /* 0: none */
} zone_t;

struct dns_query_s {
    dns_query_t     *next;
    char             name[256];
    unsigned         resolver;
    int              own;               /* for the resolver itself */
    dns_done_pt      done;
    void            *data;
};

static struct ev_loop   *loop;
static double            ahead;
static zone_t            zones[WORLD];
static unsigned          n_zones, asked, halves;
static int               direct;        /* mode; all lists have servers 0 and
                                           1 */
static uint32_t          trusts;        /* bits of trusted servers */
static unsigned          n_servers = 2; /* direct mode: of all lists */
static dns_status_t      resolvers;     /* their response for their own test */
static dns_query_t   *queries;
static ev_timer          server;


double
clock_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9 + ahead;
}


void
dns_server_text(const dns_engine_t *engine, unsigned resolver,
    char buf[DNS_SERVER_TEXT])
{
    (void) engine;
    snprintf(buf, DNS_SERVER_TEXT, "192.0.2.%u@53", resolver);
}


int
dns_direct(const dns_engine_t *engine)
{
    (void) engine;
    return direct;
}


int
dns_tracing(const dns_engine_t *engine)
{
    (void) engine;
    return 0;
}


unsigned
dns_servers(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t ids[DNS_MAX_SERVERS])
{
    (void) engine;
    ids[0] = 0;
    ids[1] = 1;

    return payer == NULL ? 2 : n_servers;
}


void
dns_server_trust(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t id, int trusted)
{
    (void) engine;
    (void) payer;
    trusts = trusted ? trusts | 1u << id : trusts & ~(1u << id);
}


static zone_t *
zone_of(const char *name, unsigned resolver)
{
    size_t    n, k;
    unsigned  i;

    n = strlen(name);

    for (i = 0; i < n_zones; i++) {
        k = strlen(zones[i].zone);
        if (zones[i].resolver == resolver && k < n
            && strcmp(name + n - k, zones[i].zone) == 0)
        {
            return &zones[i];
        }
    }

    return NULL;
}


/* The response of the zone for its own name, or for one that it must not
   contain. */

static void
answer_of(dns_answer_t *a, zone_t *z, int positive)
{
    static const dns_status_t  failures[] = {
        [W_MUTE] = DNS_TIMEOUT, [W_SERVFAIL] = DNS_SERVFAIL,
        [W_REFUSED] = DNS_REFUSED, [W_TRUNCATED] = DNS_TRUNCATED
    };
    static const uint32_t  wild[] = {
        [W_WILD] = ADDRESS, [W_HIJACK] = 0x08080808, [W_RETIRED] = 0xc0000207,
        [W_ERROR] = 0x7ffffffe
    };

    if (z->way == W_MUTE || z->way == W_SERVFAIL || z->way == W_REFUSED
        || z->way == W_TRUNCATED)
    {
        a->status = failures[z->way];
        return;
    }

    a->ttl = z->ttl;

    if (z->way >= W_WILD && z->way <= W_ERROR) {
        a->a[a->n_a++] = wild[z->way];

    } else if (z->way == W_NODATA || !positive || z->way == W_EMPTY) {
        a->status = z->way == W_NODATA && positive ? DNS_NOERROR
                                                   : DNS_NXDOMAIN;
        a->soa = z->soa;
        a->minimum = z->ttl;
        a->has_serial = z->serial != 0;
        a->serial = z->serial;

    } else {
        a->a[a->n_a++] = ADDRESS;
        a->a[a->n_a] = 0x08080808;
        a->n_a += z->way == W_MIXED;
    }
}


/* Is the name in a network of the root name servers, and shall that be
   listed? */

static int
is_sampled(const zone_t *z, const char *name)
{
    unsigned  host, net[3];

    if (sscanf(name, "%u.%u.%u.%u.", &host, &net[0], &net[1], &net[2]) != 4
        || net[2] < 128 || net[2] >= 240)
    {
        return 0;
    }

    return (z->way == W_HALF && halves++ % 2)
           || (z->way == W_NETWORK && net[2] == 198 && net[1] == 41);
}


static int
is_positive(const char *name)
{
    return strncmp(name, "2.0.0.127.", 10) == 0
           || strncmp(name, "2.0.0.0.0.0.f.7.", 16) == 0
           || strncmp(name, "test.", 5) == 0;
}


static void
on_server(struct ev_loop *l, ev_timer *w, int revents)
{
    int              positive;
    double           left;
    zone_t          *z;
    dns_answer_t     a;
    dns_query_t     *q, **at;

    (void) w;
    (void) revents;

    for (at = &queries; (q = *at) != NULL; ) {
        z = zone_of(q->name, q->resolver);
        if (z != NULL && z->held) {
            at = &q->next;
            continue;
        }

        *at = q->next;
        memset(&a, 0, sizeof(a));
        a.server = q->resolver;
        positive = is_positive(q->name)
                   || (z != NULL && is_sampled(z, q->name));

        if (q->own) {
            a.status = resolvers;

        } else if (z == NULL) {
            a.status = DNS_NXDOMAIN;

        } else if (positive && z->cached != 0
                   && z->cached + z->ttl > clock_now())
        {
            left = z->cached + z->ttl - clock_now();
            a.ttl = (uint32_t) left;
            a.a[a.n_a++] = ADDRESS;

        } else if (positive && z->other) {
            a.a[a.n_a++] = 0x0a010203;

        } else {
            answer_of(&a, z, positive);

            if (z->cached != 0 && a.n_a != 0 && positive) {
                z->cached = clock_now();
            }
        }

        q->done(q->data, &a);
        free(q);
        at = &queries;                  /* the call back may have made and
                                           cancelled queries */
    }

    if (queries != NULL) {
        ev_timer_set(&server, 0.001, 0);
        ev_timer_start(l, &server);
    }
}


int
dns_mute(dns_engine_t *engine, const dns_payer_t *payer)
{
    (void) engine;
    (void) payer;

    return 0;
}


static double  behind;                  /* s, for own lists */

double
dns_behind(dns_engine_t *engine, const dns_payer_t *payer)
{
    (void) engine;

    return payer->account != 0 ? behind : 0;
}


dns_query_t *
dns_ask_at(dns_engine_t *engine, unsigned resolver, const char *name,
    uint16_t type, const dns_payer_t *payer, dns_done_pt done, void *data)
{
    dns_query_t     *q, **end;

    (void) engine;

    if (type == DNS_TYPE_SOA && payer != NULL) {
        return NULL;                    /* health_run.c: works without */
    }

    q = calloc(1, sizeof(dns_query_t));
    snprintf(q->name, sizeof(q->name), "%s", name);
    q->resolver = resolver;
    q->own = payer == NULL;
    q->done = done;
    q->data = data;
    asked += payer != NULL;

    for (end = &queries; *end != NULL; end = &(*end)->next) {   /* void */ }

    *end = q;
    if (!ev_is_active(&server)) {
        ev_timer_init(&server, on_server, 0, 0);
        ev_timer_start(loop, &server);
    }

    return q;
}


void
dns_cancel(dns_query_t *q)
{
    dns_query_t  **at;

    if (q == NULL) {
        return;
    }

    for (at = &queries; *at != q; at = &(*at)->next) {   /* void */ }

    *at = q->next;
    free(q);
}

#endif /* HEALTH_WORLD_H_INCLUDED */
