/*
 * check/start: queues a check of a host of the account, or of an address or
 * domain that is none, by script.
 */

#include "ngx_rbl_api.h"


enum {
    NGX_RBL_START_HOST = 0,
    NGX_RBL_START_CALLBACK,
    NGX_RBL_START_DETAILS
};

#define NGX_RBL_START_GUESS  512
#define NGX_RBL_LIST_GUESS   4          /* octets of answer for one of store */

typedef struct {
    rbl_sid_t     host;                 /* n 0: a one-off */
    char          buf[RBL_VALUE_MAX];
    rbl_str_t     value;
    rbl_family_t  family;
    rbl_str_t     callback;
    int           details;
} ngx_rbl_start_t;


static void ngx_rbl_start_prepare(ngx_rbl_ctx_t *ctx);
static ngx_int_t ngx_rbl_start_host(ngx_rbl_ctx_t *ctx,
    ngx_rbl_start_t *start);
static void ngx_rbl_start_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_start_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_start_lists(ngx_rbl_ctx_t *ctx, rbl_str_t packed);


static const ngx_rbl_field_t  ngx_rbl_start_fields[] = {
    { ngx_string("host"), 0 },
    { ngx_string("callback"), 0 },
    { ngx_string("details"), 0 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_outcome_t  ngx_rbl_start_refusals[] = {
    NGX_RBL_INVALID("HOST", "host"),
    { "RANGE", NGX_HTTP_BAD_REQUEST,
      "Invalid host value provided. A range is checked by its addresses. "
      "Provide the id of one of them." },
    { "CALLBACKS", NGX_HTTP_CONFLICT,
      "The check has as many callbacks as it can take." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "The plan allows at most %L checks a day." },
    { NULL, 0, NULL }
};


const ngx_rbl_op_t  ngx_rbl_op_check_start = {
    ngx_rbl_start_fields,
    ngx_rbl_start_prepare,
    NULL,
    ngx_rbl_start_proceed,
    ngx_rbl_start_result,
    NULL,
    ngx_rbl_start_refusals,
    NULL
};


static void
ngx_rbl_start_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_url_t         url;
    ngx_rbl_start_t  *start;

    start = ngx_rbl_data(ctx, sizeof(ngx_rbl_start_t));
    if (start == NULL) {
        return;
    }

    if (ngx_rbl_start_host(ctx, start) != NGX_OK) {
        return;
    }

    start->callback = ngx_rbl_text(ctx, NGX_RBL_START_CALLBACK);

    if (start->callback.n && rbl_url_parse(&url, start->callback) != RBL_OK) {
        ngx_rbl_invalid(ctx, "callback");
        return;
    }

    (void) ngx_rbl_flag(ctx, NGX_RBL_START_DETAILS, &start->details);
}


static ngx_int_t
ngx_rbl_start_host(ngx_rbl_ctx_t *ctx, ngx_rbl_start_t *start)
{
    rbl_str_t   text;
    rbl_addr_t  addr;

    text = ngx_rbl_text(ctx, NGX_RBL_START_HOST);

    if (text.n == 0) {
        ngx_rbl_missing(ctx, "host");
        return NGX_DECLINED;
    }

    if (rbl_sid_parse(&start->host, RBL_SID_HOST, text) == RBL_OK) {
        start->value = RBL_STR("");
        return NGX_OK;
    }

    start->host.n = 0;

    if (rbl_addr_parse(&addr, text) == RBL_OK) {
        start->family = addr.family;
        start->value = rbl_addr_text(start->buf, &addr);
        return NGX_OK;
    }

    if (rbl_domain_parse(start->buf, &start->value, text) == RBL_OK) {
        start->family = RBL_FAMILY_DOMAIN;
        return NGX_OK;
    }

    ngx_rbl_invalid(ctx, "host");

    return NGX_DECLINED;
}


static void
ngx_rbl_start_proceed(ngx_rbl_ctx_t *ctx)
{
    char                    family;
    char                    keep[RBL_OUT_INT];
    rbl_sid_t               check;
    ngx_rbl_start_t        *start;
    rbl_check_start_args_t  args;

    start = ctx->data;

    if (rbl_sid_make(&check, RBL_SID_CHECK) != RBL_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    family = '0' + start->family;

    args.check = rbl_sid_str(&check);
    args.host = rbl_sid_str(&start->host);
    args.value = start->value;
    args.family.p = &family;
    args.family.n = 1;
    args.callback = start->callback.n ? start->callback : RBL_STR("");
    args.app = rbl_sid_str(&ctx->app);
    args.keep = rbl_out_int_text(keep, ctx->conf->check_keep);
    args.lists = start->details ? RBL_STR("1") : RBL_STR("0");

    ngx_rbl_run(ctx, check_start, &args, 0);
}


static void
ngx_rbl_start_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_start_t         *start;
    rbl_check_start_reply_t  said;

    start = ctx->data;
    rbl_check_start_reply(&said, reply);

    ngx_rbl_open(ctx, NGX_RBL_START_GUESS
                      + (start->details ? said.lists.n * NGX_RBL_LIST_GUESS
                                        : 0),
                 "OK");

    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "id", said.check);
    rbl_doc_str(&ctx->doc, "status", said.status);
    rbl_doc_str(&ctx->doc, "host", said.value);
    rbl_doc_int(&ctx->doc, "total_count", said.total);

    if (start->details) {
        ngx_rbl_start_lists(ctx, said.lists);
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


/* Each {SID, type, custom, zone, website}. */

static void
ngx_rbl_start_lists(ngx_rbl_ctx_t *ctx, rbl_str_t packed)
{
    size_t      i, n, k, fields;
    int64_t     custom;
    rbl_mp_t    mp;
    rbl_str_t   id, type, zone;
    rbl_doc_t  *d;

    d = &ctx->doc;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    rbl_doc_array(d, "rbls");

    for (i = 0; i < n; i++) {
        fields = rbl_mp_array(&mp);
        id = rbl_mp_str(&mp);
        type = rbl_mp_str(&mp);
        custom = rbl_mp_int(&mp);
        zone = rbl_mp_str(&mp);

        for (k = 4; k < fields; k++) {
            rbl_mp_skip(&mp);
        }

        if (fields < 4 || mp.failed) {
            break;
        }

        rbl_doc_object(d, NULL);
        rbl_doc_str(d, "id", id);
        rbl_doc_str(d, "type", type);
        rbl_doc_int(d, "custom", custom);
        rbl_doc_str(d, "host", zone);
        rbl_doc_close(d);
    }

    rbl_doc_close(d);
}
