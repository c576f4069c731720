/*
 * session/begin: gives a challenge.  session/passkey: starts a session by a
 * passkey that signed it.  The round trips of the second call, each in one
 * partition, are
 *
 *   1. take the challenge out of the store, so that it is used once, even if
 *      the sign-in fails;
 *   2. read the passkey of the user that the authenticator names, and check the
 *      signature;
 *   3. start the session, by the script that judges user and counter.
 *
 * An unknown user, an unknown passkey and a wrong signature get one answer.
 */

#include "ngx_rbl_portal_passkey.h"

#include <openssl/crypto.h>

#define NGX_RBL_BEGUN_MOST  "300"       /* challenges an hour, of a network */
#define NGX_RBL_SIGNED_MAX  1024        /* octets of a signature */

enum {                                  /* fields */
    NGX_RBL_SIGNED_CREDENTIAL = 0,
    NGX_RBL_SIGNED_CLIENT,
    NGX_RBL_SIGNED_DATA,
    NGX_RBL_SIGNED_SIGNATURE,
    NGX_RBL_SIGNED_USER
};

typedef enum {
    NGX_RBL_SIGNED_CHALLENGE = 0,
    NGX_RBL_SIGNED_PASSKEY,
    NGX_RBL_SIGNED_SESSION
} ngx_rbl_signed_step_e;

typedef struct {
    ngx_rbl_signed_step_e  step;
    ngx_rbl_site_t         site;
    rbl_str_t              client, data, signature;     /* octets */
    rbl_passkey_auth_t     auth;        /* of data */
    rbl_sid_t              passkey, user;
    int64_t                begun;       /* the challenge was made (ms) */
    u_char                 cookie[NGX_RBL_COOKIE_LEN];
} ngx_rbl_signed_t;

typedef struct {
    ngx_rbl_site_t         site;
    u_char                 network[NGX_RBL_NETWORK_LEN];
    ngx_rbl_challenge_t    challenge;
} ngx_rbl_session_begin_t;


