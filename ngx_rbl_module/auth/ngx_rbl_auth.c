/*
 * Authentication: HTTP Basic credentials, checked against the store.
 *
 * The user name is the account's SID and the password is a token.  The store
 * has only the SHA-256 of the token: the first eight bytes are the key of the
 * token record, and the whole is compared in constant time.  Malformed
 * credentials are refused without a query.  Passwords are neither logged nor
 * kept.
 */

#include "ngx_rbl_cache.h"
#include "ngx_rbl_logins.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>


#define NGX_RBL_TOKEN_LEN  64
#define NGX_RBL_FIELD_LEN  16           /* hex digits of the token's key */

enum {                                  /* of the reply, if asked for */
    NGX_RBL_AUTH_ACCOUNT = 0,
    NGX_RBL_AUTH_TOKEN
};


static ngx_int_t ngx_rbl_auth_digest(const ngx_str_t *token, u_char *digest);
static void ngx_rbl_auth_token(ngx_rbl_ctx_t *ctx, const redisReply *reply);
static void ngx_rbl_auth_default(rbl_sid_t *sid, rbl_str_t text);
static void ngx_rbl_auth_account(ngx_rbl_ctx_t *ctx, const redisReply *reply);


ngx_int_t
ngx_rbl_auth_parse(ngx_rbl_ctx_t *ctx)
{
    u_char                *p, *last;
    ngx_str_t             *token;
    ngx_http_request_t    *r;
    ngx_rbl_login_name_t   name;

    if (ngx_rbl_login_recall(ctx, &name) == NGX_OK) {
        return NGX_OK;
    }

    r = ctx->request;

    if (ngx_rbl_auth_claimed(r, &ctx->account) != NGX_OK) {
        return NGX_DECLINED;
    }

    token = &r->headers_in.passwd;

    if (token->len != NGX_RBL_TOKEN_LEN) {
        return NGX_DECLINED;
    }

    last = token->data + token->len;

    for (p = token->data; p < last; p++) {
        if ((*p < '0' || *p > '9') && (*p < 'a' || *p > 'f')) {
            return NGX_DECLINED;
        }
    }

    if (ngx_rbl_auth_digest(token, ctx->digest) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_rbl_login_keep(ctx, &name);

    return NGX_OK;
}


ngx_int_t
ngx_rbl_auth_claimed(ngx_http_request_t *r, rbl_sid_t *account)
{
    rbl_str_t  user;

    if (ngx_http_auth_basic_user(r) != NGX_OK) {
        return NGX_DECLINED;
    }

    user.p = (const char *) r->headers_in.user.data;
    user.n = r->headers_in.user.len;

    return rbl_sid_parse(account, RBL_SID_ACCOUNT, user) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


/*
 * One digest context per process: looking up the algorithm for each request
 * costs more than hashing.
 */

static EVP_MD_CTX  *md;


void
ngx_rbl_auth_done(void)
{
    EVP_MD_CTX_free(md);
    md = NULL;
    ngx_rbl_login_done();
}


static ngx_int_t
ngx_rbl_auth_digest(const ngx_str_t *token, u_char *digest)
{
    if (md == NULL) {
        md = EVP_MD_CTX_new();

        if (md == NULL) {
            return NGX_ERROR;
        }

        if (EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1) {
            EVP_MD_CTX_free(md);
            md = NULL;
            return NGX_ERROR;
        }
    }

    /* NULL: keep the algorithm of the context */

    if (EVP_DigestInit_ex(md, NULL, NULL) != 1
        || EVP_DigestUpdate(md, token->data, token->len) != 1
        || EVP_DigestFinal_ex(md, digest, NULL) != 1)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_rbl_auth_ask(ngx_rbl_ctx_t *ctx)
{
    u_char                 hex[NGX_RBL_FIELD_LEN];
    rbl_str_t             *argv, *last, field, alone[NGX_RBL_KEYS_BEFORE];
    rbl_key_t              account, token, totals, mark;
    const rbl_keyspace_t  *ks;

    ngx_hex_dump(hex, ctx->digest, NGX_RBL_FIELD_LEN / 2);

    field.p = (const char *) hex;
    field.n = NGX_RBL_FIELD_LEN;

    ks = ngx_rbl_store_keyspace(ctx->store);
    last = ctx->round.n_records ? ctx->round.records
                                : alone + NGX_RBL_KEYS_BEFORE;
    argv = last;

    if (ctx->round.marking) {
        *--argv = ngx_rbl_mark_key(ctx, &mark);
    }

    if (ctx->round.counted) {
        *--argv = rbl_account_key(&totals, ks, "totals",
                                  rbl_sid_str(&ctx->account), RBL_STR(""));
    }

    ctx->remembered = ctx->round.counted && ctx->refusal == 0 && !ctx->repeated
                      && ngx_rbl_login_known(ctx);

    if (!ctx->remembered) {
        *--argv = rbl_account_key(&token, ks, "token",
                                  rbl_sid_str(&ctx->account), field);
        *--argv = rbl_account_key(&account, ks, "acct",
                                  rbl_sid_str(&ctx->account), RBL_STR(""));
    }

    ctx->round.account_at = ctx->round.asks++;
    ctx->n_auth = last - argv;

    ngx_rbl_batch_records(ctx->batch, ctx->n_auth + ctx->round.n_records, argv);
}


void
ngx_rbl_auth_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t  i;

    if (rbl_reply_len(reply) != ctx->n_auth + ctx->round.n_records) {
        return;
    }

    i = ctx->n_auth;

    if (ctx->round.marking) {
        ngx_rbl_mark_read(ctx, rbl_reply_at(reply, --i));
    }

    if (ctx->round.counted) {
        ngx_rbl_totals_read(ctx, rbl_reply_at(reply, --i));
    }

    if (ctx->remembered) {
        if (!ctx->round.totalled || ngx_rbl_login_use(ctx) != NGX_OK) {
            (void) ngx_rbl_again(ctx);
        }

        return;
    }

    ngx_rbl_auth_token(ctx, rbl_reply_at(reply, NGX_RBL_AUTH_TOKEN));

    if (ctx->round.authenticated) {
        ngx_rbl_auth_account(ctx, rbl_reply_at(reply,
                                               NGX_RBL_AUTH_ACCOUNT));
    }

    ngx_rbl_login_learn(ctx);
}


static void
ngx_rbl_auth_token(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t    raw;
    rbl_token_t  token;

    raw = rbl_reply_str(reply);

    if (raw.p == NULL || rbl_token_decode(&token, raw) != RBL_OK
        || token.digest.n != sizeof(ctx->digest)
        || CRYPTO_memcmp(token.digest.p, ctx->digest, sizeof(ctx->digest))
           != 0
        || !rbl_str_is(token.status, "active")
        || rbl_sid_parse(&ctx->app, RBL_SID_APP, token.app) != RBL_OK)
    {
        return;
    }

    ctx->round.authenticated = 1;

    ngx_rbl_admit_token(ctx, &token);
}


/* The SID is compared and shown, so a malformed one is not accepted. */

static void
ngx_rbl_auth_default(rbl_sid_t *sid, rbl_str_t text)
{
    if (text.n == RBL_SID_LEN) {
        ngx_memcpy(sid->s, text.p, RBL_SID_LEN);
        sid->n = RBL_SID_LEN;
    }
}


static void
ngx_rbl_auth_account(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t      raw;
    rbl_account_t  account;

    raw = rbl_reply_str(reply);

    if (raw.p == NULL || rbl_account_decode(&account, raw) != RBL_OK) {
        ctx->round.authenticated = 0;
        return;
    }

    ctx->interval = account.interval;
    ctx->created = account.created;
    ngx_rbl_auth_default(&ctx->profile, account.profile);
    ngx_rbl_auth_default(&ctx->group, account.group);

    ctx->suspended = !rbl_str_is(account.status, "active");
    ctx->paid = account.paid != 0;
    ctx->zone = ngx_rbl_timezone(ctx->request, account.timezone);
}
