/*
 * Totals of a response.  The totals of hosts and listings are in one record of
 * the account, which is read together with the account and has stamps of the
 * indexes for ngx_rbl_pages.c.  The totals of other families are read from the
 * indexes.
 */

#include "ngx_rbl_cache.h"


ngx_int_t
ngx_rbl_totals_stamped(const ngx_rbl_ctx_t *ctx)
{
    return ctx->route->family && ctx->route->family->kind == RBL_SID_HOST;
}


void
ngx_rbl_totals_ask(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t               i;
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    for (i = 0; i < NGX_RBL_TOTALS && family->total[i].index; i++) {
        ngx_rbl_ask_count(ctx, family->total[i].index);
    }
}


int64_t
ngx_rbl_total(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer < 0
        || reply->integer > NGX_RBL_TOTAL_MAX)
    {
        ngx_rbl_internal(ctx);
        return 0;
    }

    return reply->integer;
}


int64_t
ngx_rbl_first_score(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    int64_t  score;

    if (reply->type == REDIS_REPLY_ARRAY && rbl_reply_len(reply) == 0) {
        return -1;
    }

    score = rbl_reply_int(rbl_reply_rest(reply), -1);

    if (score < 0) {
        ngx_rbl_internal(ctx);
    }

    return score;
}


static ngx_int_t
ngx_rbl_totals_sound(rbl_totals_t *totals, rbl_str_t raw)
{
    /* older records have no stamp and are made again */

    return raw.p != NULL && rbl_totals_decode(totals, raw) == RBL_OK
           && totals->made > 0
           && totals->hosts >= 0 && totals->hosts <= NGX_RBL_TOTAL_MAX
           && totals->listed >= 0 && totals->listed <= NGX_RBL_TOTAL_MAX;
}


void
ngx_rbl_totals_read(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    if (ngx_rbl_totals_sound(&ctx->totals, rbl_reply_str(reply))) {
        ctx->round.totalled = 1;
    }
}


void
ngx_rbl_totals_made(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_totals_make_reply_t  said;

    rbl_totals_make_reply(&said, reply);

    if (said.word == RBL_TOTALS_MAKE_OK
        && ngx_rbl_totals_sound(&ctx->made, said.totals))
    {
        ctx->remade = 1;
    }
}


ngx_int_t
ngx_rbl_totals_known(ngx_rbl_ctx_t *ctx, int64_t total[NGX_RBL_TOTALS])
{
    rbl_totals_make_args_t  args;

    /* just made, but a read-only store did not keep them */

    if (!ctx->round.totalled && ctx->remade) {
        ctx->totals = ctx->made;
        ctx->round.totalled = 1;
    }

    if (ctx->round.totalled) {
        total[0] = ctx->totals.hosts;
        total[1] = ctx->totals.listed;
        return NGX_OK;
    }

    if (ngx_rbl_again(ctx) == NGX_OK) {
        ngx_rbl_run(ctx, totals_make, &args, 0);
    }

    return NGX_DECLINED;
}
