/*
 * The answer with a page of records: envelope and totals, the objects, and the
 * page cache for later requests (ngx_rbl_pages.c).
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"
#include "ngx_rbl_stream.h"


/* An entry newer than its version stamp does no harm, since the stamp is out of
   date. */

static void
ngx_rbl_list_hold(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t       marked;
    ngx_rbl_list_t  *list;

    list = ctx->data;
    marked = ngx_rbl_marked(ctx);

    if (!ngx_rbl_page_busy(&list->name, marked)) {
        return;
    }

    if (marked) {
        ngx_rbl_page_hold(ctx, &list->name, list->stamp);

    } else {
        ngx_rbl_mark_set(ctx);
    }
}


void
ngx_rbl_list_answer(ngx_rbl_ctx_t *ctx, ngx_uint_t n, redisReply **record)
{
    ngx_buf_t       *b;
    const char      *text;
    ngx_rbl_list_t  *list;

    list = ctx->data;

    ngx_rbl_list_open(ctx, n * ctx->route->family->guess);

    b = ctx->sink.buf;
    text = ctx->sink.out.pos;
    ctx->shown_from = INT64_MIN;
    ctx->shown_until = INT64_MAX;

    ngx_rbl_list_write(ctx, n, record);

    /* its records have grown: next time they are not requested at once */

    if (ngx_rbl_sink_length(&ctx->sink) > NGX_RBL_SLICE) {
        ngx_rbl_page_keep(&list->name, 0, 0, NULL);
    }

    if (ctx->run.refusal == 0 && ctx->sink.buf == b && !ctx->sink.out.failed) {
        ctx->objects.p = text;
        ctx->objects.n = ctx->sink.out.pos - text;

        if (ctx->round.marking) {
            ngx_rbl_list_hold(ctx);
        }
    }

    ngx_rbl_list_close(ctx);
}


void
ngx_rbl_list_write(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    redisReply *const *record)
{
    rbl_str_t                raw;
    ngx_uint_t               k;
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    for (k = 0; k < n && ctx->run.refusal == 0; k++) {
        raw = rbl_reply_str(record[k]);

        if (raw.p != NULL) {
            (void) family->write(ctx, NULL, raw);
        }
    }
}


void
ngx_rbl_list_open(ngx_rbl_ctx_t *ctx, size_t guess)
{
    int64_t                  total;
    ngx_uint_t               i;
    ngx_rbl_list_t          *list;
    const ngx_rbl_family_t  *family;

    list = ctx->data;
    family = ctx->route->family;
    total = list->total[family->pages];

    ngx_rbl_open(ctx, guess, "OK");

    rbl_doc_int(&ctx->doc, "page", list->page);
    rbl_doc_int(&ctx->doc, "total_pages", list->one ? 1
                : total / list->page_size + (total % list->page_size != 0));
    rbl_doc_int(&ctx->doc, "page_size", list->page_size);

    for (i = 0; i < NGX_RBL_TOTALS && family->total[i].name; i++) {
        rbl_doc_int(&ctx->doc, family->total[i].name, list->total[i]);
    }

    rbl_doc_array(&ctx->doc, "data");
}


void
ngx_rbl_list_close(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_list_t  *list;

    list = ctx->data;

    rbl_doc_close(&ctx->doc);

    if (ngx_rbl_totals_stamped(ctx) && !list->one) {
        ngx_rbl_progress_write(ctx, &list->progress);
    }

    ngx_rbl_close(ctx);
}


int
ngx_rbl_undecoded(ngx_rbl_ctx_t *ctx, const char *kind)
{
    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "rbl: a %s record could not be decoded", kind);

    return 0;
}
