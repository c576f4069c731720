/*
 * Billing: what an account pays for, its balance, what it chose, its payment
 * sources, its payments, and the movements of its money.  Nothing by which the
 * gateway could be asked to move money is in an answer.  These operations write
 * choices only; the daemon writes bills, payments and sources.
 */

#include "rbl_ops.h"

#include "rbl_money.h"
#include "rbl_validate.h"
#include "rbl_view.h"


#define RBL_LEDGER_LAST    50           /* default */
#define RBL_CENTS          2            /* decimals of an amount */
#define RBL_CHARGE_LEAST   500000       /* micro-USD, of a top-up by gateway */
#define RBL_CHARGE_MOST    (INT64_C(10000) * RBL_MONEY_USD)
#define RBL_ONCE_LEAST     16           /* octets */
#define RBL_ONCE_MOST      64

static const rbl_outcome_t  rbl_bill_refusals[] = {
    { "BILL", 404, "The account has no bill." },
    { "GATEWAY", 409, "The account pays without payment sources." },
    { "PERIOD", 409, "The plan is not paid by the check." },
    { "CARD", 409, "The account has no payment source: add one." },
    { "OPEN", 409, "Another payment is open." },
    RBL_UNKNOWN_ID("SOURCE", "source"),
    { "HELD", 409, "The account is suspended." },
    { "NOTHING", 409, "There is nothing to pay now." },
    { "FLIGHT", 409, "The payment is %s: its last attempt has not ended." },
    { "RENEW", 409, "The plan does not renew itself: turn renewal on." },
    { "HAND", 409,
      "The operator books the payment when the money has arrived." },
    { "NOSOURCE", 409, "The account has no payment source." },
    { "SOON", 409, "An attempt was asked for within the last minute." },
    { "RECHARGE", 400,
      "Invalid recharge_to value provided: it must be more than"
      " falls_below." },
    { "NOW", 409,
      "The balance is %s USD, less than falls_below: a recharge of %s USD would"
      " be opened at once. Confirm that with now." },
    { NULL, 0, NULL }
};


/* A URL of the gateway, or "" if it is not of https. */

static void
rbl_bill_url(rbl_doc_t *doc, const char *key, rbl_str_t url)
{
    rbl_doc_str(doc, key, rbl_str_begins(url, "https://")
                          && url.n > sizeof("https://") - 1
                          ? url : RBL_STR(""));
}


void
rbl_bill_state(const rbl_run_t *run, rbl_doc_t *doc, const rbl_bill_t *bill)
{
    int  active, paid;

    active = rbl_str_is(bill->state, "active");
    paid = bill->begins < bill->ends;

    rbl_doc_str(doc, "state", bill->state);
    rbl_run_at(run, doc, "expires", paid ? bill->ends : 0);
    rbl_run_at(run, doc, "stops",
               active || bill->ends == 0 ? 0 : bill->stops);
}


static void
rbl_bill_plan(rbl_run_t *run, rbl_doc_t *doc, const rbl_bill_t *bill)
{
    rbl_doc_str(doc, "gateway", bill->gateway);
    rbl_doc_str(doc, "plan", bill->plan);
    rbl_view_money(doc, "price", bill->price);
    rbl_doc_z(doc, "currency", "USD");
    rbl_doc_str(doc, "period", bill->period);
    rbl_bill_state(run, doc, bill);
    rbl_run_at(run, doc, "begins",
               bill->begins < bill->ends ? bill->begins : 0);
}


/* The plan that begins later, if there is one. */

static void
rbl_bill_change(rbl_run_t *run, rbl_doc_t *doc, const rbl_bill_t *bill)
{
    rbl_change_t  change;

    if (bill->change.n == 0) {
        return;
    }

    if (rbl_change_decode(&change, bill->change) != RBL_OK) {
        run->by->note(run, "The record of a change of a plan is damaged.");
        return;
    }

    rbl_doc_object(doc, "change");
    rbl_doc_str(doc, "plan", change.plan);
    rbl_view_money(doc, "price", change.price);
    rbl_doc_str(doc, "period", change.period);
    rbl_run_at(run, doc, "begins", change.at);
    rbl_doc_close(doc);
}


/* An account that has not chosen has the defaults (_terms.lua). */

