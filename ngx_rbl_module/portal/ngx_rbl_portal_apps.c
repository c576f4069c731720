/*
 * apps and app/ID: the applications of an account.  Only app/ID has the tokens:
 * the hash `tokens` names those of the whole account, whose number is limited,
 * and a second round reads the records of its own.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_apps.h"
#include "ngx_rbl_auth.h"
#include "ngx_rbl_portal.h"

#include "rbl_time.h"

#define NGX_RBL_APP_GUESS   256         /* octets of one in an answer */
#define NGX_RBL_APP_TOKENS  1000        /* read at most */

enum {                                  /* commands of app/ID */
    NGX_RBL_APP_RECORD = 0,
    NGX_RBL_APP_FIELDS
};


typedef struct {
    rbl_sid_t    id;
    rbl_str_t    raw;
    ngx_uint_t   n;                     /* tokens */
    char       (*fields)[NGX_RBL_FIELD_LEN];
} ngx_rbl_app_t;

typedef struct {
    rbl_str_t    field;
    rbl_token_t  token;
} ngx_rbl_app_row_t;


static const ngx_rbl_outcome_t  ngx_rbl_app_refusals[] = {
    NGX_RBL_UNKNOWN_ID("APP", "application"),
    { "REVOKED", NGX_HTTP_CONFLICT, "The application is revoked." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "An account may have at most %L applications." },
    { "TOKENS", NGX_HTTP_CONFLICT,
      "An account may have at most %L tokens. Please revoke one first." },
    { "MOST", NGX_HTTP_CONFLICT,
      "An application may have at most %L tokens. Please revoke one first." },
    { "TOKEN", NGX_HTTP_NOT_FOUND,
      "No token of this application begins with these digits." },
    { "MANY", NGX_HTTP_CONFLICT,
      "Several tokens begin with these digits. Please give more digits." },
    { NULL, 0, NULL }
};


static int
ngx_rbl_app_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    if (ngx_rbl_app_open(ctx, key, raw) != NGX_OK) {
        return 0;
    }

    rbl_doc_close(&ctx->doc);

    return 1;
}


const ngx_rbl_family_t  ngx_rbl_family_apps = {
    .resource = "application",
    .kind = RBL_SID_APP,
    .index = "apps",
    .total = { { "apps", "total_applications" } },
    .guess = NGX_RBL_APP_GUESS,
    .write = ngx_rbl_app_write,
    .refusals = ngx_rbl_app_refusals,
    .secret = 1
};


static void
ngx_rbl_app_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_app_t  *app;

    app = ngx_rbl_data(ctx, sizeof(ngx_rbl_app_t));

    if (app == NULL
        || ngx_rbl_path_sid(ctx, RBL_SID_APP, ctx->route->family->resource,
                            &app->id)
           != NGX_OK)
    {
        return;
    }

    ngx_rbl_ask(ctx, "GET", "s", rbl_sid_str(&app->id), 0, NULL);
    ngx_rbl_ask(ctx, "HGETALL", "tokens", RBL_STR(""), 0, NULL);
}


static void
ngx_rbl_app_record(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    char           *p;
    ngx_rbl_app_t  *app;

    app = ctx->data;

    if (raw.p == NULL) {
        ngx_rbl_unknown_id(ctx, ctx->route->family->resource);
        return;
    }

    p = ngx_rbl_room(ctx, raw.n + 1);

    if (p != NULL) {
        ngx_memcpy(p, raw.p, raw.n);
        app->raw = (rbl_str_t) { p, raw.n };
    }
}


/* Keeps the fields of its own tokens. */

static void
ngx_rbl_app_fields(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t          i, n;
    rbl_str_t       field;
    ngx_rbl_app_t  *app;

    app = ctx->data;
    n = ngx_min(rbl_reply_len(reply) / 2, NGX_RBL_APP_TOKENS);

    app->fields = ngx_palloc(ctx->request->pool, n * NGX_RBL_FIELD_LEN + 1);

    if (app->fields == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (i = 0; i < n; i++) {
        field = rbl_reply_str(rbl_reply_at(reply, 2 * i));

        if (field.n == NGX_RBL_FIELD_LEN
            && rbl_str_eq(rbl_reply_str(rbl_reply_at(reply, 2 * i + 1)),
                          rbl_sid_str(&app->id)))
        {
            ngx_memcpy(app->fields[app->n++], field.p, NGX_RBL_FIELD_LEN);
        }
    }
}


static void
ngx_rbl_app_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    if (i == NGX_RBL_APP_RECORD) {
        ngx_rbl_app_record(ctx, rbl_reply_str(reply));

    } else {
        ngx_rbl_app_fields(ctx, reply);
    }
}


