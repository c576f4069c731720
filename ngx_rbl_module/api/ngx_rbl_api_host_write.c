/*
 * Changes of hosts: update, pause, resume, delete.  Fields are judged before
 * anything is sent; what only the store can know (is the host there, does the
 * profile exist) is judged by the script, whose word becomes a refusal here.
 */

#include "ngx_rbl_api.h"


enum {
    NGX_RBL_UPDATE_NAME = 0,
    NGX_RBL_UPDATE_PROFILE,
    NGX_RBL_UPDATE_GROUP
};

typedef struct {
    rbl_str_t   name;                   /* p NULL: not given */
    rbl_sid_t   host;
    rbl_sid_t   profile;                /* n 0: not given */
    rbl_sid_t  *groups;
    ngx_int_t   n;
} ngx_rbl_update_t;


static void ngx_rbl_update_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_update_proceed(ngx_rbl_ctx_t *ctx);

static void ngx_rbl_plain_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_pause_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_resume_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_delete_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_host_status(ngx_rbl_ctx_t *ctx, rbl_str_t status);


static const ngx_rbl_field_t  ngx_rbl_update_fields[] = {
    { ngx_string("name"), 0 },
    { ngx_string("rbl_profile"), 0 },
    { ngx_string("contact_group"), 1 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};

const ngx_rbl_outcome_t  ngx_rbl_host_refusals[] = {
    NGX_RBL_UNKNOWN_ID("HOST", "host"),
    NGX_RBL_INVALID("PROFILE", "rbl_profile"),
    NGX_RBL_INVALID("GROUP", "contact_group"),
    { "GROUPS", NGX_HTTP_CONFLICT,
      "A host may have at most %L contact groups." },
    { "EXISTS", NGX_HTTP_CONFLICT,
      "The account has this host already." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "The plan allows at most %L hosts." },
    { NULL, 0, NULL }
};


const ngx_rbl_op_t  ngx_rbl_op_host_update = {
    ngx_rbl_update_fields,
    ngx_rbl_update_prepare,
    NULL,
    ngx_rbl_update_proceed,
    NULL,
    NULL,
    ngx_rbl_host_refusals,
    "Host updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_pause = {
    ngx_rbl_no_fields,
    ngx_rbl_plain_prepare,
    NULL,
    ngx_rbl_pause_proceed,
    NULL,
    NULL,
    ngx_rbl_host_refusals,
    "Host paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_resume = {
    ngx_rbl_no_fields,
    ngx_rbl_plain_prepare,
    NULL,
    ngx_rbl_resume_proceed,
    NULL,
    NULL,
    ngx_rbl_host_refusals,
    "Host resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_plain_prepare,
    NULL,
    ngx_rbl_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_host_refusals,
    "Host deleted successfully."
};


static void
ngx_rbl_update_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t          profile;
    ngx_rbl_update_t  *update;

    update = ngx_rbl_data(ctx, sizeof(ngx_rbl_update_t));
    if (update == NULL) {
        return;
    }

    update->name = ngx_rbl_text(ctx, NGX_RBL_UPDATE_NAME);

    if (update->name.p && ngx_rbl_label(ctx, update->name) != NGX_OK) {
        return;
    }

    profile = ngx_rbl_text(ctx, NGX_RBL_UPDATE_PROFILE);

    if (profile.p && rbl_sid_parse(&update->profile, RBL_SID_PROFILE, profile)
                     != RBL_OK)
    {
        ngx_rbl_invalid(ctx, "rbl_profile");
        return;
    }

    update->n = ngx_rbl_sids(ctx, NGX_RBL_UPDATE_GROUP, RBL_SID_GROUP,
                             &update->groups);

    if (update->n >= 0) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_HOST, "host", &update->host);
    }
}


static void
ngx_rbl_update_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_update_t        *update;
    rbl_host_update_args_t  *args;

    update = ctx->data;

    args = ngx_rbl_args(ctx, sizeof(rbl_host_update_args_t), update->n,
                        update->groups);
    if (args == NULL) {
        return;
    }

    args->host = rbl_sid_str(&update->host);
    args->named = update->name.p ? RBL_STR("1") : RBL_STR("0");
    args->name = update->name.p ? update->name : RBL_STR("");
    args->profile = rbl_sid_str(&update->profile);

    ngx_rbl_run(ctx, host_update, args, update->n);
}


/* Pause, resume, delete: nothing but the id. */

static void
ngx_rbl_plain_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_update_t  *update;

    update = ngx_rbl_data(ctx, sizeof(ngx_rbl_update_t));
    if (update == NULL) {
        return;
    }

    (void) ngx_rbl_path_sid(ctx, RBL_SID_HOST, "host", &update->host);
}


static void
ngx_rbl_pause_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_host_status(ctx, RBL_STR("paused"));
}


static void
ngx_rbl_resume_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_host_status(ctx, RBL_STR("active"));
}


static void
ngx_rbl_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    char                    keep[RBL_OUT_INT];
    ngx_rbl_update_t       *update;
    rbl_host_delete_args_t  args;

    update = ctx->data;

    args.host = rbl_sid_str(&update->host);
    args.keep = rbl_out_int_text(keep, ctx->conf->check_keep);

    ngx_rbl_run(ctx, host_delete, &args, 0);
}


static void
ngx_rbl_host_status(ngx_rbl_ctx_t *ctx, rbl_str_t status)
{
    ngx_rbl_update_t       *update;
    rbl_host_status_args_t  args;

    update = ctx->data;

    args.host = rbl_sid_str(&update->host);
    args.status = status;

    ngx_rbl_run(ctx, host_status, &args, 0);
}
