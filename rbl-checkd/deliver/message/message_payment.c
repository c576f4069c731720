/*
 * Messages to contacts about a payment that needs the customer or the operator.
 * The gateway supplies the URL; the operator supplies the name of the plan.
 */

#include "message.h"

#include "rbl_money.h"
#include "rbl_sid.h"


int
message_of_payment(const rbl_event_t *event)
{
    rbl_sid_t  sid;

    return rbl_sid_parse(&sid, RBL_SID_PAYMENT, event->check) == RBL_OK
           && (rbl_str_is(event->message, "customer")
               || rbl_str_is(event->message, "operator"));
}


/* "payment of 25.00 USD for the plan "Business"" */

static void
payment_named(rbl_doc_t *doc, const rbl_event_t *event)
{
    char  text[RBL_MONEY_LEN];

    rbl_doc_text_part(doc, RBL_STR("payment of "));
    rbl_doc_text_part(doc, rbl_money_text(text, event->total));
    rbl_doc_text_part(doc, RBL_STR(" USD for the plan \""));
    rbl_doc_text_part(doc, event->value);
    rbl_doc_text_part(doc, RBL_STR("\""));
}


static void
payment_customer(rbl_doc_t *doc, rbl_str_t url)
{
    if (url.n > 0) {
        rbl_doc_text_part(doc, RBL_STR(" waits for you. Confirm it here:\n\n"));
        rbl_doc_text_part(doc, url);
        rbl_doc_text_part(doc, RBL_STR("\n"));
        return;
    }

    rbl_doc_text_part(doc, RBL_STR(" was not made, and nothing was charged: the"
                      " bank wants the holder of the card to confirm it.\n\n"
                      "Add the card again on the billing page of the portal."
                      " The bank then asks for the confirmation, and the"
                      " payment is made.\n"));
}


void
message_payment(rbl_doc_t *doc, const rbl_event_t *event)
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
