/*
 * All servers of a list: queries those that failed again, and logs when they
 * disagree.  Also keeps the evidence of other daemons about the list.
 */

#include "health_int.h"

#define DISAGREE_EVERY  600.0           /* s */
#define WATCH_EVERY     5.0             /* s */


void
health_recall(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, int had_point, unsigned soa)
{
    health_entry_t  *e;

    e = health_entry(health, list, family, server);
    if (e == NULL) {
        return;
    }

    e->recalled = clock_now();
    e->deepest = soa > e->deepest ? soa : e->deepest;

    if (had_point && !e->had_point && !names_must(e->list)) {
        e->had_point = e->lost = 1;
        health_points(e);
    }
}


int
health_disagree(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server)
{
    double           now = clock_now();
    health_entry_t  *e;

    e = health_entry(health, list, family, server);

    if (e == NULL || (e->disagreed != 0 && now - e->disagreed < DISAGREE_EVERY))
    {
        return 0;
    }

    e->disagreed = now;

    return 1;
}


static void
watch_one(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, double now)
{
    health_entry_t  *e;

    e = health_entry(health, list, family, server);

    if (e == NULL) {
        return;
    }

    e->watched = now;

    if (health_bad(e->state) && now >= e->retry && !e->running
        && e->suspect == 0 && health_resolver_go(e, now))
    {
        health_run(e, 0);
    }
}


void
health_watch(health_t *health, const list_t *list, rbl_family_t family)
{
    double           now = clock_now();
    uint32_t         id[DNS_MAX_SERVERS];
    unsigned         i, n;
    dns_payer_t      payer;
    health_entry_t  *e;

    payer = list_payer(list, 0);
    n = dns_direct(health->dns) ? dns_servers(health->dns, &payer, id) : 0;
    e = n != 0 ? health_entry(health, list, family, id[0]) : NULL;

    if (e == NULL || (e->watched != 0 && now - e->watched < WATCH_EVERY)) {
        return;
    }

    for (i = 0; i < n; i++) {
        watch_one(health, list, family, id[i], now);
    }
}
