#include "rbl_request.h"

#include "rbl_contact.h"
#include "rbl_secret.h"
#include "rbl_sid.h"
#include "rbl_validate.h"

#define RBL_REQUEST_LIVES   3600000     /* ms until a daemon has to begin it */
#define RBL_REQUEST_DIGEST  32          /* octets */


int
rbl_request_late(const rbl_request_t *request, int64_t now)
{
    return now - request->queued >= RBL_REQUEST_LIVES;
}


static int
rbl_request_is_sid(rbl_str_t text, rbl_sid_kind_t kind)
{
    rbl_sid_t  sid;

    return rbl_sid_parse(&sid, kind, text) == RBL_OK
           && rbl_str_is(text, sid.s);
}


static int
rbl_request_is_label(rbl_str_t text, int needed)
{
    return rbl_text_ok(text) && rbl_utf8_count(text) <= RBL_LABEL_MAX
           && rbl_trim(text).n == text.n && (text.n > 0 || !needed);
}


static int
rbl_request_is_owner(const rbl_request_t *r)
{
    char       buf[RBL_CONTACT_MAX];
    rbl_str_t  mail;

    return rbl_contact_parse(buf, &mail, RBL_CONTACT_EMAIL, r->mail, NULL, 0)
           == RBL_OK
           && rbl_request_is_sid(r->user, RBL_SID_USER)
           && r->field.n == RBL_TOKEN_FIELD
           && r->digest.n == RBL_REQUEST_DIGEST;
}


int
rbl_request_sound(const rbl_request_t *r, rbl_by_t *by)
{
    int  account, owner;

    account = rbl_str_is(r->kind, "account");
    owner = rbl_str_is(r->kind, "owner");

    return rbl_by_decode(by, r->by) == RBL_OK
           && rbl_request_is_sid(by->who, RBL_SID_USER)
           && rbl_request_is_sid(r->account, RBL_SID_ACCOUNT)
           && !rbl_str_is(r->account, RBL_SID_OPERATORS)
           && rbl_request_is_label(r->name, account)
           && rbl_request_is_label(r->plan, rbl_str_is(r->kind, "plan"))
           && (account || owner || rbl_str_is(r->kind, "plan"))
           && ((r->mail.n == 0 && !owner) || rbl_request_is_owner(r))
           && (!account || (rbl_request_is_sid(r->profile, RBL_SID_PROFILE)
                            && rbl_request_is_sid(r->group, RBL_SID_GROUP)));
}
