/*
 * Which resolver is asked.  The first healthy one in the configured order; a
 * retry goes to the next.  A resolver that has lost DNS_LIMIT tries in a row,
 * or that the kernel says is not there, is left alone for DNS_DOWN seconds,
 * then tried with one question; any matching reply makes it healthy.  When
 * none is healthy all are used.
 *
 * A resolver that answers nothing with EDNS is asked without it: at once if it
 * has never answered with EDNS, else after EDNS_LOST tries in a row.  If that
 * is answered, it stays so; from time to time one query has EDNS again.
 */

#include "dns_int.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DNS_LIMIT  8
#define DNS_DOWN   5.0

#define EDNS_LOST       8           /* where EDNS has been answered before */
#define EDNS_RETRY_MIN  1.0
#define EDNS_RETRY_MAX  300.0


void
dns_resolver_init(dns_engine_t *engine)
{
    unsigned         i;
    dns_resolver_t  *r;

    for (i = 0; i < engine->conf.n_resolvers; i++) {
        r = &engine->resolver[i];
        r->sa = engine->conf.resolver[i];
        r->len = r->sa.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                             : sizeof(struct sockaddr_in);
        link_init(&r->retired);
    }
}


int
dns_resolver_down(const dns_resolver_t *r)
{
    return r->fails >= DNS_LIMIT;
}


static int
resolver_usable(const dns_engine_t *engine, unsigned n)
{
    const dns_resolver_t  *r;

    r = &engine->resolver[n];
    return !dns_resolver_down(r) || engine->now >= r->down_until;
}


unsigned
dns_resolver_pick(const dns_question_t *q)
{
    unsigned             i, k, n, start, avoid, second;
    const dns_engine_t  *engine;

    engine = q->engine;
    n = engine->conf.n_resolvers;

    if (n == 1 || q->fixed) {
        return q->resolver;
    }

    start = q->sends == 0 ? 0 : (q->resolver + !q->stay) % n;
    avoid = q->refused | q->unable;
    second = n;

    for (i = 0; i < n; i++) {
        k = (start + i) % n;

        if (avoid & 1u << k) {
            continue;
        }

        if (resolver_usable(engine, k)) {
            return k;
        }

        second = second == n ? k : second;
    }

    return second == n ? start : second;
}


int
dns_resolver_room(const dns_question_t *q, unsigned n)
{
    unsigned               i;
    const dns_engine_t    *engine;
    const dns_resolver_t  *r;

    engine = q->engine;
    r = &engine->resolver[n];

    if (r->in_flight < engine->conf.max_in_flight) {
        return 1;
    }

    /* A question that is there already counts but once. */
    for (i = 0; i < engine->conf.tries && q->hedge; i++) {
        if (q->flight[i].counted && q->flight[i].socket->resolver == r) {
            return 1;
        }
    }

    return 0;
}


void
dns_resolver_use(dns_engine_t *engine, unsigned n)
{
    dns_resolver_t  *r;

    r = &engine->resolver[n];

    /* This question is the trial; the others stay away until it is back. */
    if (r->fails >= DNS_LIMIT && engine->now >= r->down_until) {
        r->down_until = engine->now + DNS_DOWN;
    }
}


void
dns_resolver_lost(dns_engine_t *engine, unsigned n, int refused)
{
    dns_resolver_t  *r;

    r = &engine->resolver[n];

    if (refused && r->fails < DNS_LIMIT) {
        r->fails = DNS_LIMIT - 1;
    }

    if (r->fails < DNS_LIMIT && ++r->fails == DNS_LIMIT) {
        r->down_until = engine->now + DNS_DOWN;
    }
}


static int
resolver_drops_edns(const dns_resolver_t *r)
{
    return r->edns_lost >= (r->edns_heard ? EDNS_LOST : 1);
}


int
dns_resolver_edns(const dns_question_t *q, unsigned n)
{
    dns_engine_t    *engine;
    dns_resolver_t  *r;

    engine = q->engine;
    r = &engine->resolver[n];

    if (q->no_edns) {
        return 0;
    }

    if (!r->plain) {
        return !resolver_drops_edns(r);
    }

    if (engine->now < r->edns_retry || q->attempt + 1u >= engine->conf.tries) {
        return 0;
    }

    r->edns_wait = r->edns_wait * 2 < EDNS_RETRY_MAX ? r->edns_wait * 2
                                                     : EDNS_RETRY_MAX;
    r->edns_retry = engine->now + r->edns_wait;
    return 1;
}


