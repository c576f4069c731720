/*
 * Reads of records: the list of a family, page by page (ngx_rbl_list_answer.c
 * writes it), and one record.
 *
 * The first round trip reads the totals, the page's SIDs, and the account.  The
 * second one reads the records, which are rendered straight from their reply.
 * A page whose SIDs are cached comes with the account in one command, for hosts
 * also with the totals; if the SIDs are still valid, it needs no second round
 * trip.  If the worker has the credentials in its cache, the totals replace the
 * account; if it has the page's objects in its cache, the account's version
 * stamp replaces the records.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"


#define NGX_RBL_LIST_TAIL  256          /* octets behind the objects */


/* If the objects are cached, the records are not requested. */

static void
ngx_rbl_list_ask_recalled(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list,
    ngx_uint_t n, const rbl_str_t *sids)
{
    list->recalled = 1;
    ctx->round.counted = 1;
    ctx->round.marking = ctx->format == NGX_RBL_JSON;

    list->held = ctx->round.marking
                 && ngx_rbl_page_held(ctx, &list->name, list->stamp)
                    == NGX_OK;

    if (!list->held) {
        ngx_rbl_ask_records(ctx, n, sids);
    }
}


static void
ngx_rbl_list_guess(ngx_rbl_ctx_t *ctx, ngx_uint_t n, const rbl_str_t *sids)
{
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    if (family->more) {
        family->more(ctx, ctx->batch, n, sids);
    }

    ngx_rbl_ask_records(ctx, n, sids);
}


/* A page that is cached with a version stamp needs one command; for others the
   stamp is read before the page (ngx_rbl_pages.c). */

static void
ngx_rbl_list_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list)
{
    rbl_str_t   sids[NGX_RBL_PAGE_SIDS];
    ngx_uint_t  n;

    list->name.store = ctx->store;
    list->name.account = &ctx->account;
    list->name.index = ctx->route->family->index;
    list->name.first = (list->page - 1) * list->page_size;
    list->name.size = list->page_size;

    n = ctx->repeated ? 0 : ngx_rbl_page_recall(&list->name, &list->stamp,
                                                sids);

    if (!ngx_rbl_totals_stamped(ctx)) {
        ngx_rbl_totals_ask(ctx);

    } else if (n == 0) {
        ngx_rbl_ask(ctx, "GET", "totals", RBL_STR(""), 0, NULL);

    } else {
        ngx_rbl_list_ask_recalled(ctx, list, n, sids);
        return;
    }

    list->bounded = (n == 0 || list->page_size > NGX_RBL_PAGE_SIDS)
                    && ngx_rbl_list_bound(ctx) != NULL;

    if (list->bounded) {
        ngx_rbl_ask(ctx, "GET", "large", rbl_str(ngx_rbl_list_bound(ctx)), 0,
                    NULL);
    }

    ngx_rbl_ask_range(ctx, list->name.index, list->name.first,
                      list->name.first + list->page_size - 1);

    if (n > 0) {
        ngx_rbl_list_guess(ctx, n, sids);
    }
}


static void
ngx_rbl_list_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_list_t  *list;

    list = ngx_rbl_data(ctx, sizeof(ngx_rbl_list_t));

    if (list != NULL && ngx_rbl_list_paging(ctx, list) == NGX_OK) {
        ngx_rbl_list_ask(ctx, list);

        if (ngx_rbl_totals_stamped(ctx)) {
            ngx_rbl_progress_ask(ctx, &list->progress);
        }
    }
}


static void
ngx_rbl_list_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    if (i == 0 && family->more) {
        family->more_read(ctx, reply);

    } else if (reply->type == REDIS_REPLY_ARRAY) {
        ngx_rbl_list_answer(ctx, rbl_reply_len(reply), reply->element);
    }
}


static void
ngx_rbl_list_second(ngx_rbl_ctx_t *ctx, ngx_uint_t n, const rbl_str_t *sids)
{
    rbl_str_t               *keys;
    ngx_rbl_batch_t         *batch;
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    if (ngx_rbl_list_large(ctx->data, n)) {
        ngx_rbl_list_slices(ctx, ctx->data);
        return;
    }

    batch = ngx_rbl_next(ctx);
    keys = ngx_rbl_record_keys(ctx, rbl_sid_str(&ctx->account), n, sids);

    if (batch == NULL || keys == NULL) {
        return;
    }

    if (family->more) {
        family->more(ctx, batch, n, sids);
    }

    ngx_rbl_batch_records(batch, n, keys);
}


