/*
 * app/stats and app/errors: the statistics and the error log that nginx
 * collects for an application (rbl_keys.h: stats, errors).
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"
#include "ngx_rbl_portal.h"

#include "rbl_time.h"
#include "rbl_usage.h"

#define NGX_RBL_USAGE_GUESS   72        /* octets of an hour in an answer */
#define NGX_RBL_ERROR_GUESS   256       /* of an error */
#define NGX_RBL_ERRORS_MAX    1000      /* of an application */
#define NGX_RBL_ERRORS_SMALL  100       /* more are read on the slow link */


enum {                                  /* fields of app/stats */
    NGX_RBL_FIELD_HOURS = 0,
    NGX_RBL_FIELD_DAYS
};

enum {                                  /* field of app/errors, behind those of
                                           a page */
    NGX_RBL_FIELD_CODE = 2
};

enum {                                  /* commands of app/errors */
    NGX_RBL_ERRORS_EXISTS = 0,
    NGX_RBL_ERRORS_TOTAL
};


typedef struct {
    rbl_sid_t       id;
    rbl_usage_t     usage;
} ngx_rbl_app_stats_t;

typedef struct {
    ngx_rbl_list_t  list;
    rbl_sid_t       id;
    int64_t         code;               /* 0: all */
} ngx_rbl_app_errors_t;


static const ngx_rbl_field_t  ngx_rbl_app_stats_fields[] = {
    NGX_RBL_TEXT("hours", 0, NULL, 0),
    NGX_RBL_TEXT("days", 0, NULL, 0),
    NGX_RBL_END
};

static const ngx_rbl_field_t  ngx_rbl_app_errors_fields[] = {
    NGX_RBL_TEXT("page", 0, NULL, 0),
    NGX_RBL_TEXT("page_size", 0, NULL, 0),
    NGX_RBL_TEXT("code", 0, NULL, 0),
    NGX_RBL_END
};

const ngx_rbl_family_t  ngx_rbl_family_app_errors = {
    .resource = "application",
    .kind = RBL_SID_APP,
    .total = { { "errors", "total_errors" } }
};


