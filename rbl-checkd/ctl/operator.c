/*
 * rblctl operator: the operators, who see all accounts in the portal.  They are
 * users of an account of their own, and these commands are those of rblctl user
 * for that account.  The first `add` makes it.
 */

#include "ctl.h"


/* Runs a command of rblctl user. */
static int
operator_run(ctl_t *ctl, int (*run)(ctl_t *ctl))
{
    memmove(ctl->args + 1, ctl->args, sizeof(ctl->args) - sizeof(*ctl->args));
    ctl->args[0] = RBL_STR(RBL_SID_OPERATORS);
    ctl->n_args++;

    return run(ctl);
}


static rbl_str_t
operator_account(const ctl_t *ctl, rbl_key_t *key)
{
    return rbl_account_key(key, &ctl->ks, "acct", RBL_STR(RBL_SID_OPERATORS),
                           RBL_STR(""));
}


/* Makes the account if there is none.  It has no hosts, applications or
   receivers, so its plan does not matter. */
static int
operator_begin(ctl_t *ctl)
{
    rbl_key_t    key;
    rbl_sid_t    profile, group;
    redisReply  *reply;

    rbl_account_put_args_t   args;
    rbl_account_put_reply_t  said;

    if (rbl_sid_make(&profile, RBL_SID_PROFILE) != RBL_OK
        || rbl_sid_make(&group, RBL_SID_GROUP) != RBL_OK)
    {
        return ctl_fail("the kernel gives no random bytes");
    }

    args.acct = operator_account(ctl, &key);
    args.name = RBL_STR("Operators");
    args.timezone = RBL_STR("UTC");
    args.plan = RBL_STR("");
    args.paid = RBL_STR("0");
    args.hosts = RBL_STR("0");
    args.contacts = RBL_STR("0");
    args.checks = RBL_STR("0");
    args.interval = RBL_STR("86400");
    args.shortest = RBL_STR("86400");
    args.profile = rbl_sid_str(&profile);
    args.group = rbl_sid_str(&group);

    reply = ctl_script(ctl, CTL_SCRIPT(account_put, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_account_put_reply(&said, reply);
    freeReplyObject(reply);

    return said.word != RBL_ACCOUNT_PUT_NONE
           ? CTL_OK : ctl_fail("the store's reply cannot be understood");
}


static int
operator_change(ctl_t *ctl, int (*run)(ctl_t *ctl))
{
    int64_t    n;
    rbl_key_t  key;

    n = ctl_count(ctl, "EXISTS", operator_account(ctl, &key));

    return n < 0 ? CTL_ERROR
           : n == 0 ? ctl_fail("there are no operators: rblctl operator add"
                               " adds one")
           : operator_run(ctl, run);
}


int
ctl_operator_add(ctl_t *ctl)
{
    return operator_begin(ctl) == CTL_OK ? operator_run(ctl, ctl_user_add)
                                         : CTL_ERROR;
}


int
ctl_operator_list(ctl_t *ctl)
{
    return operator_change(ctl, ctl_user_list);
}


int
ctl_operator_link(ctl_t *ctl)
{
    return operator_change(ctl, ctl_user_link);
}


int
ctl_operator_delete(ctl_t *ctl)
{
    return operator_change(ctl, ctl_user_delete);
}
