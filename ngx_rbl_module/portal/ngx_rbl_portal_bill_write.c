/*
 * billing/update: what the account chooses about its bill.  billing/source/add,
 * billing/source/remove: its payment sources.  nginx writes these choices only;
 * the daemon writes bills, payments and sources.
 */

#include "ngx_rbl_portal_bill.h"

#include "ngx_rbl_write.h"

#define NGX_RBL_BILL_DECIMALS  2        /* of an amount: cents */
#define NGX_RBL_BILL_PAGE      "#/billing"


/* An amount becomes micro-USD. */

static int
ngx_rbl_bill_amount(rbl_run_t *run, rbl_str_t *text)
{
    char     *room;
    int64_t   amount;

    if (rbl_money_parse(&amount, *text, NGX_RBL_BILL_DECIMALS) != RBL_OK) {
        return NGX_DECLINED;
    }

    room = rbl_room(run, RBL_OUT_INT);
    if (room == NULL) {
        return NGX_DECLINED;
    }

    *text = rbl_out_int_text(room, amount);

    return NGX_OK;
}


static const rbl_field_t  ngx_rbl_bill_fields[] = {
    RBL_TEXT("renew", 0, rbl_flag, RBL_ARG(bill_terms, renew)),
    RBL_TEXT("falls_below", 0, ngx_rbl_bill_amount,
             RBL_ARG(bill_terms, falls)),
    RBL_TEXT("recharge_to", 0, ngx_rbl_bill_amount,
             RBL_ARG(bill_terms, to)),
    RBL_TEXT("alert", 0, ngx_rbl_bill_amount,
             RBL_ARG(bill_terms, alert)),
    RBL_SIDS("source", RBL_ONE, RBL_SID_SOURCE,
             RBL_ARG(bill_terms, source)),
    RBL_END
};


static void
ngx_rbl_bill_change(ngx_rbl_ctx_t *ctx)
{
    (void) rbl_run_fields(&ctx->run);
}


const ngx_rbl_op_t  ngx_rbl_op_bill_update = {
    .script = &rbl_script_bill_terms,
    .fields = ngx_rbl_bill_fields,
    .prepare = ngx_rbl_bill_change,
    .message = "Billing updated successfully."
};


/* The gateway sends the customer back to the page of the portal.  A Host that a
   client sends is not trusted for that. */

static void
ngx_rbl_bill_source_prepare(ngx_rbl_ctx_t *ctx)
{
    char       *room;
    ngx_str_t  *url;

    url = &ctx->conf->portal_url;

    if (url->len == 0) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "Payment sources cannot be added here: rbl_portal_url"
                       " is not configured.");
        return;
    }

    if (rbl_run_fields(&ctx->run) != NGX_OK) {
        return;
    }

    room = rbl_room(&ctx->run, url->len + sizeof(NGX_RBL_BILL_PAGE));
    if (room == NULL) {
        return;
    }

    ngx_memcpy(room, url->data, url->len);
    ngx_memcpy(room + url->len, NGX_RBL_BILL_PAGE, sizeof(NGX_RBL_BILL_PAGE));

    ctx->run.argv[RBL_ARG(bill_setup, back)] = rbl_str(room);
}


const ngx_rbl_op_t  ngx_rbl_op_bill_source_add = {
    .script = &rbl_script_bill_setup,
    .prepare = ngx_rbl_bill_source_prepare,
    .message = "The payment source can be added soon."
};

const ngx_rbl_op_t  ngx_rbl_op_bill_source_remove = {
    .script = &rbl_script_bill_source_gone,
    .message = "Payment source removed successfully."
};
