/*
 * Responses of lists, and their absence, outside of test runs.
 *
 * In direct mode a list whose name servers cannot be found has one entry
 * without a server, whose state is "unreachable".  The search is its test.  The
 * entry is freed when the list responds or has servers again.
 *
 * A list without test points is tested by the queries of checks.
 */

#include "base/log.h"
#include "health_int.h"

#define UNFOUND_EVERY  5.0              /* s between two searches that count */


/* A test without a run has failed. */

static void
fail(health_entry_t *e, health_state_t state, rbl_list_reason_t why)
{
    e->last.state = state;
    e->last.why = why;
    e->last.at = clock_now();
    e->last.silent = 1;
    e->last.tcp = 0;
    health_blame(e);
}


/* --- lists that cannot be reached ---------------------------------------- */

/* The list has one such entry, for all its families. */

static rbl_family_t
family_of(const list_t *list)
{
    return (rbl_family_t) (list->families & -list->families);
}


static rbl_list_reason_t
why_unfound(dns_status_t search)
{
    switch (search) {

    case DNS_NOERROR:
        return RBL_LIST_NO_SERVERS;

    case DNS_NXDOMAIN:
        return RBL_LIST_NO_ZONE;

    case DNS_REFUSED:
        return RBL_LIST_SEARCH_REFUSED;

    case DNS_TIMEOUT:
        return RBL_LIST_SEARCH_TIMEOUT;

    case DNS_NETWORK:
        return RBL_LIST_SEARCH_NETWORK;

    default:
        return RBL_LIST_SEARCH_FAILED;
    }
}


/* A list whose servers have to be found has responded, or has not. */

static void
searched(health_t *health, const list_t *list)
{
    if (list->n_servers == 0) {
        health->searched = clock_now();
    }
}


health_state_t
health_unfound(health_t *health, const list_t *list, dns_status_t search)
{
    double           now = clock_now();
    health_entry_t  *e;

    searched(health, list);
    e = health_entry(health, list, family_of(list), HEALTH_NO_SERVER);

    if (e != NULL && e->suspect == 0 && health_resolver_go(e, now)
        && (e->last.at == 0 || now - e->last.at >= UNFOUND_EVERY))
    {
        e->last.denied = dns_answered(search);
        fail(e, HEALTH_UNREACHABLE, why_unfound(search));
    }

    return health->resolver[0].since != 0 ? HEALTH_RESOLVER
                                          : HEALTH_UNREACHABLE;
}


static void
reached(health_t *health, const list_t *list)
{
    uint32_t         id[DNS_MAX_SERVERS];
    dns_payer_t      payer;
    health_entry_t  *e;

    e = health->lost == 0 ? NULL : health_entry_find(health, list,
                                       family_of(list), HEALTH_NO_SERVER);
    payer = list_payer(list, 0);

    if (e == NULL || dns_servers(health->dns, &payer, id) == 0) {
        return;
    }

    if (e->state == HEALTH_UNREACHABLE) {
        log_notice("list %s: its name servers are found again, was %s for"
                   " %.0f s", list->zone, health_state_names[e->state],
                   clock_now() - e->since);
    }

    health_entry_free(e);
}


/* --- responses ----------------------------------------------------------- */

/* A list that was silent responds to a check, so that its next test, whose
   back-off may be long, need not wait. */

static void
back(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server)
{
    double           now = clock_now();
    health_entry_t  *e;

    e = health_entry_find(health, list, family, server);

    if (e != NULL && e->state == HEALTH_DOWN && e->last.silent && !e->run.open
        && e->suspect == 0 && (e->has_negative || e->has_positive)
        && now - e->run.began >= health->bad_min && health_resolver_go(e, now))
    {
        health_run(e, 0);
    }
}


/*
 * In direct mode a response shows that the network works.  A resolver may give
 * false ones: the test points of the list decide, if it has any.
 */

static void
try_group(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, unsigned group)
{
    double             now = clock_now();
    health_entry_t    *e;
    health_verdict_t   v;

    if (dns_direct(health->dns)) {
        health_blame_clear(health, group);
        return;
    }

    e = health_entry(health, list, family, server);

    if (e == NULL || e->run.open || !health_resolver_go(e, now)) {
        return;
    }

    if (!health_is_free(e, now, &v)) {
        health_run(e, 0);

    } else if (!health->resolver[group].empty) {
        health_blame_clear(health, group);
    }
}


void
health_heard(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, dns_status_t status)
{
    int       direct = dns_direct(health->dns);
    unsigned  group = direct ? 0 : server;

    if (group >= DNS_MAX_RESOLVERS
        || !(dns_answered(status) || (direct && status == DNS_REFUSED)))
    {
        return;
    }

    if (list->n_servers != 0) {
        health->resolver[group].heard_given = clock_now();

    } else {
        health->resolver[group].heard = clock_now();
    }

    searched(health, list);
    reached(health, list);
    back(health, list, family, server);

    if (health_apart(health, list)) {
        return;
    }

    if (health->resolver[group].since != 0) {
        try_group(health, list, family, server, group);
    }

    health_dns_heard(health, group);
}


/* When a list responded last; 0: none did. */

static double
last_heard(const health_t *health)
{
    unsigned  i;
    double    heard, last = 0;

    for (i = 0; i < DNS_MAX_RESOLVERS; i++) {
        heard = health_heard_at(health, i);
        last = heard > last ? heard : last;
    }

    return last;
}


double
health_quiet(const health_t *health)
{
    double  heard = last_heard(health);

    return clock_now() - (heard > health->started ? heard : health->started);
}


int
health_unheard(const health_t *health)
{
    return last_heard(health) == 0;
}


double
health_unproven(const health_t *health, unsigned resolver)
{
    double  proven = health->resolver[resolver].proven;

    return clock_now() - (proven > health->started ? proven : health->started);
}


/* --- failures ------------------------------------------------------------ */

/* One lost response is no failure of a list without test points, unless the
   list has never responded. */

static void
doubt(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, double every, int known)
{
    double             now = clock_now();
    health_entry_t    *e;
    health_verdict_t   v;

    searched(health, list);
    reached(health, list);
    e = health_entry(health, list, family, server);

    if (e != NULL) {
        health_hear(e);
    }

    if (e == NULL || e->run.open || e->suspect != 0
        || !health_resolver_go(e, now))
    {
        return;
    }

    if (health_is_free(e, now, &v)) {
        if (known || e->last.state == HEALTH_UNTRIED) {
            fail(e, HEALTH_DOWN, RBL_LIST_NO_RESPONSE);
        }

        return;
    }

    if ((e->run.began == 0 || now - e->run.began >= every)
        && (known || !health_is_known(e, now) || !health_bad(e->state)))
    {
        health_run(e, 0);
    }
}


void
health_doubt(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server)
{
    doubt(health, list, family, server, health->bad_min, 0);
}


void
health_test(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server)
{
    doubt(health, list, family, server, UNFOUND_EVERY, 1);
}
