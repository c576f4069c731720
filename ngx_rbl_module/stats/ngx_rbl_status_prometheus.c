/*
 * rbl_status in Prometheus' text format.
 */

#include "ngx_rbl_status.h"


/* With one label, or NULL. */

static void
ngx_rbl_status_one(rbl_out_t *out, const char *name, const char *label,
    const char *value, uint64_t n)
{
    ngx_rbl_label_t  one = { label, label ? rbl_str(value) : RBL_STR("") };

    ngx_rbl_metric_sample(out, name, &one, label != NULL, (int64_t) n,
                          RBL_METRIC_ONE);
}


static void
ngx_rbl_status_latency(ngx_rbl_status_t *s)
{
    uint64_t    n;
    ngx_uint_t  i;
    rbl_out_t  *out;

    out = &s->sink.out;

    ngx_rbl_metric_family(out, "", "rbl_store_latency_seconds", "histogram",
                          "Time of the store for a batch of commands.");

    for (i = 0, n = 0; i <= NGX_RBL_COUNTS_BOUNDS; i++) {
        n += s->sum.store.latency[i];
        ngx_rbl_status_one(out, "rbl_store_latency_seconds_bucket", "le",
                           i < NGX_RBL_COUNTS_BOUNDS
                           ? ngx_rbl_counts_seconds[i] : "+Inf", n);
    }

    ngx_rbl_metric_sample(out, "rbl_store_latency_seconds_sum", NULL, 0,
                          (int64_t) s->sum.store.latency_us,
                          RBL_METRIC_MICRO);
    ngx_rbl_status_one(out, "rbl_store_latency_seconds_count", NULL, NULL, n);
}


void
ngx_rbl_status_prometheus(ngx_rbl_status_t *s)
{
    char                            text[NGX_RBL_STATUS_LABEL];
    uint64_t                        n;
    rbl_out_t                      *out;
    ngx_uint_t                      i;
    const ngx_str_t                *endpoint;
    const ngx_rbl_status_number_t  *number;

    static const ngx_rbl_status_number_t *const  all[] = {
        ngx_rbl_status_store, ngx_rbl_status_statistics
    };

    out = &s->sink.out;

    ngx_rbl_metric_family(out, "", "rbl_start_time_seconds", "gauge",
                          "Start of counting, in seconds since 1970.");
    ngx_rbl_status_one(out, "rbl_start_time_seconds", NULL, NULL,
                       (uint64_t) s->since);

    ngx_rbl_metric_family(out, "", "rbl_workers", "gauge",
                          "Workers that count.");
    ngx_rbl_status_one(out, "rbl_workers", NULL, NULL, s->workers);

    ngx_rbl_metric_family(out, "", "rbl_requests_total", "counter",
                          "Requests by endpoint.");

    for (i = 1; (endpoint = ngx_rbl_route_endpoint(i)) != NULL; i++) {
        n = ngx_rbl_status_endpoint(s, i);

        if (n != (uint64_t) -1) {
            ngx_rbl_status_one(out, "rbl_requests_total", "endpoint",
                               ngx_rbl_status_text(text, endpoint), n);
        }
    }

    ngx_rbl_status_one(out, "rbl_requests_total", "endpoint", "unknown",
                       s->sum.endpoints[0]);

    ngx_rbl_metric_family(out, "", "rbl_answers_total", "counter",
                          "Answers by status code.");

    for (i = 0; i < NGX_RBL_METER_CODES; i++) {
        ngx_rbl_status_one(out, "rbl_answers_total", "code",
                           ngx_rbl_status_code(text, ngx_rbl_meter_codes[i]),
                           s->sum.answers[i]);
    }

    ngx_rbl_status_latency(s);

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (number = all[i]; number->key != NULL; number++) {
            ngx_rbl_metric_family(out, "", number->name, number->type,
                                  number->help);
            ngx_rbl_status_one(out, number->name, NULL, NULL,
                               ngx_rbl_status_of(s, number));
        }
    }

    ngx_rbl_nodes_prometheus(s->fleet.store, out);
    ngx_rbl_fleet_prometheus(&s->fleet, out);
}
