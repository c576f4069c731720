/*
 * rbl_status: counters of all workers and all daemons, as JSON or in
 * Prometheus' text format.  The counters of the workers are in shared memory,
 * so there is a response while the store is away, too.  The response has no
 * data of accounts; it has the names of the daemons and the addresses of their
 * resolvers.
 */

#include "ngx_rbl_status.h"

#include "rbl_version.h"

#define NGX_RBL_STATUS_SIZE   32768
#define NGX_RBL_STATUS_LABEL  64        /* bytes of a code or an endpoint as
                                           text */


typedef struct {
    ngx_http_request_t  *request;
    ngx_uint_t           form;
    ngx_rbl_sink_t       sink;
    ngx_rbl_meter_t      sum;
    ngx_uint_t           workers;
    time_t               since;
    ngx_rbl_fleet_t      fleet;
} ngx_rbl_status_t;


/* The numbers without labels, in both formats; rows of one group are
   consecutive. */

#define NGX_RBL_STATUS_NUMBER(name)  offsetof(ngx_rbl_meter_t, name)

static const struct {
    const char  *group, *key;           /* in JSON */
    const char  *name;                  /* in Prometheus' format */
    const char  *type;
    const char  *help;
    size_t       offset;                /* in the meter */
} ngx_rbl_status_numbers[] = {
    { "store", "connections", "rbl_store_connections", "gauge",
      "Connections to stores that are configured.",
      NGX_RBL_STATUS_NUMBER(store.stores) },
    { "store", "ready", "rbl_store_ready", "gauge",
      "Connections to stores that are in service.",
      NGX_RBL_STATUS_NUMBER(store.ready) },
    { "store", "pending", "rbl_store_pending", "gauge",
      "Batches of commands that wait for their replies.",
      NGX_RBL_STATUS_NUMBER(store.pending) },
    { "store", "reconnects", "rbl_store_reconnects_total", "counter",
      "Connections that were opened again after a loss.",
      NGX_RBL_STATUS_NUMBER(store.reconnects) },
    { "store", "away", "rbl_store_away_total", "counter",
      "Batches that found no store in service.",
      NGX_RBL_STATUS_NUMBER(store.away) },
    { "store", "lost", "rbl_store_lost_total", "counter",
      "Batches whose replies were lost or came too late.",
      NGX_RBL_STATUS_NUMBER(store.lost) },
    { "statistics", "flushes", "rbl_statistics_flushes_total", "counter",
      "Batches of statistics and errors that the store has stored.",
      NGX_RBL_STATUS_NUMBER(flushes) },
    { "statistics", "flush_errors", "rbl_statistics_flush_errors_total",
      "counter", "Batches that the store has refused or not confirmed.",
      NGX_RBL_STATUS_NUMBER(flush_errors) },
    { "statistics", "uncounted", "rbl_statistics_uncounted_total", "counter",
      "Requests missing in statistics because there was no room, or the store "
      "did not confirm them, or a worker exited before.",
      NGX_RBL_STATUS_NUMBER(uncounted) },
    { "statistics", "unlogged", "rbl_statistics_unlogged_total", "counter",
      "Errors missing in error logs because there was no room, or the store "
      "did not confirm them, or a worker exited before.",
      NGX_RBL_STATUS_NUMBER(unlogged) },
    { NULL, NULL, NULL, NULL, NULL, 0 }
};


static int64_t
ngx_rbl_status_number(const ngx_rbl_status_t *s, ngx_uint_t i)
{
    return *(int64_t *) (void *) ((u_char *) &s->sum
                                  + ngx_rbl_status_numbers[i].offset);
}


/* Returns the requests of the endpoint of row i.  Several rows may have the
   same endpoint: the first of them returns the sum, the others -1. */

static int64_t
ngx_rbl_status_endpoint(ngx_rbl_status_t *s, ngx_uint_t i)
{
    int64_t           n;
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
            return -1;
        }

        n += (int64_t) s->sum.endpoints[j];
    }

    return n;
}


static const char *
ngx_rbl_status_code(char *text, ngx_uint_t code)
{
    if (code == 0) {
        return "other";
    }

    *ngx_sprintf((u_char *) text, "%03ui", code) = '\0';

    return text;
}


/* Endpoints come from the table of routes and need no escaping. */

