/*
 * rbl_status: counters of all workers and all daemons, as JSON or in
 * Prometheus' text format.  The counters of the workers are in shared memory,
 * so there is a response while the store is away, too.  The response has no
 * data of accounts; it has the names of the daemons and the addresses of their
 * resolvers.
 */

#include "ngx_rbl_status.h"

#define NGX_RBL_STATUS_SIZE  32768


#define NGX_RBL_STATUS_NUMBER(name)  offsetof(ngx_rbl_meter_t, name)

const ngx_rbl_status_number_t  ngx_rbl_status_store[] = {
    { "connections", "rbl_store_connections", "gauge",
      "Connections to stores that are configured.",
      NGX_RBL_STATUS_NUMBER(store.stores) },
    { "ready", "rbl_store_ready", "gauge",
      "Connections to stores that are in service.",
      NGX_RBL_STATUS_NUMBER(store.ready) },
    { "pending", "rbl_store_pending", "gauge",
      "Batches of commands that wait for their replies.",
      NGX_RBL_STATUS_NUMBER(store.pending) },
    { "reconnects", "rbl_store_reconnects_total", "counter",
      "Connections that were opened again after a loss.",
      NGX_RBL_STATUS_NUMBER(store.reconnects) },
    { "away", "rbl_store_away_total", "counter",
      "Batches that found no store in service.",
      NGX_RBL_STATUS_NUMBER(store.away) },
    { "lost", "rbl_store_lost_total", "counter",
      "Batches whose replies were lost or came too late.",
      NGX_RBL_STATUS_NUMBER(store.lost) },
    { NULL, NULL, NULL, NULL, 0 }
};

const ngx_rbl_status_number_t  ngx_rbl_status_statistics[] = {
    { "flushes", "rbl_statistics_flushes_total", "counter",
      "Batches of statistics and errors that the store has stored.",
      NGX_RBL_STATUS_NUMBER(flushes) },
    { "flush_errors", "rbl_statistics_flush_errors_total", "counter",
      "Batches that the store has refused or not confirmed.",
      NGX_RBL_STATUS_NUMBER(flush_errors) },
    { "uncounted", "rbl_statistics_uncounted_total", "counter",
      "Requests missing in statistics because there was no room, or the store "
      "did not confirm them, or a worker exited before.",
      NGX_RBL_STATUS_NUMBER(uncounted) },
    { "unlogged", "rbl_statistics_unlogged_total", "counter",
      "Errors missing in error logs because there was no room, or the store "
      "did not confirm them, or a worker exited before.",
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


uint64_t
ngx_rbl_status_of(ngx_rbl_status_t *s, const ngx_rbl_status_number_t *number)
{
    return *(uint64_t *) (void *) ((u_char *) &s->sum + number->offset);
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


/* Endpoints come from the table of routes and need no escaping. */

const char *
ngx_rbl_status_text(char *text, const ngx_str_t *s)
{
    (void) ngx_cpystrn((u_char *) text, s->data,
                       ngx_min(s->len + 1, NGX_RBL_STATUS_LABEL));

    return text;
}
