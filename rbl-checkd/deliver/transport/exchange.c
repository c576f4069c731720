/*
 * Queries the A and AAAA records of a name through the daemon's own engine,
 * removes every address that is not permitted, and takes one of the others.
 * The connection is pinned to the judged address, so that a change of the DNS
 * between the query and the connection has no effect.  IPv4 goes first; each
 * attempt takes the next address.  With addresses of both families, those of a
 * family without a route are left out: behind NAT64 no attempt is lost to IPv4.
 */

#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>

#include "address.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "rbl_out.h"


#define EXCHANGE_URL_MAX  4096
#define EXCHANGE_LEAST    0.1           /* s; 0 would mean for ever */
#define LOOKUP_MAX        (2 * DNS_MAX_A)
#define LOOKUP_WHY        112


/* From a host to one address that may be used. */
struct exchange_lookup_s {
    exchange_t   *exchange;
    dns_query_t  *a, *aaaa;             /* NULL: complete or not queried */
    ev_timer      timer;
    unsigned      n;                    /* usable, IPv4 first */
    unsigned      n_ipv4;
    rbl_addr_t    usable[LOOKUP_MAX];
    int           known;                /* it has an address */
    char          why[LOOKUP_WHY];      /* the last refusal */
};


static void
lookup_end(exchange_t *x)
{
    exchange_lookup_t  *l = x->lookup;

    if (l == NULL) {
        return;
    }

    ev_timer_stop(x->loop, &l->timer);

    if (l->a != NULL) {
        dns_cancel(l->a);
    }

    if (l->aaaa != NULL) {
        dns_cancel(l->aaaa);
    }

    free(l);
    x->lookup = NULL;
}


void
exchange_cancel(exchange_t *x)
{
    lookup_end(x);

    if (x->transfer != NULL) {
        transfer_cancel(x->transfer);
        x->transfer = NULL;
    }
}


/* There is no transfer. */

static void
exchange_fail(exchange_t *x, transfer_end_t end, const char *text)
{
    transfer_result_t  result;

    memset(&result, 0, sizeof(result));
    result.end = end;
    result.seconds = clock_now() - x->begun;
    result.text = text;
    x->done(x->data, &result);
}


static void
exchange_answered(void *data, const transfer_result_t *result)
{
    exchange_t  *x = data;

    x->transfer = NULL;
    x->done(x->data, result);
}


/* 0, or -1: it does not fit. */

static int
exchange_url(const exchange_t *x, char url[EXCHANGE_URL_MAX])
{
    rbl_out_t         out = { url, url + EXCHANGE_URL_MAX, NULL, 0 };
    const rbl_url_t  *u = &x->url;

    rbl_out_z(&out, u->tls ? "https://" : "http://");
    rbl_out_z(&out, x->host);

    if (u->port != (u->tls ? 443u : 80u)) {
        rbl_out_char(&out, ':');
        rbl_out_int(&out, u->port);
    }

    if (u->path.n == 0 || u->path.p[0] != '/') {
        rbl_out_char(&out, '/');
    }

    rbl_out_str(&out, u->path);
    rbl_out_char(&out, '\0');

    return out.failed ? -1 : 0;
}


/* 0, or -1: curl does not take it. */

static int
exchange_transfer(exchange_t *x, const rbl_addr_t *addr)
{
    char                url[EXCHANGE_URL_MAX];
    double              left;
    transfer_request_t  request;

    if (exchange_url(x, url) != 0) {
        return -1;
    }

    left = x->deadline - clock_now();
    left = left < x->timeout ? left : x->timeout;

    request.request = x->request;
    request.url = url;
    request.tls = x->url.tls;
    request.addr = *addr;
    request.port = x->url.port;
    request.whole = x->whole;
    request.timeout = left > EXCHANGE_LEAST ? left : EXCHANGE_LEAST;
    request.connect_timeout = x->connect_timeout;
    x->transfer = transfer_start(x->pool, &request, exchange_answered, x);

    return x->transfer != NULL ? 0 : -1;
}


static void
lookup_refused(exchange_lookup_t *l, const rbl_addr_t *addr, const char *what)
{
    char  text[RBL_VALUE_MAX];

    rbl_addr_text(text, addr);
    snprintf(l->why, LOOKUP_WHY, "address %.45s refused: %.30s", text, what);
}


static int
lookup_routed(const rbl_addr_t *addr)
{
    char                     text[RBL_VALUE_MAX];
    struct sockaddr_storage  sa;

    rbl_addr_text(text, addr);

    return dns_server_parse(&sa, text) == 0 && dns_address_routed(&sa);
}


/* One address speaks for its family: a machine has a default route or none. */

static void
lookup_drop_family(exchange_lookup_t *l)
{
    if (l->n_ipv4 == 0 || l->n_ipv4 == l->n) {
        return;
    }

    if (!lookup_routed(&l->usable[l->n_ipv4])) {
        l->n = l->n_ipv4;

    } else if (!lookup_routed(&l->usable[0])) {
        l->n -= l->n_ipv4;
        memmove(l->usable, &l->usable[l->n_ipv4], l->n * sizeof(rbl_addr_t));
        l->n_ipv4 = 0;
    }
}


/* Removes addresses of this machine until one is usable: 0, or -1. */

