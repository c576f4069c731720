/*
 * Operations of billing that only the operator has: payments that have arrived,
 * and changes of the balance.
 */

#include "op.h"

#include "rbl_money.h"

#include <stdio.h>

#define BILL_REFERENCE       255        /* octets */
#define BILL_DECIMALS        6          /* of an amount: a check is cheap */


static const rbl_outcome_t  bill_refusals[] = {
    { "PAYMENT", 404,
      "the account has no such payment; rblctl bill payments lists them" },
    { "AMOUNT", 409,
      "the amount of the payment is now %s USD, and the customer was told"
      " another one before: give what has arrived by --amount" },
    { "DONE", 409, "the payment is %s, reference \"%s\"" },
    { "STATE", 409, "the payment does not wait for the gateway: it is %s" },
    { "FLIGHT", 409,
      "the daemon still asks the gateway (%s): a charge that is on its way"
      " would be made twice. Wait until the payment is left to you, or give"
      " --force" },
    { "USED", 409,
      "something else was booked by that reference, of %s USD; rblctl bill"
      " ledger shows it" },
    { "ABOVE", 409,
      "the refund is above what is left of the payment: %s USD" },
    { "CREDITED", 409,
      "%s USD of the payment may be refunded: the rest of its period, %s USD,"
      " was credited to the balance. rblctl bill adjust pays that back" },
    { "RECHARGE", 409,
      "the balance would fall below %s USD, and the account would be charged"
      " again: turn that off first, by rblctl bill recharge SID off" },
    { "LIMIT", 409, "the balance would be too large" },
    { NULL, 0, NULL }
};


static int
bill_reference(rbl_run_t *run, rbl_str_t *text)
{
    return text->n <= BILL_REFERENCE ? 0
           : rbl_expect(run, "a text of at most 255 octets");
}


static void
paid_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    int                      over;
    char                     sum[RBL_MONEY_LEN], more[RBL_MONEY_LEN], text[200];
    rbl_bill_settle_reply_t  said;

    rbl_bill_settle_reply(&said, reply);
    (void) rbl_money_text(sum, said.sum);
    (void) rbl_money_text(more, said.over);
    over = said.over > 0;
    snprintf(text, sizeof(text), "Booked %s USD for %s%s%s%s.", sum, run->id.s,
             over ? ", and " : "", over ? more : "",
             over ? " USD for the balance" : "");
    rbl_doc_str(doc, "note", rbl_str(text));
}


static const rbl_field_t  paid_fields[] = {
    RBL_TEXT("reference", 0, bill_reference, RBL_ARG(bill_settle, reference)),
    RBL_TEXT("amount", 0, rbl_bill_paid, RBL_ARG(bill_settle, amount)),
    RBL_END
};

const rbl_op_t  bill_op_paid = {
    .script = &rbl_script_bill_settle,
    .fields = paid_fields,
    .value = "paid",
    .kinds = { RBL_SID_PAYMENT },
    .message = "OK",
    .answer = paid_answer,
    .refusals = bill_refusals
};


/* The reference makes a refund the same. */
static int
refund_reference(rbl_run_t *run, rbl_str_t *text)
{
    return text->n > 0 ? bill_reference(run, text)
           : rbl_expect(run, "the number of the refund at the gateway or in"
                        " your books");
}


static const rbl_field_t  refund_fields[] = {
    RBL_TEXT("amount", RBL_NEEDED, rbl_bill_paid,
             RBL_ARG(bill_refund, amount)),
    RBL_TEXT("reference", RBL_NEEDED, refund_reference,
             RBL_ARG(bill_refund, reference)),
    RBL_END
};

const rbl_op_t  bill_op_refund = {
    .script = &rbl_script_bill_refund,
    .fields = refund_fields,
    .kinds = { RBL_SID_PAYMENT },
    .message = "Booked. The money moves at the gateway, or at your bank.",
    .refusals = bill_refusals
};


static int
settle_result(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_str_is(*text, "succeeded") || rbl_str_is(*text, "failed") ? 0
           : rbl_expect(run, "succeeded or failed");
}


static int
settle_amount(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_str_is(run->argv[RBL_ARG(bill_settle, result)], "failed")
           ? rbl_expect(run, "left out: when a payment has failed, nothing was"
                             " charged")
           : rbl_bill_paid(run, text);
}


static const rbl_field_t  settle_fields[] = {
    RBL_TEXT("result", RBL_NEEDED, settle_result,
             RBL_ARG(bill_settle, result)),
    RBL_TEXT("reference", 0, bill_reference, RBL_ARG(bill_settle, reference)),
    RBL_TEXT("amount", 0, settle_amount, RBL_ARG(bill_settle, amount)),
    RBL_TEXT("force", 0, NULL, RBL_ARG(bill_settle, force)),
    RBL_END
};

const rbl_op_t  bill_op_settle = {
    .script = &rbl_script_bill_settle,
    .fields = settle_fields,
    .kinds = { RBL_SID_PAYMENT },
    .message = "OK",
    .refusals = bill_refusals
};


static const rbl_field_t  topup_fields[] = {
    RBL_TEXT("amount", RBL_NEEDED, rbl_bill_paid, RBL_ARG(bill_adjust, amount)),
    RBL_TEXT("reference", 0, bill_reference, RBL_ARG(bill_adjust, reference)),
    RBL_END
};


/* The account need not have a bill yet: money may come first.  The same
   reference is the same payment or change.  Without one, the SID is a random
   text in its place. */
static void
balance_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    char  text[RBL_MONEY_LEN];

    (void) run;

    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "balance",
                rbl_money_text(text, rbl_reply_number(reply)));
    rbl_doc_close(doc);
}


const rbl_op_t  bill_op_topup = {
    .script = &rbl_script_bill_adjust,
    .fields = topup_fields,
    .value = "topup",
    .kinds = { RBL_SID_PAYMENT },
    .makes = 1,
    .message = "OK",
    .answer = balance_answer,
    .refusals = bill_refusals
};


/* "+5.00", "-5.00": the sign is needed, so that nothing is taken by mistake.
   Amounts of a check have more digits than cents. */
static int
adjust_amount(rbl_run_t *run, rbl_str_t *text)
{
    int64_t    amount;
    rbl_str_t  digits;

    digits = *text;

    if (digits.n > 0 && (*digits.p == '+' || *digits.p == '-')) {
        digits.p++;
        digits.n--;

        if (rbl_money_parse(&amount, digits, BILL_DECIMALS) == RBL_OK
            && amount > 0)
        {
            return rbl_run_int(run, text, *text->p == '-' ? -amount : amount);
        }
    }

    return rbl_expect(run, "an amount of dollars with its sign, as +5.00 or"
                      " -5.00");
}


static const rbl_field_t  adjust_fields[] = {
    RBL_TEXT("amount", RBL_NEEDED, adjust_amount,
             RBL_ARG(bill_adjust, amount)),
    RBL_TEXT("reason", RBL_NEEDED, bill_reference,
             RBL_ARG(bill_adjust, reason)),
    RBL_TEXT("reference", 0, bill_reference, RBL_ARG(bill_adjust, reference)),
    RBL_END
};

const rbl_op_t  bill_op_adjust = {
    .script = &rbl_script_bill_adjust,
    .fields = adjust_fields,
    .value = "adjust",
    .kinds = { RBL_SID_PAYMENT },
    .makes = 1,
    .message = "OK",
    .answer = balance_answer,
    .refusals = bill_refusals
};
