/*
 * Does DNS work here?  health_blame.c decides that lists fail because of DNS;
 * this file finds out which part of it, by queries to the resolvers themselves,
 * and reports it: one line in the log when it begins, one when it ends.
 */

#include "base/log.h"
#include "dns/trace.h"
#include "health_int.h"

#include <stdio.h>
#include <time.h>

#define ALWAYS  "root-servers.net"      /* a name that any resolver knows */

const char *const  health_dns_names[] = { "works", "resolver", "udp", "tcp" };


/* --- the report ---------------------------------------------------------- */

static const char *
time_text(int64_t ms, char text[32])
{
    time_t     t = (time_t) (ms / 1000);
    struct tm  tm;

    gmtime_r(&t, &tm);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);

    return text;
}


/* "ADDRESS@PORT" as arguments of dig. */

static void
dig(char *to, size_t n, const char *options, const char *server,
    const char *what)
{
    int          len;
    const char  *at = strrchr(server, '@');

    len = at != NULL ? (int) (at - server) : (int) strlen(server);

    if (at == NULL || strcmp(at, "@53") == 0) {
        snprintf(to, n, "dig +tries=1 %s@%.*s %s", options, len, server, what);

    } else {
        snprintf(to, n, "dig +tries=1 %s-p %s @%.*s %s", options, at + 1, len,
                 server, what);
    }
}


static void
report(health_t *health, unsigned group, health_dns_kind_t kind)
{
    char           since[32], server[DNS_SERVER_TEXT];
    health_dns_t  *dns = &health->resolver[group].dns;

    dns->kind = kind;

    if (kind == HEALTH_DNS_RESOLVER) {
        dns_server_text(health->dns, group, server);
        memcpy(dns->server, server, sizeof(server));
        dig(dns->command, sizeof(dns->command), "", server, ". NS");
        snprintf(dns->why, sizeof(dns->why), "resolver %s is at fault: %u lists"
                 " fail their test points and none passes%s", server,
                 dns->lists, dns->denies
                 ? "; it denies that any name exists"
                 : health->resolver[group].empty
                 ? "; it removes addresses of 127.0.0.0/8 from responses, as"
                   " with private-address: 127.0.0.0/8 or another filter"
                   " against rebinding" : "");

    } else {
        snprintf(dns->why, sizeof(dns->why), "the resolver answers, but no name"
                 " server of %u lists does: port 53 may be closed over %s",
                 dns->lists, kind == HEALTH_DNS_TCP ? "TCP" : "UDP");
    }

    dns_trace(health->dns, "DNS does not work, not the lists: %s", dns->why);
    log_notice("DNS does not work here since %s: %s; try: %s",
               time_text(dns->since, since), dns->why, dns->command);
}


/* --- which part of DNS --------------------------------------------------- */

static void
on_resolver(void *data, const dns_answer_t *answer)
{
    health_ask_t       *ask = data;
    health_resolver_t  *r = &ask->health->resolver[ask->group];

    ask->query = NULL;
    r->answers += dns_direct(ask->health->dns)
                  ? answer->status == DNS_NOERROR
                  : dns_answered(answer->status);

    if (--r->asking != 0) {
        return;
    }

    if (r->since == 0) {
        ask->health->asked(ask->health, ask->group, r->answers != 0);

    } else if (r->dns.kind == HEALTH_DNS_WORKS) {
        report(ask->health, ask->group, r->answers != 0 ? r->suspect
                                                        : HEALTH_DNS_RESOLVER);
    }
}


/* In direct mode any of the resolvers will do. */

int
health_dns_ask(health_t *health, unsigned group)
{
    uint32_t            id[DNS_MAX_SERVERS];
    unsigned            i, n;
    health_ask_t       *ask;
    health_resolver_t  *r = &health->resolver[group];

    if (r->asking != 0) {
        return 1;
    }

    r->answers = 0;
    n = dns_direct(health->dns) ? dns_servers(health->dns, NULL, id) : 1;

    for (i = 0; i < n; i++) {
        ask = &r->ask[i];
        ask->health = health;
        ask->group = group;
        ask->query = dns_ask_at(health->dns, dns_direct(health->dns) ? id[i]
                                : group, ALWAYS, DNS_TYPE_SOA, NULL,
                                on_resolver, ask);
        r->asking += ask->query != NULL;
    }

    return r->asking != 0;
}


void
health_dns_stop(health_t *health)
{
    unsigned       i, k;
    health_ask_t  *ask;

    for (i = 0; i < DNS_MAX_RESOLVERS; i++) {
        for (k = 0; k < DNS_MAX_RESOLVERS; k++) {
            ask = &health->resolver[i].ask[k];

            if (ask->query != NULL) {
                dns_cancel(ask->query);
                ask->query = NULL;
            }
        }
    }
}


/* --- begin and end ------------------------------------------------------- */

void
health_dns_begin(health_t *health, unsigned group, const health_blame_t *v)
{
    char                zone[256 + 4], server[DNS_SERVER_TEXT];
    struct timespec     ts;
    health_dns_t       *dns = &health->resolver[group].dns;
    health_resolver_t  *r = &health->resolver[group];

    r->first = 0;

    if (dns->kind != HEALTH_DNS_WORKS) {
        return;
    }

    clock_gettime(CLOCK_REALTIME, &ts);
    dns->since = (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000
                 - (int64_t) ((clock_now() - v->from) * 1000);
    dns->lists = v->bad + v->denied;
    dns->denies = v->bad == 0;

    if (!dns_direct(health->dns) || v->unfound == v->bad || v->first == NULL) {
        report(health, group, HEALTH_DNS_RESOLVER);
        return;
    }

    r->suspect = v->tcp == v->bad ? HEALTH_DNS_TCP : HEALTH_DNS_UDP;
    dns_server_text(health->dns, v->first->server, server);
    memcpy(dns->server, server, sizeof(server));
    snprintf(zone, sizeof(zone), "%s SOA", v->first->owner);
    dig(dns->command, sizeof(dns->command),
        r->suspect == HEALTH_DNS_TCP ? "+tcp +norec " : "+norec ", server,
        zone);

    if (!health_dns_ask(health, group)) {
        report(health, group, r->suspect);
    }
}


void
health_dns_heard(health_t *health, unsigned group)
{
    char                since[32];
    health_resolver_t  *r = &health->resolver[group];

    if (r->dns.kind == HEALTH_DNS_WORKS || r->since != 0) {
        return;
    }

    if (r->first == 0) {
        r->first = clock_now();
    }

    if (clock_now() - r->first >= HEALTH_DNS_SURE) {
        log_notice("DNS works here again; it did not since %s (%s)",
                   time_text(r->dns.since, since),
                   r->dns.kind == HEALTH_DNS_RESOLVER ? r->dns.server
                   : "the servers of the lists");
        dns_trace(health->dns, "DNS works again");
        memset(&r->dns, 0, sizeof(health_dns_t));
        r->first = 0;
    }
}


unsigned
health_dns(const health_t *health, health_dns_t *dns)
{
    unsigned  i, n;

    memset(dns, 0, sizeof(health_dns_t));

    for (i = n = 0; i < DNS_MAX_RESOLVERS; i++) {
        if (health->resolver[i].dns.kind != HEALTH_DNS_WORKS && n++ == 0) {
            *dns = health->resolver[i].dns;
        }
    }

    return n;
}
