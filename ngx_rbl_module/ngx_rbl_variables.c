/*
 * Variables for access_log, limit_req_zone and similar directives.  limit_req
 * runs before the content handler, so account and endpoint are taken from the
 * request itself while there is no context.
 *
 *   $rbl_account      SID of the account, as claimed by the credentials
 *   $rbl_application  SID of the application, once authenticated
 *   $rbl_endpoint     "hosts", "host/add", ...
 *   $rbl_status       status code of the answer (not hidden by legacy errors)
 *   $rbl_store_time   time spent waiting for the store, seconds with ms
 */

#include "ngx_rbl_module.h"

#include "ngx_rbl_auth.h"


/* NULL: there is no value. */

static ngx_int_t
ngx_rbl_variable_set(ngx_http_variable_value_t *v, const void *data,
    size_t len)
{
    v->data = (u_char *) data;
    v->len = len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = data == NULL;

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_variable_account(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    uintptr_t data)
{
    u_char     *p;
    rbl_sid_t   sid;

    if (ngx_rbl_auth_claimed(r, &sid) != NGX_OK) {
        return ngx_rbl_variable_set(v, NULL, 0);
    }

    p = ngx_pnalloc(r->pool, sid.n);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, sid.s, sid.n);

    return ngx_rbl_variable_set(v, p, sid.n);
}


static ngx_int_t
ngx_rbl_variable_application(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_rbl_module);

    return ctx != NULL && ctx->round.authenticated
           ? ngx_rbl_variable_set(v, ctx->app.s, ctx->app.n)
           : ngx_rbl_variable_set(v, NULL, 0);
}


static ngx_int_t
ngx_rbl_variable_endpoint(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    uintptr_t data)
{
    ngx_rbl_ctx_t          *ctx, early;
    const ngx_rbl_route_t  *route;

    ctx = ngx_http_get_module_ctx(r, ngx_rbl_module);

    if (ctx == NULL) {
        ctx = &early;
        ngx_memzero(ctx, sizeof(ngx_rbl_ctx_t));

        ctx->request = r;
        ctx->conf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);

        if (ctx->conf->base.len) {
            (void) ngx_rbl_route(ctx);
        }
    }

    route = ctx->route;

    return route != NULL
           ? ngx_rbl_variable_set(v, route->endpoint.data, route->endpoint.len)
           : ngx_rbl_variable_set(v, NULL, 0);
}


/* The status, or if `data` the time. */

static ngx_int_t
ngx_rbl_variable_number(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    uintptr_t data)
{
    u_char         *p, *last;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_rbl_module);

    if (ctx == NULL || ctx->status == 0) {
        return ngx_rbl_variable_set(v, NULL, 0);
    }

    p = ngx_pnalloc(r->pool, NGX_TIME_T_LEN + 4);
    if (p == NULL) {
        return NGX_ERROR;
    }

    last = data ? ngx_sprintf(p, "%T.%03M", (time_t) ctx->store_time / 1000,
                              ctx->store_time % 1000)
                : ngx_sprintf(p, "%03ui", ctx->status);

    return ngx_rbl_variable_set(v, p, last - p);
}


static ngx_http_variable_t  ngx_rbl_variables[] = {

    { ngx_string("rbl_account"), NULL, ngx_rbl_variable_account, 0,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_application"), NULL, ngx_rbl_variable_application, 0,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_endpoint"), NULL, ngx_rbl_variable_endpoint, 0,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_status"), NULL, ngx_rbl_variable_number, 0,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_store_time"), NULL, ngx_rbl_variable_number, 1,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


ngx_int_t
ngx_rbl_add_variables(ngx_conf_t *cf)
{
    ngx_http_variable_t  *var, *v;

    for (v = ngx_rbl_variables; v->name.len; v++) {
        var = ngx_http_add_variable(cf, &v->name, v->flags);

        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}
