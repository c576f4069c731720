/*
 * How far the checks of an account have come, for the end of a page of hosts:
 * since when its oldest check has been due, and how many of the lists that
 * apply to its active hosts have answered.  Each worker caches both for a few
 * seconds, so that a frequently read page does not read them each time.
 */

#include "ngx_rbl_cache.h"


#define NGX_RBL_PROGRESSES      1024    /* cached accounts */
#define NGX_RBL_PROGRESS_SLOTS  4       /* of those with like hashes */
#define NGX_RBL_PROGRESS_HOLDS  5000    /* ms */
#define NGX_RBL_DUE_STEP        60      /* s; the step lets pages keep their
                                           ETag */


typedef struct {
    const ngx_rbl_store_t  *store;      /* NULL: empty */
    char                    account[RBL_SID_LEN];
    ngx_msec_t              made;
    int64_t                 due;
    int64_t                 number[NGX_RBL_COVERAGE_NUMBERS];
} ngx_rbl_progress_slot_t;


static ngx_rbl_progress_slot_t  ngx_rbl_progresses[NGX_RBL_PROGRESSES];

static const char *const  ngx_rbl_coverage_names[NGX_RBL_COVERAGE_NUMBERS] = {
    "lists_asked", "lists_answered", "critical_asked", "critical_answered"
};


static ngx_uint_t
ngx_rbl_progress_is(const ngx_rbl_progress_slot_t *slot,
    const ngx_rbl_ctx_t *ctx)
{
    return slot->store == ctx->store
           && ngx_memcmp(slot->account, ctx->account.s, RBL_SID_LEN) == 0;
}


/* The slot of the account, else the one that it would take. */
static ngx_rbl_progress_slot_t *
ngx_rbl_progress_slot(const ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t                i;
    ngx_rbl_progress_slot_t  *row, *oldest;

    row = &ngx_rbl_progresses[ngx_rbl_account_hash(ctx)
                              % (NGX_RBL_PROGRESSES / NGX_RBL_PROGRESS_SLOTS)
                              * NGX_RBL_PROGRESS_SLOTS];
    oldest = row;

    for (i = 0; i < NGX_RBL_PROGRESS_SLOTS; i++) {
        if (ngx_rbl_progress_is(&row[i], ctx)) {
            return &row[i];
        }

        if (row[i].store == NULL
            || (oldest->store != NULL
                && (ngx_msec_int_t) (row[i].made - oldest->made) < 0))
        {
            oldest = &row[i];
        }
    }

    return oldest;
}


void
ngx_rbl_progress_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_progress_t *progress)
{
    const ngx_rbl_progress_slot_t  *slot;

    slot = ngx_rbl_progress_slot(ctx);

    if (ngx_rbl_progress_is(slot, ctx)
        && ngx_current_msec - slot->made < NGX_RBL_PROGRESS_HOLDS)
    {
        progress->due = slot->due;
        ngx_memcpy(progress->number, slot->number, sizeof(slot->number));
        return;
    }

    progress->at = ctx->round.asks;
    progress->asked = 1;

    ngx_rbl_ask_first(ctx, "due");
    ngx_rbl_ask(ctx, "GET", "coverage", RBL_STR(""), 0, NULL);
}


/* The interval of the account is not known yet. */

void
ngx_rbl_progress_coverage(ngx_rbl_ctx_t *ctx, ngx_rbl_progress_t *progress,
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
    progress->raw.p = (char *) p;
    progress->raw.n = raw.n;
}


/* The next check of the account makes a damaged record again. */

void
ngx_rbl_progress_count(const ngx_rbl_ctx_t *ctx,
    const ngx_rbl_progress_t *progress, rbl_coverage_t *numbers, int64_t now)
{
    if (rbl_coverage_read(numbers, progress->raw, ctx->interval, now / 1000)
        == RBL_OK)
    {
        return;
    }

    ngx_memzero(numbers, sizeof(rbl_coverage_t));

    if (progress->raw.p != NULL) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: the record \"coverage\" of account %s could not be "
                      "decoded", ctx->account.s);
    }
}


static void
ngx_rbl_progress_hold(const ngx_rbl_ctx_t *ctx, ngx_rbl_progress_t *progress)
{
    rbl_coverage_t            c;
    ngx_rbl_progress_slot_t  *slot;

    ngx_rbl_progress_count(ctx, progress, &c, ngx_rbl_now());

    progress->number[0] = c.asked;
    progress->number[1] = c.answered;
    progress->number[2] = c.critical_asked;
    progress->number[3] = c.critical_answered;

    slot = ngx_rbl_progress_slot(ctx);
    slot->store = ctx->store;
    slot->made = ngx_current_msec;
    slot->due = progress->due;
    ngx_memcpy(slot->number, progress->number, sizeof(slot->number));
    ngx_memcpy(slot->account, ctx->account.s, RBL_SID_LEN);
}


/* Without active hosts nothing is due, and no list applies. */

void
ngx_rbl_progress_write(ngx_rbl_ctx_t *ctx, ngx_rbl_progress_t *progress)
{
    int64_t     s;
    ngx_uint_t  i;

    if (progress->asked) {
        ngx_rbl_progress_hold(ctx, progress);
    }

    s = progress->due < 0 ? 0 : (ngx_rbl_now() - progress->due) / 1000;

    rbl_doc_int(&ctx->doc, "oldest_due",
                s < NGX_RBL_DUE_STEP ? 0 : s - s % NGX_RBL_DUE_STEP);

    for (i = 0; i < NGX_RBL_COVERAGE_NUMBERS; i++) {
        rbl_doc_int(&ctx->doc, ngx_rbl_coverage_names[i],
                    progress->due >= 0 ? progress->number[i] : 0);
    }
}
