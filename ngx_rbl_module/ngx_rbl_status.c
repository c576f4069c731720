/*
 * rbl_status: what all workers have counted, as JSON or in Prometheus' text
 * format.  It asks the store nothing, so it answers when that is away.  There
 * are numbers in it alone: no names, no addresses, nothing of an account.
 */

#include "ngx_rbl_status.h"

#include "rbl_version.h"

#define NGX_RBL_STATUS_SIZE  65536


static ngx_int_t ngx_rbl_status_send(ngx_http_request_t *r, ngx_buf_t *b,
    ngx_uint_t form);
static uint64_t ngx_rbl_status_answers(ngx_rbl_status_t *s, ngx_uint_t code);
static void ngx_rbl_status_numbers(ngx_rbl_status_t *s, rbl_doc_t *doc,
    const ngx_rbl_status_number_t *number);
static void ngx_rbl_status_json(ngx_rbl_status_t *s);
static void ngx_rbl_status_json_latency(ngx_rbl_status_t *s, rbl_doc_t *doc);
static int ngx_rbl_status_full(rbl_out_t *out);


#define NGX_RBL_STATUS_NUMBER(name)  offsetof(ngx_rbl_meter_t, name)

const ngx_rbl_status_number_t  ngx_rbl_status_store[] = {
    { "connections", "rbl_store_connections", "gauge",
      "Connections to stores that there should be.",
      NGX_RBL_STATUS_NUMBER(stores) },
    { "ready", "rbl_store_ready", "gauge",
      "Connections to stores that are in service.",
      NGX_RBL_STATUS_NUMBER(ready) },
    { "pending", "rbl_store_pending", "gauge",
      "Batches of commands that wait for their answer.",
      NGX_RBL_STATUS_NUMBER(pending) },
    { "reconnects", "rbl_store_reconnects_total", "counter",
      "Connections that were made again.",
      NGX_RBL_STATUS_NUMBER(reconnects) },
    { "away", "rbl_store_away_total", "counter",
      "Batches that found no store in service.",
      NGX_RBL_STATUS_NUMBER(away) },
    { "lost", "rbl_store_lost_total", "counter",
      "Batches whose answer was lost or came too late.",
      NGX_RBL_STATUS_NUMBER(lost) },
    { NULL, NULL, NULL, NULL, 0 }
};

const ngx_rbl_status_number_t  ngx_rbl_status_statistics[] = {
    { "flushes", "rbl_statistics_flushes_total", "counter",
      "Loads of statistics and errors that the store has taken.",
      NGX_RBL_STATUS_NUMBER(flushes) },
    { "flush_errors", "rbl_statistics_flush_errors_total", "counter",
      "Loads that the store has not taken; they are sent again.",
      NGX_RBL_STATUS_NUMBER(flush_errors) },
    { "uncounted", "rbl_statistics_uncounted_total", "counter",
      "Requests missing in statistics, for the zone had no room.",
      NGX_RBL_STATUS_NUMBER(uncounted) },
    { "unlogged", "rbl_statistics_unlogged_total", "counter",
      "Refusals missing in error logs, for there were too many at a time.",
      NGX_RBL_STATUS_NUMBER(unlogged) },
    { NULL, NULL, NULL, NULL, 0 }
};


