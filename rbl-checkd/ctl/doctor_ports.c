/*
 * rblctl doctor: do queries reach the lists' name servers?  The query engine
 * finds the servers of a few active lists; then each gets one query over UDP
 * and one over TCP.  An answer counts, whatever it says.
 */

#include "doctor.h"
#include "doctor_ask.h"
#include "probe.h"

#include "base/netaddr.h"
#include "dns/servers.h"

#include <stdio.h>

#define PORTS_LISTS    8                /* that are tried, */
#define PORTS_SERVERS 16                /* and servers of these; two of one list
                                           and family */

typedef struct {
    doctor_t     *d;
    check_env_t   env;
    unsigned      open;                 /* lists whose servers are sought */
    unsigned      lists;                /* that have been found */
    unsigned      n;
    ask_t         udp[PORTS_SERVERS], tcp[PORTS_SERVERS];
} ports_t;

typedef struct {
    ports_t       *ports;
    const list_t  *list;
} ports_list_t;


/* Adds a server of a list, unless it has two of that family. */
static void
ports_server(ports_t *p, const list_t *list, const char *server,
    unsigned of[2])
{
    unsigned                 i, v6;
    struct sockaddr_storage  at;

    if (dns_server_parse(&at, server) != 0 || p->n == PORTS_SERVERS) {
        return;
    }

    v6 = at.ss_family == AF_INET6;

    for (i = 0; i < p->n; i++) {
        if (dns_address_same(&p->udp[i].at, &at)) {
            return;
        }
    }

    if (of[v6] < 2
        && ask_set(&p->udp[p->n], &at, list->ask, DNS_TYPE_SOA,
                   DNS_QUERY_EDNS, 0) == 0
        && ask_set(&p->tcp[p->n], &at, list->ask, DNS_TYPE_SOA,
                   DNS_QUERY_EDNS, 1) == 0)
    {
        of[v6]++;
        p->n++;
    }
}


static void
on_servers(void *data, const dns_answer_t *answer)
{
    char           server[DNS_SERVER_TEXT];
    unsigned       i, n, of[2] = { 0, 0 };
    uint32_t       id[DNS_MAX_SERVERS];
    ports_t       *p;
    dns_payer_t    payer;
    ports_list_t  *l = data;

    (void) answer;

    p = l->ports;
    payer = list_payer(l->list, 1);
    n = dns_servers(p->env.dns, &payer, id);
    p->lists += n > 0;

    for (i = 0; i < n; i++) {
        dns_server_text(p->env.dns, id[i], server);
        ports_server(p, l->list, server, of);
    }

    if (--p->open == 0) {
        ev_break(p->env.loop, EVBREAK_ALL);
    }
}


static void
on_late(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void) timer;
    (void) events;

    ev_break(loop, EVBREAK_ALL);
}


/* Finds servers of some lists, critical ones first. */
static unsigned
ports_find(ports_t *p)
{
    int            turn;
    size_t         i, n;
    ev_timer       late;
    dns_payer_t    payer;
    const list_t  *list;

    static ports_list_t  lists[PORTS_LISTS];

    for (turn = 0, n = 0; turn < 2; turn++) {
        for (i = 0; i < p->d->n_lists && n < PORTS_LISTS; i++) {
            list = p->d->list[i];

            if (list->ask == NULL || list->ask[0] == '\0'
                || (strcmp(list->tier, "critical") == 0) != (turn == 0))
            {
                continue;
            }

            lists[n] = (ports_list_t) { p, list };
            payer = list_payer(list, 1);
            p->open += dns_ask(p->env.dns, list->ask, DNS_TYPE_SOA, &payer,
                               on_servers, &lists[n++]) != NULL;
        }
    }

    if (p->open > 0) {
        ev_timer_init(&late, on_late, DOCTOR_WAIT, 0);
        ev_timer_start(p->env.loop, &late);
        ev_run(p->env.loop, 0);
    }

    return (unsigned) n;
}


/* How many answered, of one family; the first that did not, and why. */
static unsigned
ports_count(const ask_t *ask, unsigned n, int family, unsigned *all,
    char why[DOCTOR_REASON])
{
    char      server[DNS_SERVER_TEXT];
    unsigned  i, good;

    for (i = good = *all = 0, why[0] = '\0'; i < n; i++) {
        if (ask[i].at.ss_family != family) {
            continue;
        }

        ++*all;
        good += ask[i].end == ASK_ANSWERED;

        if (ask[i].end != ASK_ANSWERED && why[0] == '\0') {
            dns_address_text(&ask[i].at, server);
            snprintf(why, DOCTOR_REASON, "%s: %s", server,
                     ask_trouble(&ask[i]));
        }
    }

    return good;
}