static ngx_int_t
ngx_rbl_app_stats_range(ngx_rbl_ctx_t *ctx, int *days, int64_t *n)
{
    rbl_str_t  text[2];

    text[0] = ngx_rbl_text(ctx, NGX_RBL_FIELD_HOURS);
    text[1] = ngx_rbl_text(ctx, NGX_RBL_FIELD_DAYS);

    *n = 24;
    *days = text[1].p != NULL;

    if (*days && text[0].p) {
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Please provide hours or days, not both.");
        return NGX_DECLINED;
    }

    if (text[*days].p
        && rbl_int_parse(n, text[*days], 1,
                         *days ? RBL_USAGE_DAYS_MAX : RBL_USAGE_HOURS_MAX)
           != RBL_OK)
    {
        ngx_rbl_invalid(ctx, *days ? "days" : "hours");
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static void
ngx_rbl_app_stats_prepare(ngx_rbl_ctx_t *ctx)
{
    int                   days;
    char                  name[RBL_USAGE_NAME];
    int64_t               n, i, part;
    ngx_rbl_app_stats_t  *stats;

    stats = ngx_rbl_data(ctx, sizeof(ngx_rbl_app_stats_t));

    if (stats == NULL || ngx_rbl_app_stats_range(ctx, &days, &n) != NGX_OK
        || ngx_rbl_path_sid(ctx, RBL_SID_APP, ctx->route->family->resource,
                            &stats->id)
           != NGX_OK)
    {
        return;
    }

    rbl_usage_begin(&stats->usage, days, n, ngx_time());

    ngx_rbl_ask(ctx, "EXISTS", "s", rbl_sid_str(&stats->id), 0, NULL);

    part = rbl_usage_part(&stats->usage);

    for (i = 0; i < rbl_usage_parts(&stats->usage); i++) {
        ngx_rbl_ask(ctx, "HGETALL", "stats",
                    rbl_usage_name(name, &stats->usage, &stats->id, part + i),
                    0, NULL);
    }
}


/* NGX_DECLINED: refused (404). */

static ngx_int_t
ngx_rbl_app_exists(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    if (rbl_reply_int(reply, 0) == 1) {
        return NGX_OK;
    }

    ngx_rbl_unknown_id(ctx, ctx->route->family->resource);

    return NGX_DECLINED;
}


static void
ngx_rbl_app_stats_write(ngx_rbl_ctx_t *ctx)
{
    char                  time[RBL_TIME_LEN];
    int64_t               i;
    rbl_doc_t            *doc;
    rbl_sum_t             all;
    const rbl_usage_t    *usage;
    ngx_rbl_app_stats_t  *stats;

    doc = &ctx->doc;
    stats = ctx->data;
    usage = &stats->usage;
    all = rbl_usage_all(usage);

    ngx_rbl_open(ctx, (size_t) usage->n * NGX_RBL_USAGE_GUESS, "OK");

    rbl_doc_str(doc, "account", rbl_sid_str(&ctx->account));
    rbl_doc_str(doc, "id", rbl_sid_str(&stats->id));
    rbl_doc_z(doc, "unit", usage->days ? "day" : "hour");
    rbl_doc_int(doc, "requests", all.requests);
    rbl_doc_int(doc, "errors", all.errors);
    rbl_doc_array(doc, "data");

    for (i = 0; i < usage->n; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "time",
                    rbl_time_rfc3339(time, rbl_usage_time(usage, i)));
        rbl_doc_int(doc, "requests", usage->sum[i].requests);
        rbl_doc_int(doc, "errors", usage->sum[i].errors);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_app_stats_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_usage_t  *usage;

    usage = &((ngx_rbl_app_stats_t *) ctx->data)->usage;

    if (i == 0) {
        (void) ngx_rbl_app_exists(ctx, reply);
        return;
    }

    rbl_usage_read(usage, rbl_usage_part(usage) + (int64_t) i - 1, reply);

    if ((int64_t) i == rbl_usage_parts(usage)) {
        ngx_rbl_app_stats_write(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_app_stats = {
    .fields = ngx_rbl_app_stats_fields,
    .prepare = ngx_rbl_app_stats_prepare,
    .read = ngx_rbl_app_stats_read
};


static void
ngx_rbl_app_errors_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t              code;
    ngx_rbl_app_errors_t  *errors;

    errors = ngx_rbl_data(ctx, sizeof(ngx_rbl_app_errors_t));

    if (errors == NULL || ngx_rbl_list_paging(ctx, &errors->list) != NGX_OK) {
        return;
    }

    code = ngx_rbl_text(ctx, NGX_RBL_FIELD_CODE);

    if (code.p && rbl_int_parse(&errors->code, code, 100, 599) != RBL_OK) {
        ngx_rbl_invalid(ctx, "code");
        return;
    }

    if (ngx_rbl_path_sid(ctx, RBL_SID_APP, ctx->route->family->resource,
                         &errors->id)
        != NGX_OK)
    {
        return;
    }

    ngx_rbl_ask(ctx, "EXISTS", "s", rbl_sid_str(&errors->id), 0, NULL);
    ngx_rbl_ask(ctx, "LLEN", "errors", rbl_sid_str(&errors->id), 0, NULL);
}


static void
ngx_rbl_app_errors_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_app_errors_t  *errors;

    errors = ctx->data;

    if (i == NGX_RBL_ERRORS_EXISTS) {
        (void) ngx_rbl_app_exists(ctx, reply);

    } else {
        errors->list.total[0] = ngx_rbl_total(ctx, reply);
    }
}


/* With a filter the whole log is read, which is limited. */

static void
ngx_rbl_app_errors_proceed(ngx_rbl_ctx_t *ctx)
{
    char                   number[2][RBL_OUT_INT];
    int64_t                first, n;
    rbl_key_t              key;
    ngx_rbl_batch_t       *batch;
    ngx_rbl_app_errors_t  *errors;

    errors = ctx->data;
    n = errors->code ? NGX_RBL_ERRORS_MAX : errors->list.page_size;
    first = errors->code ? 0 : (errors->list.page - 1) * n;

    batch = ngx_rbl_next(ctx);

    if (batch == NULL) {
        return;
    }

    ngx_rbl_batch_command(batch, RBL_COMMAND("LRANGE",
        rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store), "errors",
                        rbl_sid_str(&ctx->account), rbl_sid_str(&errors->id)),
        rbl_out_int_text(number[0], first),
        rbl_out_int_text(number[1], first + n - 1)));

    if (n > NGX_RBL_ERRORS_SMALL) {
        ngx_rbl_slow(ctx);
    }
}


static ngx_uint_t
ngx_rbl_app_errors_decode(ngx_rbl_ctx_t *ctx, const redisReply *reply,
    rbl_refusal_t *all)
{
    size_t                 i;
    ngx_uint_t             n;
    ngx_rbl_app_errors_t  *errors;

    n = 0;
    errors = ctx->data;

    for (i = 0; i < rbl_reply_len(reply); i++) {
        if (rbl_refusal_decode(&all[n], rbl_reply_str(rbl_reply_at(reply, i)))
            != RBL_OK)
        {
            (void) ngx_rbl_undecoded(ctx, "error log");
            continue;
        }

        n += errors->code == 0 || errors->code == all[n].code;
    }

    return n;
}


static int ngx_libc_cdecl
ngx_rbl_app_errors_order(const void *one, const void *two)
{
    const rbl_refusal_t  *a, *b;

    a = one;
    b = two;

    return (a->time < b->time) - (a->time > b->time);
}


static void
ngx_rbl_app_error_write(ngx_rbl_ctx_t *ctx, const rbl_refusal_t *error)
{
    char        time[RBL_TIME_LEN];
    rbl_doc_t  *doc;

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "time", rbl_time_rfc3339(time, error->time));
    rbl_doc_str(doc, "method", error->method);
    rbl_doc_str(doc, "path", error->path);
    rbl_doc_int(doc, "code", error->code);
    rbl_doc_str(doc, "message", error->message);
    rbl_doc_str(doc, "address", error->address);
    rbl_doc_close(doc);
}