/* A host has changed: reads the records; if the page has changed: reads
   everything. */

static void
ngx_rbl_list_changed(ngx_rbl_ctx_t *ctx, int64_t stamp)
{
    int64_t          now;
    rbl_str_t        sids[NGX_RBL_PAGE_SIDS];
    ngx_uint_t       n;
    ngx_rbl_list_t  *list;

    list = ctx->data;

    ngx_rbl_page_release(&list->name);
    n = ngx_rbl_page_recall(&list->name, &now, sids);

    if (n == 0 || now != stamp || list->stamp != stamp) {
        (void) ngx_rbl_again(ctx);
        return;
    }

    ngx_rbl_list_second(ctx, n, sids);
}


static void
ngx_rbl_list_answer_held(ngx_rbl_ctx_t *ctx, int64_t stamp)
{
    ngx_rbl_list_t  *list;

    list = ctx->data;

    if (!ngx_rbl_marked(ctx)
        || ngx_rbl_page_held(ctx, &list->name, stamp) != NGX_OK)
    {
        ngx_rbl_list_changed(ctx, stamp);
        return;
    }

    ngx_rbl_list_open(ctx, NGX_RBL_LIST_TAIL);
    rbl_doc_json(&ctx->doc, NULL, RBL_STR(""));

    if (ngx_rbl_page_lend(ctx, &list->name) != NGX_OK
        || ngx_rbl_sink_lend(&ctx->sink, ctx->objects) != NGX_OK)
    {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_list_close(ctx);
}


/* Are the requested records those of the page, in this order? */

static ngx_int_t
ngx_rbl_list_guessed(const ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t             i;
    const rbl_str_t       *key;
    const ngx_rbl_list_t  *list;

    list = ctx->data;

    if (list->n == 0 || list->n != ctx->round.n_records) {
        return 0;
    }

    for (i = 0; i < list->n; i++) {
        key = &ctx->round.records[i];

        if (ngx_memcmp(key->p + key->n - RBL_SID_LEN, list->sids[i].p,
                       RBL_SID_LEN)
            != 0)
        {
            return 0;
        }
    }

    return 1;
}


/* The credentials are checked.  A page with valid cached SIDs has its
   records. */

static void
ngx_rbl_list_records(ngx_rbl_ctx_t *ctx, ngx_uint_t n, redisReply **record)
{
    int64_t          stamp;
    ngx_rbl_list_t  *list;

    list = ctx->data;
    stamp = 0;

    if (ngx_rbl_totals_stamped(ctx)) {
        if (ngx_rbl_totals_known(ctx, list->total) != NGX_OK) {
            return;
        }

        stamp = ctx->route->family->pages ? ctx->totals.listed_at
                                          : ctx->totals.hosts_at;
    }

    if (list->held) {
        ngx_rbl_list_answer_held(ctx, stamp);
        return;
    }

    if (list->bounded && ngx_rbl_list_fits(ctx, list) != NGX_OK) {
        return;
    }

    if (list->recalled ? list->stamp == stamp : ngx_rbl_list_guessed(ctx)) {
        ngx_rbl_list_answer(ctx, n, record);
        return;
    }

    if (list->recalled) {
        (void) ngx_rbl_again(ctx);
        return;
    }

    /* A page with a reduced size is not the page of this name.  A page that may
       be large is not requested before its size is known. */

    ngx_rbl_page_keep(&list->name, stamp,
                      list->page_size == list->name.size
                      && !ngx_rbl_list_large(list, list->n) ? list->n : 0,
                      list->sids);

    if (list->n == 0) {
        ngx_rbl_list_answer(ctx, 0, NULL);
        return;
    }

    ngx_rbl_list_second(ctx, list->n, list->sids);
}


const ngx_rbl_op_t  ngx_rbl_op_list = {
    .fields = rbl_page_fields,
    .prepare = ngx_rbl_list_prepare,
    .read = ngx_rbl_list_read,
    .result = ngx_rbl_list_result,
    .records = ngx_rbl_list_records
};


ngx_int_t
ngx_rbl_list_paging(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list)
{
    if (ctx->page_most) {
        ctx->run.page_most = ctx->page_most;
    }

    if (rbl_run_page(&ctx->run) != 0) {
        return NGX_DECLINED;
    }

    list->page = ctx->run.page;
    list->page_size = ctx->run.page_size;

    return NGX_OK;
}


static void
ngx_rbl_list_sids(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_list_t  *list;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    list = ctx->data;
    ngx_rbl_list_add_sids(ctx, &list->n, &list->sids, ctx->route->family->kind,
                          reply);
}


/* Before the credentials are checked: stores the replies, answers nothing. */

void
ngx_rbl_list_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_int_t                stamped;
    ngx_uint_t               totals;
    ngx_rbl_list_t          *list;
    const ngx_rbl_family_t  *family;

    list = ctx->data;
    family = ctx->route->family;

    stamped = ngx_rbl_totals_stamped(ctx);
    totals = family->total[1].index && !stamped ? 2 : 1;

    if (list->progress.asked && i == list->progress.at) {
        list->progress.due = ngx_rbl_first_score(ctx, reply);

    } else if (list->progress.asked && i == list->progress.at + 1) {
        ngx_rbl_progress_coverage(ctx, &list->progress, reply);

    } else if (i < totals && stamped) {
        ngx_rbl_totals_read(ctx, reply);

    } else if (i < totals) {
        list->total[i] = ngx_rbl_total(ctx, reply);

    } else if (i == totals && list->bounded) {
        list->largest = ngx_min(rbl_reply_int(reply, 0), INT32_MAX);

    } else if (i == totals + list->bounded
               && ctx->route->op == &ngx_rbl_op_list)
    {
        ngx_rbl_list_sids(ctx, reply);

    } else {
        family->more_read(ctx, reply);
    }
}


