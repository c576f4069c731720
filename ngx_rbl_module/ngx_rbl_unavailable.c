/*
 * The answer to a call when the store, or the part of it that the call needs,
 * gives none.  It tells whether the call has changed something, so that the
 * client knows whether to repeat it.
 */

#include "ngx_rbl_module.h"


void
ngx_rbl_unavailable(ngx_rbl_ctx_t *ctx, ngx_rbl_store_rc_e rc)
{
    if (ctx->worked) {
        ngx_rbl_refuse_later(ctx, NGX_HTTP_SERVICE_UNAVAILABLE, 0,
                             "The store gave no answer that can be used. The "
                             "change was made.");
        return;
    }

    if (ctx->working) {
        ngx_rbl_work_late(ctx);
        return;
    }

    if (ctx->partly) {
        ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                       "The store cannot be reached or is too busy. The change "
                       "was made in a part of it: please repeat the call.");
        return;
    }

    if (rc == NGX_RBL_STORE_BUSY) {
        ngx_rbl_refuse(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                       "Too many calls that take long at once: %d of this "
                       "account wait. Nothing was changed, please try again.",
                       NGX_RBL_LANE_WAITING);
        return;
    }

    if (rc == NGX_RBL_STORE_LOST && ctx->round.writes) {
        ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                       "The store gave no answer that can be used. The outcome "
                       "is unknown: please look before you try again.");
        return;
    }

    ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                   "The store cannot be reached. Nothing was changed, "
                   "please try again.");
}
