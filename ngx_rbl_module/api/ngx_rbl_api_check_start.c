/*
 * check/start: a script queues a check of a host of the account, or of an
 * address or domain that is not a host.
 */

#include "ngx_rbl_api.h"


#define NGX_RBL_START_GUESS  512
#define NGX_RBL_LIST_GUESS   4          /* octets of answer for one octet of the
                                           store */


/* A SID is the argument `host`; an address or domain is `value`. */

static int
ngx_rbl_start_host(rbl_run_t *run, rbl_str_t *text)
{
    char           *buf;
    rbl_sid_t       sid;
    rbl_str_t      *argv;
    rbl_family_t    family;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);
    argv = run->argv;
    family = RBL_FAMILY_NONE;

    buf = rbl_room(run, RBL_VALUE_MAX);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    if (rbl_sid_parse(&sid, RBL_SID_HOST, *text) == RBL_OK) {
        ngx_memcpy(buf, sid.s, sid.n);
        text->p = buf;

    } else {
        family = ngx_rbl_host_parse(buf, &argv[RBL_ARG(check_start, value)],
                                    *text, 1);

        if (family == RBL_FAMILY_NONE) {
            ngx_rbl_invalid_host(ctx, *text);
            return NGX_DECLINED;
        }

        *text = RBL_STR("");
    }

    argv[RBL_ARG(check_start, family)] = ngx_rbl_family_text(family);

    return NGX_OK;
}


static int
ngx_rbl_start_callback(rbl_run_t *run, rbl_str_t *text)
{
    rbl_url_t       url;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);

    /* a callback is signed with the secret of an application */

    if (text->n != 0 && ctx->conf->portal) {
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "A callback needs the token of an application.");
        return NGX_DECLINED;
    }

    return text->n == 0 || rbl_url_parse(&url, *text) == RBL_OK ? NGX_OK
                                                                : NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_start_fields[] = {
    RBL_TEXT("host", RBL_NEEDED, ngx_rbl_start_host,
             RBL_ARG(check_start, host)),
    RBL_TEXT("callback", 0, ngx_rbl_start_callback,
             RBL_ARG(check_start, callback)),
    RBL_TEXT("details", RBL_ZERO, rbl_flag,
             RBL_ARG(check_start, lists)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_start_refusals[] = {
    RBL_INVALID("HOST", "host"),
    NGX_RBL_LAPSED,
    { "RANGE", NGX_HTTP_BAD_REQUEST,
      "Invalid host value provided. A range is checked by its addresses. "
      "Provide the id of one of them." },
    { "CALLBACKS", NGX_HTTP_CONFLICT,
      "The check has as many callbacks as it can take." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "The plan allows at most %L checks a day." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_checks = {
    .resource = "check",
    .kind = RBL_SID_CHECK,
    .refusals = ngx_rbl_start_refusals
};


static void
ngx_rbl_start_proceed(ngx_rbl_ctx_t *ctx)
{
    char  keep[RBL_OUT_INT];

    ctx->run.argv[RBL_ARG(check_start, app)] = rbl_sid_str(&ctx->app);
    ctx->run.argv[RBL_ARG(check_start, keep)] =
                              rbl_out_int_text(keep, ctx->conf->check_keep);

    ngx_rbl_write_proceed(ctx);
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


static void
ngx_rbl_start_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_uint_t               details;
    rbl_check_start_reply_t  said;

    details = rbl_str_is(ctx->run.argv[RBL_ARG(check_start, lists)], "1");
    rbl_check_start_reply(&said, reply);

    ngx_rbl_open(ctx, NGX_RBL_START_GUESS
                      + (details ? said.lists.n * NGX_RBL_LIST_GUESS : 0),
                 "OK");

    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "id", said.check);
    rbl_doc_str(&ctx->doc, "status", said.status);
    rbl_doc_str(&ctx->doc, "host", said.value);
    rbl_doc_int(&ctx->doc, "total_count", said.total);

    if (details) {
        ngx_rbl_start_lists(ctx, said.lists);
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_check_start = {
    .script = &rbl_script_check_start,
    .fields = ngx_rbl_start_fields,
    .proceed = ngx_rbl_start_proceed,
    .result = ngx_rbl_start_result
};
