/*
 * rblctl bill: what accounts pay for, and their payments.  The scripts of
 * shared/lua/bill decide; these commands give them the values.
 */

#include "bill_int.h"
#include "lapse.h"
#include "plan.h"

#include "rbl_money.h"
#include "rbl_time.h"

#include <string.h>


static const ctl_column_t  bill_columns[] = {
    { "account", "account" }, { "plan", "plan" }, { "price", "price (USD)" },
    { "period", "period" }, { "gateway", "gateway" }, { "state", "state" },
    { "begins", "paid from" }, { "ends", "paid until" },
    { "renew", "renews itself" }, { "open", "open payment" },
    { "balance", "balance (USD)" }, { "alert", "tell below" },
    { "falls_below", "recharge below" }, { "recharge_to", "recharge to" },
    { "lapsed", "expired since" }, { "checked", "hosts still checked" },
    { NULL, NULL }
};

static const ctl_column_t  payment_row[] = {
    { "id", "PAYMENT" }, { "kind", "KIND" }, { "amount", "USD" },
    { "state", "STATE" }, { "begins", "FROM" }, { "ends", "UNTIL" },
    { "reference", "REFERENCE" }, { "reason", "REASON" }, { NULL, NULL }
};


json_t *
bill_money(int64_t amount)
{
    char  text[RBL_MONEY_LEN];

    return ctl_text(rbl_money_text(text, amount));
}


rbl_str_t
bill_key(const ctl_t *ctl, rbl_key_t *key, const char *name,
    const rbl_sid_t *account)
{
    return rbl_account_key(key, &ctl->ks, name, rbl_sid_str(account),
                           RBL_STR(""));
}


int
ctl_bill_show(ctl_t *ctl)
{
    json_t      *v;
    rbl_sid_t    sid;
    rbl_key_t    key, terms_key;
    rbl_bill_t   b;
    redisReply  *reply;
    rbl_terms_t  terms;

    if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &sid) != 0)
    {
        return CTL_ERROR;
    }

    reply = ctl_command(ctl, RBL_COMMAND("MGET",
                        bill_key(ctl, &key, "bill", &sid),
                        bill_key(ctl, &terms_key, "terms", &sid)));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    if (rbl_terms_decode(&terms, rbl_reply_str(rbl_reply_at(reply, 1)))
        != RBL_OK)
    {
        memset(&terms, 0, sizeof(terms));
        terms.renew = 1;
    }

    if (rbl_bill_decode(&b, rbl_reply_str(rbl_reply_at(reply, 0))) != RBL_OK) {
        freeReplyObject(reply);
        return ctl_fail("account %s has no bill; rblctl bill plan makes one",
                        sid.s);
    }

    v = json_pack("{so so so so so so so so sb so}",
                  "account", ctl_text(b.account), "plan", ctl_text(b.plan),
                  "price", bill_money(b.price), "period", ctl_text(b.period),
                  "gateway", ctl_text(b.gateway), "state", ctl_text(b.state),
                  "begins", ctl_time(b.begins), "ends", ctl_time(b.ends),
                  "renew", terms.renew != 0, "open", ctl_text(b.open));
    freeReplyObject(reply);

    if (bill_credit(ctl, &sid, &terms, v) != 0
        || ctl_lapse_show(ctl, &sid, v) != 0)
    {
        json_decref(v);
        return CTL_ERROR;
    }

    return ctl_print(ctl, bill_columns, v);
}


