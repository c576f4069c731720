/*
 * One host: host/{id}, and how a record is written wherever hosts are answered.
 * One round: the two totals and the record.
 */

#include "ngx_rbl_http.h"

#include "rbl_view.h"


typedef struct {
    int64_t  total_hosts;
    int64_t  total_listed;
} ngx_rbl_totals_t;


static void ngx_rbl_host_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_host_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);


static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};


const ngx_rbl_op_t  ngx_rbl_op_host = {
    ngx_rbl_no_fields,
    ngx_rbl_host_prepare,
    ngx_rbl_host_read,
    NULL,
    NULL
};


int64_t
ngx_rbl_total(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer < 0) {
        ngx_rbl_internal(ctx);
        return 0;
    }

    return reply->integer;
}


int
ngx_rbl_host_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_host_t  host;

    if (rbl_host_decode(&host, raw) != RBL_OK) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: a host record could not be decoded");
        return 0;
    }

    rbl_view_host(&ctx->doc, NULL, &host, &rbl_zone_utc, ngx_rbl_now(), 0);

    return 1;
}


static void
ngx_rbl_host_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_sid_t          sid;
    ngx_rbl_totals_t  *totals;

    if (ngx_rbl_path_sid(ctx, RBL_SID_HOST, "host", &sid) != NGX_OK) {
        return;
    }

    totals = ngx_rbl_data(ctx, sizeof(ngx_rbl_totals_t));
    if (totals == NULL) {
        return;
    }

    ngx_rbl_ask(ctx, "ZCARD", "hosts", RBL_STR(""), 0, NULL);
    ngx_rbl_ask(ctx, "ZCARD", "listed", RBL_STR(""), 0, NULL);
    ngx_rbl_ask(ctx, "GET", "r", rbl_sid_str(&sid), 0, NULL);
}


static void
ngx_rbl_host_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_str_t          raw;
    ngx_rbl_totals_t  *totals;

    totals = ctx->data;

    if (i == 0) {
        totals->total_hosts = ngx_rbl_total(ctx, reply);
        return;
    }

    if (i == 1) {
        totals->total_listed = ngx_rbl_total(ctx, reply);
        return;
    }

    raw = rbl_reply_str(reply);

    if (raw.p == NULL) {
        ngx_rbl_unknown_id(ctx, "host");
        return;
    }

    ngx_rbl_open(ctx, NGX_RBL_HOST_GUESS + raw.n, "OK");

    rbl_doc_int(&ctx->doc, "page", 1);
    rbl_doc_int(&ctx->doc, "total_pages", 1);
    rbl_doc_int(&ctx->doc, "page_size", NGX_RBL_PAGE_SIZE);
    rbl_doc_int(&ctx->doc, "total_hosts", totals->total_hosts);
    rbl_doc_int(&ctx->doc, "total_listed", totals->total_listed);
    rbl_doc_array(&ctx->doc, "data");

    if (ngx_rbl_host_write(ctx, raw)) {
        rbl_doc_close(&ctx->doc);
        ngx_rbl_close(ctx);
    }
}
