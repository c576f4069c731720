/*
 * Due time of an account's oldest waiting check, for pages of hosts.  Each
 * worker caches it for a few seconds, so that a frequently read page does not
 * read it each time.
 */

#include "ngx_rbl_cache.h"


#define NGX_RBL_DUES       1024         /* cached accounts */
#define NGX_RBL_DUE_HOLDS  5000         /* ms */
#define NGX_RBL_DUE_STEP   60           /* s; the step lets pages keep their
                                           ETag */


typedef struct {
    const ngx_rbl_store_t  *store;      /* NULL: empty */
    char                    account[RBL_SID_LEN];
    ngx_msec_t              asked;
    int64_t                 first;      /* ms; -1: nothing is due */
} ngx_rbl_due_slot_t;


static ngx_rbl_due_slot_t  ngx_rbl_dues[NGX_RBL_DUES];


static ngx_rbl_due_slot_t *
ngx_rbl_due_slot(const ngx_rbl_ctx_t *ctx)
{
    return &ngx_rbl_dues[ngx_rbl_account_hash(ctx) % NGX_RBL_DUES];
}


void
ngx_rbl_due_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_due_t *due)
{
    const ngx_rbl_due_slot_t  *slot;

    slot = ngx_rbl_due_slot(ctx);

    if (slot->store == ctx->store
        && ngx_current_msec - slot->asked < NGX_RBL_DUE_HOLDS
        && ngx_memcmp(slot->account, ctx->account.s, RBL_SID_LEN) == 0)
    {
        due->since = slot->first;
        return;
    }

    due->at = ctx->round.asks;
    due->asked = 1;

    ngx_rbl_ask_first(ctx, "due");
}


void
ngx_rbl_due_read(ngx_rbl_ctx_t *ctx, ngx_rbl_due_t *due,
    const redisReply *reply)
{
    ngx_rbl_due_slot_t  *slot;

    due->since = ngx_rbl_first_score(ctx, reply);

    if (ctx->run.refusal == 0) {
        slot = ngx_rbl_due_slot(ctx);
        slot->store = ctx->store;
        slot->asked = ngx_current_msec;
        slot->first = due->since;
        ngx_memcpy(slot->account, ctx->account.s, RBL_SID_LEN);
    }
}


void
ngx_rbl_due_write(ngx_rbl_ctx_t *ctx, const ngx_rbl_due_t *due)
{
    int64_t  s;

    s = due->since < 0 ? 0 : (ngx_rbl_now() - due->since) / 1000;

    rbl_doc_int(&ctx->doc, "oldest_due",
                s < NGX_RBL_DUE_STEP ? 0 : s - s % NGX_RBL_DUE_STEP);
}
