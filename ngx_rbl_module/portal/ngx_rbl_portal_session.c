/*
 * session/start: uses a link, starts a session and sets its cookie.
 * session/end: ends the session, or all sessions of its user.
 *
 * The secret of a session is made here.  The store gets its SHA-256, and the
 * client the only copy.
 *
 * session/start without a link: starts a session for the address that nginx
 * vouches for.  Its round trips are
 *
 *   1. look the address up;
 *   2. unless it is of one user, who has confirmed it or is of the account that
 *      the client names, read account and user of each; if one is right and has
 *      confirmed the address, that is it, else they are an answer, from which
 *      the client chooses, so that no account gets a sign-in by naming an
 *      address;
 *   3. start the session, by the script that judges the user.
 */

#include "ngx_rbl_identity.h"
#include "ngx_rbl_mail.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_contact.h"


#define NGX_RBL_IDENTITY_UNKNOWN                                              \
    "The server vouches for a mail address that no user of the portal has. "  \
    "Please ask its operator to add it (rblctl user add ACCOUNT MAIL)."

#define NGX_RBL_LINK_OVER                                                     \
    "This link has expired or was used. Please get a new one."

/* The last one that is looked at, if the client names the account: others may
   have had the address before. */
#define NGX_RBL_ENTER_ALL  "999"


/* The state of session/start; with a link, the first two are enough. */
typedef struct {
    u_char                    cookie[NGX_RBL_COOKIE_LEN];
    void                    (*read)(ngx_rbl_ctx_t *ctx,
                                  const redisReply *reply);
                                        /* gets the reply of this round; NULL:
                                           it is that of the script */
    ngx_rbl_mail_t            mail;
    rbl_sid_t                 account;  /* that the client names; n 0: none */
    ngx_uint_t                n;        /* users */
    ngx_uint_t                at;       /* the one in this round */
    ngx_rbl_mail_user_t       user[NGX_RBL_MAIL_USERS];
    rbl_str_t                 name[NGX_RBL_MAIL_USERS];   /* of the account */
    ngx_uint_t                right;    /* users that are right come first */
    ngx_uint_t                sure;     /* of them, that have confirmed it */
} ngx_rbl_enter_t;


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


static void ngx_rbl_enter_look(ngx_rbl_ctx_t *ctx);


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


/* Makes the secret of a session, and adds the script that starts it: sets field
   and digest of its arguments. */

static void
ngx_rbl_session_begin(ngx_rbl_ctx_t *ctx, rbl_session_start_args_t *args)
{
    char              hex[NGX_RBL_FIELD_LEN], old[NGX_RBL_FIELD_LEN];
    u_char            was[32];
    ngx_rbl_enter_t  *enter;

    enter = ctx->data;

    if (ngx_rbl_session_secret(ctx, enter->cookie, ctx->digest) != NGX_OK) {
        return;
    }

    args->field = ngx_rbl_secret_field(hex, ctx->digest);
    args->digest = RBL_OCTETS(ctx->digest);
    ngx_rbl_session_before(ctx, old, was, &args->before, &args->was);

    ngx_rbl_run(ctx, session_start, args, 0);
}


void
ngx_rbl_session_answer(ngx_rbl_ctx_t *ctx, u_char cookie[NGX_RBL_COOKIE_LEN],
    rbl_str_t id, rbl_str_t mail, rbl_str_t name, rbl_str_t role)
{
    rbl_str_t  value = { (char *) cookie, NGX_RBL_COOKIE_LEN };

    if (ngx_rbl_session_set(ctx, value) != NGX_OK) {
        return;
    }

    ngx_rbl_open(ctx, 0, "Signed in successfully.");
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "account", rbl_sid_str(&ctx->account));
    rbl_doc_str(&ctx->doc, "user", id);
    rbl_doc_str(&ctx->doc, "mail", mail);
    rbl_doc_str(&ctx->doc, "name", name);
    rbl_doc_str(&ctx->doc, "role", role);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static ngx_uint_t
ngx_rbl_enter_right(const ngx_rbl_enter_t *enter, const redisReply *reply,
    rbl_account_t *account)
{
    char        buf[RBL_CONTACT_MAX];
    rbl_user_t  user;

    return rbl_account_decode(account, rbl_reply_str(rbl_reply_at(reply, 0)))
           == RBL_OK
           && rbl_user_decode(&user, rbl_reply_str(rbl_reply_at(reply, 1)))
              == RBL_OK
           && rbl_str_is(user.status, "active")
           && rbl_str_eq(rbl_contact_fold(buf, user.mail), enter->mail.text);
}


/* The script refuses a user who is gone or has another address. */

static void
ngx_rbl_enter_run(ngx_rbl_ctx_t *ctx, const ngx_rbl_mail_user_t *user)
{
    ngx_rbl_enter_t           *enter;
    rbl_session_start_args_t   args;

    if (user == NULL) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, NGX_RBL_IDENTITY_UNKNOWN);
        return;
    }

    enter = ctx->data;
    enter->read = NULL;
    ctx->account = user->account;

    args.link = RBL_STR("");
    args.proof = RBL_STR("");
    args.user = rbl_sid_str(&user->user);
    args.mail = enter->mail.text;
    args.identity = RBL_OCTETS(enter->mail.digest);

    ngx_rbl_session_begin(ctx, &args);
}