static int
lookup_choose(exchange_lookup_t *l, rbl_addr_t *addr)
{
    unsigned           i;
    const char        *what;
    const exchange_t  *x = l->exchange;

    while (l->n > 0) {
        i = x->attempt % l->n;
        *addr = l->usable[i];
        what = x->request->trusted
               ? NULL : address_refused_own(addr, x->url.port,
                                            &x->conf->reach);

        if (what == NULL) {
            return 0;
        }

        lookup_refused(l, addr, what);
        l->n--;
        memmove(&l->usable[i], &l->usable[i + 1],
                (l->n - i) * sizeof(rbl_addr_t));
    }

    return -1;
}


static void
lookup_finish(exchange_lookup_t *l)
{
    int          known, found;
    char         why[LOOKUP_WHY];
    rbl_addr_t   addr;
    exchange_t  *x = l->exchange;

    lookup_drop_family(l);
    found = lookup_choose(l, &addr) == 0;
    known = l->known;
    memcpy(why, l->why, sizeof(why));
    lookup_end(x);

    if (!found) {
        exchange_fail(x, known ? TRANSFER_CONNECT : TRANSFER_RESOLVE, why);

    } else if (exchange_transfer(x, &addr) != 0) {
        exchange_fail(x, TRANSFER_INTERNAL, "the request cannot be sent");
    }
}


static void
lookup_take(exchange_lookup_t *l, const rbl_addr_t *addr)
{
    const char        *what;
    const exchange_t  *x = l->exchange;

    l->known = 1;
    what = x->request->trusted
           ? NULL : address_refused(addr, x->url.port, &x->conf->reach);

    if (what != NULL) {
        lookup_refused(l, addr, what);
        return;
    }

    if (l->n == LOOKUP_MAX) {
        return;
    }

    if (addr->family == RBL_FAMILY_IPV4) {
        memmove(&l->usable[l->n_ipv4 + 1], &l->usable[l->n_ipv4],
                (l->n - l->n_ipv4) * sizeof(rbl_addr_t));
        l->usable[l->n_ipv4++] = *addr;

    } else {
        l->usable[l->n] = *addr;
    }

    l->n++;
}


static void
lookup_answered(exchange_lookup_t *l, const dns_answer_t *answer)
{
    unsigned    i;
    rbl_addr_t  addr;

    static const char *const  status[] = {
        "no address", "no such name", "server failure", "query refused",
        "bad reply", "no reply", "truncated reply", "resolver unreachable"
    };

    for (i = 0; i < answer->n_a && i < DNS_MAX_A; i++) {
        address_from_ipv4(&addr, answer->a[i]);
        lookup_take(l, &addr);
    }

    for (i = 0; i < answer->n_aaaa && i < DNS_MAX_A; i++) {
        address_from_in6(&addr, &answer->aaaa[i]);
        lookup_take(l, &addr);
    }

    if (l->why[0] == '\0' && answer->status <= DNS_NETWORK) {
        snprintf(l->why, sizeof(l->why), "look-up: %s",
                 status[answer->status]);
    }

    if (l->a == NULL && l->aaaa == NULL) {
        lookup_finish(l);
    }
}


static void
lookup_a(void *data, const dns_answer_t *answer)
{
    exchange_lookup_t  *l = data;

    l->a = NULL;
    lookup_answered(l, answer);
}


static void
lookup_aaaa(void *data, const dns_answer_t *answer)
{
    exchange_lookup_t  *l = data;

    l->aaaa = NULL;
    lookup_answered(l, answer);
}


/* The time is over. */

static void
lookup_timer_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    exchange_lookup_t  *l = timer->data;

    (void) loop;
    (void) revents;

    if (l->why[0] == '\0') {
        snprintf(l->why, sizeof(l->why), "look-up: no reply in time");
    }

    lookup_finish(l);
}


/* Sets the host as it is in a URL, and its address, if it is one. */

static rbl_err_t
exchange_host(exchange_t *x, rbl_addr_t *literal)
{
    char       buf[RBL_VALUE_MAX];
    rbl_err_t  err;
    rbl_str_t  name;

    err = address_host(literal, buf, &name, x->url.host);

    if (err != RBL_OK) {
        return err;
    }

    if (literal->family == RBL_FAMILY_NONE) {
        rbl_copy(x->host, sizeof(x->host), name);
        return RBL_OK;
    }

    rbl_addr_text(buf, literal);
    snprintf(x->host, sizeof(x->host),
             literal->family == RBL_FAMILY_IPV6 ? "[%s]" : "%s", buf);

    return RBL_OK;
}


const char *
exchange_start(exchange_t *x)
{
    rbl_addr_t          literal;
    exchange_lookup_t  *l;

    x->begun = clock_now();

    if (rbl_url_parse(&x->url, x->request->to) != RBL_OK) {
        return "not a valid URL";
    }

    if (!x->url.tls && !x->conf->deliver_http && !x->request->trusted) {
        return "only https is allowed";
    }

    if (exchange_host(x, &literal) != RBL_OK) {
        return "connection failed";
    }

    l = xcalloc(1, sizeof(exchange_lookup_t));
    x->lookup = l;
    l->exchange = x;
    ev_timer_init(&l->timer, lookup_timer_handler,
                  (x->deadline - x->begun) / 2, 0.0);
    l->timer.data = l;

    if (literal.family != RBL_FAMILY_NONE) {
        lookup_take(l, &literal);
        lookup_finish(l);
        return NULL;
    }

    l->a = dns_ask(x->dns, x->host, DNS_TYPE_A, NULL, lookup_a, l);
    l->aaaa = dns_ask(x->dns, x->host, DNS_TYPE_AAAA, NULL, lookup_aaaa, l);

    if (l->a == NULL || l->aaaa == NULL) {
        lookup_end(x);
        return "internal error";
    }

    ev_timer_start(x->loop, &l->timer);

    return NULL;
}
