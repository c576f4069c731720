/*
 * Work that is too large for one script.  The script that begins a change makes
 * all checks that can refuse, and puts the rest into the account's work queue.
 * The request then calls work_step for one slice after the other until its own
 * item is done.  If this worker exits or the client closes its connection, a
 * daemon finishes the work.
 */

#include "ngx_rbl_module.h"

#define NGX_RBL_WORK_TIME   30000       /* ms that a request waits for the
                                           work */
#define NGX_RBL_WORK_RETRY  1           /* Retry-After, s */


static void
ngx_rbl_work_step(ngx_rbl_ctx_t *ctx)
{
    char                  id[RBL_OUT_INT];
    rbl_work_step_args_t  args;

    args.id = rbl_out_int_text(id, ctx->work);

    ngx_rbl_run(ctx, work_step, &args, 0);
    ngx_rbl_slow(ctx);
}


ngx_int_t
ngx_rbl_work_begin(ngx_rbl_ctx_t *ctx, rbl_str_t word, const redisReply *reply)
{
    if (rbl_str_is(word, "BUSY")) {
        ngx_rbl_refuse_later(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                             NGX_RBL_WORK_RETRY,
                             "Too many changes of many records wait for this "
                             "account. Nothing was changed, please try again.");
        return NGX_OK;
    }

    if (!rbl_str_is(word, "WORK")) {
        return NGX_DECLINED;
    }

    ctx->work = rbl_reply_number(reply);
    ctx->work_until = ngx_current_msec + NGX_RBL_WORK_TIME;
    ctx->working = 1;

    ngx_rbl_work_step(ctx);

    return NGX_OK;
}


ngx_int_t
ngx_rbl_work_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_work_step_reply_t  said;

    rbl_work_step_reply(&said, reply);

    switch (said.word) {

    case RBL_WORK_STEP_OK:
        break;

    case RBL_WORK_STEP_KIND:
        ngx_rbl_work_late(ctx);
        return NGX_DECLINED;

    default:
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: work of the account cannot be done: %*s",
                      said.why.n, said.why.p);
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    if (said.over) {
        ctx->working = 0;
        ctx->worked = 1;
        return NGX_OK;
    }

    if ((ngx_msec_int_t) (ctx->work_until - ngx_current_msec) <= 0) {
        ngx_rbl_work_late(ctx);
        return NGX_DECLINED;
    }

    ngx_rbl_work_step(ctx);

    return NGX_AGAIN;
}


void
ngx_rbl_work_late(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refuse_later(ctx, NGX_HTTP_SERVICE_UNAVAILABLE, 0,
                         "The change was accepted and is not finished yet. It "
                         "will be finished, please do not try again.");
}
