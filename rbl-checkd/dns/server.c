/*
 * Servers: the state of each address.  A server that has lost DNS_LIMIT
 * consecutive attempts, or that the kernel reports as unreachable, is not used
 * for DNS_DOWN seconds, then one query is sent as a probe; any matching
 * response makes it healthy.
 *
 * A server that does not respond to queries with EDNS is queried without it: at
 * once if it has never responded to EDNS, else after EDNS_LOST consecutive
 * attempts; and in the last attempt of any query that has had a timeout, so
 * that the same check gets a response.  If it then responds, this remains; from
 * time to time one query has EDNS again.
 *
 * The table owns the servers.  Servers without a set are freed, and sockets
 * closed, when they have not been used for a while.
 */

#include "base/xalloc.h"
#include "dns_int.h"
#include "rbl_hash.h"

#include <stdlib.h>
#include <string.h>

#define DNS_LIMIT  8
#define DNS_DOWN   5.0

#define EDNS_LOST       8           /* if EDNS got a response before */
#define EDNS_RETRY_MIN  1.0
#define EDNS_RETRY_MAX  300.0

#define SERVER_IDLE        60.0     /* s without a query */
#define SERVER_IDLE_SHORT  5.0      /* the same if sockets are scarce */


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


dns_server_t *
dns_server_get(dns_engine_t *engine, uint64_t account,
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
    r->len = dns_address_len(sa);
    link_init(&r->retired);
    r->next = *at;
    *at = r;

    return r;
}


void
dns_server_put(dns_server_t *r)
{
    r->refs--;
}


dns_server_t *
dns_server_find(const dns_engine_t *engine, uint32_t id)
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


static int
server_busy(const dns_server_t *r)
{
    unsigned  i;

    for (i = 0; i < DNS_POOL; i++) {
        if (r->pool[i] != NULL && r->pool[i]->n != 0) {
            return 1;
        }
    }

    return !link_empty(&r->retired);
}


void
dns_server_sweep(dns_engine_t *engine)
{
    double          idle;
    unsigned        i;
    dns_server_t  **at, *r;

    idle = engine->n_sockets > engine->max_sockets / 2 ? SERVER_IDLE_SHORT
                                               : SERVER_IDLE;

    for (i = 0; i < DNS_SERVERS; i++) {
        at = &engine->server[i];

        while ((r = *at) != NULL) {
            if (r->recursive || engine->now - r->used < idle
                || server_busy(r))
            {
                at = &r->next;
                continue;
            }

            dns_socket_close_all(r);

            if (r->refs) {
                at = &r->next;
                continue;
            }

            *at = r->next;
            free(r);
        }
    }
}


void
dns_server_free(dns_engine_t *engine)
{
    unsigned       i;
    dns_server_t  *r, *next;

    for (i = 0; i < DNS_SERVERS; i++) {
        for (r = engine->server[i]; r != NULL; r = next) {
            next = r->next;
            dns_socket_close_all(r);
            free(r);
        }
    }
}


void
dns_server_text(const dns_engine_t *engine, uint32_t server,
    char buf[DNS_SERVER_TEXT])
{
    dns_server_t  *r;

    buf[0] = '\0';
    r = dns_server_find(engine, server);

    if (r != NULL) {
        dns_address_text(&r->sa, buf);
    }
}


const dns_server_counters_t *
dns_server_count(dns_server_t *r)
{
    r->counters.srtt = r->rtt.srtt;
    r->counters.rto = r->rtt.srtt == 0 ? 0 : dns_rtt_wait(r->engine, NULL, r);
    r->counters.in_flight = r->in_flight;
    r->counters.down = dns_server_down(r) & 1;

    return &r->counters;
}


const dns_server_counters_t *
dns_server_counters(dns_engine_t *engine, uint32_t server)
{
    dns_server_t  *r;

    r = dns_server_find(engine, server);

    return r == NULL ? NULL : dns_server_count(r);
}


int
dns_server_down(const dns_server_t *r)
{
    return r->fails >= DNS_LIMIT;
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


void
dns_server_heard(dns_server_t *r, const dns_flight_t *f)
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


void
dns_server_overdue(const dns_query_t *q)
{
    dns_server_t  *r;

    r = dns_at(q);

    if (q->edns && (dns_tells(q) || !r->edns_heard)) {
        r->edns_lost++;
    }
}
