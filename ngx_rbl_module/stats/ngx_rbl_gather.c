/*
 * Counts a response when it is sent.
 */

#include "ngx_rbl_gather.h"

#include "ngx_rbl_meter.h"
#include "ngx_rbl_usage.h"


/* of the stores, in the order of the main conf */
static ngx_rbl_usage_t  **ngx_rbl_usages;
static ngx_uint_t         ngx_rbl_nusages;


void
ngx_rbl_gather_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle)
{
    ngx_uint_t         i, n;
    ngx_rbl_store_t  **live;

    if (rmcf->shm == NULL || rmcf->live == NULL) {
        return;
    }

    n = rmcf->stores.nelts;
    live = rmcf->live->elts;

    ngx_rbl_usages = ngx_calloc(n * sizeof(ngx_rbl_usage_t *), cycle->log);
    if (ngx_rbl_usages == NULL) {
        return;
    }

    for (i = 0; i < n; i++) {
        ngx_rbl_usages[i] = ngx_rbl_usage_create(live[i], cycle->log);
    }

    ngx_rbl_nusages = n;
}


void
ngx_rbl_gather_done(void)
{
    ngx_uint_t  i;

    for (i = 0; i < ngx_rbl_nusages; i++) {
        ngx_rbl_usage_destroy(ngx_rbl_usages[i]);
    }

    ngx_free(ngx_rbl_usages);
    ngx_rbl_usages = NULL;
    ngx_rbl_nusages = 0;
}


void
ngx_rbl_gather(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t  code, i;

    /* a filter may have answered 304 */

    code = ctx->request->headers_out.status == NGX_HTTP_NOT_MODIFIED
           ? NGX_HTTP_NOT_MODIFIED : ctx->status;

    ngx_rbl_meter_answer(code, ngx_rbl_route_number(ctx->route));

    i = (ngx_uint_t) ctx->conf->store_index;

    if (ctx->round.authenticated && ctx->app.n && i < ngx_rbl_nusages
        && ngx_rbl_usages[i] != NULL)
    {
        ngx_rbl_usage_count(ngx_rbl_usages[i], ctx);
    }
}
