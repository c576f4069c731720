/*
 * The index of users by their mail address.  It has a partition of its own, so
 * a change of it is a round of its own: before the user is made, and after the
 * user is deleted.
 */

#include "ngx_rbl_auth.h"
#include "ngx_rbl_mail.h"
#include "ngx_rbl_write.h"

#include "rbl_contact.h"


ngx_int_t
ngx_rbl_mail_parse(ngx_rbl_ctx_t *ctx, ngx_rbl_mail_t *mail, rbl_str_t text)
{
    char       parsed[RBL_CONTACT_MAX], *buf;
    ngx_str_t  folded;

    if (rbl_contact_parse(parsed, &text, RBL_CONTACT_EMAIL, text, NULL, 0)
        != RBL_OK)
    {
        return NGX_DECLINED;
    }

    buf = ngx_rbl_room(ctx, RBL_CONTACT_MAX);

    if (buf == NULL) {
        return NGX_ERROR;
    }

    mail->text = rbl_contact_fold(buf, text);
    folded.data = (u_char *) mail->text.p;
    folded.len = mail->text.n;

    if (ngx_rbl_auth_digest(&folded, mail->digest) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return NGX_OK;
}


rbl_str_t
ngx_rbl_mail_member(char buf[NGX_RBL_MAIL_MEMBER], rbl_str_t account,
    rbl_str_t user)
{
    char       *p;
    rbl_str_t   member = { buf, NGX_RBL_MAIL_MEMBER };

    p = (char *) ngx_cpymem(buf, account.p, RBL_SID_LEN);
    *p++ = ':';
    ngx_memcpy(p, user.p, RBL_SID_LEN);

    return member;
}


static void
ngx_rbl_mail_change(ngx_rbl_ctx_t *ctx, ngx_rbl_done_pt done, int argc,
    rbl_str_t *argv, rbl_str_t text, rbl_str_t user)
{
    char              member[NGX_RBL_MAIL_MEMBER];
    rbl_key_t         key;
    ngx_rbl_mail_t    mail;
    ngx_rbl_batch_t  *batch;

    if (ngx_rbl_mail_parse(ctx, &mail, text) != NGX_OK) {
        return;
    }

    batch = ngx_rbl_aside(ctx, done);

    if (batch == NULL) {
        return;
    }

    argv[1] = rbl_hash_key(&key, ngx_rbl_store_keyspace(ctx->store), "mail",
                           mail.digest);
    argv[argc - 1] = ngx_rbl_mail_member(member, rbl_sid_str(&ctx->account),
                                         user);

    ngx_rbl_batch_command(batch, argc, argv);
}


void
ngx_rbl_mail_add(ngx_rbl_ctx_t *ctx, rbl_str_t mail, rbl_str_t user)
{
    char       now[RBL_OUT_INT];
    rbl_str_t  argv[4];

    argv[0] = RBL_STR("ZADD");
    argv[2] = rbl_out_int_text(now, ngx_rbl_now());

    ngx_rbl_mail_change(ctx, ctx->next_done, 4, argv, mail, user);
}


void
ngx_rbl_mail_remove(ngx_rbl_ctx_t *ctx, rbl_str_t mail, rbl_str_t user)
{
    rbl_str_t  argv[3];

    argv[0] = RBL_STR("ZREM");

    ngx_rbl_mail_change(ctx, ctx->after_done, 3, argv, mail, user);
}


ngx_uint_t
ngx_rbl_mail_users(ngx_rbl_mail_user_t users[NGX_RBL_MAIL_USERS],
    const redisReply *reply, const rbl_sid_t *of)
{
    size_t                i;
    rbl_str_t             member, account, user;
    ngx_uint_t            n;
    ngx_rbl_mail_user_t  *u;

    n = 0;

    for (i = 0; i + 1 < rbl_reply_len(reply) && n < NGX_RBL_MAIL_USERS; i += 2)
    {
        u = &users[n];
        member = rbl_reply_str(rbl_reply_at(reply, i));

        if (member.n != NGX_RBL_MAIL_MEMBER || member.p[RBL_SID_LEN] != ':') {
            continue;
        }

        account.p = member.p;
        account.n = RBL_SID_LEN;
        user.p = member.p + RBL_SID_LEN + 1;
        user.n = RBL_SID_LEN;

        if (of->n && !rbl_str_eq(account, rbl_sid_str(of))) {
            continue;
        }

        n += rbl_sid_parse(&u->account, RBL_SID_ACCOUNT, account) == RBL_OK
             && rbl_sid_parse(&u->user, RBL_SID_USER, user) == RBL_OK
             && rbl_int_parse(&u->added,
                              rbl_reply_str(rbl_reply_at(reply, i + 1)), 0,
                              INT64_MAX)
                == RBL_OK;
    }

    return n;
}
