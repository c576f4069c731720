/*
 * Messages to contacts about their account: a webhook was disabled, the plan
 * has expired or is active again, its balance is no longer recharged, or a
 * payment needs the customer or the operator.  Names are the customer's and the
 * operator's, the reason is the store's, the URL of a payment is the gateway's.
 */

#include "message.h"

#include "rbl_doc.h"
#include "rbl_money.h"
#include "rbl_out.h"
#include "rbl_sid.h"
#include "rbl_time.h"


/* True: it is about a plan (schema.txt). */

static int
notice_plan(const rbl_event_t *event)
{
    return event->check.n == 0
           && (rbl_str_is(event->message, "expired")
               || rbl_str_is(event->message, "active")
               || rbl_str_is(event->message, "recharge"));
}


/* True: it is about a payment. */

static int
notice_payment(const rbl_event_t *event)
{
    rbl_sid_t  sid;

    return rbl_sid_parse(&sid, RBL_SID_PAYMENT, event->check) == RBL_OK
           && (rbl_str_is(event->message, "customer")
               || rbl_str_is(event->message, "operator"));
}


static void
plan_title(rbl_doc_t *doc, const rbl_event_t *event)
{
    RBL_DOC_TEXT(doc, "title", RBL_STR("Plan \""), event->value,
                 rbl_str_is(event->message, "expired")
                 ? RBL_STR("\" has expired")
                 : rbl_str_is(event->message, "recharge")
                 ? RBL_STR("\" is no longer recharged")
                 : RBL_STR("\" is active again"));
}


/* Which hosts are still checked. */

static void
plan_kept(rbl_doc_t *doc, int64_t kept)
{
    char  text[RBL_OUT_INT];

    if (kept < 0) {
        rbl_doc_text_part(doc, RBL_STR("All hosts are still checked, but no"
                          " host can be added and no check be started."));
        return;
    }

    if (kept == 0) {
        rbl_doc_text_part(doc, RBL_STR("No host is checked from now on."));

    } else {
        RBL_DOC_PARTS(doc,
                      RBL_STR("From now on only the oldest hosts are"
                              " checked, at most "),
                      rbl_out_int_text(text, kept), RBL_STR("."));
    }

    rbl_doc_text_part(doc, RBL_STR(" A host that is not checked is unknown, not"
                      " clear; its listings are those of its last check."));
}


static void
plan_recharge(rbl_doc_t *doc, const rbl_event_t *event, rbl_str_t when)
{
    char  text[RBL_OUT_INT];

    RBL_DOC_PARTS(doc, RBL_STR("Recharging the balance of the plan \""),
                  event->value);

    if (event->total > 1) {
        RBL_DOC_PARTS(doc, RBL_STR("\" has failed "),
                      rbl_out_int_text(text, event->total),
                      RBL_STR(" times in a row, and is off since "));

    } else {
        rbl_doc_text_part(doc, RBL_STR("\" was declined for good, and is off"
                          " since "));
    }

    RBL_DOC_PARTS(doc, when,
                  RBL_STR(".\n\nThe checks stop when the balance is used up."
                          " Choose a payment source that works, then turn"
                          " the recharge on again.\n"));
}


static void
plan_text(rbl_doc_t *doc, const rbl_event_t *event, const rbl_timezone_t *zone)
{
    char  when[RBL_TIME_LEN];

    rbl_doc_text_open(doc, "message");

    if (rbl_str_is(event->message, "expired")) {
        RBL_DOC_PARTS(doc, RBL_STR("The plan \""), event->value,
                      RBL_STR("\" has expired: it was not paid by "),
                      rbl_time_text(when, event->date, zone), RBL_STR(".\n\n"));
        plan_kept(doc, event->total);
        rbl_doc_text_part(doc, RBL_STR(" Nothing is deleted: the checks go on"
                          " when the plan is paid.\n"));

    } else if (rbl_str_is(event->message, "recharge")) {
        plan_recharge(doc, event, rbl_time_text(when, event->date, zone));

    } else {
        RBL_DOC_PARTS(doc, RBL_STR("The plan \""), event->value,
                      RBL_STR("\" is active again since "),
                      rbl_time_text(when, event->date, zone),
                      RBL_STR(".\n\nAll hosts are checked within one check"
                              " interval. Until then their state is"
                              " unknown.\n"));
    }

    rbl_doc_text_close(doc);
}


