/*
 * How a resolver treats SOA records.  Resolver mode needs the MINIMUM of
 * negative responses, and a resolver that has forged it could make a listing
 * end too soon.  So once a list has passed through a resolver, the list's zone
 * is asked for its SOA record itself, and the two are compared:
 *
 *     keeps      both have the same MINIMUM
 *     rewrites   they do not: none is believed
 *     strips     only negative responses have none
 *     hides      there is none at all, of several lists
 *
 * Without one, negative responses are taken to be kept for an hour.
 */

#include "base/log.h"
#include "dns/trace.h"
#include "health_int.h"

#define LISTS  3                        /* without any SOA: it hides them */


static void
soa_found(health_entry_t *e, health_soa_t found, const char *what)
{
    char  text[DNS_SERVER_TEXT];

    e->health->resolver[e->group].soa = found;
    dns_server_text(e->health->dns, e->server, text);
    dns_trace(e->health->dns, "resolver %s %s", text, what);

    if (found == SOA_KEEPS) {
        log_info("resolver %s %s", text, what);
        return;
    }

    log_notice("resolver %s %s: the end of a listing takes an hour or longer"
               " (found at list %s)", text, what, e->list->zone);
}


static void
on_soa(void *data, const dns_answer_t *answer)
{
    uint32_t            minimum;
    health_entry_t     *e = data;
    health_resolver_t  *r = &e->health->resolver[e->group];

    e->soa.query = NULL;
    e->soa.over = 1;

    if (r->soa != SOA_UNTRIED
        || (answer->status != DNS_NOERROR && answer->status != DNS_NXDOMAIN))
    {
        return;
    }

    minimum = answer->minimum < HEALTH_NONE_MAX ? answer->minimum
                                                : HEALTH_NONE_MAX;

    if (!answer->has_serial && e->soa.owner == 0) {
        r->no_soa += !e->soa.none;
        e->soa.none = 1;

        if (r->no_soa == LISTS) {
            soa_found(e, SOA_HIDES, "hides SOA records");
        }

    } else if (e->soa.owner == 0) {
        soa_found(e, SOA_STRIPS, "strips SOA records from negative responses");

    } else if (answer->has_serial && minimum != e->soa.minimum) {
        soa_found(e, SOA_REWRITES, "rewrites SOA records");

    } else if (answer->has_serial) {
        soa_found(e, SOA_KEEPS, "keeps SOA records");
    }
}


void
health_soa(health_entry_t *e)
{
    dns_payer_t  payer;

    if (dns_direct(e->health->dns) || e->list->custom || e->soa.query != NULL
        || e->health->resolver[e->group].soa != SOA_UNTRIED)
    {
        return;
    }

    e->soa.owner = e->run.soa;
    e->soa.minimum = e->run.ttl;
    payer = list_payer(e->list, 1);
    e->soa.query = dns_ask_at(e->health->dns, e->server, e->list->ask,
                              DNS_TYPE_SOA, &payer, on_soa, e);
}


void
health_soa_stop(health_entry_t *e)
{
    if (e->soa.query != NULL) {
        dns_cancel(e->soa.query);
        e->soa.query = NULL;
    }
}