static void
ngx_rbl_enter_choose(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t        i;
    ngx_rbl_enter_t  *enter;

    enter = ctx->data;

    ngx_rbl_open(ctx, 0, "Please choose an account.");
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_array(&ctx->doc, "accounts");

    for (i = 0; i < enter->right; i++) {
        rbl_doc_object(&ctx->doc, NULL);
        rbl_doc_str(&ctx->doc, "id", rbl_sid_str(&enter->user[i].account));
        rbl_doc_str(&ctx->doc, "name", enter->name[i]);
        rbl_doc_close(&ctx->doc);
    }

    rbl_doc_close(&ctx->doc);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_enter_looked(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t         name;
    rbl_account_t     account;
    ngx_rbl_enter_t  *enter;

    enter = ctx->data;

    if (ngx_rbl_enter_right(enter, reply, &account)) {
        name = ngx_rbl_keep(ctx->request->pool, account.name);

        if (name.p == NULL) {
            ngx_rbl_internal(ctx);
            return;
        }

        enter->name[enter->right] = name;
        enter->sure += enter->user[enter->at].confirmed;
        enter->user[enter->right++] = enter->user[enter->at];
    }

    if (++enter->at < enter->n) {
        ngx_rbl_enter_look(ctx);

    } else if (enter->right == 0) {
        ngx_rbl_enter_run(ctx, NULL);

    } else if (enter->sure == 1 || enter->account.n) {
        ngx_rbl_enter_run(ctx, &enter->user[0]);

    } else {
        ngx_rbl_enter_choose(ctx);
    }
}


static void
ngx_rbl_enter_look(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t                   keys[2];
    rbl_str_t                   account;
    ngx_rbl_enter_t            *enter;
    const rbl_keyspace_t       *ks;
    const ngx_rbl_mail_user_t  *user;

    enter = ctx->data;
    user = &enter->user[enter->at];
    account = rbl_sid_str(&user->account);
    ks = ngx_rbl_store_keyspace(ctx->store);

    ngx_rbl_next_command(ctx, RBL_COMMAND("MGET",
        rbl_account_key(&keys[0], ks, "acct", account, RBL_STR("")),
        rbl_account_key(&keys[1], ks, "user", account,
                        rbl_sid_str(&user->user))));
    enter->read = ngx_rbl_enter_looked;
}


static void
ngx_rbl_enter_found(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_enter_t  *enter;

    enter = ctx->data;
    enter->n = ngx_rbl_mail_users(enter->user, reply, &enter->account);

    if (enter->n > 1
        || (enter->n && !enter->user[0].confirmed && enter->account.n == 0))
    {
        ngx_rbl_enter_look(ctx);

    } else {
        ngx_rbl_enter_run(ctx, enter->n ? &enter->user[0] : NULL);
    }
}


static void
ngx_rbl_enter_find(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t         key;
    ngx_rbl_enter_t  *enter;

    enter = ctx->data;

    ngx_rbl_next_command(ctx, RBL_COMMAND("ZRANGE",
        rbl_hash_key(&key, ngx_rbl_store_keyspace(ctx->store), "mail",
                     enter->mail.digest),
        RBL_STR("0"),
        enter->account.n ? RBL_STR(NGX_RBL_ENTER_ALL) : RBL_STR("4"),
        RBL_STR("WITHSCORES")));
    enter->read = ngx_rbl_enter_found;
}


/* Adds the rounds of a sign-in by the identity that nginx vouches for.
   `account` is the one that the client has chosen, or "". */

static void
ngx_rbl_enter(ngx_rbl_ctx_t *ctx, rbl_str_t account)
{
    ngx_int_t         rc;
    ngx_rbl_enter_t  *enter;

    enter = ngx_rbl_data(ctx, sizeof(ngx_rbl_enter_t));

    if (enter == NULL) {
        return;
    }

    if (account.n
        && rbl_sid_parse(&enter->account, RBL_SID_ACCOUNT, account) != RBL_OK)
    {
        rbl_invalid(&ctx->run, "account");
        return;
    }

    rc = ngx_rbl_identity(ctx, &enter->mail);

    if (rc == NGX_OK) {
        ngx_rbl_enter_find(ctx);

    } else if (rc == NGX_DECLINED) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "The server vouches for no mail address in this "
                       "request. Please ask its operator.");
    }
}


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

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_enter_t)) == NULL) {
        return;
    }

    if (ngx_rbl_sha256(ngx_rbl_str(&secret), proof) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    args.link = ngx_rbl_secret_field(hex, proof);
    args.proof = RBL_OCTETS(proof);
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
    ngx_rbl_enter_t            *enter;
    rbl_session_start_reply_t   said;

    enter = ctx->data;

    if (enter->read) {
        enter->read(ctx, reply);
        return;
    }

    rbl_session_start_reply(&said, reply);

    if (said.word != RBL_SESSION_START_OK) {
        ngx_rbl_refuse_by(ctx, ctx->route->family->refusals, reply);
        return;
    }

    ngx_rbl_session_answer(ctx, enter->cookie, said.user, said.mail, said.name,
                           said.role);

    if (said.confirmed) {
        ngx_rbl_mail_add(ctx, said.mail, said.user, said.confirmed);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_session_start = {
    .fields = ngx_rbl_session_start_fields,
    .prepare = ngx_rbl_session_start_prepare,
    .result = ngx_rbl_session_started
};


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
    .prepare = ngx_rbl_write_fields,
    .proceed = ngx_rbl_session_end_proceed,
    .result = ngx_rbl_session_ended
};
