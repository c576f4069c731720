/*
 * Zones that lists of accounts must not query, or may query although they are
 * reserved.
 */

#include "config_int.h"
#include "rbl_name.h"


int
config_set_zone(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    rbl_str_t        name, last;
    config_zones_t  *zones;

    (void) err;
    (void) size;

    zones = (config_zones_t *) (void *) ((char *) conf + key->offset);
    name = rbl_str(value);

    if (zones->n == CONFIG_MAX_ZONES || rbl_name_labels(name, &last) == 0) {
        return -1;
    }

    memcpy(zones->name[zones->n++], value, name.n + 1);
    return 0;
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
