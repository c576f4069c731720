/*
 * me: the user of the session, and the account.  The user is known only once
 * the session is, so both are read in the second round.  In another account it
 * has the SID and the role of the operator, whose record is elsewhere.  With an
 * account that pays comes the state of its plan.
 */

#include "ngx_rbl_portal.h"

#include "rbl_ops.h"

enum {                                  /* of the reply */
    NGX_RBL_ME_ACCOUNT = 0,
    NGX_RBL_ME_WANTED,
    NGX_RBL_ME_USER,
    NGX_RBL_ME_BILL
};


static void
ngx_rbl_me_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t  account, wanted, user, bill;

    ngx_rbl_next_command(ctx, RBL_COMMAND("MGET",
        ngx_rbl_account_key(ctx, &account, "acct", RBL_STR("")),
        ngx_rbl_account_key(ctx, &wanted, "wanted", RBL_STR("")),
        ngx_rbl_account_key(ctx, &user, "user", rbl_sid_str(&ctx->user.sid)),
        ngx_rbl_account_key(ctx, &bill, "bill", RBL_STR(""))));
}


/* Nothing about money: all users may see it. */

static void
ngx_rbl_me_bill(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_bill_t  bill;

    if (raw.n == 0 || rbl_bill_decode(&bill, raw) != RBL_OK) {
        return;
    }

    rbl_doc_object(&ctx->doc, "bill");
    rbl_bill_state(&ctx->run, &ctx->doc, &bill);
    rbl_doc_close(&ctx->doc);
}


static void
ngx_rbl_me_write(ngx_rbl_ctx_t *ctx, const rbl_account_t *account,
    const rbl_user_t *user, rbl_str_t bill)
{
    rbl_doc_t  *doc;

    doc = &ctx->doc;

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_object(doc, "data");

    rbl_doc_object(doc, "user");
    rbl_doc_str(doc, "id", rbl_sid_str(&ctx->user.sid));
    rbl_doc_str(doc, "mail", user->mail);
    rbl_doc_str(doc, "name", user->name);
    rbl_doc_z(doc, "role", ngx_rbl_role_name(ctx->user.role));
    rbl_run_at(&ctx->run, doc, "since", ctx->user.since);
    rbl_doc_close(doc);

    rbl_doc_object(doc, "account");
    rbl_doc_str(doc, "id", account->id);
    rbl_doc_str(doc, "name", account->name);
    rbl_doc_str(doc, "timezone", account->timezone);
    rbl_doc_str(doc, "plan", account->plan);
    rbl_doc_int(doc, "interval", account->interval);
    rbl_doc_int(doc, "max_hosts", account->max_hosts);
    rbl_doc_int(doc, "max_contacts", account->max_contacts);
    rbl_doc_int(doc, "max_checks", account->max_checks);
    ngx_rbl_me_bill(ctx, bill);
    rbl_doc_close(doc);

    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_me_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_user_t     user;
    rbl_account_t  account;

    user.mail = user.name = RBL_STR("");

    if (rbl_account_now(&account,
                        rbl_reply_str(rbl_reply_at(reply, NGX_RBL_ME_ACCOUNT)),
                        rbl_reply_str(rbl_reply_at(reply, NGX_RBL_ME_WANTED)))
        != RBL_OK
        || (ctx->actor.n == 0
            && rbl_user_decode(&user,
                               rbl_reply_str(rbl_reply_at(reply,
                                                          NGX_RBL_ME_USER)))
               != RBL_OK))
    {
        /* deleted since the session was read */

        ngx_rbl_unauthorized(ctx);
        return;
    }

    ngx_rbl_me_write(ctx, &account, &user,
                     rbl_reply_str(rbl_reply_at(reply, NGX_RBL_ME_BILL)));
}


const ngx_rbl_op_t  ngx_rbl_op_me = {
    .proceed = ngx_rbl_me_proceed,
    .result = ngx_rbl_me_result
};
