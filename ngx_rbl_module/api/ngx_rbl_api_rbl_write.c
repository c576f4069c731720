/*
 * Changes of custom lists: add, update, pause, resume, delete.  Whether a list
 * is the system's, the account's or nobody's is judged by the scripts.
 */

#include "ngx_rbl_api.h"
#include "rbl_own.h"


enum {
    NGX_RBL_RBL_TYPE = 0,
    NGX_RBL_RBL_HOST
};


typedef struct {
    rbl_sid_t  sid;
    rbl_str_t  type;                    /* p NULL: not given */
    char       buf[RBL_VALUE_MAX];
    rbl_str_t  host;                    /* canonical; n 0: not given */
} ngx_rbl_rbl_t;


static void ngx_rbl_rbl_add_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_rbl_update_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_rbl_plain_prepare(ngx_rbl_ctx_t *ctx);
static ngx_int_t ngx_rbl_rbl_fields(ngx_rbl_ctx_t *ctx, ngx_rbl_rbl_t *rbl);
static ngx_int_t ngx_rbl_rbl_zone(ngx_rbl_ctx_t *ctx, rbl_str_t zone);
static void ngx_rbl_rbl_zones(const ngx_array_t *zones, const rbl_str_t **name,
    size_t *n);
static void ngx_rbl_rbl_add_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_rbl_update_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_rbl_pause_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_rbl_resume_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_rbl_status(ngx_rbl_ctx_t *ctx, rbl_str_t status);
static void ngx_rbl_rbl_delete_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_rbl_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);


static const ngx_rbl_field_t  ngx_rbl_rbl_names[] = {
    { ngx_string("type"), 0 },
    { ngx_string("host"), 0 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};

static const ngx_rbl_outcome_t  ngx_rbl_rbl_refusals[] = {
    NGX_RBL_UNKNOWN_ID("RBL", "rbl"),
    { "SYSTEM", NGX_HTTP_FORBIDDEN,
      "A system RBL cannot be changed." },
    { "EXISTS", NGX_HTTP_CONFLICT,
      "The account has this RBL already." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "An account may have at most %L custom RBLs." },
    { NULL, 0, NULL }
};


const ngx_rbl_op_t  ngx_rbl_op_rbl_add = {
    ngx_rbl_rbl_names,
    ngx_rbl_rbl_add_prepare,
    NULL,
    ngx_rbl_rbl_add_proceed,
    ngx_rbl_rbl_add_result,
    NULL,
    ngx_rbl_rbl_refusals,
    NULL
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_update = {
    ngx_rbl_rbl_names,
    ngx_rbl_rbl_update_prepare,
    NULL,
    ngx_rbl_rbl_update_proceed,
    NULL,
    NULL,
    ngx_rbl_rbl_refusals,
    "RBL updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_pause = {
    ngx_rbl_no_fields,
    ngx_rbl_rbl_plain_prepare,
    NULL,
    ngx_rbl_rbl_pause_proceed,
    NULL,
    NULL,
    ngx_rbl_rbl_refusals,
    "RBL paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_resume = {
    ngx_rbl_no_fields,
    ngx_rbl_rbl_plain_prepare,
    NULL,
    ngx_rbl_rbl_resume_proceed,
    NULL,
    NULL,
    ngx_rbl_rbl_refusals,
    "RBL resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_rbl_plain_prepare,
    NULL,
    ngx_rbl_rbl_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_rbl_refusals,
    "RBL deleted successfully."
};


static void
ngx_rbl_rbl_add_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_t  *rbl;

    rbl = ngx_rbl_data(ctx, sizeof(ngx_rbl_rbl_t));
    if (rbl == NULL) {
        return;
    }

    if (ngx_rbl_text(ctx, NGX_RBL_RBL_TYPE).n == 0) {
        ngx_rbl_missing(ctx, "type");
        return;
    }

    if (ngx_rbl_text(ctx, NGX_RBL_RBL_HOST).n == 0) {
        ngx_rbl_missing(ctx, "host");
        return;
    }

    if (ngx_rbl_rbl_fields(ctx, rbl) == NGX_OK
        && rbl_sid_make(&rbl->sid, RBL_SID_LIST) != RBL_OK)
    {
        ngx_rbl_internal(ctx);
    }
}


static void
ngx_rbl_rbl_update_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_t  *rbl;

    rbl = ngx_rbl_data(ctx, sizeof(ngx_rbl_rbl_t));

    if (rbl != NULL && ngx_rbl_rbl_fields(ctx, rbl) == NGX_OK) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_LIST, "rbl", &rbl->sid);
    }
}


