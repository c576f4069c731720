/*
 * One record, in the envelope of a page of records.  One command reads it with
 * the account, for hosts also with the totals.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"


static void
ngx_rbl_one_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t                id;
    rbl_sid_t                sid;
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_list_t)) == NULL
        || ngx_rbl_path_sid(ctx, family->kind, family->resource, &sid)
           != NGX_OK)
    {
        return;
    }

    id = rbl_sid_str(&sid);

    if (ngx_rbl_totals_stamped(ctx)) {
        ctx->round.counted = 1;

    } else {
        ngx_rbl_totals_ask(ctx);
    }

    if (family->more) {
        family->more(ctx, ctx->batch, 1, &id);
    }

    ngx_rbl_ask_records(ctx, 1, &id);
}


static void
ngx_rbl_one_records(ngx_rbl_ctx_t *ctx, ngx_uint_t n, redisReply **record)
{
    rbl_str_t        raw;
    ngx_rbl_list_t  *list;

    list = ctx->data;

    if (ngx_rbl_totals_stamped(ctx)
        && ngx_rbl_totals_known(ctx, list->total) != NGX_OK)
    {
        return;
    }

    raw = n ? rbl_reply_str(record[0]) : RBL_STR("");

    if (raw.p == NULL) {
        ngx_rbl_unknown_id(ctx, ctx->route->family->resource);
        return;
    }

    ngx_rbl_one_answer(ctx, raw);
}


const ngx_rbl_op_t  ngx_rbl_op_one = {
    .prepare = ngx_rbl_one_prepare,
    .read = ngx_rbl_list_read,
    .records = ngx_rbl_one_records
};


/* A record that cannot be decoded is an internal error. */

void
ngx_rbl_one_answer(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    ngx_rbl_list_t          *list;
    const ngx_rbl_family_t  *family;

    list = ctx->data;
    family = ctx->route->family;

    list->one = 1;
    list->page = 1;
    list->page_size = RBL_PAGE_SIZE;

    ngx_rbl_list_open(ctx, ngx_max(family->guess, 3 * raw.n));

    if (family->write(ctx, NULL, raw)) {
        ngx_rbl_list_close(ctx);
    }
}
