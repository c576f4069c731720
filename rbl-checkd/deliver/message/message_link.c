/*
 * A mail with a link that signs a user in to the portal.  The name of the
 * account is the customer's, the address that of the client that asked.
 */

#include "message.h"

#include "rbl_doc.h"
#include "rbl_sid.h"
#include "rbl_time.h"
#include "rbl_validate.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>


#define LINK_HEX     64                 /* digits behind "<AC>." */
#define LINK_NAME    40                 /* octets of an account's name */
#define LINK_LIVES   INT64_C(900000)    /* ms, as _user.lua */


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
    char           hex[LINK_HEX + 1], *at;
    size_t         i;
    unsigned char  digest[LINK_HEX / 2];

    if (secret.n != LINK_HEX
        || EVP_Digest(secret.p, secret.n, digest, NULL, EVP_sha256(), NULL)
           != 1)
    {
        return;
    }

    for (i = 0; i < sizeof(digest); i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }

    while ((at = memmem(json, n, hex, LINK_HEX)) != NULL) {
        memcpy(at, secret.p, LINK_HEX);
    }
}


static int
link_event_ok(const rbl_event_t *event)
{
    rbl_sid_t  sid;
    rbl_url_t  url;

    return rbl_str_is(event->type, MESSAGE_LINK)
           && rbl_sid_parse(&sid, RBL_SID_EVENT, event->id) == RBL_OK
           && rbl_sid_parse(&sid, RBL_SID_USER, event->contact) == RBL_OK
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
link_text(rbl_doc_t *doc, const rbl_event_t *event, const rbl_timezone_t *zone)
{
    char  until[RBL_TIME_LEN];

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


rbl_err_t
message_link(rbl_out_t *out, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    rbl_doc_t  doc;

    if (!link_event_ok(event)) {
        return RBL_ETYPE;
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", event->id);
    rbl_doc_z(&doc, "event_type", MESSAGE_LINK);
    rbl_doc_z(&doc, "title", "Sign in to blocklist monitoring");
    link_text(&doc, event, zone);
    rbl_doc_z(&doc, "url", "");
    rbl_doc_str(&doc, "authcode", message_link_digest(event));
    rbl_doc_array(&doc, "hosts");
    rbl_doc_close(&doc);
    rbl_doc_end(&doc);

    return RBL_OK;
}
