/*
 * check/status: the state of a check.  It is a hash whose counters the daemon
 * updates while it works; the details are a packed array in another key.  The
 * first round trip reads both.
 *
 * Details may be large.  The first round trip reads the first 64 KiB of them;
 * the rest comes in slices of that size (ngx_rbl_stream.c).  A result that is
 * cut by the end of a slice is kept until the next slice arrives.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_stream.h"

#include "rbl_view.h"


enum {
    NGX_RBL_STATUS_ID = 0,
    NGX_RBL_STATUS_DETAILS
};

#define NGX_RBL_CHECK_GUESS    768
#define NGX_RBL_DETAILS_SLICE  65536

typedef struct {
    rbl_sid_t     check;
    int           details;
    ngx_uint_t    stored;               /* details were stored at the end */
    ngx_uint_t    kept;                 /* and still exist */
    ngx_uint_t    covered;              /* there are lists to query */
    rbl_str_t     message;              /* of a failed check */

    int64_t       offset;               /* octets of the details received */
    size_t        left;                 /* results not received */
    size_t        rest;                 /* octets of a partial result in
                                           `room` */
    u_char       *room;                 /* holds these and a slice */
} ngx_rbl_status_t;


static const rbl_field_t  ngx_rbl_status_fields[] = {
    RBL_TEXT("id", 0, NULL, 0),
    RBL_TEXT("details", 0, rbl_flag, 0),
    RBL_END
};


/* Reads the SID from the path or the field `id`: 400 if both are missing. */

static ngx_int_t
ngx_rbl_status_id(ngx_rbl_ctx_t *ctx, rbl_sid_t *check)
{
    rbl_str_t  text;

    text = ngx_rbl_str(&ctx->id);

    if (text.n == 0) {
        text = rbl_text(&ctx->run, NGX_RBL_STATUS_ID);
    }

    if (text.n == 0) {
        rbl_missing(&ctx->run, "id");
        return NGX_DECLINED;
    }

    if (rbl_sid_parse(check, RBL_SID_CHECK, text) != RBL_OK) {
        ngx_rbl_unknown_id(ctx, "check");
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/* Reads the next octets of the details. */

static void
ngx_rbl_status_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char               details[RBL_SID_MAX + 2];
    char               start[RBL_OUT_INT], end[RBL_OUT_INT];
    rbl_key_t          key;
    rbl_str_t          name;
    ngx_rbl_status_t  *status;

    status = ctx->data;

    name.p = details;
    name.n = status->check.n + 2;

    ngx_memcpy(details, status->check.s, status->check.n);
    ngx_memcpy(details + status->check.n, ":d", 2);

    ngx_rbl_batch_command(batch, RBL_COMMAND("GETRANGE",
                          ngx_rbl_account_key(ctx, &key, "check", name),
                          rbl_out_int_text(start, status->offset),
                          rbl_out_int_text(end, status->offset
                                                + NGX_RBL_DETAILS_SLICE - 1)));
}


static void
ngx_rbl_status_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t          details;
    ngx_rbl_status_t  *status;

    status = ngx_rbl_data(ctx, sizeof(ngx_rbl_status_t));

    if (status == NULL
        || rbl_judged(&ctx->run, &ngx_rbl_status_fields[NGX_RBL_STATUS_DETAILS],
                      &details)
           != NGX_OK
        || ngx_rbl_status_id(ctx, &status->check) != NGX_OK)
    {
        return;
    }

    status->details = rbl_str_is(details, "1");

    ngx_rbl_ask(ctx, "HGETALL", "check", rbl_sid_str(&status->check), 0, NULL);

    if (status->details) {
        ngx_rbl_status_ask(ctx, ctx->batch);
        ctx->round.asks++;
    }
}


/* "" if the hash has no such field. */

static rbl_str_t
ngx_rbl_hash_str(const redisReply *reply, const char *name)
{
    rbl_str_t  s;

    s = rbl_reply_str(rbl_reply_field(reply, name));

    return s.p ? s : RBL_STR("");
}


static int64_t
ngx_rbl_hash_int(const redisReply *reply, const char *name)
{
    return rbl_reply_int(rbl_reply_field(reply, name), 0);
}


