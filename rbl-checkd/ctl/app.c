/*
 * rblctl app: the applications of an account.  A token and a callback secret
 * are printed once, by the command that made them; the store keeps only the
 * SHA-256 of the token.
 */

#include "app.h"

#include <openssl/crypto.h>
#include <stdio.h>


static const ctl_column_t  app_columns[] = {
    { "account", "account" }, { "id", "application" }, { "name", "name" },
    { "token", "token" }, { "secret", "secret" }, { "status", "status" },
    { "ended", "tokens ended" }, { "left", "tokens left" },
    { "allow", "allowed networks" }, { "hour", "requests an hour" },
    { "reads", "reads a second" }, { "writes", "writes a second" },
    { "starts", "check starts a second" }, { NULL, NULL }
};

static const ctl_column_t  app_row[] = {
    { "id", "APPLICATION" }, { "name", "NAME" }, { "status", "STATUS" },
    { "tokens", "TOKENS" }, { "created", "CREATED" }, { "hour", "HOUR" },
    { "reads", "READS" }, { "writes", "WRITES" }, { "starts", "STARTS" },
    { "allow", "ALLOW" }, { NULL, NULL }
};


/* Prints the object without the columns that it lacks. */
int
ctl_app_print(ctl_t *ctl, json_t *v)
{
    size_t        i, n;
    ctl_column_t  columns[sizeof(app_columns) / sizeof(app_columns[0])];

    for (i = 0, n = 0; app_columns[i].key != NULL; i++) {
        if (json_object_get(v, app_columns[i].key) != NULL) {
            columns[n++] = app_columns[i];
        }
    }

    columns[n].key = columns[n].title = NULL;

    return ctl_print(ctl, columns, v);
}


int
ctl_app_add(ctl_t *ctl)
{
    int          rc;
    char         secret[CTL_SECRET_SIZE];
    rbl_key_t    key;
    rbl_sid_t    account, app;
    redisReply  *reply;
    ctl_token_t  t;

    rbl_app_put_args_t   args;
    rbl_app_put_reply_t  said;

    if (ctl_customer(&account, ctl->args[0]) != 0
        || ctl_name(&args.name, "an application", ctl->args[1]) != 0
        || ctl_token_new(&t) != 0 || ctl_secret_make(secret) != 0)
    {
        return CTL_ERROR;
    }

    if (rbl_sid_make(&app, RBL_SID_APP) != RBL_OK) {
        return ctl_fail("the kernel gives no random bytes");
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.app = rbl_sid_str(&app);
    args.secret = rbl_str(secret);
    args.field = rbl_str(t.field);
    args.digest = ctl_token_digest(&t);

    reply = ctl_script(ctl, CTL_SCRIPT(app_put, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_app_put_reply(&said, reply);

    switch (said.word) {

    case RBL_APP_PUT_OK:
        rc = ctl_app_print(ctl, json_pack("{ss ss so ss ss}",
                           "account", account.s, "id", app.s,
                           "name", ctl_text(args.name), "token", t.token,
                           "secret", secret));
        break;

    case RBL_APP_PUT_LIMIT:
    case RBL_APP_PUT_TOKENS:
        rc = ctl_fail("account %s has %lld %s, as many as an account may have",
                      account.s, (long long) said.most,
                      said.word == RBL_APP_PUT_LIMIT ? "applications"
                                                     : "tokens");
        break;

    default:
        rc = ctl_fail("there is no account %s", account.s);
    }

    freeReplyObject(reply);
    OPENSSL_cleanse(&t, sizeof(t));
    OPENSSL_cleanse(secret, sizeof(secret));

    return rc;
}


int
ctl_app_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *app)
{
    return ctl_sid(account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
           || ctl_sid(app, RBL_SID_APP, ctl->args[1]) != 0 ? -1 : 0;
}


int
ctl_app_none(const rbl_sid_t *account, const rbl_sid_t *app)
{
    return ctl_fail("account %s has no active application %s", account->s,
                    app->s);
}


int
ctl_app_revoke(ctl_t *ctl)
{
    int          rc;
    rbl_key_t    key;
    rbl_sid_t    account, app;
    redisReply  *reply;

    rbl_app_revoke_args_t   args;
    rbl_app_revoke_reply_t  said;

    if (ctl_app_arguments(ctl, &account, &app) != 0) {
        return CTL_ERROR;
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.app = rbl_sid_str(&app);
    reply = ctl_script(ctl, CTL_SCRIPT(app_revoke, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_app_revoke_reply(&said, reply);

    if (said.word == RBL_APP_REVOKE_OK) {
        rc = ctl_app_print(ctl, json_pack("{ss ss ss sI}",
                           "account", account.s, "id", app.s,
                           "status", "revoked",
                           "ended", (json_int_t) said.ended));
    } else {
        rc = ctl_fail("account %s has no application %s", account.s, app.s);
    }

    freeReplyObject(reply);

    return rc;
}


static int64_t
ctl_app_tokens(const redisReply *tokens, rbl_str_t app)
{
    size_t       at;
    int64_t      n;
    rbl_str_t    field;
    rbl_token_t  token;

    n = 0;
    at = 0;

    while (ctl_token_next(tokens, app, &at, &field, &token)) {
        n++;
    }

    return n;
}


typedef struct {
    json_t            *rows;
    const redisReply  *tokens;
} ctl_app_list_t;


static int
ctl_app_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    int64_t          limits[RBL_LIMITS];
    rbl_app_t        app;
    ctl_app_list_t  *list;

    (void) ctl;

    list = data;

    if (rbl_app_decode(&app, raw) != RBL_OK) {
        ctl_fail("the record of application %.*s is damaged", (int) sid.n,
                 sid.p ? sid.p : "");
        return 0;
    }

    rbl_limits_decode(limits, app.limits);

    return json_array_append_new(list->rows,
               json_pack("{so so so sI so sI sI sI sI so}",
                         "id", ctl_text(app.id), "name", ctl_text(app.name),
                         "status", ctl_text(app.status),
                         "tokens",
                         (json_int_t) ctl_app_tokens(list->tokens, app.id),
                         "created", ctl_time(app.created),
                         "hour", (json_int_t) limits[RBL_LIMIT_HOUR],
                         "reads", (json_int_t) limits[RBL_LIMIT_READS],
                         "writes", (json_int_t) limits[RBL_LIMIT_WRITES],
                         "starts", (json_int_t) limits[RBL_LIMIT_STARTS],
                         "allow", ctl_texts(app.allow)));
}


int
ctl_app_list(ctl_t *ctl)
{
    int              rc;
    rbl_sid_t        sid;
    rbl_key_t        key;
    rbl_str_t        account;
    redisReply      *tokens;
    ctl_app_list_t   list;

    if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &sid) != 0)
    {
        return CTL_ERROR;
    }

    account = rbl_sid_str(&sid);
    tokens = ctl_tokens(ctl, &sid);
    if (tokens == NULL) {
        return CTL_ERROR;
    }

    list.rows = json_array();
    list.tokens = tokens;

    rc = ctl_each(ctl, rbl_account_key(&key, &ctl->ks, "apps", account,
                                       RBL_STR("")),
                  rbl_partition(&ctl->ks, account), "s", account,
                  ctl_app_each, &list);
    freeReplyObject(tokens);

    if (rc != 0) {
        json_decref(list.rows);
        return CTL_ERROR;
    }

    return ctl_print(ctl, app_row, list.rows);
}