static void
rbl_bill_terms(rbl_run_t *run, rbl_doc_t *doc, rbl_str_t raw)
{
    rbl_terms_t  terms;

    if (rbl_terms_decode(&terms, raw) != RBL_OK) {
        run->by->note(run, "The record of the terms of a bill is damaged.");
        memset(&terms, 0, sizeof(terms));
        terms.source = RBL_STR("");
    }

    rbl_doc_bool(doc, "renew", terms.renew != 0);
    rbl_view_money(doc, "falls_below", terms.falls_below);
    rbl_view_money(doc, "recharge_to", terms.recharge_to);
    rbl_view_money(doc, "alert", terms.alert);
    rbl_doc_str(doc, "source", terms.source);
}


static void
rbl_bill_sources(rbl_run_t *run, rbl_doc_t *doc, const char *key,
    const redisReply *sources)
{
    size_t         i;
    rbl_source_t   source;

    rbl_doc_array(doc, key);

    for (i = 0; i < rbl_reply_len(sources); i++) {
        if (rbl_source_decode(&source, rbl_reply_str(rbl_reply_at(sources, i)))
            != RBL_OK)
        {
            run->by->note(run, "The record of a payment source is damaged.");
            continue;
        }

        rbl_doc_object(doc, NULL);
        rbl_view_source(doc, &source);
        rbl_doc_bool(doc, "live", source.live != 0);
        rbl_run_at(run, doc, "created", source.created);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
rbl_bill_setup(rbl_run_t *run, rbl_doc_t *doc, rbl_str_t raw)
{
    rbl_setup_t  setup;

    if (raw.n == 0 || rbl_setup_decode(&setup, raw) != RBL_OK) {
        return;
    }

    rbl_doc_object(doc, "setup");
    rbl_doc_str(doc, "state", setup.state);
    rbl_run_at(run, doc, "made", setup.made);
    rbl_bill_url(doc, "url", rbl_str_is(setup.state, "open") ? setup.url
                                                             : RBL_STR(""));
    rbl_doc_str(doc, "text", setup.text);
    rbl_doc_close(doc);
}


void
rbl_bill_payment(rbl_run_t *run, rbl_doc_t *doc, const char *key,
    rbl_str_t raw)
{
    rbl_payment_t  payment;

    if (rbl_payment_decode(&payment, raw) != RBL_OK) {
        run->by->note(run, "The record of a payment is damaged.");
        return;
    }

    rbl_doc_object(doc, key);
    rbl_doc_str(doc, "id", payment.id);
    rbl_doc_str(doc, "kind", payment.kind);
    rbl_doc_str(doc, "plan", payment.plan);
    rbl_doc_str(doc, "gateway", payment.gateway);
    rbl_view_money(doc, "amount", payment.amount);
    rbl_doc_z(doc, "currency", "USD");
    rbl_view_money(doc, "refunded", payment.refunded);
    rbl_doc_str(doc, "state", payment.state);
    rbl_doc_int(doc, "attempt", payment.attempt);
    rbl_doc_str(doc, "reason", payment.reason);
    rbl_doc_str(doc, "source", payment.source);
    rbl_doc_str(doc, "reference", payment.reference);
    rbl_run_at(run, doc, "created", payment.created);
    rbl_run_at(run, doc, "done", payment.done);
    rbl_run_at(run, doc, "begins", payment.begins);
    rbl_run_at(run, doc, "ends", payment.ends);
    rbl_bill_url(doc, "url", rbl_str_is(payment.state, "customer")
                             ? payment.url : RBL_STR(""));
    rbl_doc_close(doc);
}


/* An operator sees too how many hosts are checked though the plan has
   expired. */

static void
rbl_bill_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_bill_t              bill;
    rbl_bill_show_reply_t   said;

    rbl_bill_show_reply(&said, reply);

    if (rbl_bill_decode(&bill, said.bill) != RBL_OK) {
        rbl_refuse(run, 500, "The record of a bill is damaged.");
        return;
    }

    rbl_doc_object(doc, "data");

    if (run->operator) {
        rbl_doc_str(doc, "account", run->account);
    }

    rbl_bill_plan(run, doc, &bill);
    rbl_bill_change(run, doc, &bill);
    rbl_view_money(doc, "balance", said.balance - said.used);
    rbl_view_money(doc, "used", said.used);
    rbl_bill_terms(run, doc, said.terms);
    rbl_bill_sources(run, doc, "sources", said.sources);

    if (said.payment.n) {
        rbl_bill_payment(run, doc, "payment", said.payment);
    }

    rbl_bill_setup(run, doc, said.setup);

    if (run->operator && said.lapsed > 0) {
        rbl_run_at(run, doc, "lapsed", said.lapsed);
        rbl_doc_int(doc, "checked", said.checked);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_bill = {
    .script = &rbl_script_bill_show,
    .message = "OK",
    .answer = rbl_bill_answer,
    .refusals = rbl_bill_refusals
};


int
rbl_bill_amount(rbl_run_t *run, rbl_str_t *text)
{
    int64_t  amount;

    if (rbl_money_parse(&amount, *text, RBL_CENTS) != RBL_OK) {
        return rbl_expect(run, "an amount of dollars and cents, as 25.00");
    }

    return rbl_run_int(run, text, amount);
}


int
rbl_bill_paid(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_bill_amount(run, text) != 0 ? -1
           : !rbl_str_is(*text, "0") ? 0
           : rbl_expect(run, "an amount of dollars and cents, as 25.00");
}


static const rbl_field_t  rbl_bill_fields[] = {
    RBL_TEXT("renew", 0, rbl_flag, RBL_ARG(bill_terms, renew)),
    RBL_TEXT("falls_below", 0, rbl_bill_amount, RBL_ARG(bill_terms, falls)),
    RBL_TEXT("recharge_to", 0, rbl_bill_amount, RBL_ARG(bill_terms, to)),
    RBL_TEXT("alert", 0, rbl_bill_amount, RBL_ARG(bill_terms, alert)),
    RBL_SIDS("source", RBL_ONE, RBL_SID_SOURCE, RBL_ARG(bill_terms, source)),
    RBL_TEXT("now", 0, rbl_flag, RBL_ARG(bill_terms, now)),
    RBL_END
};

const rbl_op_t  rbl_op_bill_update = {
    .script = &rbl_script_bill_terms,
    .fields = rbl_bill_fields,
    .message = "Billing updated successfully.",
    .refusals = rbl_bill_refusals
};


const rbl_op_t  rbl_op_bill_retry = {
    .script = &rbl_script_bill_retry,
    .message = "A payment is tried at once.",
    .refusals = rbl_bill_refusals
};


/* The text that makes a payment the same comes from a client. */

static int
rbl_bill_once(rbl_run_t *run, rbl_str_t *text)
{
    return text->n >= RBL_ONCE_LEAST && text->n <= RBL_ONCE_MOST ? 0
           : rbl_expect(run, "a random text of 16 to 64 characters");
}


/* So much a gateway can charge at once. */

static int
rbl_bill_once_amount(rbl_run_t *run, rbl_str_t *text)
{
    int64_t  amount;

    return rbl_bill_amount(run, text) != 0 ? -1
           : rbl_int_parse(&amount, *text, RBL_CHARGE_LEAST,
                           RBL_CHARGE_MOST) == RBL_OK ? 0
           : rbl_expect(run, "an amount from 0.50 to 10000.00");
}


static const rbl_field_t  rbl_bill_topup_fields[] = {
    RBL_TEXT("amount", RBL_NEEDED, rbl_bill_once_amount,
             RBL_ARG(bill_wish, amount)),
    RBL_TEXT("idempotency_key", RBL_NEEDED, rbl_bill_once,
             RBL_ARG(bill_wish, once)),
    RBL_END
};

const rbl_op_t  rbl_op_bill_topup = {
    .script = &rbl_script_bill_wish,
    .fields = rbl_bill_topup_fields,
    .message = "The payment is made soon.",
    .refusals = rbl_bill_refusals
};


static void
rbl_bill_sources_answer(rbl_run_t *run, rbl_doc_t *doc,
    const redisReply *reply)
{
    rbl_bill_sources_reply_t  said;

    rbl_bill_sources_reply(&said, reply);
    rbl_bill_sources(run, doc, "data", said.sources);
    rbl_bill_setup(run, doc, said.setup);
}


const rbl_op_t  rbl_op_bill_sources = {
    .script = &rbl_script_bill_sources,
    .message = "OK",
    .answer = rbl_bill_sources_answer
};


/* The gateway sends the customer back to run->back. */

static int
rbl_bill_source_prepare(rbl_run_t *run)
{
    run->argv[RBL_ARG(bill_setup, back)] = run->back;

    return 0;
}


const rbl_op_t  rbl_op_bill_source_add = {
    .script = &rbl_script_bill_setup,
    .message = "The payment source can be added soon.",
    .prepare = rbl_bill_source_prepare,
    .refusals = rbl_bill_refusals
};

const rbl_op_t  rbl_op_bill_source_remove = {
    .script = &rbl_script_bill_source_gone,
    .kinds = { RBL_SID_SOURCE },
    .message = "Payment source removed successfully.",
    .refusals = rbl_bill_refusals
};


static void
rbl_bill_payments_answer(rbl_run_t *run, rbl_doc_t *doc,
    const redisReply *reply)
{
    size_t                      i;
    rbl_bill_payments_reply_t   said;

    rbl_bill_payments_reply(&said, reply);
    rbl_page_open(run, doc, "total_payments", said.total);

    for (i = 0; i < rbl_reply_len(said.payments); i++) {
        rbl_bill_payment(run, doc, NULL,
                         rbl_reply_str(rbl_reply_at(said.payments, i)));
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_bill_payments = {
    .script = &rbl_script_bill_payments,
    .fields = rbl_page_fields,
    .message = "OK",
    .ranks = RBL_ARG(bill_payments, first),
    .answer = rbl_bill_payments_answer,
    .slow = 1
};


/* A balance may be below zero. */

static int64_t
rbl_movement_amount(const redisReply *reply)
{
    int64_t    n;
    rbl_str_t  text;

    text = rbl_reply_str(reply);

    if (!rbl_str_begins(text, "-")) {
        return rbl_reply_int(reply, 0);
    }

    text.p++;
    text.n--;

    return rbl_int_parse(&n, text, 0, INT64_MAX) == RBL_OK ? -n : 0;
}


void
rbl_movement_read(rbl_movement_t *m, const redisReply *entry)
{
    const redisReply  *fields;

    fields = rbl_reply_rest(entry);
    m->id = rbl_reply_name(entry);
    m->at = rbl_reply_entry_ms(m->id);
    m->key = rbl_reply_str(rbl_reply_field(fields, "k"));
    m->debit = rbl_reply_str(rbl_reply_field(fields, "d"));
    m->credit = rbl_reply_str(rbl_reply_field(fields, "c"));
    m->about = rbl_reply_str(rbl_reply_field(fields, "r"));
    m->reference = rbl_reply_str(rbl_reply_field(fields, "x"));
    m->amount = rbl_movement_amount(rbl_reply_field(fields, "a"));
    m->balance = rbl_movement_amount(rbl_reply_field(fields, "b"));
}


static const rbl_field_t  rbl_ledger_fields[] = {
    RBL_TEXT("before", 0, rbl_entry, RBL_ARG(bill_ledger, before)),
    RBL_NUMBER("limit", 1, RBL_LEDGER_PAGE, RBL_LEDGER_LAST,
               RBL_ARG(bill_ledger, most)),
    RBL_END
};


static void
rbl_ledger_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                    i, n;
    int64_t                   most;
    rbl_movement_t            m;
    rbl_bill_ledger_reply_t   said;

    rbl_bill_ledger_reply(&said, reply);
    (void) rbl_int_parse(&most, run->argv[RBL_ARG(bill_ledger, most)], 1,
                         RBL_LEDGER_PAGE);
    n = rbl_reply_len(said.entries);

    rbl_doc_str(doc, "next", n < (size_t) most ? RBL_STR("")
                : rbl_reply_name(rbl_reply_at(said.entries, n - 1)));
    rbl_doc_array(doc, "data");

    for (i = 0; i < n; i++) {
        rbl_movement_read(&m, rbl_reply_at(said.entries, i));
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "id", m.id);
        rbl_run_at(run, doc, "at", m.at);
        rbl_doc_str(doc, "key", m.key);
        rbl_doc_str(doc, "debit", m.debit);
        rbl_doc_str(doc, "credit", m.credit);
        rbl_view_money(doc, "amount", m.amount);
        rbl_view_money(doc, "balance", m.balance);
        rbl_doc_str(doc, "about", m.about);
        rbl_doc_str(doc, "reference", m.reference);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_bill_ledger = {
    .script = &rbl_script_bill_ledger,
    .fields = rbl_ledger_fields,
    .message = "OK",
    .answer = rbl_ledger_answer,
    .slow = 1
};
