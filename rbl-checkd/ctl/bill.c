/*
 * rblctl bill: what its commands do beside their operations; plans of accounts
 * that pay.  The scripts of shared/lua/bill decide.
 */

#include "op.h"
#include "plan.h"

#include "rbl_money.h"
#include "rbl_time.h"
#include "rbl_validate.h"

#include <stdio.h>

/* Stripe charges an amount between these at once (micro-USD). */
#define STRIPE_LEAST  500000
#define STRIPE_MOST   INT64_C(999999990000)


static const char  unpaid_rows[] =
    "account, name, id:PAYMENT, gateway, kind, amount:USD, state, reason,"
    " created:OPENED, next:NEXT TRY";


/* Prints when the plan begins, or why it does not.  ends: it has no price, and
   ends the bill. */
static int
bill_plan_said(const rbl_bill_plan_reply_t *said, int ends)
{
    char         money[RBL_MONEY_LEN], time[RBL_TIME_LEN];
    const char  *text;

    switch (said->word) {

    case RBL_BILL_PLAN_OK:
        return CTL_OK;

    case RBL_BILL_PLAN_UPGRADE:
        ctl_note("the plan begins when payment %.*s of %.*s USD is paid",
                 (int) said->payment.n, said->payment.p,
                 (int) rbl_money_text(money, said->amount).n, money);
        return CTL_OK;

    case RBL_BILL_PLAN_LATER:
        ctl_note("the plan begins at %.*s, the end of the paid period",
                 (int) rbl_time_rfc3339(time, said->at).n, time);
        return CTL_OK;

    case RBL_BILL_PLAN_PAYING:
        return ctl_fail("a payment is under way (%.*s): try again when it has"
                        " ended", (int) said->state.n, said->state.p);

    case RBL_BILL_PLAN_WAITS:
        return ctl_fail("the next period is paid, and its plan \"%.*s\" begins"
                        " at %.*s: try again then", (int) said->plan.n,
                        said->plan.p,
                        (int) rbl_time_rfc3339(time, said->at).n, time);

    case RBL_BILL_PLAN_FREE:
        return ctl_fail("the account has no bill; rblctl account plan puts it"
                        " on a plan without a price");

    default:
        if (said->ends > 0) {
            text = ends ? ". rblctl bill renew SID off lets it end then; --now"
                          " ends it now, and credits the rest to the balance"
                   : "; --now changes it now, and credits the rest to the"
                     " balance";

            return ctl_fail("the plan is paid until %.*s%s",
                            (int) rbl_time_rfc3339(time, said->ends).n, time,
                            text);
        }

        text = ends ? "it could not use. Pay it back and book that with rblctl"
                      " bill adjust, or give --now"
               : "a plan by the period does not use; with --now it is kept for"
                 " a plan by the check";

        return ctl_fail("the account has a balance of %.*s USD, which %s",
                        (int) rbl_money_text(money, said->left).n, money,
                        text);
    }
}


/* Puts the account on a plan of the file: it pays for it, or its bill ends. */
int
ctl_bill_plan(ctl_t *ctl)
{
    int            rc, ends;
    char           hosts[CTL_DECIMAL], contacts[CTL_DECIMAL],
                   checks[CTL_DECIMAL], seconds[CTL_DECIMAL],
                   amount[CTL_DECIMAL];
    int64_t        price;
    rbl_str_t      text;
    redisReply    *reply;
    const plan_t  *plan;

    rbl_bill_plan_args_t   args;
    rbl_bill_plan_reply_t  said;

    plan = plan_open(ctl, ctl->args[1].p);
    if (plan == NULL) {
        return CTL_ERROR;
    }

    text = plan->price.n > 0 ? plan->price : plan->check_price;
    ends = text.n == 0;
    price = 0;

    if (!ends && (rbl_money_parse(&price, text, 6) != RBL_OK || price == 0)) {
        return ctl_fail("plan \"%.80s\" has no price", ctl->args[1].p);
    }

    if (plan->price.n > 0 && strcmp(ctl->conf.gateway, "stripe") == 0
        && (price < STRIPE_LEAST || price > STRIPE_MOST))
    {
        return ctl_fail("plan \"%.80s\" costs %.*s USD: Stripe charges 0.50"
                        " to 999999.99 USD", ctl->args[1].p, (int) text.n,
                        text.p);
    }

    args.gateway = ctl->conf.bill ? rbl_str(ctl->conf.gateway)
                                  : RBL_STR("manual");
    args.plan = plan->name;
    args.price = ctl_decimal(amount, price);
    args.period = ends || plan->period.n > 0 ? plan->period : RBL_STR("check");
    args.paid = rbl_str(plan->paid ? "1" : "0");
    args.hosts = ctl_decimal(hosts, plan->max_hosts);
    args.contacts = ctl_decimal(contacts, plan->max_contacts);
    args.checks = ctl_decimal(checks, plan->max_checks);
    args.shortest = ctl_decimal(seconds, plan->interval);
    args.now = rbl_str(ctl_option(ctl, "now") ? "1" : "");

    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_plan, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_plan_reply(&said, reply);
    rc = bill_plan_said(&said, ends);
    freeReplyObject(reply);

    return rc != CTL_OK ? rc
           : ctl_op_show(ctl, ends ? "account show" : "bill show");
}


int
ctl_bill_renew(ctl_t *ctl)
{
    ctl_given_t  renew = { "renew", "0" };

    if (rbl_str_is(ctl->args[1], "on")) {
        renew.value = "1";

    } else if (!rbl_str_is(ctl->args[1], "off")) {
        return ctl_fail("the second argument must be on or off");
    }

    return ctl_op_with(ctl, 1, &renew);
}


