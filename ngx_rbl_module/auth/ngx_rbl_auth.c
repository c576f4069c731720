/*
 * Authentication: credentials of a request, checked against the store.
 *
 * Those of the API are HTTP Basic: the user name is the account's SID and the
 * password is a token.  Those of the portal are the cookie of a session
 * (ngx_rbl_session.c): the account's SID and a secret of the same form.  The
 * store has only the SHA-256 of token or secret: the first eight bytes are the
 * key of the record, and the whole is compared in constant time.  Malformed
 * credentials are refused without a query.  Secrets are neither logged nor
 * kept.
 *
 * In a store that was emptied, credentials that it does not have prove nothing:
 * the answer is then 503, not 401.  A worker reads the meta data before it
 * refuses credentials, at most once a second, so that strangers cost no more
 * than before.
 */

#include "ngx_rbl_cache.h"
#include "ngx_rbl_logins.h"
#include "ngx_rbl_session.h"
#include "ngx_rbl_verdict.h"

#include "rbl_meta.h"

#include <openssl/crypto.h>


enum {                                  /* of the reply, if asked for */
    NGX_RBL_AUTH_ACCOUNT = 0,
    NGX_RBL_AUTH_TOKEN
};


/* The bytes that have the credentials. */

static ngx_int_t
ngx_rbl_auth_header(ngx_rbl_ctx_t *ctx, ngx_str_t *header)
{
    ngx_table_elt_t  *h;

    if (ctx->conf->portal) {
        return ngx_rbl_session_cookie(ctx->request, header);
    }

    h = ctx->request->headers_in.authorization;

    if (h == NULL) {
        return NGX_DECLINED;
    }

    *header = h->value;

    return NGX_OK;
}


