/*
 * Coverage of an account, for pages of hosts: how many of the lists that apply
 * to its active hosts have answered.  Each worker caches the numbers for a few
 * seconds, as it does with ngx_rbl_due.c.
 */

#include "ngx_rbl_cache.h"


#define NGX_RBL_COVERAGES       1024    /* cached accounts */
#define NGX_RBL_COVERAGE_HOLDS  5000    /* ms */


typedef struct {
    const ngx_rbl_store_t  *store;      /* NULL: empty */
    char                    account[RBL_SID_LEN];
    ngx_msec_t              made;
    int64_t                 number[NGX_RBL_COVERAGE_NUMBERS];
} ngx_rbl_coverage_slot_t;


static ngx_rbl_coverage_slot_t  ngx_rbl_coverages[NGX_RBL_COVERAGES];

static const char *const  ngx_rbl_coverage_names[NGX_RBL_COVERAGE_NUMBERS] = {
    "lists_asked", "lists_answered", "critical_asked", "critical_answered"
};


static ngx_rbl_coverage_slot_t *
ngx_rbl_coverage_slot(const ngx_rbl_ctx_t *ctx)
{
    return &ngx_rbl_coverages[ngx_rbl_account_hash(ctx) % NGX_RBL_COVERAGES];
}


void
ngx_rbl_coverage_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_coverage_t *coverage)
{
    const ngx_rbl_coverage_slot_t  *slot;

    slot = ngx_rbl_coverage_slot(ctx);

    coverage->raw.p = NULL;
    coverage->asked = 0;

    if (slot->store == ctx->store
        && ngx_current_msec - slot->made < NGX_RBL_COVERAGE_HOLDS
        && ngx_memcmp(slot->account, ctx->account.s, RBL_SID_LEN) == 0)
    {
        ngx_memcpy(coverage->number, slot->number, sizeof(slot->number));
        return;
    }

    coverage->at = ctx->round.asks;
    coverage->asked = 1;

    ngx_rbl_ask(ctx, "GET", "coverage", RBL_STR(""), 0, NULL);
}


/* The interval of the account is not known yet. */

void
ngx_rbl_coverage_read(ngx_rbl_ctx_t *ctx, ngx_rbl_coverage_t *coverage,
    const redisReply *reply)
{
    u_char     *p;
    rbl_str_t   raw;

    raw = rbl_reply_str(reply);

    if (raw.p == NULL) {
        return;
    }

    p = ngx_pnalloc(ctx->request->pool, ngx_max(raw.n, 1));

    if (p == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_memcpy(p, raw.p, raw.n);
    coverage->raw.p = (char *) p;
    coverage->raw.n = raw.n;
}


/* The next check of the account makes a damaged record again. */

void
ngx_rbl_coverage_count(const ngx_rbl_ctx_t *ctx, rbl_coverage_t *numbers,
    rbl_str_t raw, int64_t now)
{
    if (rbl_coverage_read(numbers, raw, ctx->interval, now / 1000) != RBL_OK) {
        ngx_memzero(numbers, sizeof(rbl_coverage_t));

        if (raw.p != NULL) {
            ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                          "rbl: the record \"coverage\" of account %s could "
                          "not be decoded", ctx->account.s);
        }
    }
}


static void
ngx_rbl_coverage_hold(const ngx_rbl_ctx_t *ctx, ngx_rbl_coverage_t *coverage)
{
    rbl_coverage_t            c;
    ngx_rbl_coverage_slot_t  *slot;

    ngx_rbl_coverage_count(ctx, &c, coverage->raw, ngx_rbl_now());

    coverage->number[0] = c.asked;
    coverage->number[1] = c.answered;
    coverage->number[2] = c.critical_asked;
    coverage->number[3] = c.critical_answered;

    slot = ngx_rbl_coverage_slot(ctx);
    slot->store = ctx->store;
    slot->made = ngx_current_msec;
    ngx_memcpy(slot->number, coverage->number, sizeof(slot->number));
    ngx_memcpy(slot->account, ctx->account.s, RBL_SID_LEN);
}


void
ngx_rbl_coverage_write(ngx_rbl_ctx_t *ctx, ngx_rbl_coverage_t *coverage,
    ngx_uint_t active)
{
    ngx_uint_t  i;

    if (coverage->asked) {
        ngx_rbl_coverage_hold(ctx, coverage);
    }

    for (i = 0; i < NGX_RBL_COVERAGE_NUMBERS; i++) {
        rbl_doc_int(&ctx->doc, ngx_rbl_coverage_names[i],
                    active ? coverage->number[i] : 0);
    }
}
