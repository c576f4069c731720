/*
 * passkeys: the passkeys of the user of the session.  passkey/begin gives a
 * challenge, and passkey/add the passkey that was made by it; passkey/rename,
 * passkey/delete.
 *
 * A challenge is 256 random bits, used once within five minutes, by the session
 * that asked for it.
 */

#include "ngx_rbl_portal_passkey.h"

#define NGX_RBL_PASSKEYS_MAX   16       /* of a user that are shown */
#define NGX_RBL_CHALLENGE_TTL  "300000" /* ms */

enum {                                  /* fields of add */
    NGX_RBL_PASSKEY_NAME = 0,
    NGX_RBL_PASSKEY_CLIENT,
    NGX_RBL_PASSKEY_ATTESTATION
};

enum {                                  /* replies of begin */
    NGX_RBL_BEGUN_CHALLENGE = 0,
    NGX_RBL_BEGUN_KEYS
};

typedef struct {
    ngx_rbl_site_t       site;
    ngx_rbl_challenge_t  challenge;
} ngx_rbl_passkey_begin_t;


static const rbl_field_t  ngx_rbl_passkey_add_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label,
             RBL_ARG(passkey_add, name)),
    RBL_TEXT("client_data", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_TEXT("attestation", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_END
};

static const rbl_field_t  ngx_rbl_passkey_rename_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label,
             RBL_ARG(passkey_name, name)),
    RBL_END
};

#define NGX_RBL_PASSKEY_WRONG                                                 \
    "The passkey cannot be added. Please try again."