/* "payment of 25.00 USD for the plan "Business"" */

static void
payment_named(rbl_doc_t *doc, const rbl_event_t *event)
{
    char  text[RBL_MONEY_LEN];

    RBL_DOC_PARTS(doc, RBL_STR("payment of "),
                  rbl_money_text(text, event->total),
                  RBL_STR(" USD for the plan \""), event->value, RBL_STR("\""));
}


static void
payment_customer(rbl_doc_t *doc, rbl_str_t url)
{
    if (url.n > 0) {
        RBL_DOC_PARTS(doc, RBL_STR(" waits for you. Confirm it here:\n\n"), url,
                      RBL_STR("\n"));
        return;
    }

    rbl_doc_text_part(doc, RBL_STR(" was not made, and nothing was charged: the"
                      " bank wants the holder of the card to confirm it.\n\n"
                      "Add the card again on the billing page of the portal."
                      " The bank then asks for the confirmation, and the"
                      " payment is made.\n"));
}


static void
payment_message(rbl_doc_t *doc, const rbl_event_t *event)
{
    int  customer = rbl_str_is(event->message, "customer");

    rbl_doc_text_open(doc, "title");
    rbl_doc_text_part(doc, RBL_STR("The "));
    payment_named(doc, event);
    rbl_doc_text_part(doc, customer ? RBL_STR(" needs you")
                                    : RBL_STR(" is not clear"));
    rbl_doc_text_close(doc);

    rbl_doc_text_open(doc, "message");
    rbl_doc_text_part(doc, RBL_STR("The "));
    payment_named(doc, event);

    if (customer) {
        payment_customer(doc, event->code);

    } else {
        rbl_doc_text_part(doc, RBL_STR(" was sent two days ago, and the gateway"
                          " has not said whether it was made.\n\nThe operator"
                          " of this service finds out how it ended. Do not pay"
                          " in another way meanwhile.\n"));
    }

    rbl_doc_text_close(doc);
}


static void
notice_title(rbl_doc_t *doc, const rbl_event_t *event)
{
    RBL_DOC_TEXT(doc, "title", RBL_STR("Webhook \""), event->value,
                 RBL_STR("\" was disabled"));
}


static void
notice_text(rbl_doc_t *doc, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    char  when[RBL_TIME_LEN];

    RBL_DOC_TEXT(doc, "message", RBL_STR("The webhook \""), event->value,
                 RBL_STR("\" ("), event->check, RBL_STR(") was disabled at "),
                 rbl_time_text(when, event->date, zone), RBL_STR(": "),
                 event->message,
                 RBL_STR(".\n\nNothing is sent to it now. Its undelivered"
                         " events, and those of the next five days, are"
                         " kept: when the receiver works again, have the"
                         " webhook enabled and its events sent again.\n"));
}


rbl_err_t
message_notice(rbl_out_t *out, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    int        plan, payment;
    rbl_doc_t  doc;
    rbl_sid_t  sid;

    plan = notice_plan(event);
    payment = notice_payment(event);

    if (rbl_sid_parse(&sid, RBL_SID_EVENT, event->id) != RBL_OK
        || (!plan && !payment
            && rbl_sid_parse(&sid, RBL_SID_HOOK, event->check) != RBL_OK))
    {
        return RBL_ETYPE;
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", event->id);
    rbl_doc_z(&doc, "event_type", MESSAGE_NOTICE);

    if (plan) {
        plan_title(&doc, event);
        plan_text(&doc, event, zone);

    } else if (payment) {
        payment_message(&doc, event);

    } else {
        notice_title(&doc, event);
        notice_text(&doc, event, zone);
    }

    rbl_doc_z(&doc, "url", "");
    rbl_doc_array(&doc, "hosts");
    rbl_doc_close(&doc);
    rbl_doc_int(&doc, "listed", 0);
    rbl_doc_int(&doc, "delisted", 0);
    rbl_doc_z(&doc, "severity", "warning");
    rbl_doc_int(&doc, "clear", 0);
    rbl_doc_end(&doc);

    return RBL_OK;
}