/* Lists without any answer are no fault of this machine as long as most servers
   answer. */
static void
ports_judge(doctor_t *d, doctor_id_t id, const ask_t *ask, unsigned n,
    doctor_state_t worst, const char *over)
{
    char      why[DOCTOR_REASON], remedy[DOCTOR_REMEDY];
    int       host;
    char      server[DNS_SERVER_TEXT];
    unsigned  good, all;

    good = ports_count(ask, n, AF_INET, &all, why);

    if (all == 0) {
        doctor_say(d, id, DOCTOR_UNKNOWN, NULL, "no name server of a list has"
                   " an IPv4 address");
        return;
    }

    dns_address_text(&ask[0].at, server);
    host = (int) strcspn(server, "@");
    snprintf(remedy, sizeof(remedy), "let this machine send to port 53 of any"
             " address over UDP and TCP; try: dig %s@%.*s -p %s . NS",
             id == DOCTOR_DNS_TCP ? "+tcp " : "", host, server,
             server + host + 1);

    if (good == 0) {
        doctor_say(d, id, worst, remedy, "none of %u name servers of lists"
                   " answers over %s: %s", all, over, why);

    } else if (good * 2 < all) {
        doctor_say(d, id, DOCTOR_DEGRADED, remedy, "%u of %u name servers of"
                   " lists answer over %s: %s", good, all, over, why);

    } else {
        doctor_say(d, id, DOCTOR_GOOD, NULL, "%u of %u name servers of lists"
                   " answer over %s", good, all, over);
    }
}


static void
ports_ipv6(doctor_t *d, const ask_t *ask, unsigned n)
{
    char                     why[DOCTOR_REASON];
    unsigned                 good, all;
    struct sockaddr_storage  far;

    /* an address of the global range, for which a route is sought */

    (void) dns_server_parse(&far, "2000::1");
    good = ports_count(ask, n, AF_INET6, &all, why);

    if (good > 0) {
        doctor_say(d, DOCTOR_IPV6, DOCTOR_GOOD, NULL, "%u of %u name servers"
                   " of lists answer over IPv6", good, all);

    } else if (all > 0) {
        doctor_say(d, DOCTOR_IPV6, DOCTOR_DEGRADED, NULL, "this machine has a"
                   " route for IPv6, and none of %u name servers of lists"
                   " answers over it: %s", all, why);

    } else if (!dns_address_routed(&far)) {
        doctor_say(d, DOCTOR_IPV6, DOCTOR_GOOD, NULL, "no route for IPv6:"
                   " IPv4 is used");

    } else {
        doctor_say(d, DOCTOR_IPV6, DOCTOR_UNKNOWN, NULL, "no name server of a"
                   " list has an IPv6 address");
    }
}


static void
ports_unknown(doctor_t *d, const char *why)
{
    doctor_say(d, DOCTOR_DNS_UDP, DOCTOR_UNKNOWN, NULL, "%s", why);
    doctor_say(d, DOCTOR_DNS_TCP, DOCTOR_UNKNOWN, NULL, "%s", why);
    doctor_say(d, DOCTOR_IPV6, DOCTOR_UNKNOWN, NULL, "%s", why);
}


void
doctor_ports(doctor_t *d)
{
    unsigned        n;
    static ports_t  p;

    p.d = d;
    d->ctl->conf = d->daemon;

    if (!d->daemon.dns.direct) {
        ports_unknown(d, "lookup is resolver: only the resolvers ask the"
                      " lists' servers");
        return;
    }

    if (d->n_lists == 0) {
        ports_unknown(d, "no active list is known");
        return;
    }

    if (ctl_probe_open(d->ctl, &p.env) != 0) {
        ports_unknown(d, "the query engine cannot be started");
        return;
    }

    n = ports_find(&p);

    if (p.n == 0) {
        ports_unknown(d, n == 0 ? "no active list can be queried" : "the name"
                      " servers of no list can be found: see resolver");
        return;
    }

    ask_all(p.udp, p.n, DOCTOR_WAIT / 2);
    ask_all(p.tcp, p.n, DOCTOR_WAIT / 2);
    ports_judge(d, DOCTOR_DNS_UDP, p.udp, p.n, DOCTOR_BROKEN, "UDP");
    ports_judge(d, DOCTOR_DNS_TCP, p.tcp, p.n, DOCTOR_DEGRADED, "TCP");
    ports_ipv6(d, p.udp, p.n);
}