static const char *
ngx_rbl_status_text(char *text, const ngx_str_t *s)
{
    (void) ngx_cpystrn((u_char *) text, s->data,
                       ngx_min(s->len + 1, NGX_RBL_STATUS_LABEL));

    return text;
}


/* --- JSON ---------------------------------------------------------------- */

/* Returns the number of all responses, or of those with a status code. */

static int64_t
ngx_rbl_status_answers(ngx_rbl_status_t *s, ngx_uint_t code)
{
    int64_t     n;
    ngx_uint_t  i;

    for (i = 0, n = 0; i < NGX_RBL_METER_CODES; i++) {
        if (code == 0 || ngx_rbl_meter_codes[i] == code) {
            n += (int64_t) s->sum.answers[i];
        }
    }

    return n;
}


static void
ngx_rbl_status_group(ngx_rbl_status_t *s, rbl_doc_t *doc, const char *group)
{
    ngx_uint_t  i;

    rbl_doc_object(doc, group);

    for (i = 0; ngx_rbl_status_numbers[i].key != NULL; i++) {
        if (ngx_strcmp(ngx_rbl_status_numbers[i].group, group) == 0) {
            rbl_doc_int(doc, ngx_rbl_status_numbers[i].key,
                        ngx_rbl_status_number(s, i));
        }
    }
}


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
    ngx_rbl_metric_buckets(doc, NGX_RBL_COUNTS_BOUNDS,
                           (const int64_t *) ngx_rbl_counts_bounds,
                           (const int64_t *) s->sum.store.latency);
    rbl_doc_close(doc);
}


/* The servers of the store, as this worker sees them: those of a cluster, or
   the master that Sentinels name.  The address of an only Redis is not
   shown. */

static void
ngx_rbl_status_json_nodes(ngx_rbl_store_t *store, rbl_doc_t *doc)
{
    ngx_uint_t            i;
    ngx_rbl_store_node_t  node;

    rbl_doc_array(doc, "nodes");

    for (i = 0; ngx_rbl_store_node(store, i, &node) == NGX_OK; i++) {
        if (node.name[0] != '\0') {
            rbl_doc_object(doc, NULL);
            rbl_doc_z(doc, "address", node.name);
            rbl_doc_bool(doc, "up", (int) node.up);
            rbl_doc_int(doc, "partitions", (int64_t) node.partitions);
            rbl_doc_close(doc);
        }
    }

    rbl_doc_close(doc);
    rbl_doc_int(doc, "partitions_away",
                (int64_t) ngx_rbl_store_partitions_away(store));
}


static void
ngx_rbl_status_json(ngx_rbl_status_t *s)
{
    char              code[NGX_RBL_METER_CODES][NGX_RBL_STATUS_LABEL];
    char              text[NGX_RBL_METER_ENDPOINTS][NGX_RBL_STATUS_LABEL];
    int64_t           n;
    rbl_doc_t         doc;
    ngx_uint_t        i;
    const ngx_str_t  *endpoint;

    rbl_doc_begin(&doc, &s->sink.out, RBL_JSON);

    rbl_doc_z(&doc, "version", RBL_VERSION);
    rbl_doc_int(&doc, "since", (int64_t) s->since);
    rbl_doc_int(&doc, "workers", (int64_t) s->workers);
    rbl_doc_int(&doc, "requests", ngx_rbl_status_answers(s, 0));
    rbl_doc_int(&doc, "refused_logins",
                ngx_rbl_status_answers(s, NGX_HTTP_UNAUTHORIZED));
    rbl_doc_int(&doc, "unavailable",
                ngx_rbl_status_answers(s, NGX_HTTP_SERVICE_UNAVAILABLE));

    rbl_doc_object(&doc, "answers");

    for (i = 0; i < NGX_RBL_METER_CODES; i++) {
        rbl_doc_int(&doc, ngx_rbl_status_code(code[i], ngx_rbl_meter_codes[i]),
                    (int64_t) s->sum.answers[i]);
    }

    rbl_doc_close(&doc);
    rbl_doc_object(&doc, "endpoints");

    for (i = 1; (endpoint = ngx_rbl_route_endpoint(i)) != NULL; i++) {
        n = ngx_rbl_status_endpoint(s, i);

        if (n >= 0) {
            rbl_doc_int(&doc, ngx_rbl_status_text(text[i], endpoint), n);
        }
    }

    rbl_doc_int(&doc, "unknown", (int64_t) s->sum.endpoints[0]);
    rbl_doc_close(&doc);

    ngx_rbl_status_group(s, &doc, "store");
    ngx_rbl_status_json_latency(s, &doc);
    rbl_doc_close(&doc);

    ngx_rbl_status_group(s, &doc, "statistics");
    rbl_doc_close(&doc);

    ngx_rbl_status_json_nodes(s->fleet.store, &doc);
    ngx_rbl_fleet_json(&s->fleet, &doc);

    rbl_doc_end(&doc);
}


