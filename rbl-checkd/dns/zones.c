/*
 * Access to the servers of zones for the code that judges them.
 */

#include "dns_int.h"


unsigned
dns_servers(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t ids[DNS_MAX_SERVERS])
{
    unsigned          i;
    dns_zone_t       *z;
    const dns_set_t  *set;

    set = engine->resolvers;

    if (engine->conf.direct && payer != NULL) {
        z = dns_zone_of(engine, payer);
        set = z == NULL ? NULL : z->set;
    }

    for (i = 0; set != NULL && i < set->n; i++) {
        ids[i] = set->server[i]->id;
    }

    return i;
}


void
dns_server_trust(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t server, int trusted)
{
    unsigned     at;
    dns_zone_t  *z;

    if (!engine->conf.direct || payer == NULL) {
        return;
    }

    z = dns_zone_of(engine, payer);
    at = z == NULL || z->set == NULL ? 0 : dns_set_at_id(z->set, server);

    if (z == NULL || z->set == NULL || at == z->set->n) {
        return;
    }

    z->set->distrusted &= (uint8_t) ~(1u << at);
    z->set->distrusted |= (uint8_t) (!trusted << at);
}


static void
zone_each(const dns_zone_t *z,
    void (*each)(void *data, const dns_server_of_t *server), void *data)
{
    char             text[DNS_SERVER_TEXT];
    unsigned         i;
    dns_server_t    *r;
    dns_server_of_t  of;

    for (i = 0; z->set != NULL && i < z->set->n; i++) {
        r = z->set->server[i];
        dns_address_text(&r->sa, text);
        of.zone = z->zone;
        of.account = z->account;
        of.text = text;
        of.server = r->id;
        of.trusted = !(z->set->distrusted >> i & 1);
        of.has_serial = r->has_serial;
        of.serial = r->serial;
        of.counters = dns_server_count(r);
        each(data, &of);
    }
}


void
dns_servers_each(dns_engine_t *engine,
    void (*each)(void *data, const dns_server_of_t *server), void *data)
{
    unsigned     i;
    dns_zone_t  *z;

    for (i = 0; i < DNS_ZONES; i++) {
        for (z = engine->zone[i]; z != NULL; z = z->next) {
            if (z->zone[0] != '\0') {
                zone_each(z, each, data);
            }
        }
    }
}
