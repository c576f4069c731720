/*
 * rblctl bill: what its commands do beside their operations; plans of accounts
 * that pay.  The scripts of shared/lua/bill decide.
 */

#include "op.h"
#include "plan.h"

#include "rbl_money.h"
#include "rbl_time.h"
#include "rbl_validate.h"

#define UNPAID_PAGE  250                /* payments of a call */


static const char  unpaid_rows[] =
    "account, name, id:PAYMENT, kind, amount:USD, state, reason,"
    " created:OPENED, next:NEXT TRY";

static const char  source_rows[] =
    "id:SOURCE, type, brand, last4, exp_month:MONTH, exp_year:YEAR";


/* Prints when the plan begins, or why it does not. */
static int
bill_plan_said(const rbl_bill_plan_reply_t *said)
{
    char  money[RBL_MONEY_LEN], time[RBL_TIME_LEN];

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
        return plan_waits(said->plan, said->at);

    default:
        return said->ends > 0
               ? ctl_fail("the plan is paid until %.*s; --now changes it now,"
                          " and credits the rest to the balance",
                          (int) rbl_time_rfc3339(time, said->ends).n, time)
               : ctl_fail("the account has a balance of %.*s USD, which a plan"
                          " by the period does not use; with --now it is kept"
                          " for a plan by the check",
                          (int) rbl_money_text(money, said->left).n, money);
    }
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
    args.now = rbl_str(ctl_option(ctl, "now") ? "1" : "");

    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_plan, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_plan_reply(&said, reply);
    rc = bill_plan_said(&said);
    freeReplyObject(reply);

    return rc == CTL_OK ? ctl_op_show(ctl, "bill show") : rc;
}


int
ctl_bill_plan(ctl_t *ctl)
{
    int64_t        price;
    const plan_t  *plan;

    rbl_account_plan_reply_t  said;

    plan = plan_open(ctl, ctl->args[1].p);
    if (plan == NULL) {
        return CTL_ERROR;
    }

    if (plan->price.n == 0 && plan->check_price.n == 0) {
        return plan_unpriced(ctl, plan, ctl_option(ctl, "now") ? "now" : "end",
                             &said) == CTL_OK
               ? ctl_op_show(ctl, "account show") : CTL_ERROR;
    }

    if (rbl_money_parse(&price, plan->price.n ? plan->price
                                : plan->check_price, 6) != RBL_OK
        || price == 0)
    {
        return ctl_fail("plan \"%.80s\" has no price", ctl->args[1].p);
    }

    return bill_put(ctl, plan, price);
}


int
ctl_bill_renew(ctl_t *ctl)
{
    int          on;
    ctl_given_t  renew = { "renew", "0" };

    on = rbl_str_is(ctl->args[1], "on");

    if (!on && !rbl_str_is(ctl->args[1], "off")) {
        return ctl_fail("the second argument must be on or off");
    }

    if (on) {
        renew.value = "1";
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

    return ctl_print(ctl, source_rows, ctl_op_data(answer));
}


/* Changes the sources, and shows them. */
static int
bill_sources_by(ctl_t *ctl, const rbl_op_t *op, rbl_str_t id)
{
    json_t  *answer;

    answer = ctl_op_run(ctl, op, ctl->args[0], id, 0, NULL);
    if (answer == NULL) {
        return CTL_ERROR;
    }

    json_decref(answer);

    return ctl_bill_sources(ctl);
}


int
ctl_bill_source_add(ctl_t *ctl)
{
    rbl_url_t    url;
    const char  *back;

    back = ctl_option(ctl, "back");

    if (back == NULL || rbl_url_parse(&url, rbl_str(back)) != RBL_OK
        || !url.tls)
    {
        return ctl_fail("--back must be given, an https:// URL");
    }

    return bill_sources_by(ctl, &rbl_op_bill_source_add, RBL_STR(""));
}


int
ctl_bill_source_remove(ctl_t *ctl)
{
    return bill_sources_by(ctl, &rbl_op_bill_source_remove, ctl->args[1]);
}


/* Adds one payment that is not done; one that has just been deleted, or whose
   record is damaged (fsck), is left out. */
static void
unpaid_row(json_t *rows, const redisReply *reply)
{
    char                         text[RBL_MONEY_LEN];
    rbl_str_t                    amount;
    rbl_bill_t                   bill;
    rbl_account_t                account;
    rbl_payment_t                p;
    rbl_payments_show_payment_t  row;

    rbl_payments_show_payment(&row, reply);

    if (rbl_account_decode(&account, row.account) != RBL_OK
        || rbl_bill_decode(&bill, row.bill) != RBL_OK
        || rbl_payment_decode(&p, row.payment) != RBL_OK)
    {
        return;
    }

    amount = rbl_money_text(text, p.amount);
    json_array_append_new(rows,
        json_pack("{so so so so so so so so so sI so so so so}",
                  "account", ctl_text(row.id), "name", ctl_text(account.name),
                  "status", ctl_text(account.status),
                  "plan", ctl_text(bill.plan),
                  "gateway", ctl_text(bill.gateway), "id", ctl_text(p.id),
                  "kind", ctl_text(p.kind), "amount", ctl_text(amount),
                  "state", ctl_text(p.state),
                  "attempt", (json_int_t) p.attempt,
                  "reason", ctl_text(p.reason), "text", ctl_text(p.text),
                  "created", ctl_time(p.created), "next", ctl_time(p.next)));
}


/* Adds those in a state of one partition.  0; -1: error printed. */
static int
unpaid_read(ctl_t *ctl, unsigned p, const char *state, json_t *rows)
{
    char         first[CTL_DECIMAL], last[CTL_DECIMAL];
    size_t       i, n;
    int64_t      from;
    rbl_key_t    key;
    redisReply  *reply;

    rbl_payments_show_args_t   args;
    rbl_payments_show_reply_t  said;

    args.accounts = ctl_key(ctl, &key, p, "accounts");
    args.state = rbl_str(state);

    for (from = 0, n = UNPAID_PAGE; n == UNPAID_PAGE; from += UNPAID_PAGE) {
        args.first = ctl_decimal(first, from);
        args.last = ctl_decimal(last, from + UNPAID_PAGE - 1);
        reply = ctl_script(ctl, CTL_SCRIPT(payments_show, args));

        if (reply == NULL) {
            return -1;
        }

        rbl_payments_show_reply(&said, reply);
        n = rbl_reply_len(said.payments);

        for (i = 0; i < n; i++) {
            unpaid_row(rows, rbl_reply_at(said.payments, i));
        }

        freeReplyObject(reply);
    }

    return 0;
}


/* Adds those in a state.  0; -1: error printed. */
static int
unpaid_state(ctl_t *ctl, rbl_str_t word, json_t *rows)
{
    char      state[16];
    unsigned  p;

    rbl_copy(state, sizeof(state), word);

    if (!rbl_words_have(RBL_STR(RBL_UNPAID_STATES), state)) {
        ctl_fail("\"%s\" must be one of " RBL_UNPAID_STATES, state);
        return -1;
    }

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (!ctl_away(ctl, p) && unpaid_read(ctl, p, state, rows) != 0) {
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
