/*
 * Messages to contacts about their account's webhooks: one was disabled.  The
 * receiver's name is the customer's, its reason the store's.
 */

#include "message.h"

#include "rbl_doc.h"
#include "rbl_sid.h"
#include "rbl_time.h"


static void
notice_title(rbl_doc_t *doc, const rbl_event_t *event)
{
    rbl_doc_text_open(doc, "title");
    rbl_doc_text_part(doc, RBL_STR("Webhook \""));
    rbl_doc_text_part(doc, event->value);
    rbl_doc_text_part(doc, RBL_STR("\" was disabled"));
    rbl_doc_text_close(doc);
}


static void
notice_text(rbl_doc_t *doc, const rbl_event_t *event, const rbl_zone_t *zone)
{
    char  when[RBL_TIME_LEN];

    rbl_doc_text_open(doc, "message");
    rbl_doc_text_part(doc, RBL_STR("The webhook \""));
    rbl_doc_text_part(doc, event->value);
    rbl_doc_text_part(doc, RBL_STR("\" ("));
    rbl_doc_text_part(doc, event->check);
    rbl_doc_text_part(doc, RBL_STR(") was disabled at "));
    rbl_doc_text_part(doc, rbl_time_text(when, event->date, zone));
    rbl_doc_text_part(doc, RBL_STR(": "));
    rbl_doc_text_part(doc, event->message);
    rbl_doc_text_part(doc, RBL_STR(
        ".\n\nNothing is sent to it now. Its undelivered events, and those of"
        " the next five days, are kept: when the receiver works again, have the"
        " webhook enabled and its events sent again.\n"));
    rbl_doc_text_close(doc);
}


rbl_err_t
message_notice(rbl_out_t *out, const rbl_event_t *event,
    const rbl_zone_t *zone)
{
    rbl_doc_t  doc;
    rbl_sid_t  sid;

    if (rbl_sid_parse(&sid, RBL_SID_EVENT, event->id) != RBL_OK
        || rbl_sid_parse(&sid, RBL_SID_HOOK, event->check) != RBL_OK)
    {
        return RBL_ETYPE;
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", event->id);
    rbl_doc_z(&doc, "event_type", MESSAGE_NOTICE);
    notice_title(&doc, event);
    notice_text(&doc, event, zone);
    rbl_doc_z(&doc, "url", "");
    rbl_doc_array(&doc, "hosts");
    rbl_doc_close(&doc);
    rbl_doc_int(&doc, "listed", 0);
    rbl_doc_int(&doc, "delisted", 0);
    rbl_doc_z(&doc, "severity", "warning");
    rbl_doc_int(&doc, "clear", 0);
    rbl_doc_end(&doc);

    return out->failed ? RBL_ENOMEM : RBL_OK;
}
