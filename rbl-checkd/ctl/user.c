/*
 * rblctl user: the users of an account, who sign in to the portal by links.  A
 * link is printed once, by the command that made it; the store keeps only its
 * SHA-256.  Without --url it is the part behind the portal's URL.
 */

#include "app.h"

#include "rbl_contact.h"

#include <openssl/crypto.h>
#include <stdio.h>

/* "#/link/<account>.<secret>" */
#define CTL_URL_MAX    255
#define CTL_LINK_SIZE  (CTL_URL_MAX + 16 + RBL_SID_MAX + CTL_SECRET_SIZE)


static const ctl_column_t  user_columns[] = {
    { "account", "account" }, { "id", "user" }, { "mail", "mail" },
    { "role", "role" }, { "link", "link" }, { NULL, NULL }
};

static const ctl_column_t  user_row[] = {
    { "id", "USER" }, { "mail", "MAIL" }, { "name", "NAME" },
    { "role", "ROLE" }, { "created", "CREATED" }, { "seen", "SIGNED IN" },
    { "confirmed", "CONFIRMED" },
    { NULL, NULL }
};

static const ctl_column_t  user_ended[] = {
    { "account", "account" }, { "id", "user" }, { "ended", "sessions ended" },
    { NULL, NULL }
};


/* Of an operator, viewer is the default. */
static int
user_role(const ctl_t *ctl, rbl_str_t *role, const rbl_sid_t *account)
{
    const char  *text;

    text = ctl_option(ctl, "role");

    if (text == NULL && strcmp(account->s, RBL_SID_OPERATORS) == 0) {
        text = "viewer";
    }

    if (text == NULL
        || (strcmp(text, "owner") != 0 && strcmp(text, "admin") != 0
            && strcmp(text, "viewer") != 0))
    {
        return ctl_fail("--role must be owner, admin or viewer");
    }

    *role = rbl_str(text);

    return CTL_OK;
}


/* Reads an e-mail address in its canonical form. */
static int
user_mail(char buf[RBL_CONTACT_MAX], rbl_str_t *mail, rbl_str_t text)
{
    if (rbl_contact_parse(buf, mail, RBL_CONTACT_EMAIL, text, NULL, 0)
        != RBL_OK)
    {
        return ctl_fail("\"%.*s\" is not an e-mail address",
                        (int) (text.n < 80 ? text.n : 80), text.p);
    }

    return CTL_OK;
}


/* The portal's URL, "" if it is not given. */
static int
user_url(rbl_str_t *text, const char *option)
{
    rbl_url_t  url;

    *text = option ? rbl_str(option) : RBL_STR("");

    if (text->n > 0
        && (text->n > CTL_URL_MAX || rbl_url_parse(&url, *text) != RBL_OK
            || memchr(text->p, '?', text->n) != NULL
            || text->p[text->n - 1] != '/'))
    {
        return ctl_fail("--url must be the portal's URL, which ends with"
                        " \"/\"");
    }

    return CTL_OK;
}


/* Prints a user with the link; the part behind "#" stays in the browser. */
static int
user_print(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *user,
    rbl_str_t mail, rbl_str_t role, const ctl_token_t *t)
{
    int        rc;
    char       link[CTL_LINK_SIZE];
    rbl_str_t  url;

    (void) user_url(&url, ctl_option(ctl, "url"));
    snprintf(link, sizeof(link), "%.*s#/link/%s.%s", (int) url.n, url.p,
             account->s, t->token);

    rc = ctl_print(ctl, user_columns,
                   json_pack("{ss ss so so ss}", "account", account->s,
                             "id", user->s, "mail", ctl_text(mail),
                             "role", ctl_text(role), "link", link));
    OPENSSL_cleanse(link, sizeof(link));

    return rc;
}


static int
user_added(const rbl_user_put_reply_t *said, const rbl_sid_t *account)
{
    switch (said->word) {

    case RBL_USER_PUT_OK:
        return CTL_OK;

    case RBL_USER_PUT_ACCOUNT:
        return ctl_fail("there is no account %s", account->s);

    case RBL_USER_PUT_MAIL:
        return ctl_fail("user %.*s has this address already",
                        (int) said->user.n, said->user.p);

    case RBL_USER_PUT_LIMIT:
        return ctl_fail("an account may have %lld users",
                        (long long) said->most);

    default:
        return ctl_fail("the store's reply cannot be understood");
    }
}


