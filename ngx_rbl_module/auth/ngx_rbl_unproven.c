/*
 * Credentials that the store does not have.  In a store that was emptied, that
 * proves nothing: the answer is then 503, not 401.  A worker reads the meta
 * data before it refuses credentials, at most once a second, so that strangers
 * cost no more than before.
 */

#include "ngx_rbl_auth.h"
#include "ngx_rbl_verdict.h"

#include "rbl_meta.h"


static void
ngx_rbl_unproven_emptied(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                   "The store has lost its data. Nothing was changed, "
                   "please try again later.");
}


static void
ngx_rbl_unproven_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    rbl_meta_t      meta;
    ngx_rbl_ctx_t  *ctx = data;

    if (reply->type != REDIS_REPLY_ARRAY) {
        return;
    }

    rbl_meta_read(&meta, reply);
    ngx_rbl_verdict_met(ctx->conf->store_index, meta.schema == -1);

    if (meta.schema == -1) {
        ngx_rbl_unproven_emptied(ctx);
    }
}


void
ngx_rbl_unproven(ngx_rbl_ctx_t *ctx, ngx_rbl_done_pt done)
{
    ngx_int_t              rc;
    rbl_key_t              key;
    const rbl_keyspace_t  *ks;

    rc = ngx_rbl_verdict_emptied(ctx->conf->store_index);

    if (rc == NGX_DECLINED) {
        ngx_rbl_unproven_emptied(ctx);
        return;
    }

    ngx_rbl_unauthorized(ctx);

    if (rc == NGX_OK) {
        ngx_rbl_unproven_done(ctx);
        return;
    }

    ctx->gate = ngx_rbl_batch_create(ctx->store, ngx_rbl_unproven_reply, done,
                                     ctx);

    if (ctx->gate == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ks = ngx_rbl_store_keyspace(ctx->store);

    ngx_rbl_batch_command(ctx->gate, RBL_COMMAND("HMGET",
                          rbl_meta_key(&key, ks), RBL_META_FIELDS));
}


void
ngx_rbl_unproven_done(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t  account;

    if (ctx->run.refusal == NGX_HTTP_UNAUTHORIZED) {
        account = rbl_sid_str(&ctx->account);

        ngx_log_error(NGX_LOG_INFO, ctx->request->connection->log, 0,
                      "rbl: login of %*s refused", account.n, account.p);
    }
}
