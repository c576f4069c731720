/*
 * rblctl restored: after a restore of a backup, ends all sessions and sign-in
 * links, and lists the tokens.  Rights that ended after the backup was made are
 * valid again, and the store cannot know which.  Users can sign in again, so
 * their sessions end; a person has to compare the tokens.
 *
 * Sessions and links end by one script for each user, which also ends sign-ins
 * by passkey that were begun: a challenge that was used after the backup was
 * made is not used again.  A challenge for a new passkey is bound to a session.
 */

#include "op.h"

#include <stdio.h>


typedef struct {
    json_t      *tokens;                /* rows */
    int64_t      accounts, sessions, links;
    int          failed;                /* a user's could not be ended */
    rbl_str_t    account;               /* the present one */
} restored_t;


static const char  restored_columns[] =
    "accounts, sessions:sessions ended, links:links ended";

static const char  restored_row[] =
    "account, app:APPLICATION, name, digits:TOKEN, status, created";


static int
restored_user(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_key_t      key;
    redisReply    *reply;
    restored_t    *r;

    rbl_user_signout_args_t   args;
    rbl_user_signout_reply_t  said;

    (void) raw;

    r = data;
    args.acct = rbl_account_key(&key, &ctl->ks, "acct", r->account,
                                RBL_STR(""));
    args.user = sid;

    reply = ctl_script(ctl, CTL_SCRIPT(user_signout, args));
    if (reply == NULL) {
        r->failed = 1;
        ctl_fail("the sessions of user %.*s of account %.*s have not ended",
                 (int) sid.n, sid.p ? sid.p : "", (int) r->account.n,
                 r->account.p);
        return 0;
    }

    rbl_user_signout_reply(&said, reply);

    /* a user who was deleted meanwhile has no sessions */

    if (said.word == RBL_USER_SIGNOUT_OK) {
        r->sessions += said.sessions;
        r->links += said.links;
    }

    freeReplyObject(reply);

    return 0;
}


static int
restored_app(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    size_t       i;
    json_t      *app, *row;
    restored_t  *r;

    (void) raw;

    r = data;
    app = ctl_op_data(ctl_op_run(ctl, &rbl_op_app, r->account, sid, 0, NULL));

    if (app == NULL) {
        r->failed = 1;
        return 0;
    }

    json_array_foreach(json_object_get(app, "tokens"), i, row) {
        json_object_set_new(row, "account", ctl_text(r->account));
        json_object_set_new(row, "app", ctl_text(sid));
        json_object_set(row, "name", json_object_get(app, "name"));
        json_array_append(r->tokens, row);
    }

    json_decref(app);

    return 0;
}


static int
restored_account(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    unsigned     p;
    rbl_key_t    key;
    rbl_sid_t    account;
    rbl_str_t    none = RBL_STR("");
    restored_t  *r;

    (void) raw;

    if (rbl_sid_parse(&account, RBL_SID_ACCOUNT, sid) != RBL_OK) {
        return 0;
    }

    r = data;
    r->account = rbl_sid_str(&account);
    r->accounts++;
    p = rbl_partition(&ctl->ks, r->account);

    if (ctl_each(ctl, rbl_account_key(&key, &ctl->ks, "users", r->account,
                                      none),
                 p, "user", r->account, restored_user, r) != 0)
    {
        return -1;
    }

    return ctl_each(ctl, rbl_account_key(&key, &ctl->ks, "apps", r->account,
                                         none),
                    p, "s", r->account, restored_app, r);
}


static int
restored_print(ctl_t *ctl, restored_t *r)
{
    int      rc;
    json_t  *v;

    v = json_pack("{sI sI sI}", "accounts", (json_int_t) r->accounts,
                  "sessions", (json_int_t) r->sessions,
                  "links", (json_int_t) r->links);

    if (ctl->json) {
        (void) json_object_set_new(v, "tokens", r->tokens);
        return ctl_print(ctl, restored_columns, v);
    }

    rc = ctl_print(ctl, restored_columns, v);
    puts("\nThese tokens are valid.  Revoke those that had ended before the"
         " restore:\n");

    return rc == CTL_OK ? ctl_print(ctl, restored_row, r->tokens) : rc;
}


int
ctl_restored(ctl_t *ctl)
{
    restored_t  r;

    memset(&r, 0, sizeof(r));
    r.tokens = json_array();

    if (ctl_each_account(ctl, "acct", RBL_STR(""), restored_account, &r) != 0)
    {
        json_decref(r.tokens);
        return CTL_ERROR;
    }

    if (restored_print(ctl, &r) != CTL_OK) {
        return CTL_ERROR;
    }

    return ctl_away_note(ctl, "cannot be used: its sessions have not ended")
           == 0 && !r.failed ? CTL_OK : CTL_ERROR;
}
