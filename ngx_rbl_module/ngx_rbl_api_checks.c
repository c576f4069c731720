/*
 * check/status: the state of a check.  It is a hash whose counters the daemon
 * moves while it works; the details are a packed array beside it.  Both are
 * read in the first round and rendered as they come.
 */

#include "ngx_rbl_api.h"

#include "rbl_view.h"


enum {
    NGX_RBL_STATUS_ID = 0,
    NGX_RBL_STATUS_DETAILS
};

#define NGX_RBL_CHECK_GUESS  768

typedef struct {
    rbl_sid_t     check;
    int           details;
    ngx_uint_t    stored;               /* details were stored when it ended */
    ngx_uint_t    kept;                 /* and still are */
    rbl_str_t     message;              /* of a check that failed */
} ngx_rbl_status_t;


static void ngx_rbl_status_prepare(ngx_rbl_ctx_t *ctx);
static ngx_int_t ngx_rbl_status_id(ngx_rbl_ctx_t *ctx, rbl_sid_t *check);
static void ngx_rbl_status_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_status_state(ngx_rbl_ctx_t *ctx, const redisReply *reply);
static void ngx_rbl_status_details(ngx_rbl_ctx_t *ctx, rbl_str_t packed);
static void ngx_rbl_status_close(ngx_rbl_ctx_t *ctx);

static rbl_str_t ngx_rbl_hash_str(const redisReply *reply, const char *name);


static const ngx_rbl_field_t  ngx_rbl_status_fields[] = {
    { ngx_string("id"), 0 },
    { ngx_string("details"), 0 },
    { ngx_null_string, 0 }
};


const ngx_rbl_op_t  ngx_rbl_op_check_status = {
    ngx_rbl_status_fields,
    ngx_rbl_status_prepare,
    ngx_rbl_status_read,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL
};


static void
ngx_rbl_status_prepare(ngx_rbl_ctx_t *ctx)
{
    char               details[RBL_SID_MAX + 2];
    rbl_str_t          name;
    ngx_rbl_status_t  *status;

    status = ngx_rbl_data(ctx, sizeof(ngx_rbl_status_t));
    if (status == NULL) {
        return;
    }

    if (ngx_rbl_flag(ctx, NGX_RBL_STATUS_DETAILS, &status->details)
        != NGX_OK
        || ngx_rbl_status_id(ctx, &status->check) != NGX_OK)
    {
        return;
    }

    ngx_rbl_ask(ctx, "HGETALL", "check", rbl_sid_str(&status->check), 0, NULL);

    if (status->details) {
        name.p = details;
        name.n = status->check.n + 2;

        ngx_memcpy(details, status->check.s, status->check.n);
        ngx_memcpy(details + status->check.n, ":d", 2);

        ngx_rbl_ask(ctx, "GET", "check", name, 0, NULL);
    }
}


/* From the path, or the field `id`: 400 if neither is there. */