int
ctl_user_add(ctl_t *ctl)
{
    int                   rc;
    char                  buf[RBL_CONTACT_MAX];
    const char           *name;
    rbl_key_t             key;
    rbl_sid_t             account, user;
    rbl_str_t             url;
    redisReply           *reply;
    ctl_token_t           t;
    rbl_user_put_args_t   args;
    rbl_user_put_reply_t  said;

    name = ctl_option(ctl, "name");

    if (ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || user_mail(buf, &args.mail, ctl->args[1]) != CTL_OK
        || user_role(ctl, &args.role, &account) != CTL_OK
        || user_url(&url, ctl_option(ctl, "url")) != CTL_OK
        || (name && ctl_name(&args.name, "a user", rbl_str(name)) != 0)
        || ctl_token_new(&t) != 0)
    {
        return CTL_ERROR;
    }

    if (rbl_sid_make(&user, RBL_SID_USER) != RBL_OK) {
        return ctl_fail("the kernel gives no random bytes");
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.user = rbl_sid_str(&user);
    args.name = name ? args.name : RBL_STR("");
    args.field = rbl_str(t.field);
    args.digest = ctl_token_digest(&t);
    args.sure = RBL_STR("1");

    reply = ctl_script(ctl, CTL_SCRIPT(user_put, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_user_put_reply(&said, reply);
    rc = user_added(&said, &account);

    if (rc == CTL_OK) {
        (void) ctl_mail_add(ctl, args.mail, rbl_sid_str(&account), args.user,
                            said.confirmed);
        rc = user_print(ctl, &account, &user, args.mail, args.role, &t);
    }

    freeReplyObject(reply);
    OPENSSL_cleanse(&t, sizeof(t));

    return rc;
}


/* Reads the first two arguments, account and user. */
static int
user_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *user)
{
    return ctl_sid(account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
           || ctl_sid(user, RBL_SID_USER, ctl->args[1]) != 0
           ? CTL_ERROR : CTL_OK;
}


static int
user_none(const rbl_sid_t *account, const rbl_sid_t *user)
{
    return ctl_fail("account %s has no user %s", account->s, user->s);
}


int
ctl_user_link(ctl_t *ctl)
{
    int                    rc;
    rbl_key_t              key;
    rbl_sid_t              account, user;
    rbl_str_t              url;
    redisReply            *reply;
    ctl_token_t            t;
    rbl_user_link_args_t   args;
    rbl_user_link_reply_t  said;

    if (user_arguments(ctl, &account, &user) != CTL_OK
        || user_url(&url, ctl_option(ctl, "url")) != CTL_OK
        || ctl_token_new(&t) != 0)
    {
        return CTL_ERROR;
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.user = rbl_sid_str(&user);
    args.field = rbl_str(t.field);
    args.digest = ctl_token_digest(&t);

    reply = ctl_script(ctl, CTL_SCRIPT(user_link, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_user_link_reply(&said, reply);

    if (said.word == RBL_USER_LINK_OK) {
        (void) ctl_mail_add(ctl, said.mail, rbl_sid_str(&account), args.user,
                            said.confirmed);
        rc = user_print(ctl, &account, &user, said.mail, said.role, &t);

    } else {
        rc = user_none(&account, &user);
    }

    freeReplyObject(reply);
    OPENSSL_cleanse(&t, sizeof(t));

    return rc;
}


int
ctl_user_delete(ctl_t *ctl)
{
    int                      rc;
    rbl_key_t                key;
    rbl_sid_t                account, user;
    redisReply              *reply;
    rbl_user_delete_args_t   args;
    rbl_user_delete_reply_t  said;

    if (user_arguments(ctl, &account, &user) != CTL_OK) {
        return CTL_ERROR;
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.user = rbl_sid_str(&user);
    args.last = RBL_STR("1");

    reply = ctl_script(ctl, CTL_SCRIPT(user_delete, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_user_delete_reply(&said, reply);

    if (said.word == RBL_USER_DELETE_OK) {
        (void) ctl_mail_remove(ctl, said.mail, rbl_sid_str(&account),
                               args.user);
    }

    rc = said.word == RBL_USER_DELETE_OK
         ? ctl_print(ctl, user_ended,
                     json_pack("{ss ss sI}", "account", account.s,
                               "id", user.s, "ended",
                               (json_int_t) said.ended))
         : user_none(&account, &user);

    freeReplyObject(reply);

    return rc;
}


static int
user_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    json_t      *rows;
    rbl_user_t   user;

    (void) ctl;

    rows = data;

    if (rbl_user_decode(&user, raw) != RBL_OK) {
        ctl_fail("the record of user %.*s is damaged", (int) sid.n,
                 sid.p ? sid.p : "");
        return 0;
    }

    return json_array_append_new(rows,
               json_pack("{so so so so so so so}", "id", ctl_text(user.id),
                         "mail", ctl_text(user.mail),
                         "name", ctl_text(user.name),
                         "role", ctl_text(user.role),
                         "created", ctl_time(user.created),
                         "seen", ctl_time(user.seen),
                         "confirmed", ctl_time(user.confirmed)));
}


int
ctl_user_list(ctl_t *ctl)
{
    return ctl_account_records(ctl, "users", "user", user_each, user_row);
}
