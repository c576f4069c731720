/*
 * Counters of the fleet and the verdict about the service, as JSON and in
 * Prometheus' text format.  In the latter all samples of a family must be
 * consecutive, so the fleet is traversed once per family.
 */

#include "ngx_rbl_status.h"
#include "ngx_rbl_verdict.h"


#define NGX_RBL_FLEET_PREFIX  "rbl_checkd_"
#define NGX_RBL_FLEET_LABELS  4         /* of a sample, at most */


typedef enum {
    NGX_RBL_FLEET_DAEMON = 0,
    NGX_RBL_FLEET_RESOLVER,
    NGX_RBL_FLEET_LIST
} ngx_rbl_fleet_row_e;

/*
 * Makes a sample that is in no table of metrics from the i-th row of a daemon:
 * sets its number, adds to its n labels, and returns their number.  0: the row
 * has no sample.
 */
typedef ngx_uint_t (*ngx_rbl_fleet_pt)(const ngx_rbl_daemon_t *d, ngx_uint_t i,
    ngx_rbl_label_t *label, ngx_uint_t n, int64_t *number);


/* --- JSON ---------------------------------------------------------------- */

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


/* Writes nothing if the daemon did not report it. */

static void
ngx_rbl_fleet_json_dns(rbl_doc_t *doc, rbl_str_t raw)
{
    rbl_mp_t           mp;
    rbl_dns_metrics_t  dns;

    rbl_mp_init(&mp, raw);

    if (rbl_dns_metrics_decode(&dns, &mp) != RBL_OK || dns.state.n == 0) {
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
        ngx_rbl_metric_buckets(doc, RBL_LATENCY_BOUNDS, rbl_latency_bounds,
                               &d->resolver[i].number[RBL_MR_LATENCY]);
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
    ngx_rbl_verdict_write(doc, fleet->index, NGX_RBL_VERDICT_REASONS
                                             |NGX_RBL_VERDICT_SECONDS);
    rbl_doc_array(doc, "daemons");

    for (i = 0; i < fleet->n; i++) {
        ngx_rbl_fleet_json_daemon(doc, &fleet->daemon[i]);
    }

    rbl_doc_close(doc);
}


/* --- Prometheus ---------------------------------------------------------- */

/* All names that the table has are written, so that an alarm has its series
   before it rings. */

static void
ngx_rbl_fleet_verdict(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    int64_t                  is;
    unsigned                 id;
    ngx_uint_t               i;
    ngx_rbl_label_t          label;
    const rbl_conditions_t  *all;

    all = ngx_rbl_verdict(fleet->index);

    if (all == NULL) {
        return;
    }

    ngx_rbl_metric_one(out, "rbl_verdict", "gauge",
                       "0: the service is good, 1: degraded, 2: broken.",
                       rbl_conditions_verdict(all));
    ngx_rbl_metric_family(out, "", "rbl_condition", "gauge",
                          "1: the condition holds.");

    for (id = 0; id < RBL_CONDITION__N; id++) {
        label.name = "name";
        label.value = rbl_str(rbl_condition_kinds[id].name);

        for (i = 0, is = 0; i < all->n; i++) {
            is |= rbl_str_is(label.value, all->row[i].name);
        }

        ngx_rbl_metric_sample(out, "rbl_condition", &label, 1, is,
                              RBL_METRIC_ONE);
    }
}


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


/* Writes the samples of a family: `at` is the index of the number, or `make`
   sets it.  A negative number is unknown. */

static void
ngx_rbl_fleet_samples(ngx_rbl_fleet_t *fleet, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_rbl_fleet_row_e kind, ngx_uint_t at,
    ngx_rbl_fleet_pt make)
{
    int64_t                  number;
    ngx_uint_t               i, k, n;
    const int64_t           *numbers;
    ngx_rbl_label_t          label[NGX_RBL_FLEET_LABELS];
    const ngx_rbl_daemon_t  *d;

    for (i = 0; i < fleet->n; i++) {
        d = &fleet->daemon[i];

        for (k = 0; ; k++) {
            n = ngx_rbl_fleet_row(d, kind, k, label, &numbers);

            if (n == 0) {
                break;
            }

            number = numbers[at];

            if (make) {
                n = make(d, k, label, n, &number);

            } else if (metric->label) {
                label[n++] = (ngx_rbl_label_t) { metric->label,
                                                 rbl_str(metric->value) };
            }

            if (n > 0 && number >= 0) {
                ngx_rbl_fleet_sample(out, metric->family, "", label, n, number,
                                     metric->unit);
            }
        }
    }
}


static void
ngx_rbl_fleet_table(ngx_rbl_fleet_t *fleet, rbl_out_t *out,
    const rbl_metric_t *metric, ngx_uint_t n, ngx_rbl_fleet_row_e kind)
{
    ngx_uint_t  i;

    for (i = 0; i < n; i++) {
        if (i == 0 || ngx_strcmp(metric[i].family, metric[i - 1].family) != 0)
        {
            ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, metric[i].family,
                                  metric[i].kind == RBL_METRIC_COUNTER
                                  ? "counter" : "gauge", metric[i].help);
        }

        ngx_rbl_fleet_samples(fleet, out, &metric[i], kind, i, NULL);
    }
}


