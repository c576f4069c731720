/*
 * rbl_status in Prometheus' text format, version 0.0.4.  Names and labels here
 * are constants and need no escaping.
 */

#include "ngx_rbl_status.h"


static void ngx_rbl_status_sample(ngx_rbl_status_t *s, const char *name,
    const char *label, const char *value, uint64_t n);
static void ngx_rbl_status_latency(ngx_rbl_status_t *s);
static void ngx_rbl_status_seconds(rbl_out_t *out, uint64_t us);


void
ngx_rbl_status_prometheus(ngx_rbl_status_t *s)
{
    char                            text[NGX_RBL_STATUS_LABEL];
    uint64_t                        n;
    ngx_uint_t                      i;
    const ngx_str_t                *endpoint;
    const ngx_rbl_status_number_t  *number;

    static const ngx_rbl_status_number_t *const  all[] = {
        ngx_rbl_status_store, ngx_rbl_status_statistics
    };

    ngx_rbl_status_family(&s->sink.out, "", "rbl_start_time_seconds", "gauge",
                          "When counting began, in seconds since 1970.");
    ngx_rbl_status_sample(s, "rbl_start_time_seconds", NULL, NULL,
                          (uint64_t) s->since);

    ngx_rbl_status_family(&s->sink.out, "", "rbl_workers", "gauge",
                          "Workers that count.");
    ngx_rbl_status_sample(s, "rbl_workers", NULL, NULL, s->workers);

    ngx_rbl_status_family(&s->sink.out, "", "rbl_requests_total", "counter",
                          "Requests by endpoint.");

    for (i = 1; (endpoint = ngx_rbl_route_endpoint(i)) != NULL; i++) {
        n = ngx_rbl_status_endpoint(s, i);

        if (n != (uint64_t) -1) {
            ngx_rbl_status_sample(s, "rbl_requests_total", "endpoint",
                                  ngx_rbl_status_text(text, endpoint), n);
        }
    }

    ngx_rbl_status_sample(s, "rbl_requests_total", "endpoint", "unknown",
                          s->sum.endpoints[0]);

    ngx_rbl_status_family(&s->sink.out, "", "rbl_answers_total", "counter",
                          "Answers by status code.");

    for (i = 0; i < NGX_RBL_METER_CODES; i++) {
        ngx_rbl_status_sample(s, "rbl_answers_total", "code",
                              ngx_rbl_status_code(text,
                                                  ngx_rbl_meter_codes[i]),
                              s->sum.answers[i]);
    }

    ngx_rbl_status_latency(s);

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (number = all[i]; number->key != NULL; number++) {
            ngx_rbl_status_family(&s->sink.out, "", number->name, number->type,
                                  number->help);
            ngx_rbl_status_sample(s, number->name, NULL, NULL,
                                  ngx_rbl_status_of(s, number));
        }
    }

    ngx_rbl_fleet_prometheus(&s->fleet, &s->sink.out);
}


void
ngx_rbl_status_family(rbl_out_t *out, const char *prefix, const char *name,
    const char *type, const char *help)
{
    rbl_out_z(out, "# HELP ");
    rbl_out_z(out, prefix);
    rbl_out_z(out, name);
    rbl_out_char(out, ' ');
    rbl_out_z(out, help);
    rbl_out_z(out, "\n# TYPE ");
    rbl_out_z(out, prefix);
    rbl_out_z(out, name);
    rbl_out_char(out, ' ');
    rbl_out_z(out, type);
    rbl_out_char(out, '\n');
}


static void
ngx_rbl_status_sample(ngx_rbl_status_t *s, const char *name,
    const char *label, const char *value, uint64_t n)
{
    rbl_out_z(&s->sink.out, name);

    if (label != NULL) {
        rbl_out_char(&s->sink.out, '{');
        rbl_out_z(&s->sink.out, label);
        rbl_out_z(&s->sink.out, "=\"");
        rbl_out_z(&s->sink.out, value);
        rbl_out_z(&s->sink.out, "\"}");
    }

    rbl_out_char(&s->sink.out, ' ');
    rbl_out_int(&s->sink.out, (int64_t) n);
    rbl_out_char(&s->sink.out, '\n');
}


static void
ngx_rbl_status_latency(ngx_rbl_status_t *s)
{
    uint64_t    n;
    ngx_uint_t  i;

    ngx_rbl_status_family(&s->sink.out, "", "rbl_store_latency_seconds",
                          "histogram",
                          "How long the store took for a batch of commands.");

    for (i = 0, n = 0; i <= NGX_RBL_COUNTS_BOUNDS; i++) {
        n += s->sum.store.latency[i];
        ngx_rbl_status_sample(s, "rbl_store_latency_seconds_bucket", "le",
                              i < NGX_RBL_COUNTS_BOUNDS
                              ? ngx_rbl_counts_seconds[i] : "+Inf", n);
    }

    rbl_out_z(&s->sink.out, "rbl_store_latency_seconds_sum ");
    ngx_rbl_status_seconds(&s->sink.out, s->sum.store.latency_us);
    rbl_out_char(&s->sink.out, '\n');

    ngx_rbl_status_sample(s, "rbl_store_latency_seconds_count", NULL, NULL, n);
}


static void
ngx_rbl_status_seconds(rbl_out_t *out, uint64_t us)
{
    u_char  text[NGX_INT64_LEN + 8];

    *ngx_sprintf(text, "%uL.%06uL", us / 1000000, us % 1000000) = '\0';
    rbl_out_z(out, (char *) text);
}