char *
ngx_rbl_set_status(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    ngx_str_t                 *value;
    ngx_http_core_loc_conf_t  *clcf;

    if (rlcf->status != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (cf->args->nelts == 1 || ngx_strcmp(value[1].data, "json") == 0) {
        rlcf->status = NGX_RBL_STATUS_JSON;

    } else if (ngx_strcmp(value[1].data, "prometheus") == 0) {
        rlcf->status = NGX_RBL_STATUS_PROMETHEUS;

    } else {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid value \"%V\" in \"%V\" directive, it must "
                           "be \"json\" or \"prometheus\"",
                           &value[1], &cmd->name);
        return NGX_CONF_ERROR;
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    clcf->handler = ngx_rbl_status_handler;

    return NGX_CONF_OK;
}


ngx_int_t
ngx_rbl_status_handler(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    ngx_buf_t            *b;
    ngx_rbl_status_t     *s;
    ngx_rbl_loc_conf_t   *rlcf;
    ngx_rbl_main_conf_t  *rmcf;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return NGX_HTTP_NOT_ALLOWED;
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    rlcf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);
    rmcf = ngx_http_get_module_main_conf(r, ngx_rbl_module);

    s = ngx_pcalloc(r->pool, sizeof(ngx_rbl_status_t));
    b = ngx_create_temp_buf(r->pool, NGX_RBL_STATUS_SIZE);
    if (s == NULL || b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    s->out.pos = (char *) b->start;
    s->out.end = (char *) b->end;
    s->out.more = ngx_rbl_status_full;
    s->workers = ngx_rbl_zone_sum(rmcf->zone->data, &s->sum, &s->since);

    if (rlcf->status == NGX_RBL_STATUS_JSON) {
        ngx_rbl_status_json(s);

    } else {
        ngx_rbl_status_prometheus(s);
    }

    if (s->out.failed) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    b->last = (u_char *) s->out.pos;

    return ngx_rbl_status_send(r, b, rlcf->status);
}


static ngx_int_t
ngx_rbl_status_send(ngx_http_request_t *r, ngx_buf_t *b, ngx_uint_t form)
{
    ngx_int_t         rc;
    ngx_chain_t       out;
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));
    h->hash = 1;
    ngx_str_set(&h->key, "Cache-Control");
    ngx_str_set(&h->value, "no-store");

    if (form == NGX_RBL_STATUS_JSON) {
        ngx_str_set(&r->headers_out.content_type,
                    "application/json; charset=utf-8");

    } else {
        ngx_str_set(&r->headers_out.content_type,
                    "text/plain; version=0.0.4; charset=utf-8");
    }

    r->headers_out.content_type_len = form == NGX_RBL_STATUS_JSON ? 16 : 10;
    r->headers_out.content_type_lowcase = NULL;
    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = b->last - b->pos;

    b->last_buf = (r == r->main);
    b->last_in_chain = 1;
    out.buf = b;
    out.next = NULL;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    return ngx_http_output_filter(r, &out);
}


uint64_t
ngx_rbl_status_of(ngx_rbl_status_t *s, const ngx_rbl_status_number_t *number)
{
    return *(uint64_t *) (void *) ((u_char *) &s->sum + number->offset);
}


/* All answers, or those with a code. */

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


uint64_t
ngx_rbl_status_endpoint(ngx_rbl_status_t *s, ngx_uint_t i)
{
    uint64_t          n;
    ngx_uint_t        j;
    const ngx_str_t  *name, *other;

    name = ngx_rbl_route_endpoint(i);

    for (j = 1, n = 0; (other = ngx_rbl_route_endpoint(j)) != NULL; j++) {
        if (other->len != name->len
            || ngx_memcmp(other->data, name->data, name->len) != 0)
        {
            continue;
        }

        if (j < i) {
            return (uint64_t) -1;
        }

        n += j < NGX_RBL_METER_ENDPOINTS ? s->sum.endpoints[j] : 0;
    }

    return n;
}


const char *
ngx_rbl_status_code(char *text, ngx_uint_t code)
{
    if (code == 0) {
        return "other";
    }

    *ngx_sprintf((u_char *) text, "%03ui", code) = '\0';

    return text;
}


/* Ours, from the table of routes: nothing in it needs an escape. */

const char *
ngx_rbl_status_text(char *text, const ngx_str_t *s)
{
    (void) ngx_cpystrn((u_char *) text, s->data,
                       ngx_min(s->len + 1, NGX_RBL_STATUS_LABEL));

    return text;
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


static void
ngx_rbl_status_json(ngx_rbl_status_t *s)
{
    char              code[NGX_RBL_METER_CODES][NGX_RBL_STATUS_LABEL];
    char              text[NGX_RBL_METER_ENDPOINTS][NGX_RBL_STATUS_LABEL];
    uint64_t          n;
    rbl_doc_t         doc;
    ngx_uint_t        i;
    const ngx_str_t  *endpoint;

    rbl_doc_begin(&doc, &s->out, RBL_JSON);

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

    rbl_doc_end(&doc);
}


/* Each bucket with its own number, not with those below it. */

static void
ngx_rbl_status_json_latency(ngx_rbl_status_t *s, rbl_doc_t *doc)
{
    uint64_t    n;
    ngx_uint_t  i;

    for (i = 0, n = 0; i <= NGX_RBL_METER_BOUNDS; i++) {
        n += s->sum.latency[i];
    }

    rbl_doc_object(doc, "latency");
    rbl_doc_int(doc, "count", (int64_t) n);
    rbl_doc_int(doc, "sum_us", (int64_t) s->sum.latency_us);
    rbl_doc_array(doc, "buckets");

    for (i = 0; i <= NGX_RBL_METER_BOUNDS; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_int(doc, "up_to_us", i < NGX_RBL_METER_BOUNDS
                                     ? (int64_t) ngx_rbl_meter_bounds[i] : -1);
        rbl_doc_int(doc, "count", (int64_t) s->sum.latency[i]);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


static int
ngx_rbl_status_full(rbl_out_t *out)
{
    return -1;
}