static const rbl_outcome_t  ngx_rbl_passkey_refusals[] = {
    RBL_UNKNOWN_ID("PASSKEY", "passkey"),
    { "CHALLENGE", NGX_HTTP_CONFLICT,
      "This took longer than five minutes. Please try again." },
    { "USER", NGX_HTTP_CONFLICT, NGX_RBL_PASSKEY_WRONG },
    { "EXISTS", NGX_HTTP_CONFLICT, "This passkey is added already." },
    { "LIMIT", NGX_HTTP_CONFLICT, "A user may have at most %L passkeys." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_passkeys = {
    .resource = "passkey",
    .kind = RBL_SID_PASSKEY,
    .refusals = ngx_rbl_passkey_refusals
};


/* The user is known only once the session is. */

static void
ngx_rbl_passkeys_ask(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_next_ask(ctx, "HGETALL", "keys", rbl_sid_str(&ctx->user.sid), 0,
                     NULL);
}


/* Reads the records into an array, the oldest first; returns their number. */

static ngx_uint_t
ngx_rbl_passkeys_read(const redisReply *reply,
    rbl_passkey_t passkeys[NGX_RBL_PASSKEYS_MAX])
{
    size_t         i;
    ngx_uint_t     k, n;
    rbl_passkey_t  p;

    n = 0;

    for (i = 1; i < rbl_reply_len(reply) && n < NGX_RBL_PASSKEYS_MAX; i += 2) {
        if (rbl_passkey_decode(&p, rbl_reply_str(rbl_reply_at(reply, i)))
            != RBL_OK)
        {
            continue;
        }

        for (k = n++; k > 0 && passkeys[k - 1].made > p.made; k--) {
            passkeys[k] = passkeys[k - 1];
        }

        passkeys[k] = p;
    }

    return n;
}


static void
ngx_rbl_passkeys_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_doc_t      *doc;
    ngx_uint_t      k, n;
    rbl_passkey_t   passkeys[NGX_RBL_PASSKEYS_MAX], *p;

    doc = &ctx->doc;
    n = ngx_rbl_passkeys_read(reply, passkeys);

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_array(doc, "data");

    for (k = 0; k < n; k++) {
        p = &passkeys[k];

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "id", p->id);
        rbl_doc_str(doc, "name", p->name);
        rbl_run_at(&ctx->run, doc, "made", p->made);
        rbl_run_at(&ctx->run, doc, "used", p->used);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_passkeys = {
    .proceed = ngx_rbl_passkeys_ask,
    .result = ngx_rbl_passkeys_result
};


static void
ngx_rbl_passkey_begin_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_passkey_begin_t  *begin;

    begin = ngx_rbl_data(ctx, sizeof(ngx_rbl_passkey_begin_t));

    if (begin != NULL && ngx_rbl_passkey_site(ctx, &begin->site) == NGX_OK) {
        (void) ngx_rbl_challenge_make(ctx, &begin->challenge, NULL);
    }
}


static void
ngx_rbl_passkey_begin_proceed(ngx_rbl_ctx_t *ctx)
{
    char                      hex[NGX_RBL_FIELD_LEN];
    ngx_rbl_passkey_begin_t  *begin;

    begin = ctx->data;

    ngx_rbl_next_ask(ctx, "SET", "challenge",
        RBL_OCTETS(begin->challenge.hex),
        RBL_WORDS(ngx_rbl_secret_field(hex, ctx->digest), RBL_STR("PX"),
                  RBL_STR(NGX_RBL_CHALLENGE_TTL)));

    ngx_rbl_passkeys_ask(ctx);
}


/* The user by the digits of both SIDs, so that a sign-in needs no index. */

static void
ngx_rbl_passkey_begun_user(ngx_rbl_ctx_t *ctx)
{
    u_char       handle[NGX_RBL_HANDLE_LEN];
    ngx_uint_t   i;
    const char  *digits;

    for (i = 0; i < sizeof(handle); i++) {
        digits = i < sizeof(handle) / 2
                 ? ctx->account.s + 2 + 2 * i
                 : ctx->user.sid.s + 2 + 2 * i - sizeof(handle);
        handle[i] = (u_char) ngx_hextoi((u_char *) digits, 2);
    }

    ngx_rbl_passkey_write(ctx, "user", RBL_OCTETS(handle));
}


/* An authenticator makes no second passkey of a user. */

static void
ngx_rbl_passkey_begun(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_doc_t                *doc;
    ngx_uint_t                k, n;
    rbl_passkey_t             passkeys[NGX_RBL_PASSKEYS_MAX];
    ngx_rbl_passkey_begin_t  *begin;

    doc = &ctx->doc;
    begin = ctx->data;

    if (i == NGX_RBL_BEGUN_CHALLENGE) {
        if (rbl_reply_class(reply) != RBL_REPLY_OK) {
            ngx_rbl_internal(ctx);
        }

        return;
    }

    n = ngx_rbl_passkeys_read(reply, passkeys);

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "challenge",
                (rbl_str_t) { begin->challenge.text, begin->challenge.n });
    rbl_doc_str(doc, "site", begin->site.name);
    ngx_rbl_passkey_begun_user(ctx);
    rbl_doc_array(doc, "exclude");

    for (k = 0; k < n; k++) {
        ngx_rbl_passkey_write(ctx, NULL, passkeys[k].credential);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_passkey_begin = {
    .prepare = ngx_rbl_passkey_begin_prepare,
    .proceed = ngx_rbl_passkey_begin_proceed,
    .result = ngx_rbl_passkey_begun
};


static void
ngx_rbl_passkey_add_run(ngx_rbl_ctx_t *ctx, const ngx_rbl_site_t *site,
    const char *challenge, rbl_str_t attestation)
{
    char                 hex[NGX_RBL_FIELD_LEN], number[2][RBL_OUT_INT];
    int64_t              algorithm;
    rbl_str_t           *argv;
    rbl_passkey_auth_t   auth;

    if (rbl_passkey_attested(&auth, attestation) != RBL_OK
        || !ngx_rbl_passkey_right(&auth, site)
        || rbl_passkey_key(&algorithm, auth.key) != RBL_OK)
    {
        rbl_invalid(&ctx->run, "attestation");
        return;
    }

    argv = ctx->run.argv;

    if (ngx_rbl_passkey_sid(ctx, &ctx->run.id, auth.credential) != NGX_OK) {
        return;
    }

    argv[RBL_ARG_ID] = rbl_sid_str(&ctx->run.id);
    argv[RBL_ARG(passkey_add, user)] = rbl_sid_str(&ctx->user.sid);
    argv[RBL_ARG(passkey_add, session)] =
        ngx_rbl_secret_field(hex, ctx->digest);
    argv[RBL_ARG(passkey_add, challenge)] =
        (rbl_str_t) { challenge, NGX_RBL_CHALLENGE_HEX };
    argv[RBL_ARG(passkey_add, credential)] = auth.credential;
    argv[RBL_ARG(passkey_add, algorithm)] =
        rbl_out_int_text(number[0], algorithm);
    argv[RBL_ARG(passkey_add, key)] = auth.key;
    argv[RBL_ARG(passkey_add, counter)] =
        rbl_out_int_text(number[1], auth.counter);
    argv[RBL_ARG(passkey_add, rp)] = auth.rp;

    ngx_rbl_write_proceed(ctx);
}


static void
ngx_rbl_passkey_add_proceed(ngx_rbl_ctx_t *ctx)
{
    char            challenge[NGX_RBL_CHALLENGE_HEX];
    rbl_str_t       client, attestation;
    ngx_rbl_site_t  site;

    if (ngx_rbl_passkey_field(ctx, NGX_RBL_PASSKEY_CLIENT,
                              RBL_PASSKEY_DATA_MAX, &client) != NGX_OK
        || ngx_rbl_passkey_field(ctx, NGX_RBL_PASSKEY_ATTESTATION,
                                 RBL_PASSKEY_DATA_MAX, &attestation) != NGX_OK
        || ngx_rbl_passkey_site(ctx, &site) != NGX_OK)
    {
        return;
    }

    if (ngx_rbl_passkey_client(challenge, client, "webauthn.create", &site)
        != NGX_OK)
    {
        rbl_invalid(&ctx->run, "client_data");
        return;
    }

    ngx_rbl_passkey_add_run(ctx, &site, challenge, attestation);
}


static void
ngx_rbl_passkey_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "id", rbl_sid_str(&ctx->run.id));
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_passkey_add = {
    .script = &rbl_script_passkey_add,
    .fields = ngx_rbl_passkey_add_fields,
    .prepare = ngx_rbl_write_fields,
    .proceed = ngx_rbl_passkey_add_proceed,
    .result = ngx_rbl_passkey_added,
    .message = "Passkey added successfully."
};


/* In the arguments of both scripts the user follows the passkey. */

static void
ngx_rbl_passkey_own(ngx_rbl_ctx_t *ctx)
{
    ctx->run.argv[RBL_ARG(passkey_name, user)] =
        rbl_sid_str(&ctx->user.sid);

    ngx_rbl_write_proceed(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_passkey_rename = {
    .script = &rbl_script_passkey_name,
    .fields = ngx_rbl_passkey_rename_fields,
    .proceed = ngx_rbl_passkey_own,
    .message = "Passkey renamed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_passkey_delete = {
    .script = &rbl_script_passkey_delete,
    .proceed = ngx_rbl_passkey_own,
    .message = "Passkey deleted successfully."
};