/* Puts the account on a plan of the file, which it pays for. */
static int
bill_put(ctl_t *ctl, const plan_t *plan, int64_t price)
{
    int          rc;
    char         hosts[CTL_DECIMAL], contacts[CTL_DECIMAL],
                 checks[CTL_DECIMAL], seconds[CTL_DECIMAL],
                 amount[CTL_DECIMAL];
    redisReply  *reply;

    rbl_bill_plan_args_t   args;
    rbl_bill_plan_reply_t  said;

    args.gateway = ctl->conf.bill ? rbl_str(ctl->conf.gateway)
                                  : RBL_STR("manual");
    args.plan = plan->name;
    args.price = ctl_decimal(amount, price);
    args.period = plan->period.n ? plan->period : RBL_STR("check");
    args.paid = RBL_STR("1");
    args.hosts = ctl_decimal(hosts, plan->max_hosts);
    args.contacts = ctl_decimal(contacts, plan->max_contacts);
    args.checks = ctl_decimal(checks, plan->max_checks);
    args.shortest = ctl_decimal(seconds, plan->interval);

    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_plan, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_plan_reply(&said, reply);
    rc = said.word == RBL_BILL_PLAN_OK ? CTL_OK
         : ctl_fail("a payment is under way (%.*s): try again when it has"
                    " ended", (int) said.state.n, said.state.p);
    freeReplyObject(reply);

    return rc == CTL_OK ? ctl_bill_show(ctl) : rc;
}


static int
bill_end_said(const rbl_bill_end_reply_t *said)
{
    char  money[RBL_MONEY_LEN], time[RBL_TIME_LEN];

    switch (said->word) {

    case RBL_BILL_END_OK:
        return CTL_OK;

    case RBL_BILL_END_BILL:
        return ctl_fail("the account has no bill; rblctl account plan puts it"
                        " on a plan without a price");

    case RBL_BILL_END_BUSY:
        return ctl_fail("a payment is under way (%.*s): try again when it has"
                        " ended", (int) said->state.n, said->state.p);

    default:
        return said->ends > 0
               ? ctl_fail("the plan is paid until %.*s. rblctl bill renew SID"
                          " off lets it end then; --now ends it now, and the"
                          " rest is lost",
                          (int) rbl_time_rfc3339(time, said->ends).n, time)
               : ctl_fail("the account has a balance of %.*s USD, which it"
                          " could not use. Pay it back and book that with"
                          " rblctl bill adjust, or give --now",
                          (int) rbl_money_text(money, said->left).n, money);
    }
}


/* Puts the account on a plan of the file that costs nothing. */
static int
bill_end(ctl_t *ctl, const plan_t *plan)
{
    int          rc;
    char         hosts[CTL_DECIMAL], contacts[CTL_DECIMAL],
                 checks[CTL_DECIMAL], seconds[CTL_DECIMAL];
    redisReply  *reply;

    rbl_bill_end_args_t   args;
    rbl_bill_end_reply_t  said;

    args.plan = plan->name;
    args.paid = plan->paid ? RBL_STR("1") : RBL_STR("0");
    args.hosts = ctl_decimal(hosts, plan->max_hosts);
    args.contacts = ctl_decimal(contacts, plan->max_contacts);
    args.checks = ctl_decimal(checks, plan->max_checks);
    args.shortest = ctl_decimal(seconds, plan->interval);
    args.now = ctl_option(ctl, "now") ? RBL_STR("1") : RBL_STR("");

    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_end, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_end_reply(&said, reply);
    rc = bill_end_said(&said);
    freeReplyObject(reply);

    return rc == CTL_OK ? ctl_account_show(ctl) : rc;
}


int
ctl_bill_plan(ctl_t *ctl)
{
    int            rc;
    int64_t        price;
    plan_file_t    file;
    const plan_t  *plan;

    plan = plan_open(ctl, &file, ctl->args[1].p);
    if (plan == NULL) {
        return CTL_ERROR;
    }

    if (plan->price.n == 0 && plan->check_price.n == 0) {
        rc = bill_end(ctl, plan);

    } else if (rbl_money_parse(&price, plan->price.n ? plan->price
                                       : plan->check_price, 6) != RBL_OK
               || price == 0)
    {
        rc = ctl_fail("plan \"%.80s\" has no price", ctl->args[1].p);

    } else {
        rc = bill_put(ctl, plan, price);
    }

    plan_file_free(&file);

    return rc;
}


