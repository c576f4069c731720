/*
 * operator/health: the verdict, and what all daemons together did in the last
 * hours, from the points of five minutes that they write (rbl_series.h).  Of
 * more than a day, several points are shown as one.
 *
 * The days are those of the clock of nginx, the points those of the store's.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_verdict.h"

#include "rbl_series.h"


#define NGX_RBL_HEALTH_HOURS  24        /* default */
#define NGX_RBL_HEALTH_MOST   168
#define NGX_RBL_HEALTH_FINE   24        /* hours whose points are all shown */
#define NGX_RBL_HEALTH_JOIN   6         /* points that are shown as one */
#define NGX_RBL_HEALTH_GUESS  240       /* bytes of one in the answer */

typedef struct {
    int64_t     hours;
    int64_t     first, last;            /* what is shown, in steps since 1970 */
    int64_t     day;                    /* the first that is read */
    ngx_uint_t  join;                   /* points of a step */
} ngx_rbl_health_t;

static const char *const  ngx_rbl_health_names[RBL_SERIES__N] = {
    [RBL_SERIES_REPORTS] = "reports",
    [RBL_SERIES_CHECKS] = "checks",
    [RBL_SERIES_ANSWERED] = "answered",
    [RBL_SERIES_REFUSED] = "refused",
    [RBL_SERIES_TIMED_OUT] = "timed_out",
    [RBL_SERIES_FAILED] = "failed",
    [RBL_SERIES_OLDEST] = "oldest",
    [RBL_SERIES_DELIVERED] = "delivered",
    [RBL_SERIES_RETRIED] = "retried",
    [RBL_SERIES_DEAD] = "dead"
};


static int
ngx_rbl_health_hours(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t     *ctx;
    ngx_rbl_health_t  *h;

    ctx = ngx_rbl_of(run);
    h = ctx->data;

    return rbl_int_parse(&h->hours, *text, 1, NGX_RBL_HEALTH_MOST) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_health_fields[] = {
    RBL_TEXT("hours", 0, ngx_rbl_health_hours, 0),
    RBL_END
};


static int64_t
ngx_rbl_health_step(const ngx_rbl_health_t *h)
{
    return (int64_t) h->join * RBL_SERIES_STEP;
}


/* Nothing is read for others than operators. */

static void
ngx_rbl_health_prepare(ngx_rbl_ctx_t *ctx)
{
    int64_t            step;
    rbl_str_t          text;
    ngx_rbl_health_t  *h;

    h = ngx_rbl_data(ctx, sizeof(ngx_rbl_health_t));
    if (h == NULL) {
        return;
    }

    h->hours = NGX_RBL_HEALTH_HOURS;

    if (rbl_judged(&ctx->run, ngx_rbl_health_fields, &text) != NGX_OK) {
        return;
    }

    h->join = h->hours > NGX_RBL_HEALTH_FINE ? NGX_RBL_HEALTH_JOIN : 1;
    step = ngx_rbl_health_step(h);
    h->last = ngx_rbl_now() / 1000 / step;
    h->first = h->last - h->hours * 3600 / step + 1;
    h->day = h->first * step / 86400;
}


static void
ngx_rbl_health_proceed(ngx_rbl_ctx_t *ctx)
{
    char               text[RBL_SERIES_DAYS][RBL_OUT_INT];
    rbl_key_t          key[RBL_SERIES_DAYS];
    rbl_str_t          words[RBL_SERIES_DAYS + 1];
    ngx_int_t          n;
    ngx_rbl_batch_t   *batch;
    ngx_rbl_health_t  *h;

    h = ctx->data;
    batch = ngx_rbl_next(ctx);

    if (batch == NULL) {
        return;
    }

    words[0] = RBL_STR("MGET");

    for (n = 0; n < RBL_SERIES_DAYS
                && h->day + n <= h->last * ngx_rbl_health_step(h) / 86400;
         n++)
    {
        words[n + 1] = rbl_key(&key[n], ngx_rbl_store_keyspace(ctx->store), 0,
                               "series", rbl_out_int_text(text[n],
                                                          h->day + n),
                               RBL_STR(""));
    }

    ngx_rbl_batch_command(batch, (int) n + 1, words);
}


static void
ngx_rbl_health_step_write(ngx_rbl_ctx_t *ctx, int64_t at,
    const redisReply *reply)
{
    int64_t                  number[RBL_SERIES__N], seconds;
    rbl_str_t                day;
    ngx_uint_t               i;
    const ngx_rbl_health_t  *h;

    h = ctx->data;
    seconds = at * ngx_rbl_health_step(h);
    day = rbl_reply_str(rbl_reply_at(reply, (size_t) (seconds / 86400
                                                      - h->day)));
    ngx_memzero(number, sizeof(number));

    for (i = 0; i < h->join; i++) {
        rbl_series_add(number, day, (unsigned) (seconds % 86400
                                                / RBL_SERIES_STEP + i));
    }

    rbl_doc_object(&ctx->doc, NULL);
    rbl_run_at(&ctx->run, &ctx->doc, "time", seconds * 1000);

    for (i = 0; i < RBL_SERIES__N; i++) {
        rbl_doc_int(&ctx->doc, ngx_rbl_health_names[i], number[i]);
    }

    rbl_doc_close(&ctx->doc);
}


static void
ngx_rbl_health_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    int64_t            at;
    rbl_doc_t         *doc;
    ngx_rbl_health_t  *h;

    h = ctx->data;
    doc = &ctx->doc;

    ngx_rbl_open(ctx, (size_t) (h->last - h->first + 1) * NGX_RBL_HEALTH_GUESS,
                 "OK");
    rbl_doc_object(doc, "data");
    ngx_rbl_verdict_write(doc, ctx->conf->store_index, NGX_RBL_VERDICT_REASONS);
    rbl_doc_int(doc, "step", ngx_rbl_health_step(h));
    rbl_doc_array(doc, "points");

    for (at = h->first; at <= h->last; at++) {
        ngx_rbl_health_step_write(ctx, at, reply);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_operator_health = {
    .fields = ngx_rbl_health_fields,
    .prepare = ngx_rbl_health_prepare,
    .proceed = ngx_rbl_health_proceed,
    .result = ngx_rbl_health_result
};
