/*
 * How hosts are read: the families of ngx_rbl_api_read.c.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"

#include "rbl_view.h"


static int ngx_rbl_listing_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw);
static int ngx_rbl_host_row(ngx_rbl_ctx_t *ctx, rbl_str_t raw,
    ngx_uint_t only);


const ngx_rbl_family_t  ngx_rbl_family_hosts = {
    "host", RBL_SID_HOST, "hosts",
    { { "hosts", "total_hosts" }, { "listed", "total_listed" } }, 0,
    NGX_RBL_HOST_GUESS, ngx_rbl_host_write, NULL, NULL, 0
};

const ngx_rbl_family_t  ngx_rbl_family_listings = {
    "host", RBL_SID_HOST, "listed",
    { { "hosts", "total_hosts" }, { "listed", "total_listed" } }, 1,
    NGX_RBL_HOST_GUESS, ngx_rbl_listing_write, NULL, NULL, 0
};


int
ngx_rbl_host_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    return ngx_rbl_host_row(ctx, raw, 0);
}


/* Since the index was read its listing may have ended, or it was paused. */

static int
ngx_rbl_listing_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    return ngx_rbl_host_row(ctx, raw, 1);
}


/* With `only`, nothing is written of a host that is no listing. */

static int
ngx_rbl_host_row(ngx_rbl_ctx_t *ctx, rbl_str_t raw, ngx_uint_t only)
{
    int64_t     now, from, until;
    rbl_host_t  host;

    if (rbl_host_decode(&host, raw) != RBL_OK) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: a host record could not be decoded");
        return 0;
    }

    if (only
        && (host.listed_count == 0 || !rbl_str_is(host.status, "active")))
    {
        return 1;
    }

    now = ngx_rbl_now();
    rbl_view_host_while(&host, now, &from, &until);
    ctx->shown_from = ngx_max(ctx->shown_from, from);
    ctx->shown_until = ngx_min(ctx->shown_until, until);

    rbl_view_host(&ctx->doc, NULL, &host, ctx->zone, now, 0);

    return 1;
}
