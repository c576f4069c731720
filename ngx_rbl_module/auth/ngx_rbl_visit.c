/*
 * Operators are users of the account RBL_SID_OPERATORS.  They act in another
 * account by naming it in the query, `account=AC...`.
 *
 * The session is proven first, with the keys of the operators' account, in a
 * round of its own: a batch has the keys of one account.  Then ctx->account is
 * the account named, and the rest of the request is like one of its users.  An
 * operator has the role viewer or admin there, and works in suspended accounts,
 * too.  A visit that cannot be logged is refused.
 */

#include "ngx_rbl_visit.h"


/* The user is an operator, and the request acts in the operators' account. */

static ngx_uint_t
ngx_rbl_visit_home(const ngx_rbl_ctx_t *ctx)
{
    return ngx_memcmp(ctx->account.s, RBL_SID_OPERATORS, RBL_SID_LEN) == 0;
}


void
ngx_rbl_visit_named(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t  value;

    ctx->visiting = ctx->conf->portal
                    && ngx_http_arg(ctx->request, (u_char *) "account", 7,
                                    &value)
                       == NGX_OK;
}


void
ngx_rbl_visit_judge(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t  rc;
    rbl_str_t  text;
    ngx_str_t  value;

    rc = ngx_http_arg(ctx->request, (u_char *) "account", 7, &value);

    text.p = rc == NGX_OK ? (char *) value.data : "";
    text.n = rc == NGX_OK ? value.len : 0;

    if (rbl_sid_parse(&ctx->visit, RBL_SID_ACCOUNT, text) == RBL_OK) {
        if (ngx_memcmp(ctx->visit.s, ctx->account.s, RBL_SID_LEN) == 0) {
            ctx->visiting = 0;
            return;
        }

        if (ngx_rbl_visit_home(ctx)) {
            return;
        }
    }

    ngx_rbl_unknown_id(ctx, "account");
}


void
ngx_rbl_visit_begin(ngx_rbl_ctx_t *ctx)
{
    ctx->actor = ctx->account;
    ctx->account = ctx->visit;
    ctx->visiting = 0;
    ctx->admitted = 0;
    ctx->user.role = ngx_min(ctx->user.role, NGX_RBL_ROLE_ADMIN);
}


void
ngx_rbl_visit_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    rbl_key_t       key;
    rbl_audit_by_t  by;

    struct {
        rbl_account_visit_args_t  args;
        rbl_str_t                 by;
    } call;

    call.args.acct = ngx_rbl_account_key(ctx, &key, "acct", RBL_STR(""));
    call.args.user = rbl_sid_str(&ctx->user.sid);
    call.by = ngx_rbl_by(ctx, &by, RBL_STR("operator/visit"), NULL);

    ngx_rbl_batch_script(batch, &rbl_script_account_visit,
                         RBL_ARGC(call.args) + 1, call.args.argv);
}


void
ngx_rbl_visit_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_account_visit_reply_t  said;

    rbl_account_visit_reply(&said, reply);

    if (said.word == RBL_ACCOUNT_VISIT_ACCOUNT) {
        ngx_rbl_unknown_id(ctx, "account");

    } else if (said.word == RBL_ACCOUNT_VISIT_NO_REPLY) {
        ngx_rbl_internal(ctx);
    }
}


ngx_int_t
ngx_rbl_visit_may(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t   flags, home;
    const char  *why;

    flags = ctx->route->flags;
    home = ngx_rbl_visit_home(ctx);

    why = NULL;

    if (ctx->actor.n && (flags & NGX_RBL_SELF) == NGX_RBL_SELF) {
        why = "This call cannot be made in another account.";

    } else if (ctx->actor.n == 0 && home && !(flags & NGX_RBL_HOME)) {
        why = "An operator must name an account.";

    } else if (ctx->actor.n == 0 && !home
               && (flags & NGX_RBL_OPERATOR) == NGX_RBL_OPERATOR)
    {
        why = "This call is for operators.";
    }

    if (why == NULL) {
        return NGX_OK;
    }

    ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, "%s", why);

    return NGX_DECLINED;
}
