/*
 * The users of an account, for its owners: operations that change the index of
 * mail addresses, too.
 */

#include "ngx_rbl_mail.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_ops.h"


#define NGX_RBL_USER_GUESS  640         /* octets of an answer */


const ngx_rbl_family_t  ngx_rbl_family_users = {
    .resource = "user",
    .kind = RBL_SID_USER,
    .guess = NGX_RBL_USER_GUESS
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


const ngx_rbl_op_t  ngx_rbl_op_user_add = {
    .op = &rbl_op_user_add,
    .result = ngx_rbl_user_result
};

const ngx_rbl_op_t  ngx_rbl_op_user_link = {
    .op = &rbl_op_user_link,
    .result = ngx_rbl_user_result
};

const ngx_rbl_op_t  ngx_rbl_op_user_delete = {
    .op = &rbl_op_user_delete,
    .result = ngx_rbl_user_result
};
