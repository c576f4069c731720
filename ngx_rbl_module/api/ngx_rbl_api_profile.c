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

/* profile_add, profile_update: key and arguments before the entries */

#define NGX_RBL_PROFILE_ADD_ARGS     5
#define NGX_RBL_PROFILE_UPDATE_ARGS  6


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
static rbl_str_t *ngx_rbl_profile_args(ngx_rbl_ctx_t *ctx, ngx_int_t n);
static void ngx_rbl_profile_delete_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_profile_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_profile_word(ngx_rbl_ctx_t *ctx, rbl_str_t word,
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
    ngx_rbl_profile_word,
    NULL
};

const ngx_rbl_op_t  ngx_rbl_op_profile_update = {
    ngx_rbl_profile_names,
    ngx_rbl_profile_update_prepare,
    NULL,
    ngx_rbl_profile_update_proceed,
    NULL,
    NULL,
    ngx_rbl_profile_word,
    "Profile updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_profile_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_profile_delete_prepare,
    NULL,
    ngx_rbl_profile_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_profile_word,
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
    rbl_str_t          *argv;
    ngx_rbl_profile_t  *profile;

    profile = ctx->data;

    argv = ngx_rbl_profile_args(ctx, NGX_RBL_PROFILE_ADD_ARGS);
    if (argv == NULL) {
        return;
    }

    argv[1] = rbl_sid_str(&profile->profile);
    argv[2] = profile->name;
    argv[3] = profile->is_default == 1 ? RBL_STR("1") : RBL_STR("0");
    argv[4] = profile->n >= 0 ? RBL_STR("1") : RBL_STR("0");

    ngx_rbl_call(ctx, &rbl_script_profile_add,
                 NGX_RBL_PROFILE_ADD_ARGS + ngx_max(profile->n, 0), argv);
}


static void
ngx_rbl_profile_update_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t          *argv;
    ngx_rbl_profile_t  *profile;

    profile = ctx->data;

    argv = ngx_rbl_profile_args(ctx, NGX_RBL_PROFILE_UPDATE_ARGS);
    if (argv == NULL) {
        return;
    }

    argv[1] = rbl_sid_str(&profile->profile);
    argv[2] = profile->name.p ? RBL_STR("1") : RBL_STR("0");
    argv[3] = profile->name.p ? profile->name : RBL_STR("");
    argv[4] = profile->is_default == -1 ? RBL_STR("")
              : profile->is_default ? RBL_STR("1") : RBL_STR("0");
    argv[5] = profile->n >= 0 ? RBL_STR("1") : RBL_STR("0");

    ngx_rbl_call(ctx, &rbl_script_profile_update,
                 NGX_RBL_PROFILE_UPDATE_ARGS + ngx_max(profile->n, 0), argv);
}


/* Room for n arguments, and the entries behind them.  NULL: refused. */

static rbl_str_t *
ngx_rbl_profile_args(ngx_rbl_ctx_t *ctx, ngx_int_t n)
{
    ngx_int_t           i;
    rbl_str_t          *argv;
    ngx_rbl_profile_t  *profile;

    profile = ctx->data;

    argv = ngx_palloc(ctx->request->pool,
                      (n + ngx_max(profile->n, 0)) * sizeof(rbl_str_t));
    if (argv == NULL) {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    for (i = 0; i < profile->n; i++) {
        argv[n + i] = rbl_sid_str(&profile->entries[i]);
    }

    return argv;
}


static void
ngx_rbl_profile_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t           argv[2];
    ngx_rbl_profile_t  *profile;

    profile = ctx->data;
    argv[1] = rbl_sid_str(&profile->profile);

    ngx_rbl_call(ctx, &rbl_script_profile_delete, 2, argv);
}


static void
ngx_rbl_profile_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_profile_t  *profile;
    ngx_rbl_follows_t  *follows;

    profile = ctx->data;

    follows = ngx_rbl_profile_follows(ctx, rbl_reply_at(reply, 2));
    if (follows == NULL) {
        return;
    }

    ngx_rbl_open(ctx, NGX_RBL_PROFILE_GUESS, "Profile added successfully.");

    if (ngx_rbl_profile_render(ctx, "data",
                               rbl_reply_str(rbl_reply_at(reply, 1)),
                               profile->is_default == 1, follows))
    {
        ngx_rbl_close(ctx);
    }
}


static void
ngx_rbl_profile_word(ngx_rbl_ctx_t *ctx, rbl_str_t word,
    const redisReply *reply)
{
    int64_t  max;

    if (rbl_str_is(word, "PROFILE")) {
        ngx_rbl_unknown_id(ctx, "profile");

    } else if (rbl_str_is(word, "ENTRIES")) {
        ngx_rbl_invalid(ctx, "entries");

    } else if (rbl_str_is(word, "DEFAULT")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "This is the default profile. Make another one the "
                       "default instead.");

    } else if (rbl_str_is(word, "USED")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The profile is attached to a host.");

    } else if (rbl_str_is(word, "LAST")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The last profile cannot be deleted.");

    } else if (rbl_str_is(word, "LIMIT")) {
        max = rbl_reply_int(rbl_reply_at(reply, 1), 0);
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "An account may have at most %L profiles.", max);
    }
}