/* --- Prometheus ---------------------------------------------------------- */

static void
ngx_rbl_status_label(rbl_out_t *out, const char *name, const char *label,
    const char *value, int64_t n)
{
    ngx_rbl_label_t  one = { label, rbl_str(value) };

    ngx_rbl_metric_sample(out, name, &one, 1, n, RBL_METRIC_ONE);
}


static void
ngx_rbl_status_latency(ngx_rbl_status_t *s, rbl_out_t *out)
{
    int64_t     n;
    ngx_uint_t  i;

    ngx_rbl_metric_family(out, "", "rbl_store_latency_seconds", "histogram",
                          "Time of the store for a batch of commands.");

    for (i = 0, n = 0; i <= NGX_RBL_COUNTS_BOUNDS; i++) {
        n += (int64_t) s->sum.store.latency[i];
        ngx_rbl_status_label(out, "rbl_store_latency_seconds_bucket", "le",
                             i < NGX_RBL_COUNTS_BOUNDS
                             ? ngx_rbl_counts_seconds[i] : "+Inf", n);
    }

    ngx_rbl_metric_sample(out, "rbl_store_latency_seconds_sum", NULL, 0,
                          (int64_t) s->sum.store.latency_us,
                          RBL_METRIC_MICRO);
    ngx_rbl_metric_sample(out, "rbl_store_latency_seconds_count", NULL, 0, n,
                          RBL_METRIC_ONE);
}


static void
ngx_rbl_status_nodes(ngx_rbl_store_t *store, rbl_out_t *out)
{
    ngx_uint_t            i, n;
    ngx_rbl_store_node_t  node;

    for (i = 0, n = 0; ngx_rbl_store_node(store, i, &node) == NGX_OK; i++) {
        if (node.name[0] == '\0') {
            continue;
        }

        if (n++ == 0) {
            ngx_rbl_metric_family(out, "", "rbl_store_node_up", "gauge",
                                  "1: this worker is connected to the node.");
        }

        ngx_rbl_status_label(out, "rbl_store_node_up", "node", node.name,
                             node.up != 0);
    }

    ngx_rbl_metric_one(out, "rbl_store_partitions_away", "gauge",
                       "Partitions whose accounts this worker refuses.",
                       (int64_t) ngx_rbl_store_partitions_away(store));
}


static void
ngx_rbl_status_prometheus(ngx_rbl_status_t *s)
{
    char              text[NGX_RBL_STATUS_LABEL];
    int64_t           n;
    rbl_out_t        *out;
    ngx_uint_t        i;
    const ngx_str_t  *endpoint;

    out = &s->sink.out;

    ngx_rbl_metric_one(out, "rbl_start_time_seconds", "gauge",
                       "Start of counting, in seconds since 1970.", s->since);
    ngx_rbl_metric_one(out, "rbl_workers", "gauge", "Workers that count.",
                       (int64_t) s->workers);
    ngx_rbl_metric_family(out, "", "rbl_requests_total", "counter",
                          "Requests by endpoint.");

    for (i = 1; (endpoint = ngx_rbl_route_endpoint(i)) != NULL; i++) {
        n = ngx_rbl_status_endpoint(s, i);

        if (n >= 0) {
            ngx_rbl_status_label(out, "rbl_requests_total", "endpoint",
                                 ngx_rbl_status_text(text, endpoint), n);
        }
    }

    ngx_rbl_status_label(out, "rbl_requests_total", "endpoint", "unknown",
                         (int64_t) s->sum.endpoints[0]);
    ngx_rbl_metric_family(out, "", "rbl_answers_total", "counter",
                          "Answers by status code.");

    for (i = 0; i < NGX_RBL_METER_CODES; i++) {
        ngx_rbl_status_label(out, "rbl_answers_total", "code",
                             ngx_rbl_status_code(text, ngx_rbl_meter_codes[i]),
                             (int64_t) s->sum.answers[i]);
    }

    ngx_rbl_status_latency(s, out);

    for (i = 0; ngx_rbl_status_numbers[i].key != NULL; i++) {
        ngx_rbl_metric_one(out, ngx_rbl_status_numbers[i].name,
                           ngx_rbl_status_numbers[i].type,
                           ngx_rbl_status_numbers[i].help,
                           ngx_rbl_status_number(s, i));
    }

    ngx_rbl_status_nodes(s->fleet.store, out);
    ngx_rbl_fleet_prometheus(&s->fleet, out);
}


