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
parse_range(config_range_t *range, rbl_str_t text)
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


static unsigned *
count_of(config_setting_t *s)
{
    return (unsigned *) (void *) ((char *) s->conf + s->key->count);
}


/* The room for one more entry; NULL: there are as many as there may be. */

static void *
next_entry(config_setting_t *s, size_t size)
{
    unsigned  n;

    n = *count_of(s);

    return n < s->key->size / size ? (char *) s->at + n * size : NULL;
}


static int
add_entry(config_setting_t *s, int valid)
{
    if (!valid) {
        return -1;
    }

    ++*count_of(s);
    return 0;
}


int
config_set_address(config_setting_t *s)
{
    rbl_addr_t  *addr = next_entry(s, sizeof(rbl_addr_t));

    return add_entry(s, addr != NULL
                        && rbl_addr_parse(addr, rbl_str(s->value)) == RBL_OK);
}


int
config_set_subnet(config_setting_t *s)
{
    rbl_subnet_t  *net = next_entry(s, sizeof(rbl_subnet_t));

    return add_entry(s, net != NULL
                        && rbl_subnet_parse(net, rbl_str(s->value))
                           == RBL_OK);
}


int
config_set_range(config_setting_t *s)
{
    config_range_t  *range = next_entry(s, sizeof(config_range_t));

    return add_entry(s, range != NULL
                        && parse_range(range, rbl_str(s->value)) == 0);
}


int
config_set_zone(config_setting_t *s)
{
    char       *name = next_entry(s, RBL_DOMAIN_MAX + 1);
    rbl_str_t   zone, last;

    zone = rbl_str(s->value);

    if (name == NULL || rbl_name_labels(zone, &last) == 0) {
        return -1;
    }

    memcpy(name, zone.p, zone.n + 1);
    return add_entry(s, 1);
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