/* Copies the SIDs of a reply, since the reply ends with its call. */

void
ngx_rbl_list_add_sids(ngx_rbl_ctx_t *ctx, ngx_uint_t *n, rbl_str_t **sids,
    rbl_sid_kind_t kind, const redisReply *reply)
{
    char       *p;
    size_t      i, len;
    rbl_str_t   sid;

    len = rbl_reply_len(reply);

    p = ngx_pnalloc(ctx->request->pool, ngx_max(len, 1) * RBL_SID_LEN);

    if (*sids == NULL) {
        *sids = ngx_palloc(ctx->request->pool,
                           ngx_max(len, 1) * sizeof(rbl_str_t));
    }

    if (p == NULL || *sids == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (i = 0; i < len; i++) {
        sid = rbl_reply_str(rbl_reply_at(reply, i));

        if (rbl_sid_like(kind, sid)) {
            ngx_memcpy(p, sid.p, RBL_SID_LEN);
            (*sids)[*n].p = p;
            (*sids)[(*n)++].n = RBL_SID_LEN;
            p += RBL_SID_LEN;
        }
    }
}


/* One record, in the envelope of a page of records.  One command reads it with
   the account, for hosts also with the totals. */

static void
ngx_rbl_one_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t                id;
    rbl_sid_t                sid;
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_list_t)) == NULL
        || ngx_rbl_path_sid(ctx, family->kind, family->resource, &sid)
           != NGX_OK)
    {
        return;
    }

    id = rbl_sid_str(&sid);

    if (ngx_rbl_totals_stamped(ctx)) {
        ctx->round.counted = 1;

    } else {
        ngx_rbl_totals_ask(ctx);
    }

    if (family->more) {
        family->more(ctx, ctx->batch, 1, &id);
    }

    ngx_rbl_ask_records(ctx, 1, &id);
}


void
ngx_rbl_one_answer(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    ngx_rbl_list_t          *list;
    const ngx_rbl_family_t  *family;

    list = ctx->data;
    family = ctx->route->family;

    list->one = 1;
    list->page = 1;
    list->page_size = RBL_PAGE_SIZE;

    ngx_rbl_list_open(ctx, ngx_max(family->guess, 3 * raw.n));

    if (family->write(ctx, NULL, raw)) {
        ngx_rbl_list_close(ctx);
    }
}


static void
ngx_rbl_one_records(ngx_rbl_ctx_t *ctx, ngx_uint_t n, redisReply **record)
{
    rbl_str_t        raw;
    ngx_rbl_list_t  *list;

    list = ctx->data;

    if (ngx_rbl_totals_stamped(ctx)
        && ngx_rbl_totals_known(ctx, list->total) != NGX_OK)
    {
        return;
    }

    raw = n ? rbl_reply_str(record[0]) : RBL_STR("");

    if (raw.p == NULL) {
        ngx_rbl_unknown_id(ctx, ctx->route->family->resource);
        return;
    }

    ngx_rbl_one_answer(ctx, raw);
}


const ngx_rbl_op_t  ngx_rbl_op_one = {
    .prepare = ngx_rbl_one_prepare,
    .read = ngx_rbl_list_read,
    .records = ngx_rbl_one_records
};
