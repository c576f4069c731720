/*
 * Messages of events that have no hosts: a code that confirms a contact, a link
 * that signs a user in to the portal, and notices about an account: a webhook
 * was disabled, the plan has expired or is active again, its balance is no
 * longer recharged, or a payment needs the customer or the operator.  And how
 * codes and links are hidden.
 *
 * Names are the customer's and the operator's, the reason is the store's, the
 * URL of a payment is the gateway's, the address behind a link that of the
 * client that asked.
 */

#include "message.h"

#include <ctype.h>
#include <openssl/evp.h>
#include <string.h>

#include "rbl_doc.h"
#include "rbl_hex.h"
#include "rbl_money.h"
#include "rbl_out.h"
#include "rbl_sid.h"
#include "rbl_time.h"
#include "rbl_validate.h"


#define MESSAGE_CODE_MAX  32

#define LINK_HEX     64                 /* digits behind "<AC>." */
#define LINK_NAME    40                 /* octets of an account's name */
#define LINK_LIVES   INT64_C(900000)    /* ms, as _user.lua */


static int
confirm_sound(const rbl_event_t *event)
{
    size_t     i;
    rbl_sid_t  sid;

    if (rbl_sid_parse(&sid, RBL_SID_CONTACT, event->contact) != RBL_OK
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


static rbl_str_t
confirm_secret(const rbl_event_t *event)
{
    return event->code;
}


static void
confirm_write(rbl_doc_t *doc, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    char  until[RBL_TIME_LEN];

    rbl_doc_z(doc, "title", "Confirm this contact for blocklist monitoring");
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


static int
link_hex(rbl_str_t s)
{
    size_t  i;

    for (i = 0; i < s.n; i++) {
        if ((s.p[i] < '0' || s.p[i] > '9') && (s.p[i] < 'a' || s.p[i] > 'f')) {
            return 0;
        }
    }

    return 1;
}


rbl_str_t
message_link_digest(const rbl_event_t *event)
{
    rbl_sid_t  sid;
    rbl_str_t  digest, account;

    if (event->code.n != RBL_SID_LEN + 1 + LINK_HEX
        || event->code.p[RBL_SID_LEN] != '.')
    {
        return RBL_STR("");
    }

    account = (rbl_str_t) { event->code.p, RBL_SID_LEN };
    digest = (rbl_str_t) { event->code.p + RBL_SID_LEN + 1, LINK_HEX };

    return rbl_sid_parse(&sid, RBL_SID_ACCOUNT, account) == RBL_OK
           && link_hex(digest) ? digest : RBL_STR("");
}


void
message_link_open(char *json, size_t n, rbl_str_t secret)
{
    char           hex[LINK_HEX], *at;
    unsigned char  digest[LINK_HEX / 2];

    if (secret.n != LINK_HEX
        || EVP_Digest(secret.p, secret.n, digest, NULL, EVP_sha256(), NULL)
           != 1)
    {
        return;
    }

    rbl_hex(hex, digest, sizeof(digest));

    while ((at = memmem(json, n, hex, LINK_HEX)) != NULL) {
        memcpy(at, secret.p, LINK_HEX);
    }
}


static int
link_sound(const rbl_event_t *event)
{
    rbl_sid_t  sid;
    rbl_url_t  url;

    return rbl_sid_parse(&sid, RBL_SID_USER, event->contact) == RBL_OK
           && rbl_url_parse(&url, event->check) == RBL_OK
           && rbl_text_ok(event->value) && rbl_text_ok(event->message)
           && message_link_digest(event).n > 0;
}


static void
link_url(rbl_doc_t *doc, const rbl_event_t *event)
{
    RBL_DOC_PARTS(doc, event->check, RBL_STR("#/link/"), event->code);
}


/* Would a mail reader make a link of a part of it?  Many do of a name with a
   dot inside, such as "host.example". */

static int
link_like(rbl_str_t name)
{
    size_t  i;

    for (i = 0; i + 1 < name.n; i++) {
        if (name.p[i] == '.' && name.p[i + 1] != ' ') {
            return 1;
        }
    }

    return memmem(name.p, name.n, "://", 3) != NULL;
}


/* The name is a text of the account, and the reader may be a stranger to it: it
   stands behind the link, is short, and holds no other link. */

static void
link_account(rbl_doc_t *doc, rbl_str_t name)
{
    if (link_like(name)) {
        return;
    }

    if (name.n > LINK_NAME) {
        for (name.n = LINK_NAME; (name.p[name.n] & 0xc0) == 0x80; name.n--) {
            /* void */
        }
    }

    RBL_DOC_PARTS(doc, RBL_STR("\n\nAccount: "), name);
}


static void
link_write(rbl_doc_t *doc, const rbl_event_t *event, const rbl_timezone_t *zone)
{
    char  until[RBL_TIME_LEN];

    rbl_doc_z(doc, "title", "Sign in to blocklist monitoring");
    rbl_doc_text_open(doc, "message");
    rbl_doc_text_part(doc, RBL_STR(
        "This link signs you in to blocklist monitoring:\n\n    "));
    link_url(doc, event);
    RBL_DOC_PARTS(doc, RBL_STR("\n\nIt works once, until "),
                  rbl_time_text(until, event->date + LINK_LIVES, zone),
                  RBL_STR("."));
    link_account(doc, event->message);
    RBL_DOC_PARTS(doc,
                  RBL_STR("\n\nThe request for it came from the network"
                          " address "), event->value,
                  RBL_STR(". If it was not yours, ignore this message:"
                          " without the link nobody is signed in. Do not"
                          " share the link.\n"));
    rbl_doc_text_close(doc);
}


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
hook_title(rbl_doc_t *doc, const rbl_event_t *event)
{
    RBL_DOC_TEXT(doc, "title", RBL_STR("Webhook \""), event->value,
                 RBL_STR("\" was disabled"));
}


static void
hook_text(rbl_doc_t *doc, const rbl_event_t *event,
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


static int
notice_sound(const rbl_event_t *event)
{
    rbl_sid_t  sid;

    return notice_plan(event) || notice_payment(event)
           || rbl_sid_parse(&sid, RBL_SID_HOOK, event->check) == RBL_OK;
}


static void
notice_write(rbl_doc_t *doc, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    if (notice_plan(event)) {
        plan_title(doc, event);
        plan_text(doc, event, zone);

    } else if (notice_payment(event)) {
        payment_message(doc, event);

    } else {
        hook_title(doc, event);
        hook_text(doc, event, zone);
    }
}


static const struct {
    const char   *type;
    int         (*sound)(const rbl_event_t *event);

    /* writes the members title and message */
    void        (*write)(rbl_doc_t *doc, const rbl_event_t *event,
                         const rbl_timezone_t *zone);
    rbl_str_t   (*secret)(const rbl_event_t *event);    /* NULL: none */
} message_events[] = {
    { MESSAGE_CONFIRM, confirm_sound, confirm_write, confirm_secret },
    { MESSAGE_LINK, link_sound, link_write, message_link_digest },
    { MESSAGE_NOTICE, notice_sound, notice_write, NULL }
};

#define MESSAGE_EVENTS  (sizeof(message_events) / sizeof(message_events[0]))


static size_t
message_event_type(rbl_str_t type)
{
    size_t  i;

    for (i = 0; i < MESSAGE_EVENTS; i++) {
        if (rbl_str_is(type, message_events[i].type)) {
            break;
        }
    }

    return i;
}


int
message_is_event(rbl_str_t type)
{
    return message_event_type(type) < MESSAGE_EVENTS;
}


rbl_err_t
message_event(rbl_out_t *out, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    size_t     i;
    rbl_doc_t  doc;
    rbl_sid_t  sid;

    i = message_event_type(event->type);

    if (i == MESSAGE_EVENTS || !message_events[i].sound(event)
        || rbl_sid_parse(&sid, RBL_SID_EVENT, event->id) != RBL_OK)
    {
        return RBL_ETYPE;
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", event->id);
    rbl_doc_str(&doc, "event_type", event->type);
    message_events[i].write(&doc, event, zone);
    rbl_doc_z(&doc, "url", "");

    if (message_events[i].secret != NULL) {
        rbl_doc_str(&doc, "authcode", message_events[i].secret(event));
    }

    rbl_doc_array(&doc, "hosts");
    rbl_doc_close(&doc);

    if (message_events[i].secret == NULL) {
        rbl_doc_int(&doc, "listed", 0);
        rbl_doc_int(&doc, "delisted", 0);
        rbl_doc_z(&doc, "severity", "warning");
        rbl_doc_int(&doc, "clear", 0);
    }

    rbl_doc_end(&doc);

    return RBL_OK;
}


int
message_is_secret(rbl_str_t type)
{
    size_t  i = message_event_type(type);

    return i < MESSAGE_EVENTS && message_events[i].secret != NULL;
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
