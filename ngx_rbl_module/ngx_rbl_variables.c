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


typedef enum {
    NGX_RBL_VAR_ACCOUNT = 0,
    NGX_RBL_VAR_APPLICATION,
    NGX_RBL_VAR_ENDPOINT,
    NGX_RBL_VAR_STATUS,
    NGX_RBL_VAR_STORE_TIME
} ngx_rbl_variable_e;


static void
ngx_rbl_variable_set(ngx_http_variable_value_t *v, u_char *data, size_t len)
{
    v->data = data;
    v->len = len;
}


static ngx_int_t
ngx_rbl_variable_account(ngx_http_request_t *r, ngx_http_variable_value_t *v)
{
    u_char     *p;
    rbl_sid_t   sid;

    if (ngx_rbl_auth_claimed(r, &sid) != NGX_OK) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, sid.n);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, sid.s, sid.n);
    ngx_rbl_variable_set(v, p, sid.n);

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_variable_endpoint(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    const ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_ctx_t  early;

    if (ctx == NULL) {
        ngx_memzero(&early, sizeof(ngx_rbl_ctx_t));

        early.request = r;
        early.conf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);

        if (early.conf->base.len) {
            (void) ngx_rbl_route(&early);
        }

        ctx = &early;
    }

    if (ctx->route == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    ngx_rbl_variable_set(v, ctx->route->endpoint.data,
                         ctx->route->endpoint.len);

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_variable_number(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    const ngx_rbl_ctx_t *ctx, uintptr_t data)
{
    u_char  *p, *last;

    if (ctx == NULL || ctx->status == 0) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, NGX_TIME_T_LEN + 4);
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (data == NGX_RBL_VAR_STATUS) {
        last = ngx_sprintf(p, "%03ui", ctx->status);

    } else {
        last = ngx_sprintf(p, "%T.%03M", (time_t) ctx->store_time / 1000,
                           ctx->store_time % 1000);
    }

    ngx_rbl_variable_set(v, p, last - p);

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    uintptr_t data)
{
    ngx_rbl_ctx_t  *ctx;

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    ctx = ngx_http_get_module_ctx(r, ngx_rbl_module);

    switch (data) {

    case NGX_RBL_VAR_ACCOUNT:
        return ngx_rbl_variable_account(r, v);

    case NGX_RBL_VAR_ENDPOINT:
        return ngx_rbl_variable_endpoint(r, v, ctx);

    case NGX_RBL_VAR_APPLICATION:
        if (ctx == NULL || !ctx->round.authenticated) {
            v->not_found = 1;
            return NGX_OK;
        }

        ngx_rbl_variable_set(v, (u_char *) ctx->app.s, ctx->app.n);
        return NGX_OK;

    default:
        return ngx_rbl_variable_number(r, v, ctx, data);
    }
}


static ngx_http_variable_t  ngx_rbl_variables[] = {

    { ngx_string("rbl_account"), NULL, ngx_rbl_variable,
      NGX_RBL_VAR_ACCOUNT, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_application"), NULL, ngx_rbl_variable,
      NGX_RBL_VAR_APPLICATION, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_endpoint"), NULL, ngx_rbl_variable,
      NGX_RBL_VAR_ENDPOINT, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_status"), NULL, ngx_rbl_variable,
      NGX_RBL_VAR_STATUS, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("rbl_store_time"), NULL, ngx_rbl_variable,
      NGX_RBL_VAR_STORE_TIME, NGX_HTTP_VAR_NOCACHEABLE, 0 },

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
