/*
 * Looks at /etc/resolv.conf.  Reading a small file costs less than to be sure
 * that it has not changed: it may be a link, or a mount, and the index of an
 * interface in a scope may change without it.
 */

#include "base/log.h"
#include "base/nat64.h"
#include "nameservers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVERY  2.0                      /* s */
#define LEARN  3600.0                   /* s between queries for a prefix */
#define AGAIN  60.0                     /* s, after a failure */
#define IPV6   "2000::1"                /* any public address */

typedef struct {
    unsigned                 n;
    struct sockaddr_storage  sa[DNS_MAX_RESOLVERS];
} found_t;

struct nameservers_s {
    struct ev_loop  *loop;
    config_t        *conf;
    dns_engine_t    *dns;
    ev_timer         timer, learn;
    dns_query_t     *query;             /* for a prefix; NULL: none */
    found_t          last;              /* of the look before */
};


/* --- the prefix of a translator ------------------------------------------- */

static void
learn_in(nameservers_t *s, double wait)
{
    ev_timer_stop(s->loop, &s->learn);
    ev_timer_set(&s->learn, wait, 0.);
    ev_timer_start(s->loop, &s->learn);
}


/* A failure says nothing: the known prefixes stay. */

static void
on_prefix(void *data, const dns_answer_t *answer)
{
    unsigned        n;
    nameservers_t  *s = data;

    s->query = NULL;
    learn_in(s, dns_answered(answer->status) ? LEARN : AGAIN);

    if (dns_answered(answer->status)) {
        n = nat64_learn(answer->aaaa, answer->n_aaaa);
        log_debug(NAT64_NAME ": %u addresses, %u prefixes", answer->n_aaaa, n);
    }
}


/* Sends nothing. */

static int
has_ipv6(void)
{
    int                      fd, rc;
    struct sockaddr_storage  sa;

    (void) dns_server_parse(&sa, IPV6);
    fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return 0;
    }

    rc = connect(fd, (struct sockaddr *) &sa, sizeof(struct sockaddr_in6));
    close(fd);

    return rc == 0;
}


static void
on_learn(struct ev_loop *loop, ev_timer *w, int revents)
{
    nameservers_t  *s = w->data;

    (void) loop;
    (void) revents;

    if (s->query == NULL && has_ipv6()) {
        s->query = dns_ask(s->dns, NAT64_NAME, DNS_TYPE_AAAA, NULL, on_prefix,
                           s);
    }

    if (s->query == NULL) {
        learn_in(s, AGAIN);
    }
}


/* --- the resolvers -------------------------------------------------------- */

static int
is_same(const found_t *found, unsigned n, const struct sockaddr_storage *sa)
{
    return found->n == n
           && memcmp(found->sa, sa, n * sizeof(struct sockaddr_storage)) == 0;
}


static void
say(const nameservers_t *s)
{
    char      text[DNS_MAX_RESOLVERS * (DNS_SERVER_TEXT + 1)] = "";
    size_t    at;
    unsigned  i, n;
    uint32_t  id[DNS_MAX_SERVERS];

    n = dns_servers(s->dns, NULL, id);

    for (i = 0, at = 0; i < n; i++) {
        text[at] = ' ';
        dns_server_text(s->dns, id[i], text + at + 1);
        at += strlen(text + at);
    }

    log_notice(CONFIG_RESOLV " has changed; the resolvers are now%s", text);
}


static void
take(nameservers_t *s, const found_t *found)
{
    dns_config_t  *dns = &s->conf->dns;

    if (dns_engine_resolvers(s->dns, found->sa, found->n) != 0) {
        log_error("out of memory: the former resolvers are still used");
        return;
    }

    memcpy(dns->resolver, found->sa, sizeof(found->sa));
    dns->n_resolvers = found->n;
    say(s);
    learn_in(s, 0);
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    found_t         found;
    nameservers_t  *s = w->data;
    dns_config_t   *dns = &s->conf->dns;

    (void) loop;
    (void) revents;

    memset(&found, 0, sizeof(found));
    found.n = config_nameservers(CONFIG_RESOLV, found.sa);

    if (!is_same(&found, s->last.n, s->last.sa)) {
        s->last = found;
        return;
    }

    if (found.n == 0) {
        if (s->conf->system == CONFIG_SYSTEM) {
            s->conf->system = CONFIG_SYSTEM_LOST;
        }

        return;
    }

    if (!is_same(&found, dns->n_resolvers, dns->resolver)) {
        take(s, &found);
    }

    s->conf->system = CONFIG_SYSTEM;
}


nameservers_t *
nameservers_new(struct ev_loop *loop, config_t *conf, dns_engine_t *dns)
{
    nameservers_t  *s;

    s = calloc(1, sizeof(nameservers_t));
    if (s == NULL) {
        return NULL;
    }

    s->loop = loop;
    s->conf = conf;
    s->dns = dns;
    ev_timer_init(&s->timer, on_timer, EVERY, EVERY);
    s->timer.data = s;

    ev_init(&s->learn, on_learn);
    s->learn.data = s;
    learn_in(s, 0);

    if (conf->system != CONFIG_SYSTEM_NO) {
        ev_timer_start(loop, &s->timer);
    }

    return s;
}


void
nameservers_free(nameservers_t *s)
{
    if (s != NULL) {
        ev_timer_stop(s->loop, &s->timer);
        ev_timer_stop(s->loop, &s->learn);

        if (s->query != NULL) {
            dns_cancel(s->query);
        }

        free(s);
    }
}
