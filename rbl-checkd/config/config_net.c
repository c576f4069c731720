/*
 * The keys with networks: source addresses of DNS queries, and the subnets that
 * deliveries may or must not reach.
 */

#include "config_int.h"


/*
 * "192.0.2.0/24" or "fd00::/8"; with a port "192.0.2.0/24:8443" or
 * "[fd00::/8]:8443".
 */

static int
config_range(config_range_t *range, rbl_str_t text)
{
    int64_t      port;
    rbl_str_t    net;
    const char  *colon;

    net = text;
    port = 0;
    colon = memrchr(text.p, ':', text.n);

    if (text.n > 0 && text.p[0] == '[') {
        if (colon == NULL || colon[-1] != ']') {
            return -1;
        }

        net = (rbl_str_t) { text.p + 1, (size_t) (colon - text.p) - 2 };

    } else if (colon != NULL && colon == memchr(text.p, ':', text.n)) {
        net.n = (size_t) (colon - text.p);

    } else {
        colon = NULL;
    }

    if (colon != NULL
        && rbl_int_parse(&port,
                         (rbl_str_t) { colon + 1, (size_t) (text.p + text.n
                                                            - colon - 1) },
                         1, 65535)
           != RBL_OK)
    {
        return -1;
    }

    range->port = (unsigned) port;

    return rbl_subnet_parse(&range->net, net) == RBL_OK
           && (colon == NULL
               || (text.p[0] == '[') == (range->net.addr.family
                                         == RBL_FAMILY_IPV6))
           ? 0 : -1;
}


int
config_set_allow(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    config_reach_t  *reach = &conf->reach;

    (void) key;
    (void) err;
    (void) size;

    if (reach->n_allow == CONFIG_MAX_ALLOW
        || config_range(&reach->allow[reach->n_allow], rbl_str(value)) != 0)
    {
        return -1;
    }

    reach->n_allow++;
    return 0;
}


int
config_set_deny(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    config_reach_t  *reach = &conf->reach;

    (void) key;
    (void) err;
    (void) size;

    if (reach->n_deny == CONFIG_MAX_DENY
        || rbl_subnet_parse(&reach->deny[reach->n_deny], rbl_str(value))
           != RBL_OK)
    {
        return -1;
    }

    reach->n_deny++;
    return 0;
}


int
config_set_source(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    (void) key;
    (void) err;
    (void) size;

    if (conf->n_source == CONFIG_MAX_SOURCE
        || rbl_addr_parse(&conf->source[conf->n_source], rbl_str(value))
           != RBL_OK)
    {
        return -1;
    }

    conf->n_source++;
    return 0;
}
