/*
 * The addresses of the name servers of one zone: those that the resolvers give,
 * and for a name inside of the zone that has none there, its glue.  Foreign
 * names get no glue: it could lead anywhere.
 *
 * Addresses that are not public are left out unless they are allowed, as are
 * those that this machine has no route to.
 */

#include "base/netaddr.h"
#include "find.h"

#include <string.h>

#define HOSTS_PATIENCE  1.0         /* s, for more addresses after the first */
#define HOSTS_PORT      53


void
dns_hosts_stop(dns_hosts_t *h)
{
    unsigned  i;

    ev_timer_stop(h->engine->loop, &h->timer);

    for (i = 0; i < 2 * DNS_MAX_NS; i++) {
        if (h->ask[i].q != NULL) {
            dns_cancel(h->ask[i].q);
            h->ask[i].q = NULL;
        }
    }
}


/*
 * Takes one address of each name, then another one of each, and so on, up to
 * the size of a set.
 */
unsigned
dns_hosts_choose(const dns_hosts_t *h, struct sockaddr_storage *sa)
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


static void
hosts_add(dns_hosts_t *h, unsigned ns, const struct sockaddr_storage *sa)
{
    unsigned  i;

    for (i = 0; i < h->n; i++) {
        if (dns_address_same(&h->sa[i], sa)) {
            return;
        }
    }

    if (h->n == DNS_MAX_HOSTS) {
        return;
    }

    if (!dns_host_public(&h->engine->conf, sa)) {
        dns_trace_zone(h->engine, h->trace,
                       "left out, not public and not in list_server_allow:",
                       sa, 1);

    } else if (!dns_address_routed(sa)) {
        dns_trace_zone(h->engine, h->trace, "left out, no route:", sa, 1);

    } else {
        h->of[h->n] = ns;
        h->sa[h->n++] = *sa;
    }
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
hosts_add_octets(dns_hosts_t *h, unsigned ns, const void *octets, int v6)
{
    struct sockaddr_storage  sa;

    dns_host_address(&sa, octets, v6);
    hosts_add(h, ns, &sa);
}


/* For the names that the resolvers gave no usable address of. */
static void
hosts_glue(dns_hosts_t *h)
{
    unsigned           i, has;
    const dns_glue_t  *glue;

    has = 0;

    for (i = 0; i < h->n; i++) {
        has |= 1u << h->of[i];
    }

    for (i = 0; i < h->n_glue; i++) {
        glue = &h->glue[i];

        if (!(has >> glue->ns & 1)) {
            hosts_add_octets(h, glue->ns, glue->addr, glue->v6);
            h->ttl = glue->ttl < h->ttl ? glue->ttl : h->ttl;
        }
    }
}


static void
hosts_done(dns_hosts_t *h)
{
    dns_hosts_stop(h);
    hosts_glue(h);
    h->done(h->data);
}


static void
hosts_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    dns_hosts_t  *h;

    (void) loop;
    (void) events;

    h = timer->data;

    if (h->n || h->n_glue) {
        hosts_done(h);
    }
}


static void
hosts_answer(void *data, const dns_answer_t *answer)
{
    unsigned      i;
    uint32_t      a;
    dns_hosts_t  *h;
    dns_host_t   *ask;

    ask = data;
    h = ask->hosts;
    ask->q = NULL;

    for (i = 0; i < answer->n_a && i < DNS_MAX_HOSTS; i++) {
        a = htonl(answer->a[i]);
        hosts_add_octets(h, ask->ns, &a, 0);
    }

    for (i = 0; i < answer->n_aaaa && i < DNS_MAX_HOSTS; i++) {
        hosts_add_octets(h, ask->ns, &answer->aaaa[i], 1);
    }

    if (!dns_answered(answer->status)) {
        h->failure = answer->status;
    }

    if (answer->n_a + answer->n_aaaa && answer->ttl < h->ttl) {
        h->ttl = answer->ttl;
    }

    if (--h->open == 0 || (h->n && !ev_is_active(&h->timer))) {
        hosts_done(h);
    }
}


/* The glue of names inside of the zone. */
static void
hosts_keep(dns_hosts_t *h, const dns_referral_t *referral)
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


void
dns_hosts_begin(dns_hosts_t *h, const dns_referral_t *referral, unsigned most,
    int glue)
{
    unsigned     i;
    dns_host_t  *ask;

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
        ask->hosts = h;
        ask->ns = i / 2;
        ask->q = dns_ask_look(h->engine, NULL, h->account,
                              &referral->ns[i / 2],
                              i % 2 ? DNS_TYPE_AAAA : DNS_TYPE_A,
                              hosts_answer, ask);
    }

    ev_timer_init(&h->timer, hosts_timer, HOSTS_PATIENCE, 0.);
    h->timer.data = h;
    ev_timer_start(h->engine->loop, &h->timer);
}
