/*
 * rblctl account: makes, shows, lists, suspends and resumes accounts, and sets
 * their other options.
 */

#include "plan.h"


static const ctl_column_t  account_columns[] = {
    { "id", "account" }, { "name", "name" }, { "status", "status" },
    { "timezone", "time zone" }, { "plan", "plan" }, { "paid", "paid" },
    { "max_hosts", "max hosts" }, { "max_contacts", "max contacts" },
    { "max_checks", "max checks a day" }, { "interval", "interval (s)" },
    { "min_interval", "shortest (s)" },
    { "profile", "default profile" }, { "group", "default group" },
    { "hosts", "hosts" }, { "listed", "listed" }, { "apps", "applications" },
    { "webhooks", "webhooks" }, { "created", "created" }, { NULL, NULL }
};

static const ctl_column_t  account_row[] = {
    { "id", "ACCOUNT" }, { "name", "NAME" }, { "status", "STATUS" },
    { "plan", "PLAN" }, { "paid", "PAID" }, { "interval", "INTERVAL" },
    { "created", "CREATED" }, { NULL, NULL }
};


static json_t *
ctl_account_json(ctl_t *ctl, const rbl_account_t *a)
{
    json_t        *v;
    rbl_key_t      key;
    redisReply    *reply;
    rbl_chosen_t   chosen;

    reply = ctl_command(ctl, RBL_COMMAND("GET",
                        rbl_account_key(&key, &ctl->ks, "chosen", a->id,
                                        RBL_STR(""))));

    if (reply == NULL) {
        return NULL;
    }

    (void) rbl_chosen_decode(&chosen, rbl_reply_str(reply));

    v = json_pack("{so so so so so sb sI sI sI sI sI so so so}",
                  "id", ctl_text(a->id), "name", ctl_text(a->name),
                  "status", ctl_text(a->status),
                  "timezone", ctl_text(a->timezone),
                  "plan", ctl_text(a->plan),
                  "paid", a->paid != 0,
                  "max_hosts", (json_int_t) a->max_hosts,
                  "max_contacts", (json_int_t) a->max_contacts,
                  "max_checks", (json_int_t) a->max_checks,
                  "interval", (json_int_t) a->interval,
                  "min_interval", (json_int_t) a->min_interval,
                  "profile", ctl_text(chosen.profile),
                  "group", ctl_text(chosen.group),
                  "created", ctl_time(a->created));
    freeReplyObject(reply);

    return v;
}


rbl_str_t
ctl_acct(const ctl_t *ctl, rbl_key_t *key, const rbl_sid_t *account)
{
    return rbl_account_key(key, &ctl->ks, "acct", rbl_sid_str(account),
                           RBL_STR(""));
}


