/*
 * Counters of the fleet in Prometheus' text format.  All samples of a family
 * must be consecutive, so the fleet is traversed once per family.  Names of
 * daemons and zones come from outside: labels are escaped, and invalid UTF-8
 * and control characters are replaced.
 */

#include "ngx_rbl_status.h"

#include "rbl_utf8.h"


#define NGX_RBL_FLEET_PREFIX  "rbl_checkd_"


typedef struct {
    const char  *name;
    rbl_str_t    value;
} ngx_rbl_label_t;


static void ngx_rbl_fleet_daemons(ngx_rbl_fleet_t *fleet, rbl_out_t *out);
static void ngx_rbl_fleet_table(ngx_rbl_fleet_t *fleet, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t n,
    void (*row)(ngx_rbl_daemon_t *d, rbl_out_t *out,
        const rbl_metric_t *metric, ngx_uint_t i));
static void ngx_rbl_fleet_daemon_row(ngx_rbl_daemon_t *d, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t i);
static void ngx_rbl_fleet_resolver_row(ngx_rbl_daemon_t *d, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t i);
static void ngx_rbl_fleet_list_row(ngx_rbl_daemon_t *d, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t i);
static void ngx_rbl_fleet_latency(ngx_rbl_fleet_t *fleet, rbl_out_t *out);
static void ngx_rbl_fleet_health(ngx_rbl_fleet_t *fleet, rbl_out_t *out);
static void ngx_rbl_fleet_sample(rbl_out_t *out, const char *family,
    const char *suffix, const ngx_rbl_label_t *label, ngx_uint_t n,
    int64_t number, rbl_metric_unit_t unit);
static void ngx_rbl_fleet_label(rbl_out_t *out, rbl_str_t value);


void
ngx_rbl_fleet_prometheus(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_rbl_status_family(out, "", "rbl_store_up", "gauge",
                          "1: the numbers of the daemons could be read.");
    rbl_out_z(out, fleet->up ? "rbl_store_up 1\n" : "rbl_store_up 0\n");

    if (!fleet->up) {
        return;
    }

    ngx_rbl_status_family(out, NGX_RBL_FLEET_PREFIX, "daemons", "gauge",
                          "Daemons that have told their numbers lately.");
    ngx_rbl_fleet_sample(out, "daemons", "", NULL, 0, (int64_t) fleet->n,
                         RBL_METRIC_ONE);

    if (fleet->n == 0) {
        return;
    }

    ngx_rbl_fleet_daemons(fleet, out);
    ngx_rbl_fleet_table(fleet, out, rbl_metrics, RBL_M__N,
                        ngx_rbl_fleet_daemon_row);
    ngx_rbl_fleet_table(fleet, out, rbl_resolver_metrics, RBL_MR_TIME,
                        ngx_rbl_fleet_resolver_row);
    ngx_rbl_fleet_latency(fleet, out);
    ngx_rbl_fleet_table(fleet, out, rbl_list_metrics, RBL_ML__N,
                        ngx_rbl_fleet_list_row);
    ngx_rbl_fleet_health(fleet, out);
}


/* Writes the families that are not in a table of metrics. */

static void
ngx_rbl_fleet_daemons(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_uint_t         i;
    ngx_rbl_label_t    label[2];
    ngx_rbl_daemon_t  *d;

    ngx_rbl_status_family(out, NGX_RBL_FLEET_PREFIX, "info", "gauge",
                          "The version of a daemon.");

    label[0].name = "daemon";
    label[1].name = "version";

    for (i = 0; i < fleet->n; i++) {
        d = &fleet->daemon[i];
        label[0].value = d->record.name;
        label[1].value = d->record.release;
        ngx_rbl_fleet_sample(out, "info", "", label, 2, 1, RBL_METRIC_ONE);
    }

    ngx_rbl_status_family(out, NGX_RBL_FLEET_PREFIX, "start_time_seconds",
                          "gauge", "When a daemon began, since 1970.");

    for (i = 0; i < fleet->n; i++) {
        d = &fleet->daemon[i];
        label[0].value = d->record.name;
        ngx_rbl_fleet_sample(out, "start_time_seconds", "", label, 1,
                             d->record.started, RBL_METRIC_MILLI);
    }
}


static void
ngx_rbl_fleet_table(ngx_rbl_fleet_t *fleet, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t n,
    void (*row)(ngx_rbl_daemon_t *d, rbl_out_t *out,
        const rbl_metric_t *metric, ngx_uint_t i))
{
    ngx_uint_t  i, k;

    for (i = 0; i < n; i++) {
        if (i == 0 || ngx_strcmp(metric[i].family, metric[i - 1].family) != 0)
        {
            ngx_rbl_status_family(out, NGX_RBL_FLEET_PREFIX, metric[i].family,
                                  metric[i].kind == RBL_METRIC_COUNTER
                                  ? "counter" : "gauge", metric[i].help);
        }

        for (k = 0; k < fleet->n; k++) {
            row(&fleet->daemon[k], out, &metric[i], i);
        }
    }
}


