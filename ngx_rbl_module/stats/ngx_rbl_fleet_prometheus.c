/*
 * Counters of the fleet in Prometheus' text format.  All samples of a family
 * must be consecutive, so the fleet is traversed once per family.
 */

#include "ngx_rbl_status.h"


#define NGX_RBL_FLEET_PREFIX  "rbl_checkd_"
#define NGX_RBL_FLEET_LABELS  4         /* of a sample, at most */


typedef enum {
    NGX_RBL_FLEET_DAEMON = 0,
    NGX_RBL_FLEET_RESOLVER,
    NGX_RBL_FLEET_LIST
} ngx_rbl_fleet_row_e;


static void
ngx_rbl_fleet_sample(rbl_out_t *out, const char *family, const char *suffix,
    const ngx_rbl_label_t *label, ngx_uint_t n, int64_t number,
    rbl_metric_unit_t unit)
{
    rbl_out_z(out, NGX_RBL_FLEET_PREFIX);
    rbl_out_z(out, family);
    ngx_rbl_metric_sample(out, suffix, label, n, number, unit);
}


/* Returns the number of labels of the i-th row of that kind, with its labels
   and numbers; 0: there is no such row. */

static ngx_uint_t
ngx_rbl_fleet_row(const ngx_rbl_daemon_t *d, ngx_rbl_fleet_row_e kind,
    ngx_uint_t i, ngx_rbl_label_t *label, const int64_t **number)
{
    label[0] = (ngx_rbl_label_t) { "daemon", d->record.name };

    switch (kind) {

    case NGX_RBL_FLEET_RESOLVER:
        if (i >= d->nresolvers) {
            return 0;
        }

        label[1] = (ngx_rbl_label_t) { "resolver", d->resolver[i].address };
        *number = d->resolver[i].number;
        return 2;

    case NGX_RBL_FLEET_LIST:
        if (i >= d->nlists) {
            return 0;
        }

        label[1] = (ngx_rbl_label_t) { "list", d->list[i].zone };
        *number = d->list[i].number;
        return 2;

    default:
        *number = d->number;
        return i == 0;
    }
}


/* Writes the families that are not in a table of metrics. */

static void
ngx_rbl_fleet_daemons(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_uint_t        i, n;
    const int64_t    *number;
    ngx_rbl_label_t   label[NGX_RBL_FLEET_LABELS];

    ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, "info", "gauge",
                          "The version of a daemon.");

    for (i = 0; i < fleet->n; i++) {
        n = ngx_rbl_fleet_row(&fleet->daemon[i], NGX_RBL_FLEET_DAEMON, 0,
                              label, &number);
        label[n] = (ngx_rbl_label_t) { "version",
                                       fleet->daemon[i].record.release };
        ngx_rbl_fleet_sample(out, "info", "", label, n + 1, 1, RBL_METRIC_ONE);
    }

    ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, "start_time_seconds",
                          "gauge", "Start time of a daemon, in seconds since"
                                   " 1970.");

    for (i = 0; i < fleet->n; i++) {
        n = ngx_rbl_fleet_row(&fleet->daemon[i], NGX_RBL_FLEET_DAEMON, 0,
                              label, &number);
        ngx_rbl_fleet_sample(out, "start_time_seconds", "", label, n,
                             fleet->daemon[i].record.started,
                             RBL_METRIC_MILLI);
    }
}


static void
ngx_rbl_fleet_dns(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_uint_t         i, n;
    const int64_t     *number;
    ngx_rbl_label_t    label[NGX_RBL_FLEET_LABELS];
    rbl_dns_metrics_t  dns;

    ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, "dns_ok", "gauge",
                          "1: DNS works at the daemon.");

    for (i = 0; i < fleet->n; i++) {
        if (rbl_dns_metrics_decode(&dns, fleet->daemon[i].record.dns) != RBL_OK
            || dns.state.n == 0)
        {
            continue;
        }

        n = ngx_rbl_fleet_row(&fleet->daemon[i], NGX_RBL_FLEET_DAEMON, 0,
                              label, &number);
        ngx_rbl_fleet_sample(out, "dns_ok", "", label, n, dns.since == 0,
                             RBL_METRIC_ONE);
    }
}


/* Writes one sample, with the label of the metric after the others. */

static void
ngx_rbl_fleet_number(rbl_out_t *out, const rbl_metric_t *metric,
    ngx_rbl_label_t *label, ngx_uint_t n, int64_t number)
{
    if (number < 0) {
        return;                         /* unknown */
    }

    if (metric->label) {
        label[n++] = (ngx_rbl_label_t) { metric->label,
                                         rbl_str(metric->value) };
    }

    ngx_rbl_fleet_sample(out, metric->family, "", label, n, number,
                         metric->unit);
}


