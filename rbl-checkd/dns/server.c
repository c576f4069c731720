/*
 * Servers: the state of each address, sets of servers, and the choice of the
 * server for a query.
 *
 * A server that has lost DNS_LIMIT consecutive attempts, or that the kernel
 * reports as unreachable, is not used for DNS_DOWN seconds, then one query is
 * sent as a probe; any matching response makes it healthy.
 *
 * Response times are kept by RFC 6298, for a server as a whole and for each
 * pacing class, since one resolver serves fast and slow lists.  Every attempt
 * has its own id, so late responses are measured too.
 *
 * A server that does not respond to queries with EDNS is queried without it: at
 * once if it has never responded to EDNS, else after EDNS_LOST consecutive
 * attempts; and in the last attempt of any query that has had a timeout, so
 * that the same check gets a response.  If it then responds, this remains; from
 * time to time one query has EDNS again.
 *
 * The choice among resolvers: the first healthy one in the configured order; a
 * retry goes to the next.  If none is healthy, all are used.
 *
 * The choice among servers of a zone: a distrusted server is used only if no
 * trusted one is left.  Among the others, a server that is up goes before one
 * that is down, then one that was neither lame nor late before a late one
 * before a lame one, then one with room.  Among equals the choice is random
 * between those that are nearly as quick as the quickest, but one query in
 * SET_EXPLORE goes to any of them, so that the response times of the others
 * stay up to date.  A retry goes to another server if there is one.
 *
 * The table owns the servers; dns_udp_sweep() frees those without a set.
 */

#include "base/xalloc.h"
#include "dns_int.h"
#include "rbl_hash.h"

#include <stdlib.h>

#define DNS_LIMIT  8
#define DNS_DOWN   5.0

#define RTT_BACKOFF_MAX  6
#define RTO_LEAST        0.3    /* s */

#define EDNS_LOST       8           /* if EDNS got a response before */
#define EDNS_RETRY_MIN  1.0
#define EDNS_RETRY_MAX  300.0

#define SET_EXPLORE  16
#define SET_NEAR     0.005          /* s, plus half of the quickest server's
                                       time */


/* --- state ---------------------------------------------------------------- */

double
dns_server_wait(const dns_server_t *r, const dns_class_t *class)
{
    double  wait, of_class, most;

    most = r->engine->conf.timeout;

    if (r->rtt.srtt == 0) {
        return most;
    }

    wait = r->rtt.srtt + 4 * r->rtt.var;
    of_class = class == NULL ? 0 : class->rtt.srtt + 4 * class->rtt.var;
    wait = of_class > wait ? of_class : wait;
    wait = wait > RTO_LEAST ? wait : RTO_LEAST;
    wait *= class == NULL ? 1 : 1u << class->rtt.backoff;

    return wait < most ? wait : most;
}


static dns_server_t *
server_find(const dns_engine_t *engine, uint32_t id)
{
    unsigned       i;
    dns_server_t  *r;

    for (i = 0; i < DNS_SERVERS; i++) {
        for (r = engine->server[i]; r != NULL; r = r->next) {
            if (r->id == id) {
                return r;
            }
        }
    }

    return NULL;
}


void
dns_server_text(const dns_engine_t *engine, uint32_t server,
    char buf[DNS_SERVER_TEXT])
{
    dns_server_t  *r;

    buf[0] = '\0';
    r = server_find(engine, server);

    if (r != NULL) {
        dns_address_text(&r->sa, buf);
    }
}


static int
server_down(const dns_server_t *r)
{
    return r->fails >= DNS_LIMIT;
}


const dns_server_counters_t *
dns_server_counters(dns_engine_t *engine, uint32_t server)
{
    dns_server_t  *r;

    r = server_find(engine, server);

    if (r == NULL) {
        return NULL;
    }

    r->counters.srtt = r->rtt.srtt;
    r->counters.rto = r->rtt.srtt == 0 ? 0 : dns_server_wait(r, NULL);
    r->counters.in_flight = r->in_flight;
    r->counters.down = server_down(r) & 1;

    return &r->counters;
}


void
dns_server_use(dns_server_t *r)
{
    r->used = r->engine->now;

    /* This query is the probe; others avoid the server until it is over. */
    if (r->fails >= DNS_LIMIT && r->used >= r->down_until) {
        r->down_until = r->used + DNS_DOWN;
    }
}


void
dns_server_lost(dns_server_t *r, int refused)
{
    if (refused && r->fails < DNS_LIMIT) {
        r->fails = DNS_LIMIT - 1;
    }

    if (r->fails < DNS_LIMIT && ++r->fails == DNS_LIMIT) {
        r->down_until = r->engine->now + DNS_DOWN;
    }
}


static int
server_drops_edns(const dns_server_t *r)
{
    return r->edns_lost >= (r->edns_heard ? EDNS_LOST : 1);
}


