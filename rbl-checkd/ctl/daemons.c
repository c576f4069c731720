/*
 * rblctl: the counters of the daemons.  Each daemon writes its record into the
 * store every few seconds; the record of a stopped daemon soon expires.
 */

#include "ctl.h"

#include "rbl_metrics.h"


/* Sets the numbers in objects by their groups. */
static void
ctl_daemon_numbers(json_t *v, const rbl_metric_t *metric, size_t n,
    const int64_t *number)
{
    size_t   i;
    json_t  *group;

    for (i = 0; i < n; i++) {
        if (number[i] < 0) {
            continue;                   /* unknown */
        }

        group = json_object_get(v, metric[i].group);
        if (group == NULL) {
            group = json_object();
            json_object_set_new(v, metric[i].group, group);
        }

        json_object_set_new(group, metric[i].key, json_integer(number[i]));
    }
}


static json_t *
ctl_daemon_resolvers(rbl_str_t raw)
{
    size_t                  i, n;
    json_t                 *all, *v;
    rbl_mp_t                mp;
    rbl_resolver_metrics_t  m;

    all = json_array();
    rbl_mp_init(&mp, raw);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && rbl_resolver_metrics_decode(&m, &mp) == RBL_OK; i++) {
        v = json_pack("{so}", "address", ctl_text(m.address));
        ctl_daemon_numbers(v, rbl_resolver_metrics, RBL_MR_LATENCY, m.number);
        json_array_append_new(all, v);
    }

    return all;
}


static json_t *
ctl_daemon_lists(rbl_str_t raw)
{
    size_t              i, n;
    json_t             *all, *v;
    rbl_mp_t            mp;
    rbl_list_metrics_t  m;

    all = json_array();
    rbl_mp_init(&mp, raw);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && rbl_list_metrics_decode(&m, &mp) == RBL_OK; i++) {
        v = json_pack("{so so so so}", "list", ctl_text(m.list),
                      "zone", ctl_text(m.zone), "health", ctl_text(m.health),
                      "reason", ctl_text(m.reason));
        ctl_daemon_numbers(v, rbl_list_metrics, RBL_ML__N, m.number);
        json_array_append_new(all, v);
    }

    return all;
}


/* NULL: the daemon did not report it. */
static json_t *
ctl_daemon_dns(rbl_str_t raw)
{
    rbl_mp_t           mp;
    rbl_dns_metrics_t  m;

    rbl_mp_init(&mp, raw);

    if (rbl_dns_metrics_decode(&m, &mp) != RBL_OK || m.state.n == 0) {
        return NULL;
    }

    return json_pack("{so so sI so so so}", "state", ctl_text(m.state),
                     "since", ctl_time(m.since),
                     "lists", (json_int_t) m.lists,
                     "server", ctl_text(m.server), "why", ctl_text(m.why),
                     "try", ctl_text(m.command));
}


static json_t *
ctl_daemon_json(const rbl_daemon_t *d)
{
    json_t   *v, *dns;
    int64_t   number[RBL_M__N];

    if (rbl_metrics_decode(number, d->numbers) != RBL_OK) {
        return NULL;
    }

    v = json_pack("{so so so so so}", "name", ctl_text(d->name),
                  "version", ctl_text(d->release),
                  "gateway", ctl_text(d->gateway),
                  "started", ctl_time(d->started), "told", ctl_time(d->told));
    ctl_daemon_numbers(v, rbl_metrics, RBL_M__N, number);
    json_object_set_new(v, "resolvers", ctl_daemon_resolvers(d->resolvers));
    json_object_set_new(v, "lists", ctl_daemon_lists(d->lists));
    dns = ctl_daemon_dns(d->dns);

    if (dns != NULL) {
        json_object_set_new(v, "dns", dns);
    }

    return v;
}


typedef struct {
    json_t            *all;
    rbl_conditions_t  *conditions;
} daemons_t;


/* A record that has expired, or cannot be read, is left out. */
static int
ctl_daemons_each(ctl_t *ctl, rbl_str_t name, rbl_str_t raw, void *data)
{
    json_t        *v;
    daemons_t     *daemons = data;
    rbl_daemon_t   d;

    (void) ctl;
    (void) name;

    v = rbl_daemon_decode(&d, raw) == RBL_OK ? ctl_daemon_json(&d) : NULL;

    if (v != NULL) {
        (void) rbl_conditions_add(daemons->conditions, d.name, d.conditions);
        json_array_append_new(daemons->all, v);
    }

    return 0;
}


int
ctl_daemon_records(ctl_t *ctl, ctl_each_pt each, void *data)
{
    rbl_key_t  key;

    return ctl_each(ctl, ctl_key(ctl, &key, 0, "daemons"), 0, "daemon",
                    RBL_STR(""), each, data);
}


json_t *
ctl_daemons(ctl_t *ctl, rbl_conditions_t *conditions)
{
    daemons_t  daemons = { json_array(), conditions };

    if (ctl_daemon_records(ctl, ctl_daemons_each, &daemons) != 0) {
        json_decref(daemons.all);
        return NULL;
    }

    return daemons.all;
}
