/*
 * session/start: uses a link, starts a session and sets its cookie.  Without a
 * link see ngx_rbl_portal_identity.c.
 * session/end: ends the session, or all sessions of its user.
 *
 * The secret of a session is made here.  The store gets its SHA-256, and the
 * client the only copy.
 */

#include "ngx_rbl_mail.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_portal_session.h"
#include "ngx_rbl_write.h"


static const rbl_field_t  ngx_rbl_session_start_fields[] = {
    RBL_TEXT("link", RBL_SECRET, NULL, 0),
    RBL_TEXT("account", 0, NULL, 0),
    RBL_END
};

static const rbl_field_t  ngx_rbl_session_end_fields[] = {
    RBL_TEXT("everywhere", RBL_ZERO, rbl_flag,
             RBL_ARG(session_end, everywhere)),
    RBL_END
};

#define NGX_RBL_LINK_OVER                                                     \
    "This link has expired or was used. Please get a new one."

static const rbl_outcome_t  ngx_rbl_session_refusals[] = {
    { "LINK", NGX_HTTP_FORBIDDEN, NGX_RBL_LINK_OVER },
    { "USER", NGX_HTTP_FORBIDDEN, NGX_RBL_IDENTITY_UNKNOWN },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_sessions = {
    .resource = "session",
    .kind = RBL_SID_USER,
    .refusals = ngx_rbl_session_refusals
};


static void
ngx_rbl_session_start_link(ngx_rbl_ctx_t *ctx, rbl_str_t text)
{
    char                      hex[NGX_RBL_FIELD_LEN];
    u_char                    proof[32];
    ngx_str_t                 link, secret;
    rbl_session_start_args_t  args;

    link.data = (u_char *) text.p;
    link.len = text.n;

    if (ngx_rbl_session_parse(&link, &ctx->account, &secret) != NGX_OK
        || !ngx_rbl_secret_ok(&secret))
    {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, NGX_RBL_LINK_OVER);
        return;
    }

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_session_start_t)) == NULL) {
        return;
    }

    if (ngx_rbl_sha256(&secret, proof) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    args.link = ngx_rbl_secret_field(hex, proof);
    args.proof.p = (char *) proof;
    args.proof.n = sizeof(proof);
    args.user = RBL_STR("");
    args.mail = RBL_STR("");
    args.identity = RBL_STR("");

    ngx_rbl_session_begin(ctx, &args);
}


static void
ngx_rbl_session_start_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t  text;

    text = rbl_text(&ctx->run, 0);

    if (text.n == 0 && ctx->conf->portal_user < 0) {
        rbl_missing(&ctx->run, "link");

    } else if (!ngx_rbl_session_private(ctx)) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "Signing in needs https.");

    } else if (text.n == 0) {
        ngx_rbl_enter(ctx, rbl_text(&ctx->run, 1));

    } else {
        ngx_rbl_session_start_link(ctx, text);
    }
}


static void
ngx_rbl_session_started(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_session_user_t      user;
    ngx_rbl_session_start_t    *start;
    rbl_session_start_reply_t   said;

    start = ctx->data;

    if (start->read) {
        start->read(ctx, reply);
        return;
    }

    rbl_session_start_reply(&said, reply);

    if (said.word != RBL_SESSION_START_OK) {
        ngx_rbl_refuse_by(ctx, ctx->route->family->refusals, reply);
        return;
    }

    user.id = said.user;
    user.mail = said.mail;
    user.name = said.name;
    user.role = said.role;

    ngx_rbl_session_answer(ctx, start->cookie, &user);

    if (said.confirmed) {
        ngx_rbl_mail_add(ctx, user.mail, user.id, said.confirmed);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_session_start = {
    .fields = ngx_rbl_session_start_fields,
    .prepare = ngx_rbl_session_start_prepare,
    .result = ngx_rbl_session_started
};


static void
ngx_rbl_session_end_prepare(ngx_rbl_ctx_t *ctx)
{
    (void) rbl_run_fields(&ctx->run);
}


static void
ngx_rbl_session_end_proceed(ngx_rbl_ctx_t *ctx)
{
    char  hex[NGX_RBL_FIELD_LEN];

    ctx->run.argv[RBL_ARG(session_end, field)] =
        ngx_rbl_secret_field(hex, ctx->digest);

    ngx_rbl_write_proceed(ctx);
}


static void
ngx_rbl_session_ended(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    if (ngx_rbl_session_set(ctx, RBL_STR("")) != NGX_OK) {
        return;
    }

    ngx_rbl_open(ctx, 0, "Signed out successfully.");
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_session_end = {
    .script = &rbl_script_session_end,
    .fields = ngx_rbl_session_end_fields,
    .prepare = ngx_rbl_session_end_prepare,
    .proceed = ngx_rbl_session_end_proceed,
    .result = ngx_rbl_session_ended
};


ngx_uint_t
ngx_rbl_session_private(ngx_rbl_ctx_t *ctx)
{
    ngx_connection_t    *c;
    struct sockaddr_in  *sin;

    c = ctx->request->connection;

#if (NGX_HTTP_SSL)
    if (c->ssl != NULL) {
        return 1;
    }
#endif

    if (ngx_connection_local_sockaddr(c, NULL, 0) != NGX_OK) {
        return 0;
    }

    switch (c->local_sockaddr->sa_family) {

    case AF_INET:
        sin = (struct sockaddr_in *) c->local_sockaddr;
        return ntohl(sin->sin_addr.s_addr) >> 24 == 127;

#if (NGX_HAVE_INET6)
    case AF_INET6:
        return IN6_IS_ADDR_LOOPBACK(
                   &((struct sockaddr_in6 *) c->local_sockaddr)->sin6_addr);
#endif

    default:
        return c->local_sockaddr->sa_family == AF_UNIX;
    }
}


void
ngx_rbl_session_begin(ngx_rbl_ctx_t *ctx, rbl_session_start_args_t *args)
{
    char                      hex[NGX_RBL_FIELD_LEN], old[NGX_RBL_FIELD_LEN];
    u_char                    was[32];
    ngx_rbl_session_start_t  *start;

    start = ctx->data;

    if (ngx_rbl_session_secret(ctx, start->cookie, ctx->digest) != NGX_OK) {
        return;
    }

    args->field = ngx_rbl_secret_field(hex, ctx->digest);
    args->digest.p = (char *) ctx->digest;
    args->digest.n = sizeof(ctx->digest);
    ngx_rbl_session_before(ctx, old, was, &args->before, &args->was);

    ngx_rbl_run(ctx, session_start, args, 0);
}


void
ngx_rbl_session_answer(ngx_rbl_ctx_t *ctx, u_char cookie[NGX_RBL_COOKIE_LEN],
    const ngx_rbl_session_user_t *user)
{
    rbl_str_t  value = { (char *) cookie, NGX_RBL_COOKIE_LEN };

    if (ngx_rbl_session_set(ctx, value) != NGX_OK) {
        return;
    }

    ngx_rbl_open(ctx, 0, "Signed in successfully.");
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "account", rbl_sid_str(&ctx->account));
    rbl_doc_str(&ctx->doc, "user", user->id);
    rbl_doc_str(&ctx->doc, "mail", user->mail);
    rbl_doc_str(&ctx->doc, "name", user->name);
    rbl_doc_str(&ctx->doc, "role", user->role);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}
