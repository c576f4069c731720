/*
 * rblctl doctor: the hosts of webhook receivers.  Each name is resolved by the
 * query engine, and its addresses are judged as before a delivery; nothing is
 * sent.
 */

#include "doctor.h"
#include "probe.h"

#include "deliver/transport/address.h"

#include <stdio.h>

#define RECEIVER_REMEDY                                                       \
    "correct the name or the receiver; an address of your own network has to" \
    " be allowed by deliver_allow in " CONFIG_FILE "; try: dig "

typedef struct receivers_s  receivers_t;

typedef struct {
    receivers_t  *all;
    unsigned      port, open;           /* queries */
    int           usable;               /* it has a permitted address */
    char          host[RBL_VALUE_MAX];
    char          why[DOCTOR_REASON];   /* the last refusal; "": none */
} receiver_t;

struct receivers_s {
    doctor_t     *d;
    check_env_t   env;
    unsigned      open;                 /* receivers */
    receiver_t    receiver[DOCTOR_URLS];
};


static void
receiver_judge(receiver_t *r, const rbl_addr_t *addr)
{
    char                   text[RBL_VALUE_MAX];
    rbl_str_t              shown;
    const char            *what;
    const config_reach_t  *reach = &r->all->d->daemon.reach;

    what = address_refused(addr, r->port, reach);
    what = what == NULL ? address_refused_own(addr, r->port, reach) : what;
    shown = rbl_addr_text(text, addr);
    r->usable |= what == NULL;

    if (what != NULL) {
        snprintf(r->why, sizeof(r->why), "address %.*s refused: %s",
                 (int) shown.n, shown.p, what);
    }
}


static void
receiver_end(receiver_t *r)
{
    char          remedy[DOCTOR_REMEDY];
    receivers_t  *all = r->all;

    if (!r->usable) {
        snprintf(remedy, sizeof(remedy), RECEIVER_REMEDY "%.120s", r->host);
        doctor_say(all->d, DOCTOR_RECEIVER_NAMES, DOCTOR_DEGRADED, remedy,
                   "%s: %s", r->host, r->why[0] != '\0' ? r->why
                   : "the name has no address");
    }

    if (--all->open == 0) {
        ev_break(all->env.loop, EVBREAK_ALL);
    }
}


static void
on_addresses(void *data, const dns_answer_t *answer)
{
    unsigned     i;
    rbl_addr_t   addr;
    receiver_t  *r = data;

    if (!dns_answered(answer->status) && r->why[0] == '\0') {
        snprintf(r->why, sizeof(r->why), "the name cannot be resolved");
    }

    for (i = 0; i < answer->n_a && i < DNS_MAX_A; i++) {
        address_from_ipv4(&addr, answer->a[i]);
        receiver_judge(r, &addr);
    }

    for (i = 0; i < answer->n_aaaa; i++) {
        address_from_in6(&addr, &answer->aaaa[i]);
        receiver_judge(r, &addr);
    }

    if (--r->open == 0) {
        receiver_end(r);
    }
}


static void
receiver_ask(receivers_t *all, receiver_t *r, const char *text)
{
    rbl_url_t   url;
    rbl_str_t   name;
    rbl_addr_t  literal;

    if (rbl_url_parse(&url, rbl_str(text)) != RBL_OK
        || address_host(&literal, r->host, &name, url.host) != RBL_OK)
    {
        return;                         /* the API has refused such a URL */
    }

    r->all = all;
    r->port = url.port;
    all->open++;

    if (literal.family != RBL_FAMILY_NONE) {
        rbl_copy(r->host, sizeof(r->host), url.host);
        receiver_judge(r, &literal);

    } else {
        r->host[name.n] = '\0';
        r->open += dns_ask(all->env.dns, r->host, DNS_TYPE_A, NULL,
                           on_addresses, r) != NULL;
        r->open += dns_ask(all->env.dns, r->host, DNS_TYPE_AAAA, NULL,
                           on_addresses, r) != NULL;
    }

    if (r->open == 0) {
        receiver_end(r);
    }
}


void
doctor_receivers(doctor_t *d)
{
    size_t              i;
    static receivers_t  all;

    all.d = d;
    d->ctl->conf = d->daemon;

    if (d->n_urls == 0) {
        doctor_say(d, DOCTOR_RECEIVER_NAMES, DOCTOR_GOOD, NULL, "there is no"
                   " webhook receiver");
        return;
    }

    if (ctl_probe_open(d->ctl, &all.env) != 0) {
        doctor_say(d, DOCTOR_RECEIVER_NAMES, DOCTOR_UNKNOWN, NULL, "the query"
                   " engine cannot be started");
        return;
    }

    for (i = 0; i < d->n_urls; i++) {
        receiver_ask(&all, &all.receiver[i], d->url_of[i]);
    }

    if (all.open > 0) {
        ev_run(all.env.loop, 0);
    }

    doctor_say(d, DOCTOR_RECEIVER_NAMES, DOCTOR_GOOD, NULL, "webhook receivers"
               " that were resolved: %zu", d->n_urls);
}