int
ctl_account_add(ctl_t *ctl)
{
    char         hosts[CTL_DECIMAL], contacts[CTL_DECIMAL],
                 checks[CTL_DECIMAL], seconds[CTL_DECIMAL],
                 least[CTL_DECIMAL];
    plan_t       plan;
    int64_t      interval;
    rbl_sid_t    account, profile, group;
    rbl_key_t    key;
    redisReply  *reply;
    const char  *zone;

    rbl_account_put_args_t   args;
    rbl_account_put_reply_t  said;

    zone = ctl_option(ctl, "timezone");
    zone = zone ? zone : "UTC";

    if (ctl_name(&args.name, "an account", ctl->args[0]) != 0
        || plan_given(ctl, &plan, &interval) != 0
        || ctl_timezone(ctl, rbl_str(zone)) != 0)
    {
        return CTL_ERROR;
    }

    if (rbl_sid_make(&account, RBL_SID_ACCOUNT) != RBL_OK
        || rbl_sid_make(&profile, RBL_SID_PROFILE) != RBL_OK
        || rbl_sid_make(&group, RBL_SID_GROUP) != RBL_OK)
    {
        return ctl_fail("the kernel gives no random bytes");
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.timezone = rbl_str(zone);
    args.plan = plan.name;
    args.paid = rbl_str(plan.paid ? "1" : "0");
    args.hosts = ctl_decimal(hosts, plan.max_hosts);
    args.contacts = ctl_decimal(contacts, plan.max_contacts);
    args.interval = ctl_decimal(seconds, interval);
    args.profile = rbl_sid_str(&profile);
    args.group = rbl_sid_str(&group);
    args.checks = ctl_decimal(checks, plan.max_checks);
    args.shortest = ctl_decimal(least, plan.interval);

    reply = ctl_script(ctl, CTL_SCRIPT(account_put, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_account_put_reply(&said, reply);
    freeReplyObject(reply);

    if (said.word != RBL_ACCOUNT_PUT_OK) {
        return ctl_fail("an account with this SID exists already");
    }

    ctl->args[0] = rbl_sid_str(&account);

    return ctl_account_show(ctl);
}


int
ctl_account_load(ctl_t *ctl, const rbl_sid_t *sid, rbl_account_t *a,
    redisReply **reply)
{
    rbl_key_t  key;

    *reply = ctl_command(ctl, RBL_COMMAND("GET", ctl_acct(ctl, &key, sid)));
    if (*reply == NULL) {
        return -1;
    }

    if ((*reply)->type == REDIS_REPLY_NIL) {
        ctl_fail("there is no account %s", sid->s);

    } else if (rbl_account_decode(a, rbl_reply_str(*reply)) != RBL_OK) {
        ctl_fail("the record of account %s is damaged", sid->s);

    } else {
        return 0;
    }

    freeReplyObject(*reply);

    return -1;
}


int
ctl_account_exists(ctl_t *ctl, const rbl_sid_t *sid)
{
    redisReply     *reply;
    rbl_account_t   a;

    if (ctl_account_load(ctl, sid, &a, &reply) != 0) {
        return -1;
    }

    freeReplyObject(reply);

    return 0;
}


int
ctl_account_show(ctl_t *ctl)
{
    size_t          i;
    json_t         *v;
    int64_t         n;
    rbl_sid_t       sid;
    rbl_key_t       key;
    redisReply     *reply;
    rbl_account_t   a;

    static const struct {
        const char  *name, *index;
    } counted[] = {
        { "hosts", "hosts" }, { "listed", "listed" }, { "apps", "apps" },
        { "webhooks", "hooks" }
    };

    if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_load(ctl, &sid, &a, &reply) != 0)
    {
        return CTL_ERROR;
    }

    v = ctl_account_json(ctl, &a);
    freeReplyObject(reply);

    if (v == NULL) {
        return CTL_ERROR;
    }

    for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
        n = ctl_count(ctl, "ZCARD",
                      rbl_account_key(&key, &ctl->ks, counted[i].index,
                                      rbl_sid_str(&sid), RBL_STR("")));
        if (n < 0) {
            json_decref(v);
            return CTL_ERROR;
        }

        json_object_set_new(v, counted[i].name, json_integer(n));
    }

    return ctl_print(ctl, account_columns, v);
}


static int
ctl_account_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_account_t  a;

    /* an account that was deleted between two commands is no error */

    if (rbl_account_decode(&a, raw) != RBL_OK) {
        if (raw.p == NULL) {
            return 0;
        }

        ctl_fail("the record of account %.*s is damaged", (int) sid.n,
                 sid.p ? sid.p : "");
        return 0;
    }

    return json_array_append_new(data, ctl_account_json(ctl, &a));
}


int
ctl_account_list(ctl_t *ctl)
{
    json_t     *rows;
    unsigned    p;
    rbl_key_t   key;
    rbl_str_t   none = RBL_STR("");

    rows = json_array();
    ctl_survey(ctl);

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (!ctl_away(ctl, p)
            && ctl_each(ctl, rbl_key(&key, &ctl->ks, p, "accounts", none,
                                 none),
                        p, "acct", none, ctl_account_each, rows)
               != 0)
        {
            json_decref(rows);
            return CTL_ERROR;
        }
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


/* Runs a script that changes the account, and prints the account. */
static int
ctl_account_set(ctl_t *ctl, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    redisReply  *reply;

    reply = ctl_account_script(ctl, script, argc, argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    freeReplyObject(reply);

    return ctl_account_show(ctl);
}


static int
ctl_account_status(ctl_t *ctl, const char *status)
{
    rbl_account_status_args_t  args;

    args.status = rbl_str(status);

    return ctl_account_set(ctl, CTL_SCRIPT(account_status, args));
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
    rbl_account_update_args_t  args;

    args.name = RBL_STR("");
    args.timezone = ctl->args[1];
    args.interval = RBL_STR("");

    return ctl_timezone(ctl, args.timezone) != 0
           ? CTL_ERROR
           : ctl_account_set(ctl, CTL_SCRIPT(account_update, args));
}