static ngx_uint_t
ngx_rbl_fleet_info(const ngx_rbl_daemon_t *d, ngx_uint_t i,
    ngx_rbl_label_t *label, ngx_uint_t n, int64_t *number)
{
    label[n] = (ngx_rbl_label_t) { "version", d->record.release };
    *number = 1;

    return n + 1;
}


static ngx_uint_t
ngx_rbl_fleet_started(const ngx_rbl_daemon_t *d, ngx_uint_t i,
    ngx_rbl_label_t *label, ngx_uint_t n, int64_t *number)
{
    *number = d->record.started;

    return n;
}


static ngx_uint_t
ngx_rbl_fleet_dns(const ngx_rbl_daemon_t *d, ngx_uint_t i,
    ngx_rbl_label_t *label, ngx_uint_t n, int64_t *number)
{
    rbl_mp_t           mp;
    rbl_dns_metrics_t  dns;

    rbl_mp_init(&mp, d->record.dns);

    if (rbl_dns_metrics_decode(&dns, &mp) != RBL_OK || dns.state.n == 0) {
        return 0;
    }

    *number = dns.since == 0;

    return n;
}


static ngx_uint_t
ngx_rbl_fleet_health(const ngx_rbl_daemon_t *d, ngx_uint_t i,
    ngx_rbl_label_t *label, ngx_uint_t n, int64_t *number)
{
    if (d->list[i].health.n == 0) {
        return 0;
    }

    label[n++] = (ngx_rbl_label_t) { "state", d->list[i].health };

    if (d->list[i].reason.n != 0) {
        label[n++] = (ngx_rbl_label_t) { "reason", d->list[i].reason };
    }

    *number = 1;

    return n;
}


/* Writes a family that is in no table of metrics. */

static void
ngx_rbl_fleet_family(ngx_rbl_fleet_t *fleet, rbl_out_t *out, const char *name,
    rbl_metric_unit_t unit, const char *help, ngx_rbl_fleet_row_e kind,
    ngx_rbl_fleet_pt make)
{
    rbl_metric_t  metric = { .family = name, .unit = unit };

    ngx_rbl_metric_family(out, NGX_RBL_FLEET_PREFIX, name, "gauge", help);
    ngx_rbl_fleet_samples(fleet, out, &metric, kind, 0, make);
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


void
ngx_rbl_fleet_prometheus(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    ngx_rbl_metric_one(out, "rbl_store_up", "gauge",
                       "1: the metrics of the daemons could be read.",
                       fleet->up != 0);
    ngx_rbl_fleet_verdict(fleet, out);

    if (!fleet->up) {
        return;
    }

    ngx_rbl_metric_one(out, NGX_RBL_FLEET_PREFIX "daemons", "gauge",
                       "Daemons that reported metrics lately.",
                       (int64_t) fleet->n);

    if (fleet->n == 0) {
        return;
    }

    ngx_rbl_fleet_family(fleet, out, "info", RBL_METRIC_ONE,
                         "The version of a daemon.", NGX_RBL_FLEET_DAEMON,
                         ngx_rbl_fleet_info);
    ngx_rbl_fleet_family(fleet, out, "start_time_seconds", RBL_METRIC_MILLI,
                         "Start time of a daemon, in seconds since 1970.",
                         NGX_RBL_FLEET_DAEMON, ngx_rbl_fleet_started);
    ngx_rbl_fleet_family(fleet, out, "dns_ok", RBL_METRIC_ONE,
                         "1: DNS works at the daemon.", NGX_RBL_FLEET_DAEMON,
                         ngx_rbl_fleet_dns);
    ngx_rbl_fleet_table(fleet, out, rbl_metrics, RBL_M__N,
                        NGX_RBL_FLEET_DAEMON);
    ngx_rbl_fleet_table(fleet, out, rbl_resolver_metrics, RBL_MR_TIME,
                        NGX_RBL_FLEET_RESOLVER);
    ngx_rbl_fleet_latency(fleet, out);
    ngx_rbl_fleet_table(fleet, out, rbl_list_metrics, RBL_ML__N,
                        NGX_RBL_FLEET_LIST);
    ngx_rbl_fleet_family(fleet, out, "list_health", RBL_METRIC_ONE,
                         "1 for the present state of the list.",
                         NGX_RBL_FLEET_LIST, ngx_rbl_fleet_health);
}