/* --- the request --------------------------------------------------------- */

static ngx_int_t
ngx_rbl_status_write(ngx_rbl_status_t *s)
{
    ngx_rbl_main_conf_t  *rmcf;

    rmcf = ngx_http_get_module_main_conf(s->request, ngx_rbl_module);

    if (ngx_rbl_sink_open(&s->sink, s->request->pool, NGX_RBL_STATUS_SIZE,
                          (ngx_buf_tag_t) &ngx_rbl_module)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    s->workers = ngx_rbl_shm_sum(rmcf->shm->data, &s->sum, &s->since);

    if (s->form == NGX_RBL_STATUS_JSON) {
        ngx_rbl_status_json(s);

    } else {
        ngx_rbl_status_prometheus(s);
    }

    return s->sink.out.failed ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_rbl_status_send(ngx_rbl_status_t *s)
{
    ngx_int_t            rc;
    ngx_buf_t           *b;
    ngx_http_request_t  *r;

    static ngx_str_t  cache_control = ngx_string("Cache-Control");
    static ngx_str_t  no_store = ngx_string("no-store");

    r = s->request;

    b = ngx_rbl_status_write(s) == NGX_OK ? ngx_rbl_sink_flush(&s->sink)
                                          : NULL;
    if (b == NULL || ngx_rbl_header(r, &cache_control, &no_store) == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (s->form == NGX_RBL_STATUS_JSON) {
        ngx_str_set(&r->headers_out.content_type,
                    "application/json; charset=utf-8");
        r->headers_out.content_type_len = 16;

    } else {
        ngx_str_set(&r->headers_out.content_type,
                    "text/plain; version=0.0.4; charset=utf-8");
        r->headers_out.content_type_len = 10;
    }

    r->headers_out.content_type_lowcase = NULL;
    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = ngx_rbl_sink_length(&s->sink);

    b->last_buf = (r == r->main);
    b->last_in_chain = 1;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    return ngx_http_output_filter(r, s->sink.chain);
}


/* Called by the event loop when the fleet has been read, or could not be
   read. */

static void
ngx_rbl_status_read(void *data)
{
    ngx_connection_t  *c;
    ngx_rbl_status_t  *s = data;

    c = s->request->connection;

    ngx_http_set_log_request(c->log, s->request);
    ngx_rbl_end(s->request, ngx_rbl_status_send(s));
    ngx_http_run_posted_requests(c);
}


static void
ngx_rbl_status_cleanup(void *data)
{
    ngx_rbl_status_t  *s = data;

    ngx_rbl_fleet_cancel(&s->fleet);
}


/* The counters of this nginx are available at once; those of the fleet are
   read. */

ngx_int_t
ngx_rbl_status_handler(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_rbl_status_t    *s;
    ngx_rbl_loc_conf_t  *rlcf;
    ngx_http_cleanup_t  *cln;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return NGX_HTTP_NOT_ALLOWED;
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    s = ngx_pcalloc(r->pool, sizeof(ngx_rbl_status_t));
    cln = ngx_http_cleanup_add(r, 0);
    if (s == NULL || cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rlcf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);

    s->request = r;
    s->form = rlcf->status;
    s->fleet.pool = r->pool;
    s->fleet.index = rlcf->store_index;
    s->fleet.done = ngx_rbl_status_read;
    s->fleet.data = s;

    cln->handler = ngx_rbl_status_cleanup;
    cln->data = s;

    if (ngx_rbl_fleet_read(&s->fleet, ngx_rbl_store_of(r)) != NGX_OK) {
        return ngx_rbl_status_send(s);
    }

    r->main->count++;
    ngx_rbl_watch(r);

    return NGX_DONE;
}


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