static ngx_int_t
ngx_rbl_status_id(ngx_rbl_ctx_t *ctx, rbl_sid_t *check)
{
    rbl_str_t  text;

    text.p = (const char *) ctx->id.data;
    text.n = ctx->id.len;

    if (text.n == 0) {
        text = ngx_rbl_text(ctx, NGX_RBL_STATUS_ID);
    }

    if (text.n == 0) {
        ngx_rbl_missing(ctx, "id");
        return NGX_DECLINED;
    }

    if (rbl_sid_parse(check, RBL_SID_CHECK, text) != RBL_OK) {
        ngx_rbl_unknown_id(ctx, "check");
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static void
ngx_rbl_status_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_status_t  *status;

    status = ctx->data;

    if (i == 0) {
        if (rbl_reply_field(reply, "status") == NULL) {
            ngx_rbl_unknown_id(ctx, "check");
            return;
        }

        ngx_rbl_status_state(ctx, reply);

        if (!status->details) {
            ngx_rbl_status_close(ctx);
        }

        return;
    }

    status->kept = !status->stored || rbl_reply_str(reply).p != NULL;

    ngx_rbl_status_details(ctx, rbl_reply_str(reply));
    ngx_rbl_status_close(ctx);
}


static void
ngx_rbl_status_state(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    char               buf[RBL_TIME_LEN];
    int64_t            listed;
    rbl_str_t          state, message;
    rbl_doc_t         *d;
    ngx_rbl_status_t  *status;

    d = &ctx->doc;
    status = ctx->data;
    state = ngx_rbl_hash_str(reply, "status");
    listed = rbl_reply_int(rbl_reply_field(reply, "listed"), 0);

    ngx_rbl_open(ctx, NGX_RBL_CHECK_GUESS
                      + (status->details ? NGX_RBL_CHECK_GUESS * 8 : 0),
                 "OK");

    rbl_doc_object(d, "data");
    rbl_doc_str(d, "id", rbl_sid_str(&status->check));
    rbl_doc_str(d, "status", state);
    rbl_doc_str(d, "host", ngx_rbl_hash_str(reply, "host"));
    rbl_doc_str(d, "host_id", ngx_rbl_hash_str(reply, "host_id"));
    rbl_doc_str(d, "started",
                rbl_time_text(buf, rbl_reply_int(rbl_reply_field(reply,
                                                 "started"), 0),
                              ctx->zone));
    rbl_doc_str(d, "completed",
                rbl_time_text(buf, rbl_reply_int(rbl_reply_field(reply,
                                                 "completed"), 0),
                              ctx->zone));
    rbl_doc_int(d, "checked_count",
                rbl_reply_int(rbl_reply_field(reply, "checked"), 0));
    rbl_doc_int(d, "total_count",
                rbl_reply_int(rbl_reply_field(reply, "total"), 0));
    rbl_doc_bool(d, "listed", listed > 0);
    rbl_doc_int(d, "listed_count", listed);
    rbl_doc_int(d, "unknown_count",
                rbl_reply_int(rbl_reply_field(reply, "unknown"), 0));

    status->stored = rbl_reply_int(rbl_reply_field(reply, "details"), 0) > 0;

    if (!rbl_str_is(state, "failed")) {
        return;
    }

    /* it goes last, when this reply may be gone */

    message = ngx_rbl_hash_str(reply, "message");
    status->message.p = ngx_pnalloc(ctx->request->pool, message.n + 1);

    if (status->message.p) {
        ngx_memcpy((char *) status->message.p, message.p, message.n);
        status->message.n = message.n;
    }
}


static void
ngx_rbl_status_details(ngx_rbl_ctx_t *ctx, rbl_str_t packed)
{
    size_t        i, n;
    rbl_mp_t      mp;
    rbl_result_t  result;

    rbl_mp_init(&mp, packed);
    n = packed.n ? rbl_mp_array(&mp) : 0;

    rbl_doc_array(&ctx->doc, "details");

    for (i = 0; i < n; i++) {
        if (rbl_result_decode(&result, &mp) != RBL_OK) {
            ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                          "rbl: a result of a check could not be decoded");
            break;
        }

        rbl_view_result(&ctx->doc, NULL, &result);
    }

    rbl_doc_close(&ctx->doc);
}


static void
ngx_rbl_status_close(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_status_t  *status;

    status = ctx->data;

    if (status->message.p) {
        rbl_doc_str(&ctx->doc, "message", status->message);
    }

    if (status->details) {
        rbl_doc_int(&ctx->doc, "details_kept", status->kept != 0);
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


/* "" where the hash has no such field. */

static rbl_str_t
ngx_rbl_hash_str(const redisReply *reply, const char *name)
{
    rbl_str_t  s;

    s = rbl_reply_str(rbl_reply_field(reply, name));

    return s.p ? s : RBL_STR("");
}