static void
ngx_rbl_rbl_plain_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_t  *rbl;

    rbl = ngx_rbl_data(ctx, sizeof(ngx_rbl_rbl_t));

    if (rbl != NULL) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_LIST, "rbl", &rbl->sid);
    }
}


static ngx_int_t
ngx_rbl_rbl_fields(ngx_rbl_ctx_t *ctx, ngx_rbl_rbl_t *rbl)
{
    rbl_str_t  host;

    rbl->type = ngx_rbl_text(ctx, NGX_RBL_RBL_TYPE);

    if (rbl->type.p && !rbl_str_is(rbl->type, "rbl")
        && !rbl_str_is(rbl->type, "uribl"))
    {
        ngx_rbl_invalid(ctx, "type");
        return NGX_DECLINED;
    }

    host = ngx_rbl_text(ctx, NGX_RBL_RBL_HOST);

    if (host.p == NULL) {
        return NGX_OK;
    }

    if (rbl_domain_parse(rbl->buf, &rbl->host, host) != RBL_OK) {
        ngx_rbl_invalid(ctx, "host");
        return NGX_DECLINED;
    }

    return ngx_rbl_rbl_zone(ctx, rbl->host);
}


/* Zones that only the site's own resolver knows are no list's. */

static ngx_int_t
ngx_rbl_rbl_zone(ngx_rbl_ctx_t *ctx, rbl_str_t zone)
{
    rbl_str_t            under;
    rbl_own_t            own;
    ngx_str_t            name;
    const char          *why;
    ngx_rbl_loc_conf_t  *rlcf;

    rlcf = ngx_http_get_module_loc_conf(ctx->request, ngx_rbl_module);

    ngx_rbl_rbl_zones(rlcf->refuse_zones, &own.refuse, &own.n_refuse);
    ngx_rbl_rbl_zones(rlcf->allow_zones, &own.allow, &own.n_allow);

    if (rbl_own_ok(&own, zone, &under, &why)) {
        return NGX_OK;
    }

    name.data = (u_char *) under.p;
    name.len = under.n;

    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid host value provided. A custom RBL cannot be in "
                   "\"%V\", which %s.", &name, why);

    return NGX_DECLINED;
}


static void
ngx_rbl_rbl_zones(const ngx_array_t *zones, const rbl_str_t **name, size_t *n)
{
    *name = zones != NULL ? zones->elts : NULL;
    *n = zones != NULL ? zones->nelts : 0;
}


static void
ngx_rbl_rbl_add_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_t      *rbl;
    rbl_rbl_add_args_t  args;

    rbl = ctx->data;

    args.list = rbl_sid_str(&rbl->sid);
    args.type = rbl->type.p ? rbl->type : RBL_STR("");
    args.zone = rbl->host.p ? rbl->host : RBL_STR("");

    ngx_rbl_run(ctx, rbl_add, &args, 0);
}


static void
ngx_rbl_rbl_update_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_t         *rbl;
    rbl_rbl_update_args_t  args;

    rbl = ctx->data;

    args.list = rbl_sid_str(&rbl->sid);
    args.type = rbl->type.p ? rbl->type : RBL_STR("");
    args.zone = rbl->host.p ? rbl->host : RBL_STR("");

    ngx_rbl_run(ctx, rbl_update, &args, 0);
}


static void
ngx_rbl_rbl_pause_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_status(ctx, RBL_STR("paused"));
}


static void
ngx_rbl_rbl_resume_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_status(ctx, RBL_STR("active"));
}


static void
ngx_rbl_rbl_status(ngx_rbl_ctx_t *ctx, rbl_str_t status)
{
    ngx_rbl_rbl_t         *rbl;
    rbl_rbl_status_args_t  args;

    rbl = ctx->data;

    args.list = rbl_sid_str(&rbl->sid);
    args.status = status;

    ngx_rbl_run(ctx, rbl_status, &args, 0);
}


static void
ngx_rbl_rbl_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbl_t         *rbl;
    rbl_rbl_delete_args_t  args;

    rbl = ctx->data;
    args.list = rbl_sid_str(&rbl->sid);

    ngx_rbl_run(ctx, rbl_delete, &args, 0);
}


static void
ngx_rbl_rbl_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_rbl_add_reply_t  said;

    rbl_rbl_add_reply(&said, reply);
    ngx_rbl_open(ctx, NGX_RBL_RBL_GUESS, "RBL added successfully.");

    if (ngx_rbl_rbl_object(ctx, "data", said.record)) {
        ngx_rbl_close(ctx);
    }
}