static void
ngx_rbl_fleet_table(ngx_rbl_fleet_t *fleet, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t n, ngx_rbl_fleet_row_e kind)
{
    ngx_uint_t        i, k, j, labels;
    const int64_t    *number;
    ngx_rbl_label_t   label[NGX_RBL_FLEET_LABELS];

    for (i = 0; i < n; i++) {
        if (i == 0 || ngx_strcmp(metric[i].family, metric[i - 1].family) != 0)
        {
            ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, metric[i].family,
                                  metric[i].kind == RBL_METRIC_COUNTER
                                  ? "counter" : "gauge", metric[i].help);
        }

        for (k = 0; k < fleet->n; k++) {
            for (j = 0; ; j++) {
                labels = ngx_rbl_fleet_row(&fleet->daemon[k], kind, j, label,
                                           &number);
                if (labels == 0) {
                    break;
                }

                ngx_rbl_fleet_number(out, &metric[i], label, labels,
                                     number[i]);
            }
        }
    }
}


/* Writes the buckets of one resolver; each includes those below it. */

static void
ngx_rbl_fleet_buckets(rbl_out_t *out, ngx_rbl_label_t *label,
    const int64_t *number)
{
    char         le[32];
    int64_t      n;
    ngx_uint_t   i;
    const char  *family;

    family = rbl_resolver_metrics[RBL_MR_TIME].family;
    label[2].name = "le";

    for (i = 0, n = 0; i <= RBL_LATENCY_BOUNDS; i++) {
        n += ngx_max(number[RBL_MR_LATENCY + i], 0);
        label[2].value = i < RBL_LATENCY_BOUNDS
                         ? rbl_str(rbl_metric_text(le, rbl_latency_bounds[i],
                                                   RBL_METRIC_MICRO))
                         : RBL_STR("+Inf");
        ngx_rbl_fleet_sample(out, family, "_bucket", label, 3, n,
                             RBL_METRIC_ONE);
    }

    ngx_rbl_fleet_sample(out, family, "_sum", label, 2,
                         ngx_max(number[RBL_MR_TIME], 0), RBL_METRIC_MICRO);
    ngx_rbl_fleet_sample(out, family, "_count", label, 2, n, RBL_METRIC_ONE);
}


static void
ngx_rbl_fleet_latency(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_uint_t        i, k;
    const int64_t    *number;
    ngx_rbl_label_t   label[NGX_RBL_FLEET_LABELS];

    ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX,
                          rbl_resolver_metrics[RBL_MR_TIME].family,
                          "histogram", rbl_resolver_metrics[RBL_MR_TIME].help);

    for (i = 0; i < fleet->n; i++) {
        for (k = 0; k < fleet->daemon[i].nresolvers; k++) {
            (void) ngx_rbl_fleet_row(&fleet->daemon[i], NGX_RBL_FLEET_RESOLVER,
                                     k, label, &number);
            ngx_rbl_fleet_buckets(out, label, number);
        }
    }
}


static void
ngx_rbl_fleet_health(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_uint_t         i, k, n;
    const int64_t     *number;
    ngx_rbl_label_t    label[NGX_RBL_FLEET_LABELS];
    ngx_rbl_daemon_t  *d;

    ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, "list_health", "gauge",
                          "1 for the present state of the list.");

    for (i = 0; i < fleet->n; i++) {
        d = &fleet->daemon[i];

        for (k = 0; k < d->nlists; k++) {
            if (d->list[k].health.n == 0) {
                continue;
            }

            n = ngx_rbl_fleet_row(d, NGX_RBL_FLEET_LIST, k, label, &number);
            label[n++] = (ngx_rbl_label_t) { "state", d->list[k].health };

            if (d->list[k].reason.n != 0) {
                label[n++] = (ngx_rbl_label_t) { "reason",
                                                 d->list[k].reason };
            }

            ngx_rbl_fleet_sample(out, "list_health", "", label, n, 1,
                                 RBL_METRIC_ONE);
        }
    }
}


void
ngx_rbl_fleet_prometheus(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_rbl_metric_family(out, "", "rbl_store_up", "gauge",
                          "1: the metrics of the daemons could be read.");
    ngx_rbl_metric_sample(out, "rbl_store_up", NULL, 0, fleet->up != 0,
                          RBL_METRIC_ONE);
    ngx_rbl_fleet_verdict_prometheus(fleet, out);

    if (!fleet->up) {
        return;
    }

    ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, "daemons", "gauge",
                          "Daemons that reported metrics lately.");
    ngx_rbl_fleet_sample(out, "daemons", "", NULL, 0, (int64_t) fleet->n,
                         RBL_METRIC_ONE);

    if (fleet->n == 0) {
        return;
    }

    ngx_rbl_fleet_daemons(fleet, out);
    ngx_rbl_fleet_dns(fleet, out);
    ngx_rbl_fleet_table(fleet, out, rbl_metrics, RBL_M__N,
                        NGX_RBL_FLEET_DAEMON);
    ngx_rbl_fleet_table(fleet, out, rbl_resolver_metrics, RBL_MR_TIME,
                        NGX_RBL_FLEET_RESOLVER);
    ngx_rbl_fleet_latency(fleet, out);
    ngx_rbl_fleet_table(fleet, out, rbl_list_metrics, RBL_ML__N,
                        NGX_RBL_FLEET_LIST);
    ngx_rbl_fleet_health(fleet, out);
}
