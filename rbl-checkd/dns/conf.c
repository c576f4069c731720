/*
 * The configuration of an engine.  It has a file of its own because tests of
 * the verdict link it without engine.c.
 */

#include "dns_int.h"


int
dns_conf_ok(const dns_config_t *conf)
{
    return conf->n_resolvers >= 1 && conf->n_resolvers <= DNS_MAX_RESOLVERS
           && conf->n_allow <= DNS_MAX_ALLOW
           && conf->timeout >= 0.01 && conf->timeout <= 60
           && conf->tries >= 1 && conf->tries <= DNS_MAX_TRIES
           && conf->max_in_flight >= 1 && conf->max_in_flight <= 32768
           && (conf->zone_rate == 0
               || (conf->zone_rate >= 0.001 && conf->zone_rate <= 1e6))
           && (conf->own_rate == 0
               || (conf->own_rate >= 0.001 && conf->own_rate <= 1e6))
           && conf->socket_uses >= 1 && conf->max_tcp <= 1024;
}


int
dns_direct(const dns_engine_t *engine)
{
    return engine->conf.direct != 0;
}


int
dns_tracing(const dns_engine_t *engine)
{
    return engine->conf.trace != NULL;
}
