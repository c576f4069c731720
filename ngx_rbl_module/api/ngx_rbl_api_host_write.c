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

/* host_update: key and arguments before the groups */

#define NGX_RBL_UPDATE_ARGS  5


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
static void ngx_rbl_plain_call(ngx_rbl_ctx_t *ctx, const rbl_script_t *script,
    rbl_str_t arg);


static const ngx_rbl_field_t  ngx_rbl_update_fields[] = {
    { ngx_string("name"), 0 },
    { ngx_string("rbl_profile"), 0 },
    { ngx_string("contact_group"), 1 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};


const ngx_rbl_op_t  ngx_rbl_op_host_update = {
    ngx_rbl_update_fields,
    ngx_rbl_update_prepare,
    NULL,
    ngx_rbl_update_proceed,
    NULL,
    NULL,
    ngx_rbl_host_word,
    "Host updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_pause = {
    ngx_rbl_no_fields,
    ngx_rbl_plain_prepare,
    NULL,
    ngx_rbl_pause_proceed,
    NULL,
    NULL,
    ngx_rbl_host_word,
    "Host paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_resume = {
    ngx_rbl_no_fields,
    ngx_rbl_plain_prepare,
    NULL,
    ngx_rbl_resume_proceed,
    NULL,
    NULL,
    ngx_rbl_host_word,
    "Host resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_plain_prepare,
    NULL,
    ngx_rbl_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_host_word,
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
    ngx_int_t          i;
    rbl_str_t         *argv;
    ngx_rbl_update_t  *update;

    update = ctx->data;

    argv = ngx_palloc(ctx->request->pool,
                      (NGX_RBL_UPDATE_ARGS + update->n) * sizeof(rbl_str_t));
    if (argv == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    argv[1] = rbl_sid_str(&update->host);
    argv[2] = update->name.p ? RBL_STR("1") : RBL_STR("0");
    argv[3] = update->name.p ? update->name : RBL_STR("");
    argv[4] = rbl_sid_str(&update->profile);

    for (i = 0; i < update->n; i++) {
        argv[NGX_RBL_UPDATE_ARGS + i] = rbl_sid_str(&update->groups[i]);
    }

    ngx_rbl_call(ctx, &rbl_script_host_update, NGX_RBL_UPDATE_ARGS + update->n,
                 argv);
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
    ngx_rbl_plain_call(ctx, &rbl_script_host_status, RBL_STR("paused"));
}


static void
ngx_rbl_resume_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_plain_call(ctx, &rbl_script_host_status, RBL_STR("active"));
}


static void
ngx_rbl_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    u_char     keep[NGX_INT64_LEN];
    rbl_str_t  text;

    text.p = (const char *) keep;
    text.n = ngx_sprintf(keep, "%M", ctx->conf->check_keep) - keep;

    ngx_rbl_plain_call(ctx, &rbl_script_host_delete, text);
}


static void
ngx_rbl_plain_call(ngx_rbl_ctx_t *ctx, const rbl_script_t *script,
    rbl_str_t arg)
{
    rbl_str_t          argv[3];
    ngx_rbl_update_t  *update;

    update = ctx->data;

    argv[1] = rbl_sid_str(&update->host);
    argv[2] = arg;

    ngx_rbl_call(ctx, script, 3, argv);
}


void
ngx_rbl_host_word(ngx_rbl_ctx_t *ctx, rbl_str_t word,
    const redisReply *reply)
{
    int64_t  max;

    if (rbl_str_is(word, "HOST")) {
        ngx_rbl_unknown_id(ctx, "host");

    } else if (rbl_str_is(word, "PROFILE")) {
        ngx_rbl_invalid(ctx, "rbl_profile");

    } else if (rbl_str_is(word, "GROUP")) {
        ngx_rbl_invalid(ctx, "contact_group");

    } else if (rbl_str_is(word, "GROUPS")) {
        max = rbl_reply_int(rbl_reply_at(reply, 1), 0);
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "A host may have at most %L contact groups.", max);

    } else if (rbl_str_is(word, "EXISTS")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The account has this host already.");

    } else if (rbl_str_is(word, "LIMIT")) {
        max = rbl_reply_int(rbl_reply_at(reply, 1), 0);
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The plan allows at most %L hosts.", max);
    }
}
