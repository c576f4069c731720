/*
 * Queries the A and AAAA records of a name through the daemon's own engine,
 * removes every address that is not permitted, and returns one of the others.
 * The connection is pinned to the judged address, so that a change of the DNS
 * between the query and the connection has no effect.  IPv4 goes first; each
 * attempt takes the next address.  With addresses of both families, those of a
 * family without a route are left out: behind NAT64 no attempt is lost to IPv4.
 */

#include "resolve.h"

#include <stdio.h>
#include <stdlib.h>

#include "address.h"
#include "base/xalloc.h"


#define RESOLVE_MAX  (2 * DNS_MAX_A)
#define RESOLVE_WHY  112


struct resolve_s {
    resolve_request_t  request;
    resolve_done_pt    done;
    void              *data;
    dns_query_t       *a, *aaaa;        /* NULL: complete or not queried */
    ev_timer           timer;
    unsigned           n;               /* usable, IPv4 first */
    unsigned           n_ipv4;
    rbl_addr_t         usable[RESOLVE_MAX];
    int                known;           /* it has an address */
    char               why[RESOLVE_WHY];    /* the last refusal */
};


void
resolve_cancel(resolve_t *r)
{
    ev_timer_stop(r->request.loop, &r->timer);

    if (r->a != NULL) {
        dns_cancel(r->a);
    }

    if (r->aaaa != NULL) {
        dns_cancel(r->aaaa);
    }

    free(r);
}


static void
resolve_note(char why[RESOLVE_WHY], const rbl_addr_t *addr, const char *what)
{
    char  text[RBL_VALUE_MAX];

    rbl_addr_text(text, addr);
    snprintf(why, RESOLVE_WHY, "address %.45s refused: %.30s", text, what);
}


/* No name: the address is judged as it is. */

static void
resolve_literal(const resolve_request_t *request, resolve_done_pt done,
    void *data)
{
    char                   why[RESOLVE_WHY];
    const char            *what;
    const rbl_addr_t      *addr = &request->literal;
    const config_reach_t  *reach = &request->conf->reach;

    what = request->trusted ? NULL
                            : address_refused(addr, request->port, reach);

    if (what == NULL && !request->trusted) {
        what = address_refused_own(addr, request->port, reach);
    }

    if (what == NULL) {
        done(data, addr, NULL, 1);
        return;
    }

    resolve_note(why, addr, what);
    done(data, NULL, why, 1);
}


static int
resolve_routed(const rbl_addr_t *addr)
{
    char                     text[RBL_VALUE_MAX];
    struct sockaddr_storage  sa;

    rbl_addr_text(text, addr);

    return dns_server_parse(&sa, text) == 0 && dns_address_routed(&sa);
}


/* One address speaks for its family: a machine has a default route or none. */

static void
resolve_drop_family(resolve_t *r)
{
    if (r->n_ipv4 == 0 || r->n_ipv4 == r->n) {
        return;
    }

    if (!resolve_routed(&r->usable[r->n_ipv4])) {
        r->n = r->n_ipv4;

    } else if (!resolve_routed(&r->usable[0])) {
        r->n -= r->n_ipv4;
        memmove(r->usable, &r->usable[r->n_ipv4], r->n * sizeof(rbl_addr_t));
        r->n_ipv4 = 0;
    }
}


/* Removes addresses of this machine until one is usable: 0, or -1. */

static int
resolve_choose(resolve_t *r, rbl_addr_t *addr)
{
    unsigned     i;
    const char  *what;

    while (r->n > 0) {
        i = r->request.attempt % r->n;
        *addr = r->usable[i];
        what = r->request.trusted
               ? NULL : address_refused_own(addr, r->request.port,
                                            &r->request.conf->reach);

        if (what == NULL) {
            return 0;
        }

        resolve_note(r->why, addr, what);
        r->n--;
        memmove(&r->usable[i], &r->usable[i + 1],
                (r->n - i) * sizeof(rbl_addr_t));
    }

    return -1;
}


