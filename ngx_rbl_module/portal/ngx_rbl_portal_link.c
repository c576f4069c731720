/*
 * session/link: mails links to the users with an address.
 *
 * Clients must not learn whether an address is known: the answer is the same,
 * and so are the round trips and what they write, and thus the time.  They are
 *
 *   1. count the request for the network of the client, which may be refused;
 *   2. count it for the address, and look the address up;
 *   3. make a link, NGX_RBL_MAIL_USERS times; without a user, if the address
 *      was sent too many, or if the partition of the user is away, for users
 *      that do not exist;
 *   4. remove members of the index that led to no user, or nothing.
 *
 * A round trip never leaves a partition.  Users that do not exist are in the
 * partition of the address, which has just answered.  A round trip that fails
 * from the third step on does not change the answer: a link may have been made
 * before, and a refusal would tell that the address is known.
 */

#include "ngx_rbl_mail.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#define NGX_RBL_LINK_NETWORK  30        /* requests an hour, of a network */
#define NGX_RBL_LINK_MAIL     3         /* of an address */


typedef enum {
    NGX_RBL_LINK_NET = 0,
    NGX_RBL_LINK_FIND,
    NGX_RBL_LINK_MAKE,
    NGX_RBL_LINK_CLEAN
} ngx_rbl_link_step_e;

typedef struct {
    ngx_rbl_link_step_e   step;
    ngx_rbl_mail_t        mail;
    ngx_uint_t            n;            /* users */
    ngx_uint_t            at;           /* the one in this round */
    ngx_uint_t            real;         /* this round is for a user */
    ngx_uint_t            gone;         /* bits: members that name no user */
    ngx_rbl_mail_user_t   user[NGX_RBL_MAIL_USERS];
} ngx_rbl_link_t;


static const rbl_field_t  ngx_rbl_link_fields[] = {
    RBL_TEXT("mail", RBL_NEEDED, NULL, 0),
    RBL_END
};


static void
ngx_rbl_link_ask(ngx_rbl_ctx_t *ctx, const u_char *digest, int64_t most)
{
    char                  number[RBL_OUT_INT];
    rbl_key_t             key;
    rbl_mail_ask_args_t   args;

    args.asked = rbl_hash_key(&key, ngx_rbl_store_keyspace(ctx->store),
                              "asked", digest);
    args.most = rbl_out_int_text(number, most);

    ngx_rbl_next_script(ctx, &rbl_script_mail_ask, RBL_ARGC(args), args.argv);
}


static void
ngx_rbl_link_network(ngx_rbl_ctx_t *ctx)
{
    u_char  octets[NGX_RBL_NETWORK_LEN], digest[32];

    ngx_rbl_admit_network(ctx->request, octets);

    if (ngx_rbl_sha256(RBL_OCTETS(octets), digest) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    /* any partition can count the requests of a network */

    ngx_rbl_store_near(ctx->store, digest);
    ngx_rbl_link_ask(ctx, digest, NGX_RBL_LINK_NETWORK);
}


static void
ngx_rbl_link_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t        text;
    ngx_int_t        rc;
    ngx_rbl_link_t  *link;

    if (ctx->conf->portal_url.len == 0) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "Links by mail are not configured here.");
        return;
    }

    text = rbl_text(&ctx->run, 0);

    if (text.n == 0) {
        rbl_missing(&ctx->run, "mail");
        return;
    }

    link = ngx_rbl_data(ctx, sizeof(ngx_rbl_link_t));

    if (link == NULL) {
        return;
    }

    rc = ngx_rbl_mail_parse(ctx, &link->mail, text);

    if (rc == NGX_OK) {
        ngx_rbl_link_network(ctx);

    } else if (rc == NGX_DECLINED) {
        rbl_invalid(&ctx->run, "mail");
    }
}


/* The first digits of an account choose its partition, as those of a digest
   choose that of a key. */

static ngx_int_t
ngx_rbl_link_nobody(ngx_rbl_ctx_t *ctx, rbl_sid_t *user)
{
    ngx_rbl_link_t  *link;

    link = ctx->data;

    if (rbl_sid_make(&ctx->account, RBL_SID_ACCOUNT) != RBL_OK
        || rbl_sid_make(user, RBL_SID_USER) != RBL_OK)
    {
        return NGX_ERROR;
    }

    ngx_hex_dump((u_char *) ctx->account.s + 2, link->mail.digest, 2);

    return NGX_OK;
}


/* Sets the account and the user of this round. */

static ngx_int_t
ngx_rbl_link_user(ngx_rbl_ctx_t *ctx, rbl_sid_t *user)
{
    ngx_rbl_link_t             *link;
    const rbl_keyspace_t       *ks;
    const ngx_rbl_mail_user_t  *known;

    link = ctx->data;
    ks = ngx_rbl_store_keyspace(ctx->store);
    known = &link->user[link->at];

    link->real = link->at < link->n
                 && ngx_rbl_store_has(ctx->store, rbl_partition(ks,
                                               rbl_sid_str(&known->account)));
    if (!link->real) {
        return ngx_rbl_link_nobody(ctx, user);
    }

    ctx->account = known->account;
    *user = known->user;

    return NGX_OK;
}