ngx_int_t
ngx_rbl_auth_parse(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t             header, secret;
    ngx_rbl_login_name_t  name;

    if (ngx_rbl_auth_header(ctx, &header) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (ngx_rbl_login_recall(ctx, &header, &name) == NGX_OK) {
        return NGX_OK;
    }

    if (ctx->conf->portal) {
        if (ngx_rbl_session_parse(&header, &ctx->account, &secret) != NGX_OK) {
            return NGX_DECLINED;
        }

    } else {
        if (ngx_rbl_auth_claimed(ctx->request, &ctx->account) != NGX_OK) {
            return NGX_DECLINED;
        }

        secret = ctx->request->headers_in.passwd;
    }

    if (!ngx_rbl_secret_ok(&secret)) {
        return NGX_DECLINED;
    }

    if (ngx_rbl_sha256(ngx_rbl_str(&secret), ctx->digest) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_rbl_login_keep(ctx, &name);

    return NGX_OK;
}


ngx_int_t
ngx_rbl_auth_claimed(ngx_http_request_t *r, rbl_sid_t *account)
{
    ngx_str_t            cookie, secret;
    ngx_rbl_loc_conf_t  *rlcf;

    rlcf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);

    if (rlcf->portal) {
        return ngx_rbl_session_cookie(r, &cookie) == NGX_OK
               ? ngx_rbl_session_parse(&cookie, account, &secret)
               : NGX_DECLINED;
    }

    if (ngx_http_auth_basic_user(r) != NGX_OK) {
        return NGX_DECLINED;
    }

    return rbl_sid_parse(account, RBL_SID_ACCOUNT,
                         ngx_rbl_str(&r->headers_in.user))
           == RBL_OK ? NGX_OK : NGX_DECLINED;
}


void
ngx_rbl_auth_ask(ngx_rbl_ctx_t *ctx)
{
    char                   hex[NGX_RBL_FIELD_LEN];
    rbl_str_t             *argv, *last, alone[NGX_RBL_KEYS_BEFORE];
    rbl_key_t              account, token, chosen, totals, mark;
    const rbl_keyspace_t  *ks;

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

    ctx->remembered = ctx->round.counted && ctx->run.refusal == 0
                      && !ctx->repeated
                      && ngx_rbl_login_known(ctx);

    if (!ctx->remembered) {
        *--argv = rbl_account_key(&chosen, ks, "chosen",
                                  rbl_sid_str(&ctx->account), RBL_STR(""));
    }

    if (!ctx->remembered && ctx->actor.n == 0) {
        *--argv = rbl_account_key(&token, ks,
                                  ctx->conf->portal ? "session" : "token",
                                  rbl_sid_str(&ctx->account),
                                  ngx_rbl_secret_field(hex, ctx->digest));
    }

    if (!ctx->remembered) {
        *--argv = rbl_account_key(&account, ks, "acct",
                                  rbl_sid_str(&ctx->account), RBL_STR(""));
    }

    ctx->round.account_at = ctx->round.asks++;
    ctx->n_auth = last - argv;

    ngx_rbl_batch_records(ctx->batch, ctx->n_auth + ctx->round.n_records, argv);
}


static void
ngx_rbl_auth_token(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_token_t  token;

    if (rbl_token_decode(&token, raw) != RBL_OK
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


static void
ngx_rbl_auth_record(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t  raw;

    raw = rbl_reply_str(reply);

    if (raw.p != NULL) {
        ctx->conf->portal ? ngx_rbl_session_record(ctx, raw)
                          : ngx_rbl_auth_token(ctx, raw);
    }
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
ngx_rbl_auth_account(ngx_rbl_ctx_t *ctx, const redisReply *reply,
    const redisReply *defaults)
{
    rbl_str_t      raw;
    rbl_chosen_t   chosen;
    rbl_account_t  account;

    raw = rbl_reply_str(reply);

    if (raw.p == NULL || rbl_account_decode(&account, raw) != RBL_OK) {
        ctx->round.authenticated = 0;
        return;
    }

    ctx->interval = account.interval;
    ctx->created = account.created;

    if (rbl_chosen_decode(&chosen, rbl_reply_str(defaults)) == RBL_OK) {
        ngx_rbl_auth_default(&ctx->profile, chosen.profile);
        ngx_rbl_auth_default(&ctx->group, chosen.group);
    }

    ctx->suspended = !rbl_str_is(account.status, "active")
                     && ctx->actor.n == 0;
    ctx->paid = account.paid != 0 && account.lapsed == 0;
    ctx->lapsed = account.lapsed;
    ctx->kept = account.lapsed ? account.kept : 0;
    ctx->settled = account.settled != 0;
    ctx->timezone = ctx->conf->portal
                ? NULL : ngx_rbl_timezone(ctx->request, account.timezone);
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

    if (ctx->actor.n) {

        /* the session was proven before, and the visit is logged by the gate */

        ctx->round.authenticated = 1;
        ctx->round.limited = 1;

    } else {
        ngx_rbl_auth_record(ctx, rbl_reply_at(reply, NGX_RBL_AUTH_TOKEN));
    }

    if (ctx->round.authenticated) {
        ngx_rbl_auth_account(ctx, rbl_reply_at(reply, NGX_RBL_AUTH_ACCOUNT),
                             rbl_reply_at(reply, i - 1));
    }

    ngx_rbl_login_learn(ctx);
}


/* --- credentials that the store does not have ---------------------------- */

static void
ngx_rbl_unproven_emptied(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                   "The store has lost its data. Nothing was changed, "
                   "please try again later.");
}


static void
ngx_rbl_unproven_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    rbl_meta_t      meta;
    ngx_rbl_ctx_t  *ctx = data;

    if (reply->type != REDIS_REPLY_ARRAY) {
        return;
    }

    rbl_meta_read(&meta, reply);
    ngx_rbl_verdict_met(ctx->conf->store_index, meta.schema == -1);

    if (meta.schema == -1) {
        ngx_rbl_unproven_emptied(ctx);
    }
}


void
ngx_rbl_unproven(ngx_rbl_ctx_t *ctx, ngx_rbl_done_pt done)
{
    ngx_int_t              rc;
    rbl_key_t              key;
    const rbl_keyspace_t  *ks;

    rc = ngx_rbl_verdict_emptied(ctx->conf->store_index);

    if (rc == NGX_DECLINED) {
        ngx_rbl_unproven_emptied(ctx);
        return;
    }

    ngx_rbl_unauthorized(ctx);

    if (rc == NGX_OK) {
        ngx_rbl_unproven_done(ctx);
        return;
    }

    ctx->gate = ngx_rbl_batch_create(ctx->store, ngx_rbl_unproven_reply, done,
                                     ctx);

    if (ctx->gate == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ks = ngx_rbl_store_keyspace(ctx->store);

    ngx_rbl_batch_command(ctx->gate, RBL_COMMAND("HMGET",
                          rbl_meta_key(&key, ks), RBL_META_FIELDS));
}


void
ngx_rbl_unproven_done(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t  account;

    if (ctx->run.refusal == NGX_HTTP_UNAUTHORIZED) {
        account = rbl_sid_str(&ctx->account);

        ngx_log_error(NGX_LOG_INFO, ctx->request->connection->log, 0,
                      "rbl: login of %*s refused", account.n, account.p);
    }
}