/* Newest first.  Each worker adds its own errors once a second, so the entries
   that were read are sorted. */

static void
ngx_rbl_app_errors_answer(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    int64_t                k, end;
    ngx_uint_t             n;
    rbl_refusal_t         *all;
    ngx_rbl_list_t        *list;
    ngx_rbl_app_errors_t  *errors;

    errors = ctx->data;
    list = &errors->list;

    all = ngx_palloc(ctx->request->pool,
                     (rbl_reply_len(reply) + 1) * sizeof(rbl_refusal_t));

    if (all == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    n = ngx_rbl_app_errors_decode(ctx, reply, all);
    ngx_qsort(all, n, sizeof(rbl_refusal_t), ngx_rbl_app_errors_order);

    k = 0;
    end = (int64_t) n;

    if (errors->code) {
        list->total[0] = end;
        k = (list->page - 1) * list->page_size;
        end = ngx_min(end, k + list->page_size);
    }

    ngx_rbl_list_open(ctx, n * NGX_RBL_ERROR_GUESS);

    for ( /* void */ ; k < end; k++) {
        ngx_rbl_app_error_write(ctx, &all[k]);
    }

    ngx_rbl_list_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_app_errors = {
    .fields = ngx_rbl_app_errors_fields,
    .prepare = ngx_rbl_app_errors_prepare,
    .read = ngx_rbl_app_errors_read,
    .proceed = ngx_rbl_app_errors_proceed,
    .result = ngx_rbl_app_errors_answer
};
