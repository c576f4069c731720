/*
 * rblctl account: makes, shows, lists, suspends and resumes accounts, and sets
 * their other options.
 */

#include "op.h"
#include "plan.h"


static const char  account_row[] =
    "id:ACCOUNT, name, status, plan, paid, interval, created";


int
account_make(ctl_t *ctl, rbl_str_t acct, rbl_str_t name, rbl_str_t zone,
    const plan_t *plan, int64_t interval)
{
    rbl_sid_t      profile, group;
    redisReply    *reply;
    plan_words_t   words;

    rbl_account_put_args_t   args;
    rbl_account_put_reply_t  said;

    if (rbl_sid_make(&profile, RBL_SID_PROFILE) != RBL_OK
        || rbl_sid_make(&group, RBL_SID_GROUP) != RBL_OK)
    {
        ctl_fail("the kernel gives no random bytes");
        return -1;
    }

    args.acct = acct;
    args.name = name;
    args.timezone = zone;
    args.profile = rbl_sid_str(&profile);
    args.group = rbl_sid_str(&group);
    plan_put(&args, &words, plan, interval);

    reply = ctl_script(ctl, CTL_SCRIPT(account_put, args));
    if (reply == NULL) {
        return -1;
    }

    rbl_account_put_reply(&said, reply);
    freeReplyObject(reply);

    if (said.word == RBL_ACCOUNT_PUT_NO_REPLY) {
        ctl_fail("the store's reply cannot be understood");
        return -1;
    }

    return said.word != RBL_ACCOUNT_PUT_OK;
}


int
ctl_account_add(ctl_t *ctl)
{
    int          rc;
    plan_t       plan;
    int64_t      interval;
    rbl_sid_t    account;
    rbl_key_t    key;
    rbl_str_t    name;
    const char  *zone;

    zone = ctl_option(ctl, "timezone");
    zone = zone ? zone : "UTC";

    if (ctl_name(&name, "an account", ctl->args[0]) != 0
        || plan_given(ctl, &plan, &interval) != 0
        || ctl_timezone(ctl, rbl_str(zone)) != 0)
    {
        return CTL_ERROR;
    }

    if (rbl_sid_make(&account, RBL_SID_ACCOUNT) != RBL_OK) {
        return ctl_fail("the kernel gives no random bytes");
    }

    rc = account_make(ctl, ctl_acct(ctl, &key, &account), name, rbl_str(zone),
                      &plan, interval);

    if (rc != 0) {
        return rc < 0 ? CTL_ERROR
               : ctl_fail("an account with this SID exists already");
    }

    ctl->args[0] = rbl_sid_str(&account);

    return ctl_op_show(ctl, "account show");
}


int
ctl_account_exists(ctl_t *ctl, const rbl_sid_t *sid)
{
    int64_t    n;
    rbl_key_t  key;

    n = ctl_count(ctl, "EXISTS", ctl_acct(ctl, &key, sid));

    if (n == 0) {
        ctl_fail("there is no account %s", sid->s);
    }

    return n > 0 ? 0 : -1;
}


static int
ctl_account_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_account_t  a;

    (void) ctl;

    /* an account that was deleted between two commands is no error */

    if (rbl_account_decode(&a, raw) != RBL_OK) {
        if (raw.p == NULL) {
            return 0;
        }

        ctl_fail("the record of account %.*s is damaged", (int) sid.n,
                 sid.p ? sid.p : "");
        return 0;
    }

    return json_array_append_new(data,
               json_pack("{so so so so sb sI sI so}",
                         "id", ctl_text(a.id), "name", ctl_text(a.name),
                         "status", ctl_text(a.status),
                         "plan", ctl_text(a.plan), "paid", a.paid != 0,
                         "interval", (json_int_t) a.interval,
                         "max_hosts", (json_int_t) a.max_hosts,
                         "created", ctl_time(a.created)));
}


int
ctl_account_list(ctl_t *ctl)
{
    json_t  *rows;

    rows = json_array();

    if (ctl_each_account(ctl, "acct", RBL_STR(""), ctl_account_each, rows)
        != 0)
    {
        json_decref(rows);
        return CTL_ERROR;
    }

    return ctl_print_parts(ctl, account_row, rows);
}


redisReply *
ctl_account_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    rbl_sid_t    sid;
    rbl_key_t    key;
    redisReply  *reply;

    if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0) {
        return NULL;
    }

    *argv = ctl_acct(ctl, &key, &sid);
    reply = ctl_script(ctl, script, argc, argv);

    if (reply != NULL && rbl_str_is(rbl_reply_word(reply), "ACCOUNT")) {
        freeReplyObject(reply);
        ctl_fail("there is no account %s", sid.s);
        return NULL;
    }

    return reply;
}


static int
ctl_account_status(ctl_t *ctl, const char *status)
{
    redisReply                 *reply;
    rbl_account_status_args_t   args;

    args.status = rbl_str(status);
    reply = ctl_account_script(ctl, CTL_SCRIPT(account_status, args));

    if (reply == NULL) {
        return CTL_ERROR;
    }

    freeReplyObject(reply);

    return ctl_op_show(ctl, "account show");
}


int
ctl_account_suspend(ctl_t *ctl)
{
    return ctl_account_status(ctl, "suspended");
}


int
ctl_account_resume(ctl_t *ctl)
{
    return ctl_account_status(ctl, "active");
}


int
ctl_account_timezone(ctl_t *ctl)
{
    ctl_given_t  zone = { "timezone", ctl->args[1].p };

    return ctl_timezone(ctl, ctl->args[1]) != 0 ? CTL_ERROR
           : ctl_op_with(ctl, 1, &zone);
}


int
ctl_account_interval(ctl_t *ctl)
{
    char         text[CTL_DECIMAL];
    int64_t      seconds;
    ctl_given_t  interval = { "interval", text };

    if (ctl_interval(&seconds, "the interval", ctl->args[1]) != 0) {
        return CTL_ERROR;
    }

    (void) ctl_decimal(text, seconds);

    return ctl_op_with(ctl, 1, &interval);
}