static const rbl_field_t  ngx_rbl_signed_fields[] = {
    RBL_TEXT("credential", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_TEXT("client_data", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_TEXT("authenticator_data", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_TEXT("signature", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_TEXT("user", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_END
};

#define NGX_RBL_SIGNED_WRONG                                                  \
    "This passkey does not sign in here. Please use another one, or a "       \
    "sign-in link."

#define NGX_RBL_SIGNED_LATE                                                   \
    "This took longer than five minutes. Please try again."

static const rbl_outcome_t  ngx_rbl_signed_refusals[] = {
    { "LATER", NGX_HTTP_TOO_MANY_REQUESTS,
      "Too many sign-ins were begun from this network. Please try again in "
      "%L seconds." },
    { "PASSKEY", NGX_HTTP_FORBIDDEN, NGX_RBL_SIGNED_WRONG },
    { "COUNTER", NGX_HTTP_FORBIDDEN, NGX_RBL_SIGNED_WRONG },
    { "ENDED", NGX_HTTP_FORBIDDEN,
      "All sessions of this user have ended meanwhile. Please try again." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_signed = {
    .resource = "passkey",
    .kind = RBL_SID_PASSKEY,
    .refusals = ngx_rbl_signed_refusals
};


/* All challenges of a network are in one partition, which counts them; in
   another one while that is away. */

static ngx_int_t
ngx_rbl_session_begin_make(ngx_rbl_ctx_t *ctx, ngx_rbl_session_begin_t *begin)
{
    u_char  digest[32];

    ngx_rbl_admit_network(ctx->request, begin->network);

    if (ngx_rbl_sha256(RBL_OCTETS(begin->network), digest) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    ngx_rbl_store_near(ctx->store, digest);

    return ngx_rbl_challenge_make(ctx, &begin->challenge, digest);
}


static void
ngx_rbl_session_begin_run(ngx_rbl_ctx_t *ctx,
    const ngx_rbl_session_begin_t *begin)
{
    char                       hex[2 * NGX_RBL_NETWORK_LEN];
    rbl_key_t                  key;
    rbl_challenge_new_args_t   args;

    ngx_hex_dump((u_char *) hex, (u_char *) begin->network,
                 NGX_RBL_NETWORK_LEN);

    args.challenge = ngx_rbl_challenge_key(ctx, &key, begin->challenge.hex);
    args.network = RBL_OCTETS(hex);
    args.most = RBL_STR(NGX_RBL_BEGUN_MOST);

    ctx->round.writes = 1;

    ngx_rbl_next_script(ctx, &rbl_script_challenge_new, RBL_ARGC(args),
                        args.argv);
}


static void
ngx_rbl_session_begin_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_session_begin_t  *begin;

    begin = ngx_rbl_data(ctx, sizeof(ngx_rbl_session_begin_t));

    if (begin != NULL && ngx_rbl_passkey_site(ctx, &begin->site) == NGX_OK
        && ngx_rbl_session_begin_make(ctx, begin) == NGX_OK)
    {
        ngx_rbl_session_begin_run(ctx, begin);
    }
}


static void
ngx_rbl_session_begun(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_session_begin_t  *begin;

    begin = ctx->data;

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "challenge",
                (rbl_str_t) { begin->challenge.text, begin->challenge.n });
    rbl_doc_str(&ctx->doc, "site", begin->site.name);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_session_begin = {
    .script = &rbl_script_challenge_new,
    .prepare = ngx_rbl_session_begin_prepare,
    .result = ngx_rbl_session_begun
};


static ngx_int_t
ngx_rbl_signed_user(ngx_rbl_ctx_t *ctx, ngx_rbl_signed_t *in)
{
    rbl_str_t  handle;

    if (ngx_rbl_passkey_field(ctx, NGX_RBL_SIGNED_USER, NGX_RBL_HANDLE_LEN,
                              &handle)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (handle.n != NGX_RBL_HANDLE_LEN) {
        rbl_invalid(&ctx->run, "user");
        return NGX_DECLINED;
    }

    rbl_sid_from_digest(&ctx->account, RBL_SID_ACCOUNT, (u_char *) handle.p);
    rbl_sid_from_digest(&in->user, RBL_SID_USER,
                        (u_char *) handle.p + NGX_RBL_HANDLE_LEN / 2);

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_signed_read(ngx_rbl_ctx_t *ctx, ngx_rbl_signed_t *in,
    char challenge[NGX_RBL_CHALLENGE_HEX])
{
    rbl_str_t  credential;

    if (ngx_rbl_passkey_field(ctx, NGX_RBL_SIGNED_CREDENTIAL,
                              RBL_PASSKEY_ID_MAX, &credential) != NGX_OK
        || ngx_rbl_passkey_field(ctx, NGX_RBL_SIGNED_CLIENT,
                                 RBL_PASSKEY_DATA_MAX, &in->client) != NGX_OK
        || ngx_rbl_passkey_field(ctx, NGX_RBL_SIGNED_DATA,
                                 RBL_PASSKEY_DATA_MAX, &in->data) != NGX_OK
        || ngx_rbl_passkey_field(ctx, NGX_RBL_SIGNED_SIGNATURE,
                                 NGX_RBL_SIGNED_MAX, &in->signature) != NGX_OK
        || ngx_rbl_signed_user(ctx, in) != NGX_OK
        || ngx_rbl_passkey_sid(ctx, &in->passkey, credential) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_rbl_passkey_client(challenge, in->client, "webauthn.get",
                               &in->site)
        != NGX_OK)
    {
        rbl_invalid(&ctx->run, "client_data");
        return NGX_DECLINED;
    }

    if (rbl_passkey_auth(&in->auth, in->data) != RBL_OK
        || in->auth.credential.n > 0
        || !ngx_rbl_passkey_right(&in->auth, &in->site))
    {
        rbl_invalid(&ctx->run, "authenticator_data");
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static void
ngx_rbl_signed_prepare(ngx_rbl_ctx_t *ctx)
{
    char               challenge[NGX_RBL_CHALLENGE_HEX];
    rbl_key_t          key;
    ngx_rbl_signed_t  *in;

    in = ngx_rbl_data(ctx, sizeof(ngx_rbl_signed_t));

    if (in == NULL) {
        return;
    }

    if (!ngx_rbl_session_private(ctx)) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, "Signing in needs https.");
        return;
    }

    if (ngx_rbl_passkey_site(ctx, &in->site) != NGX_OK
        || ngx_rbl_signed_read(ctx, in, challenge) != NGX_OK)
    {
        return;
    }

    ngx_rbl_next_command(ctx, RBL_COMMAND("GETDEL",
                         ngx_rbl_challenge_key(ctx, &key, challenge)));
    ctx->round.writes = 1;              /* the challenge is used */
}


static void
ngx_rbl_signed_challenge(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_signed_t  *in;

    in = ctx->data;

    if (rbl_int_parse(&in->begun, rbl_reply_str(reply), 1, INT64_MAX)
        != RBL_OK)
    {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, NGX_RBL_SIGNED_LATE);
        return;
    }

    ngx_rbl_next_ask(ctx, "HGET", "keys", rbl_sid_str(&in->user),
                     RBL_WORDS(rbl_sid_str(&in->passkey)));
}


static ngx_uint_t
ngx_rbl_signed_right(const ngx_rbl_signed_t *in, rbl_str_t raw)
{
    rbl_passkey_t  passkey;

    return raw.p != NULL && rbl_passkey_decode(&passkey, raw) == RBL_OK
           && passkey.rp.n == sizeof(in->site.digest)
           && CRYPTO_memcmp(passkey.rp.p, in->site.digest, passkey.rp.n) == 0
           && rbl_passkey_verify(passkey.key, in->data, in->client,
                                 in->signature)
              == RBL_OK;
}


static void
ngx_rbl_signed_run(ngx_rbl_ctx_t *ctx)
{
    char                         hex[NGX_RBL_FIELD_LEN], number[RBL_OUT_INT],
                                 begun[RBL_OUT_INT], old[NGX_RBL_FIELD_LEN];
    u_char                       was[32];
    ngx_rbl_signed_t            *in;
    rbl_session_passkey_args_t   args;

    in = ctx->data;

    if (ngx_rbl_session_secret(ctx, in->cookie, ctx->digest) != NGX_OK) {
        return;
    }

    args.passkey = rbl_sid_str(&in->passkey);
    args.user = rbl_sid_str(&in->user);
    args.counter = rbl_out_int_text(number, in->auth.counter);
    args.field = ngx_rbl_secret_field(hex, ctx->digest);
    args.digest = RBL_OCTETS(ctx->digest);
    args.begun = rbl_out_int_text(begun, in->begun);
    ngx_rbl_session_before(ctx, old, was, &args.before, &args.was);

    ngx_rbl_run(ctx, session_passkey, &args, 0);
}


static void
ngx_rbl_signed_passkey(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_signed_t  *in;

    in = ctx->data;

    if (ngx_rbl_signed_right(in, rbl_reply_str(reply))) {
        ngx_rbl_signed_run(ctx);
        return;
    }

    ngx_log_error(NGX_LOG_INFO, ctx->request->connection->log, 0,
                  "rbl: passkey %s of user %s refused", in->passkey.s,
                  in->user.s);
    ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, NGX_RBL_SIGNED_WRONG);
}


static void
ngx_rbl_signed_in(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_signed_t             *in;
    rbl_session_passkey_reply_t   said;

    in = ctx->data;
    rbl_session_passkey_reply(&said, reply);

    if (said.word == RBL_SESSION_PASSKEY_COUNTER) {
        ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                      "rbl: the counter of passkey %s of user %s went back to "
                      "%uD: there may be a copy of it", in->passkey.s,
                      in->user.s, in->auth.counter);
    }

    if (said.word != RBL_SESSION_PASSKEY_OK) {
        ngx_rbl_refuse_by(ctx, ngx_rbl_signed_refusals, reply);
        return;
    }

    ngx_rbl_session_answer(ctx, in->cookie, said.user, said.mail, said.name,
                           said.role);
}


static void
ngx_rbl_signed_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_signed_t  *in;

    in = ctx->data;

    switch (in->step++) {

    case NGX_RBL_SIGNED_CHALLENGE:
        ngx_rbl_signed_challenge(ctx, reply);
        return;

    case NGX_RBL_SIGNED_PASSKEY:
        ngx_rbl_signed_passkey(ctx, reply);
        return;

    default:
        ngx_rbl_signed_in(ctx, reply);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_session_passkey = {
    .fields = ngx_rbl_signed_fields,
    .prepare = ngx_rbl_signed_prepare,
    .result = ngx_rbl_signed_result
};
