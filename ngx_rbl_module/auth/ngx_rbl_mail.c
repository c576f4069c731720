/*
 * The index of users by their mail address.  It has a partition of its own, so
 * a change of it is a round of its own, after that of the user.
 */

#include "ngx_rbl_auth.h"
#include "ngx_rbl_mail.h"
#include "ngx_rbl_write.h"

#include "rbl_contact.h"


ngx_int_t
ngx_rbl_mail_parse(ngx_rbl_ctx_t *ctx, ngx_rbl_mail_t *mail, rbl_str_t text)
{
    char  parsed[RBL_CONTACT_MAX], *buf;

    if (rbl_contact_parse(parsed, &text, RBL_CONTACT_EMAIL, text, NULL, 0)
        != RBL_OK)
    {
        return NGX_DECLINED;
    }

    buf = rbl_room(&ctx->run, RBL_CONTACT_MAX);

    if (buf == NULL) {
        return NGX_ERROR;
    }

    mail->text = rbl_contact_fold(buf, text);

    if (ngx_rbl_sha256(mail->text, mail->digest) != NGX_OK) {
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


static ngx_rbl_batch_t *
ngx_rbl_mail_change(ngx_rbl_ctx_t *ctx, rbl_key_t *key, rbl_str_t text)
{
    ngx_rbl_mail_t  mail;

    if (ngx_rbl_mail_parse(ctx, &mail, text) != NGX_OK) {
        return NULL;
    }

    (void) rbl_hash_key(key, ngx_rbl_store_keyspace(ctx->store), "mail",
                        mail.digest);

    return ngx_rbl_aside(ctx);
}


void
ngx_rbl_mail_add(ngx_rbl_ctx_t *ctx, rbl_str_t mail, rbl_str_t user,
    int64_t confirmed)
{
    char                  member[NGX_RBL_MAIL_MEMBER], ms[RBL_OUT_INT];
    rbl_key_t             key;
    ngx_rbl_batch_t      *batch;
    rbl_mail_put_args_t   args;

    batch = ngx_rbl_mail_change(ctx, &key, mail);

    if (batch != NULL) {
        args.mail = rbl_str(key.s);
        args.member = ngx_rbl_mail_member(member, rbl_sid_str(&ctx->account),
                                          user);
        args.confirmed = rbl_out_int_text(ms, confirmed);

        ngx_rbl_batch_script(batch, &rbl_script_mail_put, RBL_ARGC(args),
                             args.argv);
    }
}


void
ngx_rbl_mail_remove(ngx_rbl_ctx_t *ctx, rbl_str_t mail, rbl_str_t user)
{
    char              member[NGX_RBL_MAIL_MEMBER];
    rbl_key_t         key;
    ngx_rbl_batch_t  *batch;

    batch = ngx_rbl_mail_change(ctx, &key, mail);

    if (batch != NULL) {
        ngx_rbl_batch_command(batch, RBL_COMMAND("ZREM", rbl_str(key.s),
            ngx_rbl_mail_member(member, rbl_sid_str(&ctx->account), user)));
    }
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

        account = (rbl_str_t) { member.p, RBL_SID_LEN };
        user = (rbl_str_t) { member.p + RBL_SID_LEN + 1, RBL_SID_LEN };

        if (of->n && !rbl_str_eq(account, rbl_sid_str(of))) {
            continue;
        }

        /* the score is when the address was confirmed, "inf" if it never was
           (_mail.lua) */

        u->confirmed = !rbl_str_is(rbl_reply_str(rbl_reply_at(reply, i + 1)),
                                   "inf");
        n += rbl_sid_parse(&u->account, RBL_SID_ACCOUNT, account) == RBL_OK
             && rbl_sid_parse(&u->user, RBL_SID_USER, user) == RBL_OK;
    }

    return n;
}
