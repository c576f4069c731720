/*
 * Monitoring profiles: how they are read (the family of ngx_rbl_api_read.c) and
 * changed.  A profile that uses the defaults shows the active system lists,
 * which are read with it; which profile is the default is told by the account.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"

#include "rbl_view.h"


#define NGX_RBL_PROFILE_GUESS  640      /* octets of a profile in an answer */


enum {
    NGX_RBL_PROFILE_NAME = 0,
    NGX_RBL_PROFILE_DEFAULT,
    NGX_RBL_PROFILE_ENTRIES
};

typedef struct {
    ngx_uint_t   n;
    rbl_str_t   *sids;
} ngx_rbl_follows_t;

typedef struct {
    rbl_sid_t    profile;
    rbl_str_t    name;                  /* p NULL: not given */
    int          is_default;            /* -1: not given */
    rbl_sid_t   *entries;
    ngx_int_t    n;                     /* -1: not given */
} ngx_rbl_profile_t;


static int ngx_rbl_profile_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw);
static void ngx_rbl_profile_more(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    ngx_uint_t n, const rbl_str_t *sids);
static void ngx_rbl_profile_more_read(ngx_rbl_ctx_t *ctx,
    const redisReply *reply);
static int ngx_rbl_profile_render(ngx_rbl_ctx_t *ctx, const char *key,
    rbl_str_t raw, int is_default, const ngx_rbl_follows_t *follows);
static ngx_rbl_follows_t *ngx_rbl_profile_follows(ngx_rbl_ctx_t *ctx,
    const redisReply *reply);

static void ngx_rbl_profile_add_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_profile_update_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_profile_delete_prepare(ngx_rbl_ctx_t *ctx);
static ngx_int_t ngx_rbl_profile_fields(ngx_rbl_ctx_t *ctx,
    ngx_rbl_profile_t *profile);
static ngx_int_t ngx_rbl_profile_entries(ngx_rbl_ctx_t *ctx,
    ngx_rbl_profile_t *profile);
static void ngx_rbl_profile_add_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_profile_update_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_profile_delete_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_profile_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);


static const ngx_rbl_field_t  ngx_rbl_profile_names[] = {
    { ngx_string("name"), 0 },
    { ngx_string("is_default"), 0 },
    { ngx_string("entries"), 1 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};

static const ngx_rbl_outcome_t  ngx_rbl_profile_refusals[] = {
    NGX_RBL_UNKNOWN_ID("PROFILE", "profile"),
    NGX_RBL_INVALID("ENTRIES", "entries"),
    { "DEFAULT", NGX_HTTP_CONFLICT,
      "This is the default profile. Make another one the default instead." },
    { "USED", NGX_HTTP_CONFLICT,
      "The profile is attached to a host." },
    { "LAST", NGX_HTTP_CONFLICT,
      "The last profile cannot be deleted." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "An account may have at most %L profiles." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_profiles = {
    "profile", RBL_SID_PROFILE, "profiles",
    { { "profiles", "total_rbl_profiles" }, { NULL, NULL } }, 0,
    NGX_RBL_PROFILE_GUESS, ngx_rbl_profile_write, ngx_rbl_profile_more,
    ngx_rbl_profile_more_read, 1
};

const ngx_rbl_op_t  ngx_rbl_op_profile_add = {
    ngx_rbl_profile_names,
    ngx_rbl_profile_add_prepare,
    NULL,
    ngx_rbl_profile_add_proceed,
    ngx_rbl_profile_add_result,
    NULL,
    ngx_rbl_profile_refusals,
    NULL
};

const ngx_rbl_op_t  ngx_rbl_op_profile_update = {
    ngx_rbl_profile_names,
    ngx_rbl_profile_update_prepare,
    NULL,
    ngx_rbl_profile_update_proceed,
    NULL,
    NULL,
    ngx_rbl_profile_refusals,
    "Profile updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_profile_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_profile_delete_prepare,
    NULL,
    ngx_rbl_profile_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_profile_refusals,
    "Profile deleted successfully."
};


static int
ngx_rbl_profile_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    ngx_rbl_list_t  *list;

    list = ctx->data;

    return ngx_rbl_profile_render(ctx, NULL, raw, -1, list->more);
}


static void
ngx_rbl_profile_more(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch, ngx_uint_t n,
    const rbl_str_t *sids)
{
    rbl_str_t  all[2] = { RBL_STR("0"), RBL_STR("-1") };

    ngx_rbl_ask_system(ctx, batch, "ZRANGE", "lists:active", 2, all);
}


static void
ngx_rbl_profile_more_read(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_list_t  *list;

    list = ctx->data;
    list->more = ngx_rbl_profile_follows(ctx, reply);
}


/* is_default -1: as the account says. */

static int
ngx_rbl_profile_render(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw,
    int is_default, const ngx_rbl_follows_t *follows)
{
    rbl_profile_t  profile;

    if (follows == NULL || rbl_profile_decode(&profile, raw) != RBL_OK) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: a profile record could not be decoded");
        return 0;
    }

    if (is_default == -1) {
        is_default = rbl_str_eq(profile.id, rbl_sid_str(&ctx->profile));
    }

    rbl_view_profile(&ctx->doc, key, &profile, is_default, follows->n,
                     follows->sids);

    return 1;
}


/* SIDs of a reply, copied: the reply ends with its call.  NULL: refused. */

static ngx_rbl_follows_t *
ngx_rbl_profile_follows(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_list_t      list;
    ngx_rbl_follows_t  *follows;

    ngx_memzero(&list, sizeof(ngx_rbl_list_t));

    follows = ngx_palloc(ctx->request->pool, sizeof(ngx_rbl_follows_t));
    list.sids = ngx_palloc(ctx->request->pool,
                           ngx_max(rbl_reply_len(reply), 1)
                           * sizeof(rbl_str_t));

    if (follows == NULL || list.sids == NULL) {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    ngx_rbl_list_add_sids(ctx, &list, RBL_SID_LIST, reply);

    follows->n = list.n;
    follows->sids = list.sids;

    return follows;
}


static void
ngx_rbl_profile_add_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_profile_t  *profile;

    profile = ngx_rbl_data(ctx, sizeof(ngx_rbl_profile_t));
    if (profile == NULL) {
        return;
    }

    if (ngx_rbl_text(ctx, NGX_RBL_PROFILE_NAME).n == 0) {
        ngx_rbl_missing(ctx, "name");
        return;
    }

    if (ngx_rbl_profile_fields(ctx, profile) == NGX_OK
        && rbl_sid_make(&profile->profile, RBL_SID_PROFILE) != RBL_OK)
    {
        ngx_rbl_internal(ctx);
    }
}


static void
ngx_rbl_profile_update_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_profile_t  *profile;

    profile = ngx_rbl_data(ctx, sizeof(ngx_rbl_profile_t));

    if (profile != NULL && ngx_rbl_profile_fields(ctx, profile) == NGX_OK) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_PROFILE, "profile",
                                &profile->profile);
    }
}


