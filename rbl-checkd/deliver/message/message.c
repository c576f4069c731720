/*
 * The words of a confirmation, and its code; and how codes are hidden.
 */

#include "message.h"

#include <ctype.h>

#include "rbl_doc.h"
#include "rbl_sid.h"
#include "rbl_time.h"


#define MESSAGE_CODE_MAX  32


static int
message_event_ok(const rbl_event_t *event)
{
    size_t     i;
    rbl_sid_t  sid;

    if (!rbl_str_is(event->type, MESSAGE_CONFIRM)
        || rbl_sid_parse(&sid, RBL_SID_EVENT, event->id) != RBL_OK
        || rbl_sid_parse(&sid, RBL_SID_CONTACT, event->contact) != RBL_OK
        || event->code.n == 0 || event->code.n > MESSAGE_CODE_MAX)
    {
        return 0;
    }

    for (i = 0; i < event->code.n; i++) {
        if (!isascii(event->code.p[i]) || !isalnum(event->code.p[i])) {
            return 0;
        }
    }

    return 1;
}


static void
message_confirm_text(rbl_doc_t *doc, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    char  until[RBL_TIME_LEN];

    RBL_DOC_TEXT(doc, "message",
                 RBL_STR("You were added as a contact of a blocklist"
                         " monitor, to be notified when a host is put on a"
                         " blocklist or taken off one. If you asked for"
                         " this, confirm the contact with this code:\n\n    "),
                 event->code,
                 RBL_STR("\n\nEnter it where you added the contact. It can"
                         " be used once, for 24 hours (until "),
                 rbl_time_text(until, event->date + MESSAGE_VALID, zone),
                 RBL_STR("); after that, have a new one sent.\n\nThe"
                         " contact's id is "), event->contact,
                 RBL_STR(".\n\nIf it was not you, ignore this message:"
                         " without the code you receive no reports. Do not"
                         " share this code.\n"));
}


rbl_err_t
message_confirm(rbl_out_t *out, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    rbl_doc_t  doc;

    if (!message_event_ok(event)) {
        return RBL_ETYPE;
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", event->id);
    rbl_doc_str(&doc, "event_type", event->type);
    rbl_doc_z(&doc, "title", "Confirm this contact for blocklist monitoring");
    message_confirm_text(&doc, event, zone);
    rbl_doc_z(&doc, "url", "");
    rbl_doc_str(&doc, "authcode", event->code);
    rbl_doc_array(&doc, "hosts");
    rbl_doc_close(&doc);
    rbl_doc_end(&doc);

    return RBL_OK;
}


int
message_is_secret(rbl_str_t type)
{
    return rbl_str_is(type, MESSAGE_CONFIRM) || rbl_str_is(type, MESSAGE_LINK);
}


void
message_hide_code(char *text, rbl_str_t json)
{
    char       *at;
    message_t   message;

    if (message_read(&message, json) != RBL_OK) {
        return;
    }

    if (message.code.n > 0) {
        while ((at = strcasestr(text, message.code.p)) != NULL) {
            memset(at, '*', message.code.n);
        }
    }

    message_free(&message);
}
