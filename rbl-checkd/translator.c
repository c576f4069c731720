/*
 * Queries the name of RFC 7050.  A failure says nothing: then the known
 * prefixes stay.
 */

#include "translator.h"
#include "base/log.h"
#include "base/nat64.h"
#include "base/xalloc.h"

#include <stdlib.h>

#define LEARN  3600.0                   /* s between queries */
#define AGAIN  60.0                     /* s, after a failure */
#define IPV6   "2000::1"                /* any public address */

struct translator_s {
    struct ev_loop  *loop;
    dns_engine_t    *dns;
    ev_timer         timer;
    dns_query_t     *query;             /* NULL: none */
};


static void
learn_in(translator_t *t, double wait)
{
    ev_timer_stop(t->loop, &t->timer);
    ev_timer_set(&t->timer, wait, 0.);
    ev_timer_start(t->loop, &t->timer);
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    unsigned       n;
    translator_t  *t = data;

    t->query = NULL;
    learn_in(t, dns_answered(answer->status) ? LEARN : AGAIN);

    if (dns_answered(answer->status)) {
        n = nat64_learn(answer->aaaa, answer->n_aaaa);
        log_debug(NAT64_NAME ": %u addresses, %u prefixes", answer->n_aaaa, n);
    }
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    translator_t             *t = w->data;
    struct sockaddr_storage   sa;

    (void) loop;
    (void) revents;

    if (t->query == NULL && dns_server_parse(&sa, IPV6) == 0
        && dns_address_routed(&sa))
    {
        t->query = dns_ask(t->dns, NAT64_NAME, DNS_TYPE_AAAA, NULL, on_answer,
                           t);
    }

    if (t->query == NULL) {
        learn_in(t, AGAIN);
    }
}


translator_t *
translator_new(struct ev_loop *loop, dns_engine_t *dns)
{
    translator_t  *t;

    t = xcalloc(1, sizeof(translator_t));
    t->loop = loop;
    t->dns = dns;
    ev_init(&t->timer, on_timer);
    t->timer.data = t;
    translator_wake(t);

    return t;
}


void
translator_wake(translator_t *t)
{
    learn_in(t, 0.);
}


void
translator_free(translator_t *t)
{
    if (t == NULL) {
        return;
    }

    ev_timer_stop(t->loop, &t->timer);

    if (t->query != NULL) {
        dns_cancel(t->query);
    }

    free(t);
}
