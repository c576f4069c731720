/*
 * How hosts are read: the families of ngx_rbl_api_read.c, and listings in one
 * line for Nagios and Zabbix.
 */

#include "ngx_rbl_http.h"

#include "rbl_view.h"


static ngx_int_t ngx_rbl_host_decode(ngx_rbl_ctx_t *ctx, rbl_host_t *host,
    rbl_str_t raw);
static int ngx_rbl_listing_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw);
static void ngx_rbl_plain_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_plain_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);


static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};


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

const ngx_rbl_op_t  ngx_rbl_op_listings_plain = {
    ngx_rbl_no_fields,
    ngx_rbl_plain_prepare,
    ngx_rbl_plain_read,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL
};


static ngx_int_t
ngx_rbl_host_decode(ngx_rbl_ctx_t *ctx, rbl_host_t *host, rbl_str_t raw)
{
    if (rbl_host_decode(host, raw) == RBL_OK) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "rbl: a host record could not be decoded");

    return NGX_ERROR;
}


int
ngx_rbl_host_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_host_t  host;

    if (ngx_rbl_host_decode(ctx, &host, raw) != NGX_OK) {
        return 0;
    }

    rbl_view_host(&ctx->doc, NULL, &host, ctx->zone, ngx_rbl_now(), 0);

    return 1;
}


/* Since the index was read its listing may have ended, or it was paused. */

static int
ngx_rbl_listing_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_host_t  host;

    if (ngx_rbl_host_decode(ctx, &host, raw) != NGX_OK) {
        return 0;
    }

    if (host.listed_count > 0 && rbl_str_is(host.status, "active")) {
        rbl_view_host(&ctx->doc, NULL, &host, ctx->zone, ngx_rbl_now(), 0);
    }

    return 1;
}


static void
ngx_rbl_plain_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_ask(ctx, "ZCARD", "listed", RBL_STR(""), 0, NULL);
}


static void
ngx_rbl_plain_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    int64_t     n;
    rbl_out_t  *out;

    n = rbl_reply_int(reply, -1);

    if (n < 0) {
        return;
    }

    ngx_rbl_open_plain(ctx);

    out = &ctx->sink.out;

    if (ctx->format == NGX_RBL_NAGIOS) {
        rbl_out_z(out, n ? "CRITICAL - " : "OK - ");
        rbl_out_int(out, n);
        rbl_out_z(out, n == 1 ? " host listed!" : " hosts listed!");
        return;
    }

    rbl_out_int(out, n);
}
