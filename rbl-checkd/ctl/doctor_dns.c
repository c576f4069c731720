/*
 * rblctl doctor: the resolvers.
 */

#include "doctor.h"
#include "doctor_ask.h"

#include "dns/servers.h"

#include <stdio.h>
#include <sys/random.h>

#define DNS_NAMES  3                    /* names that a resolver is asked for */


/* "<16 digits>.com": such a name is not registered. */
static void
dns_nowhere(char name[32])
{
    uint64_t  n = 0;

    (void) !getrandom(&n, sizeof(n), 0);
    snprintf(name, 32, "%016llx.com", (unsigned long long) n);
}


/* A resolver is asked for the name servers of some lists, or of the root if
   none are known, and for a name that does not exist. */
static unsigned
dns_questions(const doctor_t *d, ask_t *ask,
    const struct sockaddr_storage *at)
{
    char      name[32];
    unsigned  i, n;

    for (i = n = 0; i < d->n_lists && n < DNS_NAMES; i++) {
        if (d->list[i]->ask != NULL && d->list[i]->n_servers == 0) {
            n += ask_set(&ask[n], at, d->list[i]->ask, DNS_TYPE_NS,
                         DNS_QUERY_RD, 0) == 0;
        }
    }

    if (n == 0) {
        n += ask_set(&ask[n], at, "", DNS_TYPE_NS, DNS_QUERY_RD, 0) == 0;
    }

    dns_nowhere(name);
    (void) ask_set(&ask[n], at, name, DNS_TYPE_A, DNS_QUERY_RD, 0);

    return n + 1;
}


/* Judges the answers of a resolver.  1: it can be used. */
static int
dns_judge(doctor_t *d, const char *server, const ask_t *ask, unsigned n)
{
    unsigned    i;
    const char  *why, *last;

    for (i = 0, last = NULL; i < n - 1; i++) {
        why = ask_trouble(&ask[i]);

        if (why == NULL) {
            break;
        }

        last = why;
    }

    if (i == n - 1) {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_DEGRADED, NULL, "%s %s", server,
                   last);
        return 0;
    }

    if (ask[n - 1].end == ASK_ANSWERED
        && ask[n - 1].rcode == DNS_RCODE_NOERROR && ask[n - 1].records > 0)
    {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_DEGRADED, NULL, "%s answers with"
                   " an address for a name that does not exist", server);
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
    unsigned             i, k, good, from[DNS_MAX_RESOLVERS + 1];
    static ask_t         ask[DNS_MAX_RESOLVERS * (DNS_NAMES + 1)];
    const dns_config_t  *dns = &d->daemon.dns;

    for (i = k = 0; i < dns->n_resolvers; i++) {
        from[i] = k;
        k += dns_questions(d, &ask[k], &dns->resolver[i]);
    }

    from[i] = k;
    ask_all(ask, k, DOCTOR_WAIT);

    for (i = good = 0; i < dns->n_resolvers; i++) {
        dns_address_text(&dns->resolver[i], server);

        if (!dns->direct && dns_public(server)) {
            doctor_say(d, DOCTOR_RESOLVER, DOCTOR_DEGRADED, "set lookup direct,"
                       " or a resolver of your own, in " CONFIG_FILE "; try:"
                       " systemctl restart rbl-checkd", "%s is a public"
                       " resolver, which many lists refuse", server);
        }

        good += (unsigned) dns_judge(d, server, &ask[from[i]],
                                     from[i + 1] - from[i]);
    }

    if (good == 0) {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_BROKEN, NULL, "no resolver can"
                   " be used");
    } else {
        doctor_say(d, DOCTOR_RESOLVER, DOCTOR_GOOD, NULL, "resolvers that can"
                   " be used: %u", good);
    }
}
