/*
 * Looks at /etc/resolv.conf.  Reading a small file costs less than to be sure
 * that it has not changed: it may be a link, or a mount, and the index of an
 * interface in a scope may change without it.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "nameservers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY  2.0                      /* s */

typedef struct {
    unsigned                 n;
    struct sockaddr_storage  sa[DNS_MAX_RESOLVERS];
} found_t;

struct nameservers_s {
    struct ev_loop  *loop;
    config_t        *conf;
    dns_engine_t    *dns;
    translator_t    *translator;
    ev_timer         timer;
    found_t          last;              /* of the look before */
};


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

    dns_engine_resolvers(s->dns, found->sa, found->n);
    memcpy(dns->resolver, found->sa, sizeof(found->sa));
    dns->n_resolvers = found->n;
    say(s);
    translator_wake(s->translator);
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
nameservers_new(struct ev_loop *loop, config_t *conf, dns_engine_t *dns,
    translator_t *translator)
{
    nameservers_t  *s;

    s = xcalloc(1, sizeof(nameservers_t));
    s->loop = loop;
    s->conf = conf;
    s->dns = dns;
    s->translator = translator;
    ev_timer_init(&s->timer, on_timer, EVERY, EVERY);
    s->timer.data = s;

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
        free(s);
    }
}
