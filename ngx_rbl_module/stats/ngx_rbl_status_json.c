/*
 * rbl_status as JSON.
 */

#include "ngx_rbl_status.h"

#include "rbl_version.h"


/* Writes the number of all responses, or by status code. */

static uint64_t
ngx_rbl_status_answers(ngx_rbl_status_t *s, ngx_uint_t code)
{
    uint64_t    n;
    ngx_uint_t  i;

    for (i = 0, n = 0; i < NGX_RBL_METER_CODES; i++) {
        if (code == 0 || ngx_rbl_meter_codes[i] == code) {
            n += s->sum.answers[i];
        }
    }

    return n;
}


static void
ngx_rbl_status_numbers(ngx_rbl_status_t *s, rbl_doc_t *doc,
    const ngx_rbl_status_number_t *number)
{
    for ( /* void */ ; number->key != NULL; number++) {
        rbl_doc_int(doc, number->key,
                    (int64_t) ngx_rbl_status_of(s, number));
    }
}


/* Each bucket has its own count, without those below it. */

static void
ngx_rbl_status_json_latency(ngx_rbl_status_t *s, rbl_doc_t *doc)
{
    uint64_t    n;
    ngx_uint_t  i;

    for (i = 0, n = 0; i <= NGX_RBL_COUNTS_BOUNDS; i++) {
        n += s->sum.store.latency[i];
    }

    rbl_doc_object(doc, "latency");
    rbl_doc_int(doc, "count", (int64_t) n);
    rbl_doc_int(doc, "sum_us", (int64_t) s->sum.store.latency_us);
    rbl_doc_array(doc, "buckets");

    for (i = 0; i <= NGX_RBL_COUNTS_BOUNDS; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_int(doc, "up_to_us", i < NGX_RBL_COUNTS_BOUNDS
                                     ? (int64_t) ngx_rbl_counts_bounds[i] : -1);
        rbl_doc_int(doc, "count", (int64_t) s->sum.store.latency[i]);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


void
ngx_rbl_status_json(ngx_rbl_status_t *s)
{
    char              code[NGX_RBL_METER_CODES][NGX_RBL_STATUS_LABEL];
    char              text[NGX_RBL_METER_ENDPOINTS][NGX_RBL_STATUS_LABEL];
    uint64_t          n;
    rbl_doc_t         doc;
    ngx_uint_t        i;
    const ngx_str_t  *endpoint;

    rbl_doc_begin(&doc, &s->sink.out, RBL_JSON);

    rbl_doc_z(&doc, "version", RBL_VERSION);
    rbl_doc_int(&doc, "since", (int64_t) s->since);
    rbl_doc_int(&doc, "workers", (int64_t) s->workers);
    rbl_doc_int(&doc, "requests", (int64_t) ngx_rbl_status_answers(s, 0));
    rbl_doc_int(&doc, "refused_logins",
                (int64_t) ngx_rbl_status_answers(s, NGX_HTTP_UNAUTHORIZED));
    rbl_doc_int(&doc, "unavailable",
                (int64_t) ngx_rbl_status_answers(s,
                                             NGX_HTTP_SERVICE_UNAVAILABLE));

    rbl_doc_object(&doc, "answers");

    for (i = 0; i < NGX_RBL_METER_CODES; i++) {
        rbl_doc_int(&doc, ngx_rbl_status_code(code[i], ngx_rbl_meter_codes[i]),
                    (int64_t) s->sum.answers[i]);
    }

    rbl_doc_close(&doc);
    rbl_doc_object(&doc, "endpoints");

    for (i = 1; (endpoint = ngx_rbl_route_endpoint(i)) != NULL; i++) {
        n = ngx_rbl_status_endpoint(s, i);

        if (n != (uint64_t) -1 && i < NGX_RBL_METER_ENDPOINTS) {
            rbl_doc_int(&doc, ngx_rbl_status_text(text[i], endpoint),
                        (int64_t) n);
        }
    }

    rbl_doc_int(&doc, "unknown", (int64_t) s->sum.endpoints[0]);
    rbl_doc_close(&doc);

    rbl_doc_object(&doc, "store");
    ngx_rbl_status_numbers(s, &doc, ngx_rbl_status_store);
    ngx_rbl_status_json_latency(s, &doc);
    rbl_doc_close(&doc);

    rbl_doc_object(&doc, "statistics");
    ngx_rbl_status_numbers(s, &doc, ngx_rbl_status_statistics);
    rbl_doc_close(&doc);

    ngx_rbl_nodes_json(s->fleet.store, &doc);
    ngx_rbl_fleet_json(&s->fleet, &doc);

    rbl_doc_end(&doc);
}
