/*
 * Reading the small file /etc/resolv.conf costs less than to be sure that it
 * has not changed: it may be a link, or a mount, and the index of an interface
 * in a scope may change without it.
 *
 * The prefixes of a translator come with the name of RFC 7050.  A failure says
 * nothing: then the known prefixes stay.
 */

#include "network.h"
#include "base/log.h"
#include "base/nat64.h"
#include "base/timer.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY  2.0                      /* s between looks at the file */
#define LEARN  3600.0                   /* s between queries for prefixes */
#define AGAIN  60.0                     /* s, after a failure */
#define IPV6   "2000::1"                /* any public address */

typedef struct {
    unsigned                 n;
    struct sockaddr_storage  sa[DNS_MAX_RESOLVERS];
} found_t;

struct network_s {
    config_t        *conf;
    dns_engine_t    *dns;
    loop_timer_t     look;
    found_t          last;              /* of the look before */
    loop_timer_t     learn;
    dns_query_t     *query;             /* for the prefixes; NULL: none */
};


/* --- the translator ------------------------------------------------------ */

static void
on_answer(void *data, const dns_answer_t *answer)
{
    unsigned    n;
    network_t  *network = data;

    network->query = NULL;
    timer_in(&network->learn, dns_answered(answer->status) ? LEARN : AGAIN);

    if (dns_answered(answer->status)) {
        n = nat64_learn(answer->aaaa, answer->n_aaaa);
        log_debug(NAT64_NAME ": %u addresses, %u prefixes", answer->n_aaaa, n);
    }
}


static void
on_learn(void *data)
{
    network_t                *network = data;
    struct sockaddr_storage   sa;

    if (network->query == NULL && dns_server_parse(&sa, IPV6) == 0
        && dns_address_routed(&sa))
    {
        network->query = dns_ask(network->dns, NAT64_NAME, DNS_TYPE_AAAA, NULL,
                                 on_answer, network);
    }

    if (network->query == NULL) {
        timer_in(&network->learn, AGAIN);
    }
}


/* --- the resolvers ------------------------------------------------------- */

static int
is_same(const found_t *found, unsigned n, const struct sockaddr_storage *sa)
{
    return found->n == n
           && memcmp(found->sa, sa, n * sizeof(struct sockaddr_storage)) == 0;
}


static void
say(const network_t *network)
{
    char      text[DNS_MAX_RESOLVERS * (DNS_SERVER_TEXT + 1)] = "";
    size_t    at;
    unsigned  i, n;
    uint32_t  id[DNS_MAX_SERVERS];

    n = dns_servers(network->dns, NULL, id);

    for (i = 0, at = 0; i < n; i++) {
        text[at] = ' ';
        dns_server_text(network->dns, id[i], text + at + 1);
        at += strlen(text + at);
    }

    log_notice(CONFIG_RESOLV " has changed; the resolvers are now%s", text);
}


static void
take(network_t *network, const found_t *found)
{
    dns_config_t  *dns = &network->conf->dns;

    dns_engine_resolvers(network->dns, found->sa, found->n);
    memcpy(dns->resolver, found->sa, sizeof(found->sa));
    dns->n_resolvers = found->n;
    say(network);
    timer_in(&network->learn, 0);       /* it is another network */
}


static void
on_look(void *data)
{
    found_t        found;
    network_t     *network = data;
    dns_config_t  *dns = &network->conf->dns;

    memset(&found, 0, sizeof(found));
    found.n = config_nameservers(CONFIG_RESOLV, found.sa);

    if (!is_same(&found, network->last.n, network->last.sa)) {
        network->last = found;
        return;
    }

    if (found.n == 0) {
        if (network->conf->system == CONFIG_SYSTEM) {
            network->conf->system = CONFIG_SYSTEM_LOST;
        }

        return;
    }

    if (!is_same(&found, dns->n_resolvers, dns->resolver)) {
        take(network, &found);
    }

    network->conf->system = CONFIG_SYSTEM;
}


network_t *
network_new(struct ev_loop *loop, config_t *conf, dns_engine_t *dns)
{
    network_t  *network;

    network = xcalloc(1, sizeof(network_t));
    network->conf = conf;
    network->dns = dns;
    timer_init(&network->learn, loop, on_learn, network);
    timer_init(&network->look, loop, on_look, network);
    timer_in(&network->learn, 0);

    if (conf->system != CONFIG_SYSTEM_NO) {
        timer_every(&network->look, EVERY, EVERY);
    }

    return network;
}


void
network_free(network_t *network)
{
    if (network == NULL) {
        return;
    }

    timer_stop(&network->look);
    timer_stop(&network->learn);
    dns_cancel(network->query);
    free(network);
}