int
dns_server_edns(const dns_query_t *q, unsigned n)
{
    int            last;
    dns_engine_t  *engine;
    dns_server_t  *r;

    engine = q->engine;
    r = q->set->server[n];

    if (q->no_edns) {
        return 0;
    }

    last = q->attempt + 1u >= engine->conf.tries;

    if (!r->plain) {
        return !server_drops_edns(r) && !(last && q->timed_out);
    }

    if (engine->now < r->edns_retry || last) {
        return 0;
    }

    r->edns_wait = r->edns_wait * 2 < EDNS_RETRY_MAX ? r->edns_wait * 2
                                                     : EDNS_RETRY_MAX;
    r->edns_retry = engine->now + r->edns_wait;
    return 1;
}


static void
server_heard_edns(dns_server_t *r, const dns_flight_t *f)
{
    if (f->edns) {
        r->edns_lost = 0;
        r->edns_heard = 1;
        r->plain = 0;

    } else if (!r->plain && server_drops_edns(r)) {
        r->plain = 1;
        r->edns_wait = EDNS_RETRY_MIN;
        r->edns_retry = r->engine->now + r->edns_wait;
    }
}


static void
rtt_sample(dns_rtt_t *rtt, double took)
{
    double  off;

    rtt->backoff = 0;

    if (rtt->srtt == 0) {
        rtt->srtt = took > 1e-6 ? took : 1e-6;
        rtt->var = took / 2;
        return;
    }

    off = rtt->srtt > took ? rtt->srtt - took : took - rtt->srtt;
    rtt->var += (off - rtt->var) / 4;
    rtt->srtt += (took - rtt->srtt) / 8;
}


static void
server_took(const dns_query_t *q, dns_server_t *r, double took)
{
    unsigned  i;

    took = took > 0 ? took : 0;
    rtt_sample(&q->class->rtt, took);

    /* A slow own list must not delay the retries of others. */
    if (dns_tells(q)) {
        rtt_sample(&r->rtt, took);
    }

    for (i = 0; i < RBL_LATENCY_BOUNDS; i++) {
        if (took * 1e6 <= (double) rbl_latency_bounds[i]) {
            break;
        }
    }

    r->counters.latency[i]++;
    r->counters.seconds += took;
    r->counters.replies++;
}


void
dns_server_heard(const dns_flight_t *f)
{
    dns_server_t  *r;

    r = f->socket->server;
    r->fails = 0;
    server_heard_edns(r, f);
    server_took(f->q, r, r->engine->now - f->sent);
}


void
dns_server_overdue(const dns_query_t *q)
{
    dns_server_t  *r;

    r = dns_at(q);
    r->counters.timeouts++;

    if (q->class->rtt.backoff < RTT_BACKOFF_MAX) {
        q->class->rtt.backoff++;
    }

    if (q->edns && (dns_tells(q) || !r->edns_heard)) {
        r->edns_lost++;
    }
}


/* --- sets ----------------------------------------------------------------- */

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


static dns_server_t **
server_slot(dns_engine_t *engine, uint64_t account,
    const struct sockaddr_storage *sa)
{
    char      text[DNS_SERVER_TEXT];
    uint64_t  hash;

    dns_address_text(sa, text);
    hash = rbl_hash(rbl_str(text), engine->seed) ^ account;

    return &engine->server[hash % DNS_SERVERS];
}


static dns_server_t *
server_get(dns_engine_t *engine, uint64_t account,
    const struct sockaddr_storage *sa, const dns_set_t *set)
{
    int             recursive;
    dns_server_t  **at, *r;

    recursive = set->recursive;
    at = server_slot(engine, account, sa);

    for (r = *at; r != NULL; r = r->next) {
        if (r->account == account && r->recursive == set->recursive
            && dns_address_same(&r->sa, sa)
            && (!recursive || dns_set_at(set, r) == set->n))
        {
            r->refs++;
            return r;
        }
    }

    r = xcalloc(1, sizeof(dns_server_t));
    r->engine = engine;
    r->id = engine->next_id++;
    r->account = account;
    r->recursive = recursive & 1;
    r->refs = 1;
    r->used = engine->now;
    r->sa = *sa;
    link_init(&r->retired);
    r->next = *at;
    *at = r;

    return r;
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
        r = server_get(engine, account, &sa[i], set);

        /* Resolvers keep their numbers, even if one is configured twice. */
        if (!set->recursive && dns_set_at(set, r) < set->n) {
            r->refs--;
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
        set->server[--set->n]->refs--;
    }

    free(set);
}


/* --- choice --------------------------------------------------------------- */

int
dns_set_room(dns_query_t *q, unsigned n)
{
    const dns_server_t  *r;

    r = q->set->server[n];

    /* A query already in flight there counts only once. */
    return r->in_flight < q->engine->conf.max_in_flight
           || (q->hedge && dns_flight_at(q, r) != NULL);
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
    return !server_down(r) || q->engine->now >= r->down_until;
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
set_rank(dns_query_t *q, unsigned n)
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
set_pick_server(dns_query_t *q)
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
dns_set_pick(dns_query_t *q)
{
    if (q->fixed || q->set->n == 1 || (q->stay && !q->set->recursive)) {
        return q->at;
    }

    return q->set->recursive ? set_pick_resolver(q) : set_pick_server(q);
}
