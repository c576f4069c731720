/*
 * Messages of events that have no hosts: a code that confirms a contact, a link
 * that signs a user in to the portal, and notices (notice.c).  And how codes
 * and links are hidden.
 *
 * Names are the customer's and the operator's, the address behind a link is
 * that of the client that asked.
 */

#include "message.h"

#include <ctype.h>
#include <openssl/evp.h>
#include <string.h>

#include "notice.h"
#include "rbl_doc.h"
#include "rbl_hex.h"
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


static const char *
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

    return NULL;
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


static const char *
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

    return NULL;
}


static const struct {
    const char   *type;
    int         (*sound)(const rbl_event_t *event);

    /* writes the members title and message; returns the weight, if it has
       one */
    const char *(*write)(rbl_doc_t *doc, const rbl_event_t *event,
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
    size_t       i;
    rbl_doc_t    doc;
    rbl_sid_t    sid;
    const char  *weight;

    i = message_event_type(event->type);

    if (i == MESSAGE_EVENTS || !message_events[i].sound(event)
        || rbl_sid_parse(&sid, RBL_SID_EVENT, event->id) != RBL_OK)
    {
        return RBL_ETYPE;
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", event->id);
    rbl_doc_str(&doc, "event_type", event->type);
    weight = message_events[i].write(&doc, event, zone);
    rbl_doc_z(&doc, "url", "");

    if (message_events[i].secret != NULL) {
        rbl_doc_str(&doc, "authcode", message_events[i].secret(event));
    }

    rbl_doc_array(&doc, "hosts");
    rbl_doc_close(&doc);

    if (weight != NULL) {
        rbl_doc_int(&doc, "listed", 0);
        rbl_doc_int(&doc, "delisted", 0);
        rbl_doc_z(&doc, "weight", weight);
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
