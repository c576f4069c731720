/*
 * Counters of the fleet as JSON.
 */

#include "ngx_rbl_status.h"


/* Writes one object per group of metrics; unknown numbers are left out. */

static void
ngx_rbl_fleet_numbers(rbl_doc_t *doc, const rbl_metric_t *metric,
    ngx_uint_t n, const int64_t *number)
{
    ngx_uint_t   i;
    const char  *group;

    group = NULL;

    for (i = 0; i < n; i++) {
        if (number[i] < 0) {
            continue;
        }

        if (group == NULL || ngx_strcmp(group, metric[i].group) != 0) {
            if (group != NULL) {
                rbl_doc_close(doc);
            }

            group = metric[i].group;
            rbl_doc_object(doc, group);
        }

        rbl_doc_int(doc, metric[i].key, number[i]);
    }

    if (group != NULL) {
        rbl_doc_close(doc);
    }
}


/* Each bucket has its own count, like those of the store's latency. */

static void
ngx_rbl_fleet_json_latency(rbl_doc_t *doc, const rbl_resolver_metrics_t *m)
{
    ngx_uint_t  i;

    rbl_doc_array(doc, "buckets");

    for (i = 0; i <= RBL_LATENCY_BOUNDS; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_int(doc, "up_to_us",
                    i < RBL_LATENCY_BOUNDS ? rbl_latency_bounds[i] : -1);
        rbl_doc_int(doc, "count", m->number[RBL_MR_LATENCY + i]);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


/* Writes nothing if the daemon did not report it. */

static void
ngx_rbl_fleet_json_dns(rbl_doc_t *doc, rbl_str_t raw)
{
    rbl_dns_metrics_t  dns;

    if (rbl_dns_metrics_decode(&dns, raw) != RBL_OK || dns.state.n == 0) {
        return;
    }

    rbl_doc_object(doc, "dns");
    rbl_doc_str(doc, "state", dns.state);
    rbl_doc_int(doc, "since", dns.since / 1000);
    rbl_doc_int(doc, "lists", dns.lists);
    rbl_doc_str(doc, "server", dns.server);
    rbl_doc_str(doc, "why", dns.why);
    rbl_doc_str(doc, "try", dns.command);
    rbl_doc_close(doc);
}


static void
ngx_rbl_fleet_json_daemon(rbl_doc_t *doc, const ngx_rbl_daemon_t *d)
{
    ngx_uint_t  i;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "name", d->record.name);
    rbl_doc_str(doc, "version", d->record.release);
    rbl_doc_int(doc, "started", d->record.started / 1000);
    rbl_doc_int(doc, "told", d->record.told / 1000);
    ngx_rbl_fleet_numbers(doc, rbl_metrics, RBL_M__N, d->number);

    rbl_doc_array(doc, "resolvers");

    for (i = 0; i < d->nresolvers; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "address", d->resolver[i].address);
        ngx_rbl_fleet_numbers(doc, rbl_resolver_metrics, RBL_MR_LATENCY,
                              d->resolver[i].number);
        ngx_rbl_fleet_json_latency(doc, &d->resolver[i]);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    rbl_doc_array(doc, "lists");

    for (i = 0; i < d->nlists; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "list", d->list[i].list);
        rbl_doc_str(doc, "zone", d->list[i].zone);
        rbl_doc_str(doc, "health", d->list[i].health);
        rbl_doc_str(doc, "reason", d->list[i].reason);
        ngx_rbl_fleet_numbers(doc, rbl_list_metrics, RBL_ML__N,
                              d->list[i].number);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    ngx_rbl_fleet_json_dns(doc, d->record.dns);
    rbl_doc_close(doc);
}


void
ngx_rbl_fleet_json(ngx_rbl_fleet_t *fleet, rbl_doc_t *doc)
{
    ngx_uint_t  i;

    rbl_doc_bool(doc, "store_up", (int) fleet->up);
    ngx_rbl_fleet_verdict_json(fleet, doc);
    rbl_doc_array(doc, "daemons");

    for (i = 0; i < fleet->n; i++) {
        ngx_rbl_fleet_json_daemon(doc, &fleet->daemon[i]);
    }

    rbl_doc_close(doc);
}