static void
ngx_rbl_link_make(ngx_rbl_ctx_t *ctx)
{
    char                   hex[NGX_RBL_FIELD_LEN];
    u_char                 text[NGX_RBL_COOKIE_LEN], digest[32];
    u_char                 secret[NGX_RBL_SECRET_LEN];
    rbl_sid_t              event, user;
    ngx_rbl_link_t        *link;
    rbl_user_mail_args_t   args;

    link = ctx->data;

    if (rbl_sid_make(&event, RBL_SID_EVENT) != RBL_OK
        || ngx_rbl_link_user(ctx, &user) != NGX_OK)
    {
        ngx_rbl_internal(ctx);
        return;
    }

    if (ngx_rbl_session_secret(ctx, text, digest) != NGX_OK) {
        return;
    }

    args.user = rbl_sid_str(&user);
    args.mail = link->mail.text;
    args.field = ngx_rbl_secret_field(hex, digest);
    args.digest = RBL_OCTETS(digest);

    /* the event has the digest in the place of the secret */

    ngx_memcpy(secret, text + RBL_SID_LEN + 1, sizeof(secret));
    ngx_hex_dump(text + RBL_SID_LEN + 1, digest, sizeof(digest));

    args.secret = RBL_OCTETS(secret);
    args.link = RBL_OCTETS(text);
    args.event = rbl_sid_str(&event);
    args.url = ngx_rbl_str(&ctx->conf->portal_url);
    args.from = ngx_rbl_str(&ctx->request->connection->addr_text);

    ngx_rbl_run(ctx, user_mail, &args, 0);
    ngx_explicit_memzero(secret, sizeof(secret));
}


static void
ngx_rbl_link_clean(ngx_rbl_ctx_t *ctx)
{
    int               argc;
    char              member[NGX_RBL_MAIL_USERS][NGX_RBL_MAIL_MEMBER];
    rbl_key_t         key;
    rbl_str_t         argv[3 + NGX_RBL_MAIL_USERS];
    ngx_uint_t        i;
    ngx_rbl_link_t   *link;

    link = ctx->data;
    argc = 0;
    argv[argc++] = RBL_STR("ZREM");
    argv[argc++] = rbl_hash_key(&key, ngx_rbl_store_keyspace(ctx->store),
                                "mail", link->mail.digest);
    argv[argc++] = RBL_STR("");

    for (i = 0; i < link->n; i++) {
        if (link->gone & (ngx_uint_t) 1 << i) {
            argv[argc++] = ngx_rbl_mail_member(member[i],
                                      rbl_sid_str(&link->user[i].account),
                                      rbl_sid_str(&link->user[i].user));
        }
    }

    ngx_rbl_next_command(ctx, argc, argv);
}


static void
ngx_rbl_link_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_link_t  *link;

    link = ctx->data;

    if (++link->at < NGX_RBL_MAIL_USERS) {
        ngx_rbl_link_make(ctx);
        return;
    }

    link->step = NGX_RBL_LINK_CLEAN;
    ngx_rbl_link_clean(ctx);
}


static void
ngx_rbl_link_made(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_link_t         *link;
    rbl_user_mail_reply_t   said;

    link = ctx->data;
    rbl_user_mail_reply(&said, reply);

    if (said.word == RBL_USER_MAIL_USER && link->real) {
        link->gone |= (ngx_uint_t) 1 << link->at;
    }

    ngx_rbl_link_proceed(ctx);
}


static void
ngx_rbl_link_answer(ngx_rbl_ctx_t *ctx)
{
    ngx_memzero(&ctx->account, sizeof(rbl_sid_t));
    ngx_rbl_open(ctx, 0, "If the address is that of a user, a link is on its "
                 "way to it. If none arrives within a few minutes, please try "
                 "again.");
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_link_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_link_t        *link;
    rbl_mail_ask_reply_t   said;

    link = ctx->data;

    switch (link->step) {

    case NGX_RBL_LINK_NET:
    case NGX_RBL_LINK_FIND:
        rbl_mail_ask_reply(&said, reply);

        if (said.word == RBL_MAIL_ASK_NO_REPLY) {
            return;                     /* refused: it is not understood */
        }

        if (link->step == NGX_RBL_LINK_FIND) {
            link->n = said.word == RBL_MAIL_ASK_OK
                      ? ngx_rbl_mail_users(link->user, said.users,
                                           &ctx->account)
                      : 0;
            link->step = NGX_RBL_LINK_MAKE;
            ngx_rbl_link_make(ctx);

        } else if (said.word == RBL_MAIL_ASK_OK) {
            link->step = NGX_RBL_LINK_FIND;
            ngx_rbl_link_ask(ctx, link->mail.digest, NGX_RBL_LINK_MAIL);

        } else {
            ngx_rbl_refuse_later(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                                 ngx_max(said.seconds, 1),
                                 "Too many links were requested from your "
                                 "network. Please try again later.");
        }

        return;

    case NGX_RBL_LINK_MAKE:
        ngx_rbl_link_made(ctx, reply);
        return;

    default:
        ngx_rbl_link_answer(ctx);
    }
}


/* A round may fail after its reply: no replica has the link. */

static ngx_int_t
ngx_rbl_link_failed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_link_t  *link;

    link = ctx->data;

    if (link == NULL || link->step < NGX_RBL_LINK_MAKE) {
        return NGX_DECLINED;
    }

    if (ctx->next != NULL || ctx->answered) {
        return NGX_OK;
    }

    if (link->step == NGX_RBL_LINK_MAKE) {
        ngx_rbl_link_proceed(ctx);

    } else {
        ngx_rbl_link_answer(ctx);
    }

    return NGX_OK;
}


const ngx_rbl_op_t  ngx_rbl_op_session_link = {
    .fields = ngx_rbl_link_fields,
    .prepare = ngx_rbl_link_prepare,
    .result = ngx_rbl_link_result,
    .failed = ngx_rbl_link_failed
};
