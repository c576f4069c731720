/*
 * rblctl doctor: the resolvers.
 */

#include "doctor.h"
#include "doctor_ask.h"

#include "dns/servers.h"

#include <stdio.h>
#include <sys/random.h>

#define DNS_NAMES   3                   /* lists whose servers are asked for */
#define DNS_POINTS  2                   /* test points */
#define DNS_ASKS    (DNS_NAMES + 1 + DNS_POINTS)

_Static_assert(DNS_MAX_RESOLVERS * DNS_ASKS <= ASK_MAX, "all asked at once");

/* Queries to a resolver: names, the name that does not exist, test points. */
typedef struct {
    unsigned   names, points;
    ask_t     *ask;
} resolver_t;


/* "<16 digits>.com": such a name is not registered. */
static void
dns_nowhere(char name[32])
{
    uint64_t  n = 0;

    (void) !getrandom(&n, sizeof(n), 0);
    snprintf(name, 32, "%016llx.com", (unsigned long long) n);
}


/* Test points of some lists, whose responses are in 127.0.0.0/8; only if the
   daemons query lists through the resolvers. */
static unsigned
dns_points(const doctor_t *d, ask_t *ask, const struct sockaddr_storage *at)
{
    char           name[RBL_VALUE_MAX + 16];
    size_t         i;
    unsigned       n;
    const list_t  *list;

    for (i = n = 0; i < d->n_lists && n < DNS_POINTS && !d->daemon.dns.direct;
         i++)
    {
        list = d->list[i];

        if (list->ask != NULL && (list->families & RBL_FAMILY_IPV4)
            && strncmp(list->control, "ip", 2) == 0)
        {
            snprintf(name, sizeof(name), "2.0.0.127.%s", list->ask);
            n += ask_set(&ask[n], at, name, DNS_TYPE_A, DNS_QUERY_RD, 0) == 0;
        }
    }

    return n;
}


/* A resolver is asked for the name servers of some lists, or of the root if
   none are known, for a name that does not exist, and for test points. */
static void
dns_questions(const doctor_t *d, resolver_t *r,
    const struct sockaddr_storage *at)
{
    char      name[32];
    size_t    i;
    unsigned  n;

    for (i = n = 0; i < d->n_lists && n < DNS_NAMES; i++) {
        if (d->list[i]->ask != NULL && d->list[i]->n_servers == 0) {
            n += ask_set(&r->ask[n], at, d->list[i]->ask, DNS_TYPE_NS,
                         DNS_QUERY_RD, 0) == 0;
        }
    }

    if (n == 0) {
        n += ask_set(&r->ask[n], at, "", DNS_TYPE_NS, DNS_QUERY_RD, 0) == 0;
    }

    r->names = n;
    dns_nowhere(name);
    (void) ask_set(&r->ask[n], at, name, DNS_TYPE_A, DNS_QUERY_RD, 0);
    r->points = dns_points(d, &r->ask[n + 1], at);
}


/* Judges the answers of a resolver.  1: it can be used. */
static int
dns_judge(doctor_t *d, const char *server, const resolver_t *r)
{
    unsigned      i, empty;
    const char   *why, *last;
    const ask_t  *nowhere = &r->ask[r->names];

    for (i = 0, last = NULL; i < r->names; i++) {
        why = ask_trouble(&r->ask[i]);

        if (why == NULL) {
            break;
        }

        last = why;
    }

    if (i == r->names) {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_DEGRADED, NULL, "%s %s", server,
                   last);
        return 0;
    }

    if (nowhere->end == ASK_ANSWERED && nowhere->rcode == DNS_RCODE_NOERROR
        && nowhere->records > 0)
    {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_DEGRADED, NULL, "%s answers with"
                   " an address for a name that does not exist", server);
    }

    for (i = empty = 0; i < r->points; i++) {
        nowhere = &r->ask[r->names + 1 + i];
        empty += nowhere->end == ASK_ANSWERED && nowhere->records == 0
                 && nowhere->rcode == DNS_RCODE_NOERROR;
    }

    if (r->points > 0 && empty == r->points) {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_BROKEN, "let the resolver return"
                   " addresses of 127.0.0.0/8 (private-address of unbound,"
                   " stop-dns-rebind of dnsmasq), or set lookup direct in "
                   CONFIG_FILE "; try: dig 2.0.0.127.zen.spamhaus.org",
                   "%s removes addresses of 127.0.0.0/8, by which lists"
                   " answer", server);
    }

    return 1;
}


/* Resolvers for everybody ask for too many clients: large lists refuse them. */
static int
dns_public(const char *server)
{
    size_t  i, n;

    static const char *const  of_all[] = {
        "1.0.0.1", "1.1.1.1", "8.8.4.4", "8.8.8.8", "9.9.9.9",
        "149.112.112.112", "208.67.220.220", "208.67.222.222",
        "2001:4860:4860::8844", "2001:4860:4860::8888", "2606:4700:4700::1001",
        "2606:4700:4700::1111", "2620:fe::fe"
    };

    for (i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++) {
        n = strlen(of_all[i]);

        if (strncmp(server, of_all[i], n) == 0 && server[n] == '@') {
            return 1;
        }
    }

    return 0;
}


void
doctor_resolver(doctor_t *d)
{
    char                 server[DNS_SERVER_TEXT];
    unsigned             i, good;
    resolver_t          *r;
    const dns_config_t  *dns = &d->daemon.dns;

    static resolver_t  resolver[DNS_MAX_RESOLVERS];
    static ask_t       ask[DNS_MAX_RESOLVERS * DNS_ASKS];

    for (i = 0, r = resolver; i < dns->n_resolvers; i++, r++) {
        r->ask = i == 0 ? ask : r[-1].ask + r[-1].names + 1 + r[-1].points;
        dns_questions(d, r, &dns->resolver[i]);
    }

    ask_all(ask, i == 0 ? 0 : (unsigned) (r[-1].ask - ask) + r[-1].names + 1
                              + r[-1].points, DOCTOR_WAIT);

    for (i = good = 0; i < dns->n_resolvers; i++) {
        dns_address_text(&dns->resolver[i], server);

        if (!dns->direct && dns_public(server)) {
            doctor_say(d, DOCTOR_RESOLVER, DOCTOR_DEGRADED, "set lookup direct,"
                       " or a resolver of your own, in " CONFIG_FILE "; try:"
                       " systemctl restart rbl-checkd", "%s is a public"
                       " resolver, which many lists refuse", server);
        }

        good += (unsigned) dns_judge(d, server, &resolver[i]);
    }

    if (good == 0) {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_BROKEN, NULL, "no resolver can"
                   " be used");
    } else {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_GOOD, NULL, "resolvers that can"
                   " be used: %u", good);
    }
}
