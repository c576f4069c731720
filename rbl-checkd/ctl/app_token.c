/*
 * The tokens of an application.  The beginning of its digest names a token; it
 * is no secret, and the holder of the token finds it with `sha256sum`.
 */

#include "app.h"
#include "base/xalloc.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>


static const ctl_column_t  token_row[] = {
    { "token", "TOKEN" }, { "status", "STATUS" }, { "created", "CREATED" },
    { NULL, NULL }
};


int
ctl_token_new(ctl_token_t *t)
{
    if (ctl_token_make(t->token) != 0
        || ctl_sha256(t->digest, rbl_str(t->token)) != 0)
    {
        return -1;
    }

    ctl_hex(t->field, t->digest, RBL_TOKEN_FIELD / 2);

    return 0;
}


rbl_str_t
ctl_token_digest(const ctl_token_t *t)
{
    rbl_str_t  s = { (const char *) t->digest, sizeof(t->digest) };

    return s;
}


redisReply *
ctl_tokens(ctl_t *ctl, const rbl_sid_t *account)
{
    rbl_key_t              key;
    rbl_app_tokens_args_t  args;

    args.acct = ctl_acct(ctl, &key, account);

    return ctl_script(ctl, CTL_SCRIPT(app_tokens, args));
}


int
ctl_token_next(const redisReply *tokens, rbl_str_t app, size_t *at,
    rbl_str_t *field, rbl_token_t *token)
{
    rbl_str_t  raw;

    while (*at + 1 < rbl_reply_len(tokens)) {
        *field = rbl_reply_str(rbl_reply_at(tokens, *at));
        raw = rbl_reply_str(rbl_reply_at(tokens, *at + 1));
        *at += 2;

        if (rbl_token_decode(token, raw) == RBL_OK
            && rbl_str_eq(token->app, app))
        {
            return 1;
        }
    }

    return 0;
}


int
ctl_app_rotate(ctl_t *ctl)
{
    int          rc;
    rbl_key_t    key;
    rbl_sid_t    account, app;
    redisReply  *reply;
    ctl_token_t  t;

    rbl_app_token_args_t   args;
    rbl_app_token_reply_t  said;

    if (ctl_app_arguments(ctl, &account, &app) != 0
        || ctl_token_new(&t) != 0)
    {
        return CTL_ERROR;
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.app = rbl_sid_str(&app);
    args.field = rbl_str(t.field);
    args.digest = ctl_token_digest(&t);
    args.alone = rbl_str(ctl_option(ctl, "keep") ? "0" : "1");

    reply = ctl_script(ctl, CTL_SCRIPT(app_token, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_app_token_reply(&said, reply);

    switch (said.word) {

    case RBL_APP_TOKEN_OK:
        rc = ctl_app_print(ctl, json_pack("{ss ss ss}", "account", account.s,
                                          "id", app.s, "token", t.token));
        break;

    case RBL_APP_TOKEN_MOST:
    case RBL_APP_TOKEN_TOKENS:
        rc = ctl_fail("%s has %lld tokens, as many as it may have: revoke one",
                      said.word == RBL_APP_TOKEN_MOST ? app.s : account.s,
                      (long long) said.most);
        break;

    default:
        rc = ctl_app_none(&account, &app);
    }

    freeReplyObject(reply);
    OPENSSL_cleanse(&t, sizeof(t));

    return rc;
}


typedef struct {
    rbl_str_t    field;
    rbl_token_t  token;
} ctl_token_row_t;


static int
ctl_token_order(const void *a, const void *b)
{
    const ctl_token_row_t  *x = a, *y = b;

    return (x->token.created > y->token.created)
           - (x->token.created < y->token.created);
}


json_t *
ctl_token_rows(const redisReply *tokens, rbl_str_t app)
{
    size_t            at, n, i;
    json_t           *list;
    ctl_token_row_t  *row;

    row = xcalloc(rbl_reply_len(tokens) / 2 + 1, sizeof(*row));
    at = 0;

    for (n = 0;
         ctl_token_next(tokens, app, &at, &row[n].field, &row[n].token);
         n++)
    {
        if (row[n].field.n > RBL_TOKEN_DIGITS) {
            row[n].field.n = RBL_TOKEN_DIGITS;
        }
    }

    qsort(row, n, sizeof(*row), ctl_token_order);
    list = json_array();

    for (i = 0; i < n; i++) {
        json_array_append_new(list,
            json_pack("{so so so}", "token", ctl_text(row[i].field),
                      "status", ctl_text(row[i].token.status),
                      "created", ctl_time(row[i].token.created)));
    }

    free(row);

    return list;
}


int
ctl_token_list(ctl_t *ctl)
{
    int          rc;
    rbl_sid_t    account, app;
    redisReply  *tokens;

    if (ctl_app_arguments(ctl, &account, &app) != 0
        || ctl_account_exists(ctl, &account) != 0)
    {
        return CTL_ERROR;
    }

    tokens = ctl_tokens(ctl, &account);
    if (tokens == NULL) {
        return CTL_ERROR;
    }

    rc = ctl_print(ctl, token_row, ctl_token_rows(tokens, rbl_sid_str(&app)));
    freeReplyObject(tokens);

    return rc;
}


int
ctl_token_revoke(ctl_t *ctl)
{
    int          rc;
    char         buf[RBL_TOKEN_FIELD + 1];
    rbl_key_t    key;
    rbl_sid_t    account, app;
    redisReply  *reply;

    rbl_app_token_revoke_args_t   args;
    rbl_app_token_revoke_reply_t  said;

    if (ctl_app_arguments(ctl, &account, &app) != 0) {
        return CTL_ERROR;
    }

    if (rbl_token_digits(buf, &args.digits, ctl->args[2]) != RBL_OK) {
        return ctl_fail("name a token by %d to %d hex digits of its SHA-256, as"
                        " `token list` shows them", RBL_TOKEN_DIGITS,
                        RBL_TOKEN_FIELD);
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.app = rbl_sid_str(&app);

    reply = ctl_script(ctl, CTL_SCRIPT(app_token_revoke, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_app_token_revoke_reply(&said, reply);

    switch (said.word) {

    case RBL_APP_TOKEN_REVOKE_OK:
        rc = ctl_app_print(ctl, json_pack("{ss ss sI sI}",
                           "account", account.s, "id", app.s,
                           "ended", (json_int_t) 1,
                           "left", (json_int_t) said.left));
        break;

    case RBL_APP_TOKEN_REVOKE_APP:
        rc = ctl_fail("account %s has no application %s", account.s, app.s);
        break;

    case RBL_APP_TOKEN_REVOKE_MANY:
        rc = ctl_fail("more than one token of application %s begins with %s:"
                      " give more digits", app.s, buf);
        break;

    default:
        rc = ctl_fail("no token of application %s begins with %s", app.s,
                      buf);
    }

    freeReplyObject(reply);

    return rc;
}
