/*
 * rblctl bill: the balance of accounts that pay by the check: what they have
 * paid in advance, when it is recharged, and when they are told that it is low.
 */

#include "bill_int.h"

#include "rbl_money.h"

#include <stdlib.h>
#include <string.h>


int
bill_credit(ctl_t *ctl, const rbl_sid_t *account, const rbl_terms_t *terms,
    json_t *v)
{
    int64_t      left;
    rbl_key_t    key;
    rbl_str_t    balance, used;
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_COMMAND("HMGET",
                        bill_key(ctl, &key, "money", account),
                        RBL_STR("balance"), RBL_STR("used")));
    if (reply == NULL) {
        return -1;
    }

    balance = rbl_reply_str(rbl_reply_at(reply, 0));
    used = rbl_reply_str(rbl_reply_at(reply, 1));
    left = (balance.n ? strtoll(balance.p, NULL, 10) : 0)
           - (used.n ? strtoll(used.p, NULL, 10) : 0);
    freeReplyObject(reply);

    json_object_set_new(v, "balance", bill_money(left));
    json_object_set_new(v, "alert", bill_money(terms->alert));
    json_object_set_new(v, "falls_below", bill_money(terms->falls_below));
    json_object_set_new(v, "recharge_to", bill_money(terms->recharge_to));

    return 0;
}


/* An amount of dollars and cents that is not 0.  -1: error printed. */
static int
credit_amount(int64_t *amount, rbl_str_t text)
{
    if (rbl_money_parse(amount, text, 2) != RBL_OK || *amount == 0) {
        ctl_fail("\"%.80s\" is not an amount of dollars and cents, as 25.00",
                 text.p);
        return -1;
    }

    return 0;
}


static rbl_str_t
credit_decimal(char buf[CTL_DECIMAL], int64_t amount)
{
    return amount ? ctl_decimal(buf, amount) : RBL_STR("0");
}


int
ctl_bill_recharge(ctl_t *ctl)
{
    char                   below[CTL_DECIMAL], to[CTL_DECIMAL];
    int64_t                amount;
    rbl_bill_terms_args_t  args;

    memset(&args, 0, sizeof(args));

    if (ctl->n_args == 2) {
        if (!rbl_str_is(ctl->args[1], "off")) {
            return ctl_fail("two amounts are needed, or off");
        }

        args.falls = args.to = RBL_STR("0");
        return bill_terms(ctl, args);
    }

    if (credit_amount(&amount, ctl->args[1]) != 0) {
        return CTL_ERROR;
    }

    args.falls = ctl_decimal(below, amount);

    if (credit_amount(&amount, ctl->args[2]) != 0) {
        return CTL_ERROR;
    }

    args.to = ctl_decimal(to, amount);

    return bill_terms(ctl, args);
}


int
ctl_bill_alert(ctl_t *ctl)
{
    char                   text[CTL_DECIMAL];
    int64_t                amount;
    rbl_bill_terms_args_t  args;

    amount = 0;

    if (!rbl_str_is(ctl->args[1], "off")
        && credit_amount(&amount, ctl->args[1]) != 0)
    {
        return CTL_ERROR;
    }

    memset(&args, 0, sizeof(args));
    args.alert = credit_decimal(text, amount);

    return bill_terms(ctl, args);
}


static int
topup_said(const rbl_bill_topup_reply_t *said)
{
    char  booked[RBL_MONEY_LEN];

    switch (said->word) {

    case RBL_BILL_TOPUP_OK:
        return CTL_OK;

    case RBL_BILL_TOPUP_OTHER:
        rbl_money_text(booked, said->amount);
        return ctl_fail("a payment of that reference was booked, of %s USD",
                        booked);

    case RBL_BILL_TOPUP_LIMIT:
        return ctl_fail("the balance would be too large");

    default:
        return ctl_fail("the store's reply cannot be understood");
    }
}


/* The account need not have a bill yet: money may come first. */
static int
credit_show(ctl_t *ctl, const ctl_column_t *columns)
{
    json_t       *v;
    rbl_sid_t     sid;
    rbl_terms_t   none;

    memset(&none, 0, sizeof(none));

    if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0) {
        return CTL_ERROR;
    }

    v = json_object();

    if (bill_credit(ctl, &sid, &none, v) != 0) {
        json_decref(v);
        return CTL_ERROR;
    }

    json_object_del(v, "alert");
    json_object_del(v, "falls_below");
    json_object_del(v, "recharge_to");

    return ctl_print(ctl, columns, v);
}


static const ctl_column_t  credit_columns[] = {
    { "balance", "balance (USD)" }, { NULL, NULL }
};


int
ctl_bill_topup(ctl_t *ctl)
{
    int          rc;
    char         text[CTL_DECIMAL], random[CTL_SECRET_SIZE];
    int64_t      amount;
    redisReply  *reply;

    rbl_bill_topup_args_t   args;
    rbl_bill_topup_reply_t  said;

    if (bill_reference(ctl, &args.reference) != 0
        || credit_amount(&amount, ctl->args[1]) != 0
        || ctl_token_make(random) != 0)
    {
        return CTL_ERROR;
    }

    args.payment = args.reference.n ? args.reference : rbl_str(random);
    args.amount = ctl_decimal(text, amount);
    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_topup, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_topup_reply(&said, reply);
    rc = topup_said(&said);
    freeReplyObject(reply);

    return rc == CTL_OK ? credit_show(ctl, credit_columns) : rc;
}


/* "+5.00", "-5.00": the sign is needed, so that nothing is taken by mistake.
   Amounts of a check have more digits than cents. */
static int
adjust_amount(int64_t *amount, rbl_str_t text)
{
    int        minus;
    rbl_str_t  digits;

    minus = text.n > 0 && text.p[0] == '-';

    if (text.n > 0 && (minus || text.p[0] == '+')) {
        digits.p = text.p + 1;
        digits.n = text.n - 1;

        if (rbl_money_parse(amount, digits, 6) == RBL_OK && *amount > 0) {
            *amount = minus ? -*amount : *amount;
            return 0;
        }
    }

    ctl_fail("\"%.80s\" is not an amount of dollars with its sign, as +5.00 or"
             " -5.00", text.p);
    return -1;
}


int
ctl_bill_adjust(ctl_t *ctl)
{
    int          rc;
    char         text[CTL_DECIMAL], random[CTL_SECRET_SIZE];
    int64_t      amount;
    redisReply  *reply;

    rbl_bill_adjust_args_t   args;
    rbl_bill_adjust_reply_t  said;

    args.reason = ctl->args[2];

    if (args.reason.n == 0 || args.reason.n > BILL_REFERENCE
        || !rbl_text_ok(args.reason))
    {
        return ctl_fail("the reason must be a text of at most %d octets",
                        BILL_REFERENCE);
    }

    if (adjust_amount(&amount, ctl->args[1]) != 0
        || ctl_token_make(random) != 0)
    {
        return CTL_ERROR;
    }

    args.of = rbl_str(random);
    args.amount = ctl_decimal(text, amount);
    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_adjust, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_adjust_reply(&said, reply);
    rc = said.word == RBL_BILL_ADJUST_OK ? CTL_OK
         : ctl_fail("the balance would be too large");
    freeReplyObject(reply);

    return rc == CTL_OK ? credit_show(ctl, credit_columns) : rc;
}
