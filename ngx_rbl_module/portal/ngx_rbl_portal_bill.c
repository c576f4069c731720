/*
 * billing: what the account pays for, its balance, what it chose, its payment
 * sources, the payment that is open, and the source that is being added.
 * Nothing by which the gateway could be asked to move money is in an answer.
 */

#include "ngx_rbl_portal_bill.h"

#include "ngx_rbl_api.h"

#include "rbl_time.h"
#include "rbl_view.h"

#define NGX_RBL_BILL_GUESS  2048        /* octets of an answer */


static const rbl_outcome_t  ngx_rbl_bill_refusals[] = {
    { "BILL", NGX_HTTP_NOT_FOUND, "The account has no bill." },
    { "GATEWAY", NGX_HTTP_CONFLICT,
      "The account pays without payment sources." },
    RBL_UNKNOWN_ID("SOURCE", "source"),
    { "RECHARGE", NGX_HTTP_BAD_REQUEST,
      "Invalid recharge_to value provided: it must be more than"
      " falls_below." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_bill = {
    .resource = "source",
    .kind = RBL_SID_SOURCE,
    .refusals = ngx_rbl_bill_refusals
};


static void
ngx_rbl_billing_prepare(ngx_rbl_ctx_t *ctx)
{
}


static void
ngx_rbl_billing_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_bill_show_args_t  args;

    ngx_rbl_run(ctx, bill_show, &args, 0);

}


static void
ngx_rbl_billing_plan(ngx_rbl_ctx_t *ctx, const rbl_bill_t *bill)
{
    rbl_doc_t  *doc;

    doc = &ctx->doc;

    rbl_doc_str(doc, "gateway", bill->gateway);
    rbl_doc_str(doc, "plan", bill->plan);
    ngx_rbl_bill_money(ctx, "price", bill->price);
    rbl_doc_z(doc, "currency", "USD");
    rbl_doc_str(doc, "period", bill->period);
    ngx_rbl_bill_state(ctx, bill);
    ngx_rbl_bill_at(ctx, "begins", bill->begins < bill->ends ? bill->begins
                                                             : 0);
}


/* An account that has not chosen has the defaults (_terms.lua). */

static void
ngx_rbl_billing_terms(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_doc_t    *doc;
    rbl_terms_t   terms;

    doc = &ctx->doc;

    if (rbl_terms_decode(&terms, raw) != RBL_OK) {
        (void) ngx_rbl_undecoded(ctx, "terms");
        ngx_memzero(&terms, sizeof(terms));
    }

    rbl_doc_bool(doc, "renew", terms.renew != 0);
    ngx_rbl_bill_money(ctx, "falls_below", terms.falls_below);
    ngx_rbl_bill_money(ctx, "recharge_to", terms.recharge_to);
    ngx_rbl_bill_money(ctx, "alert", terms.alert);
    rbl_doc_str(doc, "source", terms.source);
}


static void
ngx_rbl_billing_source(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_doc_t     *doc;
    rbl_source_t   source;

    if (rbl_source_decode(&source, raw) != RBL_OK) {
        (void) ngx_rbl_undecoded(ctx, "payment source");
        return;
    }

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_view_source(doc, &source);
    rbl_doc_bool(doc, "live", source.live != 0);
    ngx_rbl_bill_at(ctx, "created", source.created);
    rbl_doc_close(doc);
}


static void
ngx_rbl_billing_setup(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_setup_t  setup;

    if (raw.n == 0 || rbl_setup_decode(&setup, raw) != RBL_OK) {
        return;
    }

    rbl_doc_object(&ctx->doc, "setup");
    rbl_doc_str(&ctx->doc, "state", setup.state);
    ngx_rbl_bill_at(ctx, "made", setup.made);
    ngx_rbl_bill_url(ctx, "url", rbl_str_is(setup.state, "open") ? setup.url
                                                               : RBL_STR(""));
    rbl_doc_str(&ctx->doc, "text", setup.text);
    rbl_doc_close(&ctx->doc);
}


static void
ngx_rbl_billing_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    size_t                  k;
    rbl_bill_t              bill;
    rbl_doc_t              *doc;
    rbl_bill_show_reply_t   said;

    rbl_bill_show_reply(&said, reply);

    if (said.word == RBL_BILL_SHOW_BILL) {
        ngx_rbl_refuse_by(ctx, ngx_rbl_bill_refusals, reply);
        return;
    }

    if (said.word != RBL_BILL_SHOW_OK
        || rbl_bill_decode(&bill, said.bill) != RBL_OK)
    {
        (void) ngx_rbl_undecoded(ctx, "bill");
        ngx_rbl_internal(ctx);
        return;
    }

    doc = &ctx->doc;

    ngx_rbl_open(ctx, NGX_RBL_BILL_GUESS, "OK");
    rbl_doc_object(doc, "data");
    ngx_rbl_billing_plan(ctx, &bill);
    ngx_rbl_bill_money(ctx, "balance", said.balance - said.used);
    ngx_rbl_bill_money(ctx, "used", said.used);
    ngx_rbl_billing_terms(ctx, said.terms);
    rbl_doc_array(doc, "sources");

    for (k = 0; k < rbl_reply_len(said.sources); k++) {
        ngx_rbl_billing_source(ctx, rbl_reply_str(rbl_reply_at(said.sources,
                                                               k)));
    }

    rbl_doc_close(doc);

    if (said.payment.n) {
        ngx_rbl_bill_payment(ctx, "payment", said.payment);
    }

    ngx_rbl_billing_setup(ctx, said.setup);
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_billing = {
    .prepare = ngx_rbl_billing_prepare,
    .proceed = ngx_rbl_billing_proceed,
    .result = ngx_rbl_billing_result
};


void
ngx_rbl_bill_state(ngx_rbl_ctx_t *ctx, const rbl_bill_t *bill)
{
    ngx_uint_t  active, paid;

    active = rbl_str_is(bill->state, "active");
    paid = bill->begins < bill->ends;

    rbl_doc_str(&ctx->doc, "state", bill->state);
    ngx_rbl_bill_at(ctx, "expires", paid ? bill->ends : 0);
    ngx_rbl_bill_at(ctx, "stops", active || bill->ends == 0 ? 0 : bill->stops);
}


void
ngx_rbl_bill_payment(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    rbl_doc_t      *doc;
    rbl_payment_t   payment;

    if (rbl_payment_decode(&payment, raw) != RBL_OK) {
        (void) ngx_rbl_undecoded(ctx, "payment");
        return;
    }

    doc = &ctx->doc;

    rbl_doc_object(doc, key);
    rbl_doc_str(doc, "id", payment.id);
    rbl_doc_str(doc, "kind", payment.kind);
    ngx_rbl_bill_money(ctx, "amount", payment.amount);
    rbl_doc_z(doc, "currency", "USD");
    rbl_doc_str(doc, "state", payment.state);
    rbl_doc_int(doc, "attempt", payment.attempt);
    rbl_doc_str(doc, "reason", payment.reason);
    rbl_doc_str(doc, "source", payment.source);
    rbl_doc_str(doc, "reference", payment.reference);
    ngx_rbl_bill_at(ctx, "created", payment.created);
    ngx_rbl_bill_at(ctx, "done", payment.done);
    ngx_rbl_bill_at(ctx, "begins", payment.begins);
    ngx_rbl_bill_at(ctx, "ends", payment.ends);
    ngx_rbl_bill_url(ctx, "url", rbl_str_is(payment.state, "customer")
                                 ? payment.url : RBL_STR(""));
    rbl_doc_close(doc);
}


void
ngx_rbl_bill_money(ngx_rbl_ctx_t *ctx, const char *key, int64_t amount)
{
    char  text[RBL_MONEY_LEN];

    rbl_doc_str(&ctx->doc, key, rbl_money_text(text, amount));
}


void
ngx_rbl_bill_at(ngx_rbl_ctx_t *ctx, const char *key, int64_t ms)
{
    char  text[RBL_TIME_LEN];

    rbl_doc_str(&ctx->doc, key, rbl_time_rfc3339(text, ms));
}


void
ngx_rbl_bill_url(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t url)
{
    size_t  n;

    n = sizeof("https://") - 1;

    rbl_doc_str(&ctx->doc, key, url.n > n && memcmp(url.p, "https://", n) == 0
                                ? url : RBL_STR(""));
}