static int ngx_libc_cdecl
ngx_rbl_app_order(const void *one, const void *two)
{
    const ngx_rbl_app_row_t  *a, *b;

    a = one;
    b = two;

    return (a->token.created > b->token.created)
           - (a->token.created < b->token.created);
}


/* Oldest first; nil: ended meanwhile. */

static void
ngx_rbl_app_tokens(ngx_rbl_ctx_t *ctx, ngx_uint_t n, redisReply *const *record)
{
    ngx_uint_t          i, k;
    ngx_rbl_app_t      *app;
    ngx_rbl_app_row_t  *rows;

    app = ctx->data;

    rows = ngx_palloc(ctx->request->pool, n * sizeof(ngx_rbl_app_row_t) + 1);

    if (rows == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (i = 0, k = 0; i < n; i++) {
        rows[k].field = (rbl_str_t) { app->fields[i], NGX_RBL_FIELD_LEN };
        k += rbl_token_decode(&rows[k].token, rbl_reply_str(record[i]))
             == RBL_OK;
    }

    ngx_qsort(rows, k, sizeof(ngx_rbl_app_row_t), ngx_rbl_app_order);

    for (i = 0; i < k; i++) {
        ngx_rbl_app_token(ctx, rows[i].field, rows[i].token.status,
                          rows[i].token.created);
    }
}


static void
ngx_rbl_app_answer(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    redisReply *const *record)
{
    ngx_rbl_app_t  *app;

    app = ctx->data;

    ngx_rbl_open(ctx, NGX_RBL_APP_GUESS * (n + 1), "OK");

    if (ngx_rbl_app_open(ctx, "data", app->raw) != NGX_OK) {
        return;
    }

    rbl_doc_array(&ctx->doc, "tokens");
    ngx_rbl_app_tokens(ctx, n, record);
    rbl_doc_close(&ctx->doc);

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_app_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t      *fields;
    ngx_uint_t      i;
    ngx_rbl_app_t  *app;

    app = ctx->data;

    if (app->n == 0) {
        ngx_rbl_app_answer(ctx, 0, NULL);
        return;
    }

    fields = ngx_palloc(ctx->request->pool, app->n * sizeof(rbl_str_t));

    if (fields == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (i = 0; i < app->n; i++) {
        fields[i] = (rbl_str_t) { app->fields[i], NGX_RBL_FIELD_LEN };
    }

    ngx_rbl_next_records(ctx, "token", app->n, fields);
}


static void
ngx_rbl_app_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_app_t  *app;

    app = ctx->data;

    if (rbl_reply_len(reply) == app->n) {
        ngx_rbl_app_answer(ctx, app->n, reply->element);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_app = {
    .prepare = ngx_rbl_app_prepare,
    .read = ngx_rbl_app_read,
    .proceed = ngx_rbl_app_proceed,
    .result = ngx_rbl_app_result
};


ngx_int_t
ngx_rbl_app_open(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    char        created[RBL_TIME_LEN];
    size_t      n;
    int64_t     limits[RBL_LIMITS];
    rbl_mp_t    mp;
    rbl_app_t   app;
    rbl_doc_t  *doc;

    if (rbl_app_decode(&app, raw) != RBL_OK) {
        (void) ngx_rbl_undecoded(ctx, "application");
        return NGX_DECLINED;
    }

    doc = &ctx->doc;
    rbl_limits_decode(limits, app.limits);

    rbl_doc_object(doc, key);
    rbl_doc_str(doc, "id", app.id);
    rbl_doc_str(doc, "name", app.name);
    rbl_doc_str(doc, "status", app.status);
    rbl_doc_str(doc, "created", rbl_time_rfc3339(created, app.created));

    rbl_doc_object(doc, "limits");
    rbl_doc_int(doc, "hour", limits[RBL_LIMIT_HOUR]);
    rbl_doc_int(doc, "reads", limits[RBL_LIMIT_READS]);
    rbl_doc_int(doc, "writes", limits[RBL_LIMIT_WRITES]);
    rbl_doc_int(doc, "starts", limits[RBL_LIMIT_STARTS]);
    rbl_doc_close(doc);

    rbl_doc_array(doc, "allow");
    rbl_mp_init(&mp, app.allow);

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        rbl_doc_str(doc, NULL, rbl_mp_str(&mp));
    }

    rbl_doc_close(doc);

    return NGX_OK;
}


void
ngx_rbl_app_token(ngx_rbl_ctx_t *ctx, rbl_str_t field, rbl_str_t status,
    int64_t created)
{
    char        time[RBL_TIME_LEN];
    rbl_doc_t  *doc;

    doc = &ctx->doc;
    field.n = ngx_min(field.n, NGX_RBL_APP_DIGITS);

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "digits", field);
    rbl_doc_str(doc, "status", status);
    rbl_doc_str(doc, "created", rbl_time_rfc3339(time, created));
    rbl_doc_close(doc);
}
