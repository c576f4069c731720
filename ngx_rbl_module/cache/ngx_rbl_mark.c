/*
 * The version stamp of an account's hosts: a unique value, which a worker
 * stores when pages of these hosts are read frequently.  Every script that
 * changes the record of a host deletes the stamp in the same step
 * (_unchanged.lua).  If a worker reads the stamp together with records, and
 * later reads the same stamp, the records are unchanged, and it need not read
 * them.
 *
 * A stamp costs a write, so only accounts with frequent reads have one.  It
 * expires when it is not used.
 */

#include "ngx_rbl_cache.h"

#include <openssl/rand.h>


#define NGX_RBL_MARK_LASTS   "600"      /* seconds */


rbl_str_t
ngx_rbl_mark_key(const ngx_rbl_ctx_t *ctx, rbl_key_t *key)
{
    return rbl_account_key(key, ngx_rbl_store_keyspace(ctx->store),
                           "unchanged", rbl_sid_str(&ctx->account),
                           RBL_STR(""));
}


void
ngx_rbl_mark_read(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t  raw;

    raw = rbl_reply_str(reply);

    if (raw.n == sizeof(ngx_rbl_mark_t)) {
        ngx_memcpy(&ctx->mark, raw.p, sizeof(ngx_rbl_mark_t));

    } else {
        ngx_memzero(&ctx->mark, sizeof(ngx_rbl_mark_t));
    }
}


ngx_uint_t
ngx_rbl_marked(const ngx_rbl_ctx_t *ctx)
{
    return (ctx->mark.half[0] | ctx->mark.half[1]) != 0;
}


void
ngx_rbl_mark_set(const ngx_rbl_ctx_t *ctx)
{
    rbl_key_t         key;
    rbl_str_t         value;
    ngx_rbl_mark_t    mark;
    ngx_rbl_batch_t  *batch;

    if (ngx_rbl_store_unwilling(ctx->store)
        || RAND_bytes((u_char *) &mark, sizeof(mark)) != 1)
    {
        return;
    }

    batch = ngx_rbl_batch_create(ctx->store, NULL, NULL, NULL);
    if (batch == NULL) {
        return;
    }

    value.p = (const char *) &mark;
    value.n = sizeof(mark);

    ngx_rbl_batch_command(batch, RBL_COMMAND("SET",
                          ngx_rbl_mark_key(ctx, &key), value, RBL_STR("NX"),
                          RBL_STR("EX"), RBL_STR(NGX_RBL_MARK_LASTS)));
    ngx_rbl_batch_optional(batch);
    ngx_rbl_batch_submit(batch);
}