int
ctl_bill_recharge(ctl_t *ctl)
{
    ctl_given_t  given[] = {
        { "falls_below", ctl->args[1].p }, { "recharge_to", ctl->args[2].p },
        { "now", ctl_option(ctl, "now") ? "1" : NULL }
    };

    if (ctl->n_args == 2) {
        if (!rbl_str_is(ctl->args[1], "off")) {
            return ctl_fail("two amounts are needed, or off");
        }

        given[0].value = given[1].value = "0";
    }

    return ctl_op_with(ctl, 3, given);
}


int
ctl_bill_alert(ctl_t *ctl)
{
    ctl_given_t  alert = { "alert", ctl->args[1].p };

    if (rbl_str_is(ctl->args[1], "off")) {
        alert.value = "0";
    }

    return ctl_op_with(ctl, 1, &alert);
}


/* The source that is being added is shown on standard error. */
int
ctl_bill_sources(ctl_t *ctl)
{
    json_t      *answer, *setup;
    const char  *url, *text;

    answer = ctl_op_run(ctl, &rbl_op_bill_sources, ctl->args[0], RBL_STR(""),
                        0, NULL);
    if (answer == NULL) {
        return CTL_ERROR;
    }

    setup = json_object_get(answer, "setup");

    if (setup != NULL) {
        url = json_string_value(json_object_get(setup, "url"));
        text = json_string_value(json_object_get(setup, "text"));
        ctl_note("a source that is being added: %s%s%s%s%s",
                 json_string_value(json_object_get(setup, "state")),
                 url[0] ? ", " : "", url, text[0] ? ": " : "", text);
    }

    return ctl_print(ctl, ctl_source_rows, ctl_op_data(answer));
}


int
ctl_bill_source_add(ctl_t *ctl)
{
    json_t      *answer;
    rbl_url_t    url;
    const char  *back;

    back = ctl_option(ctl, "back");

    if (back == NULL || rbl_url_parse(&url, rbl_str(back)) != RBL_OK
        || !url.tls)
    {
        return ctl_fail("--back must be given, an https:// URL");
    }

    answer = ctl_op_run(ctl, &rbl_op_bill_source_add, ctl->args[0],
                        RBL_STR(""), 0, NULL);
    if (answer == NULL) {
        return CTL_ERROR;
    }

    json_decref(answer);

    return ctl_bill_sources(ctl);
}


/* Adds one payment that is not done, of the member "AC:PY" of the index; one
   that has just been deleted, or whose record is damaged (fsck), is left
   out. */
static int
unpaid_row(ctl_t *ctl, rbl_str_t member, rbl_str_t raw, void *data)
{
    char            text[RBL_MONEY_LEN];
    rbl_key_t       key;
    rbl_str_t       sid, amount;
    redisReply     *reply;
    rbl_account_t   account;
    rbl_payment_t   p;

    sid = rbl_until(&member, ':');

    if (rbl_payment_decode(&p, raw) != RBL_OK) {
        return 0;
    }

    reply = ctl_command(ctl, RBL_COMMAND("GET", rbl_account_key(&key, &ctl->ks,
                                         "acct", sid, RBL_STR(""))));
    if (reply == NULL) {
        return -1;
    }

    if (rbl_account_decode(&account, rbl_reply_str(reply)) == RBL_OK) {
        amount = rbl_money_text(text, p.amount);
        json_array_append_new(data,
            json_pack("{so so so so so so so so so sI so so so so}",
                      "account", ctl_text(sid), "name", ctl_text(account.name),
                      "status", ctl_text(account.status),
                      "plan", ctl_text(p.plan),
                      "gateway", ctl_text(p.gateway), "id", ctl_text(p.id),
                      "kind", ctl_text(p.kind), "amount", ctl_text(amount),
                      "state", ctl_text(p.state),
                      "attempt", (json_int_t) p.attempt,
                      "reason", ctl_text(p.reason), "text", ctl_text(p.text),
                      "created", ctl_time(p.created),
                      "next", ctl_time(p.next)));
    }

    freeReplyObject(reply);

    return 0;
}


/* Adds those in a state.  0; -1: error printed. */
static int
unpaid_state(ctl_t *ctl, rbl_str_t word, json_t *rows)
{
    char       state[16], index[24];
    unsigned   p;
    rbl_key_t  key;

    rbl_copy(state, sizeof(state), word);
    snprintf(index, sizeof(index), "unpaid:%s", state);

    if (!rbl_words_have(RBL_STR(RBL_UNPAID_STATES), state)) {
        ctl_fail("\"%s\" must be one of " RBL_UNPAID_STATES, state);
        return -1;
    }

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (!ctl_away(ctl, p)
            && ctl_each(ctl, ctl_key(ctl, &key, p, index), p, "pay",
                        RBL_STR(""), unpaid_row, rows) != 0)
        {
            return -1;
        }
    }

    return 0;
}


int
ctl_bill_list(ctl_t *ctl)
{
    json_t      *rows;
    rbl_str_t    states;
    const char  *given;

    given = ctl_option(ctl, "state");
    states = rbl_str(given != NULL ? given : RBL_UNPAID_STATES);
    rows = json_array();
    ctl_survey(ctl);

    do {
        if (unpaid_state(ctl, rbl_until(&states, ','), rows) != 0) {
            json_decref(rows);
            return CTL_ERROR;
        }
    } while (states.p != NULL);

    return ctl_print_parts(ctl, unpaid_rows, rows);
}