/* Writes one sample, with the label of the metric after the others. */

static void
ngx_rbl_fleet_row(rbl_out_t *out, const rbl_metric_t *metric,
    ngx_rbl_label_t *label, ngx_uint_t n, int64_t number)
{
    if (number < 0) {
        return;                         /* unknown */
    }

    if (metric->label) {
        label[n].name = metric->label;
        label[n].value = rbl_str(metric->value);
        n++;
    }

    ngx_rbl_fleet_sample(out, metric->family, "", label, n, number,
                         metric->unit);
}


static void
ngx_rbl_fleet_daemon_row(ngx_rbl_daemon_t *d, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t i)
{
    ngx_rbl_label_t  label[2];

    label[0].name = "daemon";
    label[0].value = d->record.name;

    ngx_rbl_fleet_row(out, metric, label, 1, d->number[i]);
}


static void
ngx_rbl_fleet_resolver_row(ngx_rbl_daemon_t *d, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t i)
{
    ngx_uint_t       k;
    ngx_rbl_label_t  label[3];

    label[0].name = "daemon";
    label[0].value = d->record.name;
    label[1].name = "resolver";

    for (k = 0; k < d->nresolvers; k++) {
        label[1].value = d->resolver[k].address;
        ngx_rbl_fleet_row(out, metric, label, 2, d->resolver[k].number[i]);
    }
}


static void
ngx_rbl_fleet_list_row(ngx_rbl_daemon_t *d, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t i)
{
    ngx_uint_t       k;
    ngx_rbl_label_t  label[3];

    label[0].name = "daemon";
    label[0].value = d->record.name;
    label[1].name = "list";

    for (k = 0; k < d->nlists; k++) {
        label[1].value = d->list[k].zone;
        ngx_rbl_fleet_row(out, metric, label, 2, d->list[k].number[i]);
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
    ngx_uint_t         i, k;
    ngx_rbl_label_t    label[3];
    ngx_rbl_daemon_t  *d;

    ngx_rbl_status_family(out, NGX_RBL_FLEET_PREFIX,
                          rbl_resolver_metrics[RBL_MR_TIME].family,
                          "histogram", rbl_resolver_metrics[RBL_MR_TIME].help);

    label[0].name = "daemon";
    label[1].name = "resolver";

    for (i = 0; i < fleet->n; i++) {
        d = &fleet->daemon[i];
        label[0].value = d->record.name;

        for (k = 0; k < d->nresolvers; k++) {
            label[1].value = d->resolver[k].address;
            ngx_rbl_fleet_buckets(out, label, d->resolver[k].number);
        }
    }
}


static void
ngx_rbl_fleet_health(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_uint_t         i, k;
    ngx_rbl_label_t    label[3];
    ngx_rbl_daemon_t  *d;

    ngx_rbl_status_family(out, NGX_RBL_FLEET_PREFIX, "list_health", "gauge",
                          "1 for the state that the list is in.");

    label[0].name = "daemon";
    label[1].name = "list";
    label[2].name = "state";

    for (i = 0; i < fleet->n; i++) {
        d = &fleet->daemon[i];
        label[0].value = d->record.name;

        for (k = 0; k < d->nlists; k++) {
            if (d->list[k].health.n == 0) {
                continue;
            }

            label[1].value = d->list[k].zone;
            label[2].value = d->list[k].health;
            ngx_rbl_fleet_sample(out, "list_health", "", label, 3, 1,
                                 RBL_METRIC_ONE);
        }
    }
}


static void
ngx_rbl_fleet_sample(rbl_out_t *out, const char *family, const char *suffix,
    const ngx_rbl_label_t *label, ngx_uint_t n, int64_t number,
    rbl_metric_unit_t unit)
{
    char        text[32];
    ngx_uint_t  i;

    rbl_out_z(out, NGX_RBL_FLEET_PREFIX);
    rbl_out_z(out, family);
    rbl_out_z(out, suffix);

    for (i = 0; i < n; i++) {
        rbl_out_char(out, i ? ',' : '{');
        rbl_out_z(out, label[i].name);
        rbl_out_z(out, "=\"");
        ngx_rbl_fleet_label(out, label[i].value);
        rbl_out_char(out, '"');
    }

    rbl_out_z(out, n ? "} " : " ");
    rbl_out_z(out, rbl_metric_text(text, number, unit));
    rbl_out_char(out, '\n');
}


static void
ngx_rbl_fleet_label(rbl_out_t *out, rbl_str_t value)
{
    size_t                n;
    const unsigned char  *p, *end;

    p = (const unsigned char *) value.p;
    end = p + value.n;

    for ( /* void */ ; p < end; p += n ? n : 1) {
        n = rbl_utf8_len(p, end);

        if (n == 0 || *p < 0x20 || *p == 0x7f) {
            rbl_out_z(out, "\xef\xbf\xbd");
            continue;
        }

        if (*p == '\\' || *p == '"') {
            rbl_out_char(out, '\\');
        }

        rbl_out_bytes(out, p, n);
    }
}
