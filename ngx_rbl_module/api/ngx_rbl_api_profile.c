/*
 * Monitoring profiles.  A profile that uses the defaults shows the active
 * system lists, which are read with it.  The account names the default profile.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"

#include "rbl_view.h"


#define NGX_RBL_PROFILE_GUESS  640      /* octets of a profile in an answer */


typedef struct {
    ngx_uint_t   n;
    rbl_str_t   *sids;
} ngx_rbl_follows_t;


static const rbl_field_t  ngx_rbl_profile_add_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label,
             RBL_ARG(profile_add, name)),
    RBL_TEXT("is_default", RBL_ZERO, rbl_flag,
             RBL_ARG(profile_add, is_default)),
    RBL_SIDS("entries", RBL_LIST|RBL_EMPTY, RBL_SID_LIST,
             RBL_ARG(profile_add, given)),
    RBL_END
};

static const rbl_field_t  ngx_rbl_profile_update_fields[] = {
    RBL_TEXT("name", RBL_TOLD, rbl_label,
             RBL_ARG(profile_update, name)),
    RBL_TEXT("is_default", 0, rbl_flag,
             RBL_ARG(profile_update, is_default)),
    RBL_SIDS("entries", RBL_LIST|RBL_EMPTY, RBL_SID_LIST,
             RBL_ARG(profile_update, given)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_profile_refusals[] = {
    RBL_UNKNOWN_ID("PROFILE", "profile"),
    RBL_INVALID("ENTRIES", "entries"),
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


static int
ngx_rbl_profile_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    rbl_profile_t             profile;
    const ngx_rbl_follows_t  *follows;

    follows = ctx->more;

    if (follows == NULL || rbl_profile_decode(&profile, raw) != RBL_OK) {
        return ngx_rbl_undecoded(ctx, "profile");
    }

    rbl_view_profile(&ctx->doc, key, &profile,
                     rbl_str_eq(profile.id, rbl_sid_str(&ctx->profile)),
                     follows->n, follows->sids);

    return 1;
}


static void
ngx_rbl_profile_more(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch, ngx_uint_t n,
    const rbl_str_t *sids)
{
    ngx_rbl_ask_system(ctx, batch, "ZRANGE", "lists:active",
                       RBL_WORDS(RBL_STR("0"), RBL_STR("-1")));
}


static void
ngx_rbl_profile_more_read(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_follows_t  *follows;

    follows = ngx_pcalloc(ctx->request->pool, sizeof(ngx_rbl_follows_t));

    if (follows == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_list_add_sids(ctx, &follows->n, &follows->sids, RBL_SID_LIST,
                          reply);
    ctx->more = follows;
}


const ngx_rbl_family_t  ngx_rbl_family_profiles = {
    .resource = "profile",
    .kind = RBL_SID_PROFILE,
    .index = "profiles",
    .total = { { "profiles", "total_rbl_profiles" } },
    .guess = NGX_RBL_PROFILE_GUESS,
    .write = ngx_rbl_profile_write,
    .more = ngx_rbl_profile_more,
    .more_read = ngx_rbl_profile_more_read,
    .refusals = ngx_rbl_profile_refusals,
    .paid = 1
};


static void
ngx_rbl_profile_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_profile_add_reply_t  said;

    if (rbl_str_is(ctx->run.argv[RBL_ARG(profile_add, is_default)], "1")) {
        ctx->profile = ctx->run.id;
    }

    rbl_profile_add_reply(&said, reply);
    ngx_rbl_profile_more_read(ctx, said.follows);

    if (ctx->run.refusal == 0) {
        ngx_rbl_write_added(ctx, i, reply);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_profile_add = {
    .script = &rbl_script_profile_add,
    .fields = ngx_rbl_profile_add_fields,
    .result = ngx_rbl_profile_added,
    .message = "Profile added successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_profile_update = {
    .script = &rbl_script_profile_update,
    .fields = ngx_rbl_profile_update_fields,
    .message = "Profile updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_profile_delete = {
    .script = &rbl_script_chosen_delete,
    .value = "profiles",
    .message = "Profile deleted successfully."
};
