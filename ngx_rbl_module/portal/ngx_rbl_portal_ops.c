/*
 * Calls that are operations of shared/op/: their families.  The module adds
 * that changes of users go to the index of mail addresses, and it judges names
 * of time zones.
 */

#include "ngx_rbl_auth.h"
#include "ngx_rbl_mail.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_ops.h"


#define NGX_RBL_HOOK_GUESS  512         /* octets of a receiver in an answer */
#define NGX_RBL_MUTE_GUESS  512         /* ... of a mute */
#define NGX_RBL_APP_GUESS   512         /* ... of an application */
#define NGX_RBL_USER_GUESS  640         /* ... of a user */
#define NGX_RBL_BILL_GUESS  2048        /* ... of a bill, or of payments */

#define NGX_RBL_USER_OP(name)                                                 \
    const ngx_rbl_op_t  ngx_rbl_op_##name =                                   \
        { .op = &rbl_op_##name, .result = ngx_rbl_user_result }


const ngx_rbl_family_t  ngx_rbl_family_hooks = {
    .resource = "webhook",
    .kind = RBL_SID_HOOK,
    .guess = NGX_RBL_HOOK_GUESS
};

const ngx_rbl_family_t  ngx_rbl_family_mutes = {
    .resource = "mute",
    .kind = RBL_SID_MUTE,
    .guess = NGX_RBL_MUTE_GUESS
};

const ngx_rbl_family_t  ngx_rbl_family_apps = {
    .resource = "application",
    .kind = RBL_SID_APP,
    .guess = NGX_RBL_APP_GUESS
};

const ngx_rbl_family_t  ngx_rbl_family_users = {
    .resource = "user",
    .kind = RBL_SID_USER,
    .guess = NGX_RBL_USER_GUESS
};

const ngx_rbl_family_t  ngx_rbl_family_account = {
    .resource = "account",
    .kind = RBL_SID_ACCOUNT
};

const ngx_rbl_family_t  ngx_rbl_family_bill = {
    .resource = "source",
    .kind = RBL_SID_SOURCE,
    .guess = NGX_RBL_BILL_GUESS
};


static void
ngx_rbl_user_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_run_t  *run;

    run = &ctx->run;
    ngx_rbl_write_result(ctx, reply);

    if (run->removed) {
        ngx_rbl_mail_remove(ctx, run->mail, rbl_sid_str(&run->id));

    } else {
        ngx_rbl_mail_add(ctx, run->mail, rbl_sid_str(&run->id),
                         run->confirmed);
    }
}


NGX_RBL_USER_OP(user_add);
NGX_RBL_USER_OP(user_link);
NGX_RBL_USER_OP(user_delete);


static void
ngx_rbl_account_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t  zone;

    zone = rbl_text(&ctx->run, RBL_ACCOUNT_TIMEZONE);

    if (zone.p != NULL && !ngx_rbl_timezone_known(ctx->request, zone)) {
        rbl_invalid(&ctx->run, "timezone");
        return;
    }

    ngx_rbl_write_prepare(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_account_update = {
    .op = &rbl_op_account_update,
    .prepare = ngx_rbl_account_prepare
};