int
bill_terms(ctl_t *ctl, rbl_bill_terms_args_t args)
{
    redisReply              *reply;
    rbl_bill_terms_reply_t   said;

    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_terms, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_terms_reply(&said, reply);
    freeReplyObject(reply);

    switch (said.word) {

    case RBL_BILL_TERMS_OK:
        return ctl_bill_show(ctl);

    case RBL_BILL_TERMS_SOURCE:
        return ctl_fail("the account has no such payment source");

    case RBL_BILL_TERMS_RECHARGE:
        return ctl_fail("the balance must be recharged to more than the amount"
                        " below which it is recharged");

    default:
        return ctl_fail("the account has no bill; rblctl bill plan makes one");
    }
}


int
ctl_bill_renew(ctl_t *ctl)
{
    int                     on;
    rbl_bill_terms_args_t   args;

    on = rbl_str_is(ctl->args[1], "on");

    if (!on && !rbl_str_is(ctl->args[1], "off")) {
        return ctl_fail("the second argument must be on or off");
    }

    memset(&args, 0, sizeof(args));
    args.renew = on ? RBL_STR("1") : RBL_STR("0");

    return bill_terms(ctl, args);
}


int
ctl_bill_source_default(ctl_t *ctl)
{
    rbl_sid_t               source;
    rbl_bill_terms_args_t   args;

    if (ctl_sid(&source, RBL_SID_SOURCE, ctl->args[1]) != 0) {
        return CTL_ERROR;
    }

    memset(&args, 0, sizeof(args));
    args.source = rbl_sid_str(&source);

    return bill_terms(ctl, args);
}


static int
bill_paid_said(const rbl_bill_paid_reply_t *said)
{
    switch (said->word) {

    case RBL_BILL_PAID_OK:
        return CTL_OK;

    case RBL_BILL_PAID_PAYMENT:
        return ctl_fail("the account has no such payment; rblctl bill payments"
                        " lists them");

    case RBL_BILL_PAID_DONE:
        return ctl_fail("the payment is %.*s, reference \"%.*s\"",
                        (int) said->state.n, said->state.p,
                        (int) said->reference.n, said->reference.p);

    default:
        return ctl_fail("the store's reply cannot be understood");
    }
}


int
bill_reference(const ctl_t *ctl, rbl_str_t *reference)
{
    const char  *text;

    text = ctl_option(ctl, "reference");
    *reference = rbl_str(text ? text : "");

    if (reference->n > BILL_REFERENCE || !rbl_text_ok(*reference)) {
        ctl_fail("--reference must be a text of at most %d octets",
                 BILL_REFERENCE);
        return -1;
    }

    return 0;
}


int
ctl_bill_paid(ctl_t *ctl)
{
    int          rc;
    rbl_sid_t    payment;
    redisReply  *reply;

    rbl_bill_paid_args_t   args;
    rbl_bill_paid_reply_t  said;

    if (bill_reference(ctl, &args.reference) != 0) {
        return CTL_ERROR;
    }

    if (ctl_sid(&payment, RBL_SID_PAYMENT, ctl->args[1]) != 0) {
        return CTL_ERROR;
    }

    args.payment = rbl_sid_str(&payment);
    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_paid, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_paid_reply(&said, reply);
    rc = bill_paid_said(&said);
    freeReplyObject(reply);

    return rc == CTL_OK ? ctl_bill_show(ctl) : rc;
}


static int
bill_payment(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_payment_t  p;

    (void) ctl;

    if (rbl_payment_decode(&p, raw) != RBL_OK) {
        ctl_fail("the record of payment %.*s is damaged", (int) sid.n, sid.p);
        return -1;
    }

    return json_array_append_new(data,
               json_pack("{so so so so so so so so so}",
                         "id", ctl_text(p.id), "kind", ctl_text(p.kind),
                         "amount", bill_money(p.amount),
                         "state", ctl_text(p.state),
                         "begins", ctl_time(p.begins),
                         "ends", ctl_time(p.ends),
                         "reference", ctl_text(p.reference),
                         "reason", ctl_text(p.reason),
                         "created", ctl_time(p.created)));
}


int
ctl_bill_payments(ctl_t *ctl)
{
    return ctl_account_records(ctl, "payments", "pay", bill_payment,
                               payment_row);
}