static void
resolve_finish(resolve_t *r)
{
    int              known;
    char             why[sizeof(r->why)];
    void            *data;
    rbl_addr_t       addr;
    resolve_done_pt  done;

    done = r->done;
    data = r->data;
    resolve_drop_family(r);

    if (resolve_choose(r, &addr) == 0) {
        resolve_cancel(r);
        done(data, &addr, NULL, 1);
        return;
    }

    known = r->known;
    snprintf(why, sizeof(why), "%s", r->why);
    resolve_cancel(r);
    done(data, NULL, why, known);
}


static void
resolve_take(resolve_t *r, const rbl_addr_t *addr)
{
    const char  *what;

    r->known = 1;
    what = r->request.trusted
           ? NULL : address_refused(addr, r->request.port,
                                    &r->request.conf->reach);

    if (what != NULL) {
        resolve_note(r->why, addr, what);
        return;
    }

    if (r->n == RESOLVE_MAX) {
        return;
    }

    if (addr->family == RBL_FAMILY_IPV4) {
        memmove(&r->usable[r->n_ipv4 + 1], &r->usable[r->n_ipv4],
                (r->n - r->n_ipv4) * sizeof(rbl_addr_t));
        r->usable[r->n_ipv4++] = *addr;

    } else {
        r->usable[r->n] = *addr;
    }

    r->n++;
}


static void
resolve_answered(resolve_t *r, const dns_answer_t *answer)
{
    static const char *const  status[] = {
        "no address", "no such name", "server failure", "query refused",
        "bad reply", "no reply", "truncated reply", "resolver unreachable"
    };

    if (r->why[0] == '\0' && answer->status <= DNS_NETWORK) {
        snprintf(r->why, sizeof(r->why), "look-up: %s",
                 status[answer->status]);
    }

    if (r->a == NULL && r->aaaa == NULL) {
        resolve_finish(r);
    }
}


static void
resolve_a(void *data, const dns_answer_t *answer)
{
    unsigned     i;
    resolve_t   *r = data;
    rbl_addr_t   addr;

    r->a = NULL;

    for (i = 0; i < answer->n_a && i < DNS_MAX_A; i++) {
        address_from_ipv4(&addr, answer->a[i]);
        resolve_take(r, &addr);
    }

    resolve_answered(r, answer);
}


static void
resolve_aaaa(void *data, const dns_answer_t *answer)
{
    unsigned     i;
    resolve_t   *r = data;
    rbl_addr_t   addr;

    r->aaaa = NULL;

    for (i = 0; i < answer->n_aaaa && i < DNS_MAX_A; i++) {
        address_from_in6(&addr, &answer->aaaa[i]);
        resolve_take(r, &addr);
    }

    resolve_answered(r, answer);
}


/* The time is over. */

static void
resolve_timer_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    resolve_t  *r = timer->data;

    (void) loop;
    (void) revents;

    if (r->why[0] == '\0') {
        snprintf(r->why, sizeof(r->why), "look-up: no reply in time");
    }

    resolve_finish(r);
}


static int
resolve_ask(resolve_t *r, rbl_str_t name)
{
    char           z[RBL_VALUE_MAX];
    dns_engine_t  *dns = r->request.dns;

    if (name.n >= sizeof(z)) {
        return -1;
    }

    memcpy(z, name.p, name.n);
    z[name.n] = '\0';

    r->a = dns_ask(dns, z, DNS_TYPE_A, NULL, resolve_a, r);
    r->aaaa = dns_ask(dns, z, DNS_TYPE_AAAA, NULL, resolve_aaaa, r);

    return r->a != NULL && r->aaaa != NULL ? 0 : -1;
}


int
resolve_start(const resolve_request_t *request, resolve_t **resolve,
    resolve_done_pt done, void *data)
{
    resolve_t  *r;

    *resolve = NULL;

    if (request->literal.family != RBL_FAMILY_NONE) {
        resolve_literal(request, done, data);
        return 0;
    }

    r = xcalloc(1, sizeof(resolve_t));
    r->request = *request;
    r->done = done;
    r->data = data;

    ev_init(&r->timer, resolve_timer_handler);

    if (resolve_ask(r, request->name) != 0) {
        resolve_cancel(r);
        return -1;
    }

    ev_timer_set(&r->timer, request->timeout, 0.0);
    r->timer.data = r;
    ev_timer_start(request->loop, &r->timer);
    *resolve = r;

    return 0;
}
