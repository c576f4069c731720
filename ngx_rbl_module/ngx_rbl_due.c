/*
 * Since when an account's oldest check has been due, for pages of hosts.  Each
 * worker remembers it for a few seconds, so that a page which is read often
 * asks no more of the store for it.
 */

#include "ngx_rbl_list.h"


#define NGX_RBL_DUES       1024         /* accounts that are remembered */
#define NGX_RBL_DUE_HOLDS  5000         /* ms */
#define NGX_RBL_DUE_STEP   60           /* s: pages keep their ETag between */


typedef struct {
    const ngx_rbl_store_t  *store;      /* NULL: empty */
    char                    account[RBL_SID_LEN];
    ngx_msec_t              asked;
    int64_t                 first;      /* ms; -1: nothing is due */
} ngx_rbl_due_t;


static ngx_rbl_due_t  ngx_rbl_dues[NGX_RBL_DUES];


/* SIDs are random. */

static ngx_rbl_due_t *
ngx_rbl_due_slot(const ngx_rbl_ctx_t *ctx)
{
    size_t      i;
    ngx_uint_t  n;

    n = 0;

    for (i = RBL_SID_LEN - 4; i < RBL_SID_LEN; i++) {
        n = n * 31 + (u_char) ctx->account.s[i];
    }

    return &ngx_rbl_dues[n % NGX_RBL_DUES];
}


void
ngx_rbl_due_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list)
{
    rbl_str_t             range[3];
    const ngx_rbl_due_t  *due;

    due = ngx_rbl_due_slot(ctx);

    if (due->store == ctx->store
        && ngx_current_msec - due->asked < NGX_RBL_DUE_HOLDS
        && ngx_memcmp(due->account, ctx->account.s, RBL_SID_LEN) == 0)
    {
        list->due = due->first;
        return;
    }

    range[0] = RBL_STR("0");
    range[1] = RBL_STR("0");
    range[2] = RBL_STR("WITHSCORES");

    list->due_at = ctx->asks;
    list->due_asked = 1;

    ngx_rbl_ask(ctx, "ZRANGE", "due", RBL_STR(""), 3, range);
}


void
ngx_rbl_due_read(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list,
    const redisReply *reply)
{
    ngx_rbl_due_t  *due;

    list->due = ngx_rbl_first_score(ctx, reply);

    if (ctx->refusal == 0) {
        due = ngx_rbl_due_slot(ctx);
        due->store = ctx->store;
        due->asked = ngx_current_msec;
        due->first = list->due;
        ngx_memcpy(due->account, ctx->account.s, RBL_SID_LEN);
    }
}


void
ngx_rbl_due_write(ngx_rbl_ctx_t *ctx, const ngx_rbl_list_t *list)
{
    int64_t  s;

    s = list->due < 0 ? 0 : (ngx_rbl_now() - list->due) / 1000;

    rbl_doc_int(&ctx->doc, "oldest_due",
                s < NGX_RBL_DUE_STEP ? 0 : s - s % NGX_RBL_DUE_STEP);
}