static void
ngx_rbl_status_state(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    char               buf[RBL_TIME_LEN];
    int64_t            listed;
    rbl_str_t          state;
    rbl_doc_t         *d;
    ngx_rbl_status_t  *status;

    d = &ctx->doc;
    status = ctx->data;
    state = ngx_rbl_hash_str(reply, "status");
    listed = ngx_rbl_hash_int(reply, "listed");

    ngx_rbl_open(ctx, NGX_RBL_CHECK_GUESS
                      + (status->details ? NGX_RBL_CHECK_GUESS * 8 : 0),
                 "OK");

    rbl_doc_object(d, "data");
    rbl_doc_str(d, "id", rbl_sid_str(&status->check));
    rbl_doc_str(d, "status", state);
    rbl_doc_str(d, "host", ngx_rbl_hash_str(reply, "host"));
    rbl_doc_str(d, "host_id", ngx_rbl_hash_str(reply, "host_id"));
    rbl_doc_str(d, "started",
                rbl_time_text(buf, ngx_rbl_hash_int(reply, "started"),
                              ctx->timezone));
    rbl_doc_str(d, "completed",
                rbl_time_text(buf, ngx_rbl_hash_int(reply, "completed"),
                              ctx->timezone));
    rbl_doc_int(d, "checked_count", ngx_rbl_hash_int(reply, "checked"));
    rbl_doc_int(d, "total_count", ngx_rbl_hash_int(reply, "total"));
    rbl_doc_bool(d, "listed", listed > 0);
    rbl_doc_int(d, "listed_count", listed);
    rbl_doc_int(d, "unknown_count", ngx_rbl_hash_int(reply, "unknown"));

    status->covered = ngx_rbl_hash_int(reply, "total") > 0;
    status->stored = ngx_rbl_hash_int(reply, "details") > 0;

    if (!rbl_str_is(state, "failed")) {
        return;
    }

    /* the message is written last, when this reply may be freed */

    status->message = ngx_rbl_keep(ctx->request->pool,
                                   ngx_rbl_hash_str(reply, "message"));
}


static void
ngx_rbl_status_close(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_status_t  *status;

    status = ctx->data;

    if (status->details) {
        rbl_doc_close(&ctx->doc);
    }

    if (status->message.p) {
        rbl_doc_str(&ctx->doc, "message", status->message);
    }

    if (status->details) {
        rbl_doc_int(&ctx->doc, "details_kept", status->kept != 0);
    }

    rbl_doc_int(&ctx->doc, "covered", status->covered != 0);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_status_rest(ngx_rbl_ctx_t *ctx, rbl_str_t rest)
{
    ngx_rbl_status_t  *status;

    status = ctx->data;

    if (status->room == NULL) {
        status->room = ngx_pnalloc(ctx->request->pool,
                                   2 * NGX_RBL_DETAILS_SLICE);
    }

    /* a result as large as a slice is invalid */

    if (status->room == NULL || rest.n >= NGX_RBL_DETAILS_SLICE) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_memmove(status->room, rest.p, rest.n);
    status->rest = rest.n;
}


/* A result is damaged, or a slice is missing.  An answer in slices must not
   look complete; another one shows the results before the damage. */

static void
ngx_rbl_status_damaged(ngx_rbl_ctx_t *ctx)
{
    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "rbl: a result of a check could not be decoded");

    if (ctx->stream) {
        ngx_rbl_internal(ctx);
    }
}


/* Renders all complete results, and keeps the remaining octets. */

static void
ngx_rbl_status_more(ngx_rbl_ctx_t *ctx, rbl_str_t part)
{
    rbl_mp_t           mp;
    rbl_result_t       result;
    ngx_rbl_status_t  *status;

    status = ctx->data;
    rbl_mp_init(&mp, part);

    while (status->left > 0 && rbl_result_decode(&result, &mp) == RBL_OK) {
        rbl_view_result(&ctx->doc, NULL, &result);
        status->left--;

        part.p = (const char *) mp.pos;
        part.n = mp.end - mp.pos;
    }

    if (ctx->stream && !ctx->stream->over) {
        ngx_rbl_status_rest(ctx, part);

    } else if (status->left > 0) {
        ngx_rbl_status_damaged(ctx);
    }
}


static void
ngx_rbl_status_slice(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_str_t          part;
    ngx_rbl_status_t  *status;

    status = ctx->data;
    part = rbl_reply_str(reply);

    if (part.n > NGX_RBL_DETAILS_SLICE) {
        ngx_rbl_internal(ctx);
        return;
    }

    if (part.n > 0) {
        ngx_memcpy(status->room + status->rest, part.p, part.n);
    }

    status->offset += part.n;
    ctx->stream->over = part.n < NGX_RBL_DETAILS_SLICE;

    part.p = (const char *) status->room;
    part.n += status->rest;
    ngx_rbl_status_more(ctx, part);
}


static void
ngx_rbl_status_first(ngx_rbl_ctx_t *ctx, rbl_str_t packed)
{
    rbl_mp_t           mp;
    rbl_str_t          part;
    ngx_rbl_status_t  *status;

    status = ctx->data;

    rbl_mp_init(&mp, packed);
    status->left = packed.n ? rbl_mp_array(&mp) : 0;
    status->offset = packed.n;

    rbl_doc_array(&ctx->doc, "details");

    if (packed.n == NGX_RBL_DETAILS_SLICE) {
        if (ngx_rbl_stream(ctx) == NULL) {
            return;                     /* refused: out of memory */
        }

        ctx->stream->ask = ngx_rbl_status_ask;
        ctx->stream->read = ngx_rbl_status_slice;
        ctx->stream->close = ngx_rbl_status_close;
    }

    part.p = (const char *) mp.pos;
    part.n = mp.end - mp.pos;
    ngx_rbl_status_more(ctx, part);
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

    status->kept = !status->stored || rbl_reply_str(reply).n > 0;

    ngx_rbl_status_first(ctx, rbl_reply_str(reply));

    if (ctx->stream == NULL) {
        ngx_rbl_status_close(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_check_status = {
    .fields = ngx_rbl_status_fields,
    .prepare = ngx_rbl_status_prepare,
    .read = ngx_rbl_status_read
};