void
dns_resolver_heard(dns_resolver_t *r, const dns_flight_t *f)
{
    if (f->edns) {
        r->edns_lost = 0;
        r->edns_heard = 1;
        r->plain = 0;

    } else if (!r->plain && resolver_drops_edns(r)) {
        r->plain = 1;
        r->edns_wait = EDNS_RETRY_MIN;
        r->edns_retry = f->q->engine->now + r->edns_wait;
    }
}


void
dns_resolver_overdue(const dns_question_t *q)
{
    dns_resolver_t  *r;

    r = &q->engine->resolver[q->resolver];

    /* An own list may be silent on purpose. */
    if (q->edns && (q->class->owner->account == 0 || !r->edns_heard)) {
        r->edns_lost++;
    }
}


static int
resolver_port(const char *text, in_port_t *port)
{
    char  *end;
    long   n;

    if (*text < '0' || *text > '9') {
        return -1;
    }

    n = strtol(text, &end, 10);

    if (*end != '\0' || n < 1 || n > 65535) {
        return -1;
    }

    *port = htons((uint16_t) n);
    return 0;
}


/* "host]" or "host]:port"; the host's length, or 0. */
static size_t
resolver_bracket(const char *text, in_port_t *port)
{
    size_t  n;

    n = strcspn(text, "]");

    if (text[n] == '\0' || memchr(text, ':', n) == NULL) {
        return 0;
    }

    text += n + 1;

    if (*text == ':') {
        return resolver_port(text + 1, port) == 0 ? n : 0;
    }

    return *text == '\0' ? n : 0;
}


static size_t
resolver_plain(const char *text, in_port_t *port)
{
    size_t  n;

    n = strcspn(text, "@");

    if (text[n] == '@' && resolver_port(text + n + 1, port) != 0) {
        return 0;
    }

    return n;
}


int
dns_server_parse(struct sockaddr_storage *sa, const char *text)
{
    char                  host[INET6_ADDRSTRLEN];
    size_t                n;
    in_port_t             port;
    struct sockaddr_in   *in;
    struct sockaddr_in6  *in6;

    port = htons(53);
    n = *text == '[' ? resolver_bracket(++text, &port)
                     : resolver_plain(text, &port);

    if (n == 0 || n >= sizeof(host)) {
        return -1;
    }

    memcpy(host, text, n);
    host[n] = '\0';
    memset(sa, 0, sizeof(*sa));

    in = (struct sockaddr_in *) sa;
    in6 = (struct sockaddr_in6 *) sa;

    if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
        in->sin_family = AF_INET;
        in->sin_port = port;
        return 0;
    }

    if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
        in6->sin6_family = AF_INET6;
        in6->sin6_port = port;
        return 0;
    }

    return -1;
}


unsigned
dns_servers(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t ids[DNS_MAX_SERVERS])
{
    unsigned  i;

    (void) payer;

    for (i = 0; i < engine->conf.n_resolvers; i++) {
        ids[i] = i;
    }

    return i;
}


/* Resolvers are told apart by their faults alone. */
void
dns_server_trust(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t server, int trusted)
{
    (void) engine;
    (void) payer;
    (void) server;
    (void) trusted;
}


void
dns_servers_each(dns_engine_t *engine,
    void (*each)(void *data, const dns_server_of_t *server), void *data)
{
    (void) engine;
    (void) each;
    (void) data;
}


void
dns_server_text(const dns_engine_t *engine, uint32_t server,
    char buf[DNS_SERVER_TEXT])
{
    char                           host[INET6_ADDRSTRLEN];
    const void                    *addr;
    in_port_t                      port;
    const struct sockaddr_in      *in;
    const struct sockaddr_in6     *in6;
    const struct sockaddr_storage *sa;

    buf[0] = '\0';
    if (server >= engine->conf.n_resolvers) {
        return;
    }

    sa = &engine->conf.resolver[server];
    in = (const struct sockaddr_in *) sa;
    in6 = (const struct sockaddr_in6 *) sa;
    addr = sa->ss_family == AF_INET6 ? (const void *) &in6->sin6_addr
                                     : (const void *) &in->sin_addr;
    port = sa->ss_family == AF_INET6 ? in6->sin6_port : in->sin_port;

    if (inet_ntop(sa->ss_family, addr, host, sizeof(host)) != NULL) {
        snprintf(buf, DNS_SERVER_TEXT, "%s@%u", host, ntohs(port));
    }
}