static void
ngx_rbl_profile_delete_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_profile_t  *profile;

    profile = ngx_rbl_data(ctx, sizeof(ngx_rbl_profile_t));

    if (profile != NULL) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_PROFILE, "profile",
                                &profile->profile);
    }
}


static ngx_int_t
ngx_rbl_profile_fields(ngx_rbl_ctx_t *ctx, ngx_rbl_profile_t *profile)
{
    profile->name = ngx_rbl_text(ctx, NGX_RBL_PROFILE_NAME);
    profile->is_default = -1;

    if ((profile->name.p && ngx_rbl_label(ctx, profile->name) != NGX_OK)
        || ngx_rbl_flag(ctx, NGX_RBL_PROFILE_DEFAULT, &profile->is_default)
           != NGX_OK)
    {
        return NGX_DECLINED;
    }

    return ngx_rbl_profile_entries(ctx, profile);
}


/* Given and empty: no lists, which is not the same as not given. */

static ngx_int_t
ngx_rbl_profile_entries(ngx_rbl_ctx_t *ctx, ngx_rbl_profile_t *profile)
{
    const ngx_rbl_given_t  *given;

    given = &ctx->round.given[NGX_RBL_PROFILE_ENTRIES];

    if (given->first == NULL) {
        profile->n = -1;
        return NGX_OK;
    }

    if (given->first == given->last && given->first->text.n == 0) {
        profile->n = 0;
        return NGX_OK;
    }

    profile->n = ngx_rbl_sids(ctx, NGX_RBL_PROFILE_ENTRIES, RBL_SID_LIST,
                              &profile->entries);

    return profile->n < 0 ? NGX_DECLINED : NGX_OK;
}


static void
ngx_rbl_profile_add_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_profile_t       *profile;
    rbl_profile_add_args_t  *args;

    profile = ctx->data;

    args = ngx_rbl_args(ctx, sizeof(rbl_profile_add_args_t), profile->n,
                        profile->entries);
    if (args == NULL) {
        return;
    }

    args->profile = rbl_sid_str(&profile->profile);
    args->name = profile->name;
    args->is_default = profile->is_default == 1 ? RBL_STR("1") : RBL_STR("0");
    args->given = profile->n >= 0 ? RBL_STR("1") : RBL_STR("0");

    ngx_rbl_run(ctx, profile_add, args, ngx_max(profile->n, 0));
}


static void
ngx_rbl_profile_update_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_profile_t          *profile;
    rbl_profile_update_args_t  *args;

    profile = ctx->data;

    args = ngx_rbl_args(ctx, sizeof(rbl_profile_update_args_t), profile->n,
                        profile->entries);
    if (args == NULL) {
        return;
    }

    args->profile = rbl_sid_str(&profile->profile);
    args->named = profile->name.p ? RBL_STR("1") : RBL_STR("0");
    args->name = profile->name.p ? profile->name : RBL_STR("");
    args->is_default = profile->is_default == -1 ? RBL_STR("")
                       : profile->is_default ? RBL_STR("1") : RBL_STR("0");
    args->given = profile->n >= 0 ? RBL_STR("1") : RBL_STR("0");

    ngx_rbl_run(ctx, profile_update, args, ngx_max(profile->n, 0));
}


static void
ngx_rbl_profile_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_profile_t         *profile;
    rbl_profile_delete_args_t  args;

    profile = ctx->data;
    args.profile = rbl_sid_str(&profile->profile);

    ngx_rbl_run(ctx, profile_delete, &args, 0);
}


static void
ngx_rbl_profile_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_profile_t       *profile;
    ngx_rbl_follows_t       *follows;
    rbl_profile_add_reply_t  said;

    profile = ctx->data;
    rbl_profile_add_reply(&said, reply);

    follows = ngx_rbl_profile_follows(ctx, said.follows);
    if (follows == NULL) {
        return;
    }

    ngx_rbl_open(ctx, NGX_RBL_PROFILE_GUESS, "Profile added successfully.");

    if (ngx_rbl_profile_render(ctx, "data", said.record,
                               profile->is_default == 1, follows))
    {
        ngx_rbl_close(ctx);
    }
}
