/*
 * rblctl app: the applications of an account.  A token and a callback secret
 * are printed once, by the call that made them; the store keeps the SHA-256
 * of the token alone.
 */

#include "ctl.h"

#include <openssl/crypto.h>
#include <stdio.h>

#define CTL_TOKEN_FIELD  16


static const ctl_column_t  app_columns[] = {
    { "account", "account" }, { "id", "application" }, { "name", "name" },
    { "token", "token" }, { "secret", "secret" }, { "status", "status" },
    { "ended", "tokens ended" }, { NULL, NULL }
};

static const ctl_column_t  app_row[] = {
    { "id", "APPLICATION" }, { "name", "NAME" }, { "status", "STATUS" },
    { "tokens", "TOKENS" }, { "created", "CREATED" }, { NULL, NULL }
};

typedef struct {
    char           token[CTL_SECRET_SIZE];
    unsigned char  digest[32];
    char           field[CTL_TOKEN_FIELD + 1];
} ctl_token_t;


static int
ctl_token_new(ctl_token_t *t)
{
    if (ctl_token_make(t->token) != 0
        || ctl_sha256(t->digest, rbl_str(t->token)) != 0)
    {
        return -1;
    }

    ctl_hex(t->field, t->digest, CTL_TOKEN_FIELD / 2);

    return 0;
}


static rbl_str_t
ctl_token_digest(const ctl_token_t *t)
{
    rbl_str_t  s = { (const char *) t->digest, sizeof(t->digest) };

    return s;
}


/* Columns that the object does not have are not shown. */
static int
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


static redisReply *
ctl_app_script(ctl_t *ctl, const rbl_script_t *script, const rbl_sid_t *account,
    int argc, const rbl_str_t *argv)
{
    rbl_key_t  key;

    return ctl_script(ctl, script,
                      rbl_account_key(&key, &ctl->ks, "acct",
                                      rbl_sid_str(account), RBL_STR("")),
                      argc, argv);
}


int
ctl_app_add(ctl_t *ctl)
{
    int          rc;
    char         secret[CTL_SECRET_SIZE];
    rbl_sid_t    account, app;
    rbl_str_t    name, argv[5];
    redisReply  *reply;
    ctl_token_t  t;

    if (ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_name(&name, "an application", ctl->args[1]) != 0
        || ctl_token_new(&t) != 0 || ctl_secret_make(secret) != 0)
    {
        return CTL_ERROR;
    }

    if (rbl_sid_make(&app, RBL_SID_APP) != RBL_OK) {
        return ctl_fail("the kernel gives no random bytes");
    }

    argv[0] = rbl_sid_str(&app);
    argv[1] = name;
    argv[2] = rbl_str(secret);
    argv[3] = rbl_str(t.field);
    argv[4] = ctl_token_digest(&t);

    reply = ctl_app_script(ctl, &rbl_script_app_put, &account, 5, argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        rc = ctl_app_print(ctl, json_pack("{ss ss so ss ss}",
                           "account", account.s, "id", app.s,
                           "name", ctl_text(name), "token", t.token,
                           "secret", secret));
    } else {
        rc = ctl_fail("there is no account %s", account.s);
    }

    freeReplyObject(reply);
    OPENSSL_cleanse(&t, sizeof(t));
    OPENSSL_cleanse(secret, sizeof(secret));

    return rc;
}


static int
ctl_app_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *app)
{
    return ctl_sid(account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
           || ctl_sid(app, RBL_SID_APP, ctl->args[1]) != 0 ? -1 : 0;
}


int
ctl_app_rotate(ctl_t *ctl)
{
    int          rc;
    rbl_sid_t    account, app;
    rbl_str_t    argv[4];
    redisReply  *reply;
    ctl_token_t  t;

    if (ctl_app_arguments(ctl, &account, &app) != 0
        || ctl_token_new(&t) != 0)
    {
        return CTL_ERROR;
    }

    argv[0] = rbl_sid_str(&app);
    argv[1] = rbl_str(t.field);
    argv[2] = ctl_token_digest(&t);
    argv[3] = rbl_str(ctl_option(ctl, "keep") ? "0" : "1");

    reply = ctl_app_script(ctl, &rbl_script_app_token, &account, 4, argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        rc = ctl_app_print(ctl, json_pack("{ss ss ss}", "account", account.s,
                                          "id", app.s, "token", t.token));
    } else {
        rc = ctl_fail("account %s has no active application %s", account.s,
                      app.s);
    }

    freeReplyObject(reply);
    OPENSSL_cleanse(&t, sizeof(t));

    return rc;
}


int
ctl_app_revoke(ctl_t *ctl)
{
    int          rc;
    rbl_sid_t    account, app;
    rbl_str_t    argv[1];
    redisReply  *reply;

    if (ctl_app_arguments(ctl, &account, &app) != 0) {
        return CTL_ERROR;
    }

    argv[0] = rbl_sid_str(&app);
    reply = ctl_app_script(ctl, &rbl_script_app_revoke, &account, 1, argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        rc = ctl_app_print(ctl, json_pack("{ss ss ss sI}",
                           "account", account.s, "id", app.s,
                           "status", "revoked", "ended", (json_int_t)
                           rbl_reply_int(rbl_reply_at(reply, 1), 0)));
    } else {
        rc = ctl_fail("account %s has no application %s", account.s, app.s);
    }

    freeReplyObject(reply);

    return rc;
}


/* How many tokens of HGETALL's reply belong to an application. */
static int64_t
ctl_app_tokens(const redisReply *tokens, rbl_str_t app)
{
    size_t       i;
    int64_t      n;
    rbl_token_t  token;

    for (i = 1, n = 0; i < rbl_reply_len(tokens); i += 2) {
        if (rbl_token_decode(&token, rbl_reply_str(rbl_reply_at(tokens, i)))
                == RBL_OK
            && rbl_str_eq(token.app, app))
        {
            n++;
        }
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
    rbl_app_t        app;
    ctl_app_list_t  *list;

    (void) ctl;

    list = data;

    if (rbl_app_decode(&app, raw) != RBL_OK) {
        ctl_fail("the record of application %.*s is damaged", (int) sid.n,
                 sid.p ? sid.p : "");
        return 0;
    }

    return json_array_append_new(list->rows,
               json_pack("{so so so sI so}", "id", ctl_text(app.id),
                         "name", ctl_text(app.name),
                         "status", ctl_text(app.status),
                         "tokens",
                         (json_int_t) ctl_app_tokens(list->tokens, app.id),
                         "created", ctl_time(app.created)));
}


int
ctl_app_list(ctl_t *ctl)
{
    int              rc;
    rbl_sid_t        sid;
    rbl_key_t        key;
    rbl_str_t        account, none = RBL_STR("");
    redisReply      *tokens;
    ctl_app_list_t   list;

    if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &sid) != 0)
    {
        return CTL_ERROR;
    }

    account = rbl_sid_str(&sid);
    tokens = ctl_call(ctl, "HGETALL",
                      rbl_account_key(&key, &ctl->ks, "tokens", account, none),
                      none, none);
    if (tokens == NULL) {
        return CTL_ERROR;
    }

    list.rows = json_array();
    list.tokens = tokens;

    rc = ctl_each(ctl, rbl_account_key(&key, &ctl->ks, "apps", account, none),
                  rbl_partition(&ctl->ks, account), "r", account,
                  ctl_app_each, &list);
    freeReplyObject(tokens);

    if (rc != 0) {
        json_decref(list.rows);
        return CTL_ERROR;
    }

    return ctl_print(ctl, app_row, list.rows);
}
