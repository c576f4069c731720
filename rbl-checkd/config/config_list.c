/*
 * Types of keys that may be given in several lines; each line adds an entry.
 */

#include "config_int.h"
#include "rbl_name.h"


/*
 * "192.0.2.0/24" or "fd00::/8"; with a port "192.0.2.0/24:8443" or
 * "[fd00::/8]:8443".
 */

static int
parse_range(void *entry, rbl_str_t text)
{
    int64_t          port;
    rbl_str_t        net;
    const char      *colon;
    config_range_t  *range = entry;

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


/* Adds an entry, which `parse` makes of the value. */

static int
add_entry(config_setting_t *s, size_t size,
    int (*parse)(void *entry, rbl_str_t text))
{
    unsigned  *n;

    n = (unsigned *) (void *) ((char *) s->conf + s->key->count);

    if (*n >= s->key->size / size
        || parse((char *) s->at + *n * size, rbl_str(s->value)) != 0)
    {
        return -1;
    }

    ++*n;
    return 0;
}


static int
parse_address(void *entry, rbl_str_t text)
{
    return rbl_addr_parse(entry, text) == RBL_OK ? 0 : -1;
}


int
config_set_address(config_setting_t *s)
{
    return add_entry(s, sizeof(rbl_addr_t), parse_address);
}


static int
parse_subnet(void *entry, rbl_str_t text)
{
    return rbl_subnet_parse(entry, text) == RBL_OK ? 0 : -1;
}


int
config_set_subnet(config_setting_t *s)
{
    return add_entry(s, sizeof(rbl_subnet_t), parse_subnet);
}


int
config_set_range(config_setting_t *s)
{
    return add_entry(s, sizeof(config_range_t), parse_range);
}


static int
parse_zone(void *entry, rbl_str_t text)
{
    rbl_str_t  last;

    if (rbl_name_labels(text, &last) == 0) {
        return -1;
    }

    memcpy(entry, text.p, text.n + 1);
    return 0;
}


int
config_set_zone(config_setting_t *s)
{
    return add_entry(s, RBL_DOMAIN_MAX + 1, parse_zone);
}


static size_t
zone_views(rbl_str_t *view, const config_zones_t *zones)
{
    unsigned  i;

    for (i = 0; i < zones->n; i++) {
        view[i] = rbl_str(zones->name[i]);
    }

    return zones->n;
}


void
config_own(config_own_t *own, const config_t *conf)
{
    own->rule.refuse = own->refuse;
    own->rule.n_refuse = zone_views(own->refuse, &conf->refuse_zone);
    own->rule.allow = own->allow;
    own->rule.n_allow = zone_views(own->allow, &conf->allow_zone);
}
