/*
 * SIDs: two capital letters and 32 (checks: 64) hex digits.  Either case of hex
 * digits is accepted; SIDs are stored and returned in lower case.  New SIDs
 * come from getrandom(2).
 */

#ifndef RBL_SID_H_INCLUDED
#define RBL_SID_H_INCLUDED

#include "rbl_common.h"

typedef enum {
    RBL_SID_ACCOUNT = 0,    /* AC */
    RBL_SID_APP,            /* AP */
    RBL_SID_HOST,           /* HT */
    RBL_SID_PROFILE,        /* RP */
    RBL_SID_LIST,           /* RB */
    RBL_SID_CONTACT,        /* CO */
    RBL_SID_GROUP,          /* CG */
    RBL_SID_CHECK,          /* PP, 64 digits */
    RBL_SID_EVENT,          /* EV */
    RBL_SID_HOOK,           /* WH */
    RBL_SID_USER,           /* US */
    RBL_SID_PASSKEY,        /* PK */
    RBL_SID_PAYMENT,        /* PY */
    RBL_SID_SOURCE,         /* PS */
    RBL_SID_MUTE            /* MU */
} rbl_sid_kind_t;

/* The account of the operators, who are users of it and of no other. */
#define RBL_SID_OPERATORS  "AC00000000000000000000000000000000"

#define RBL_SID_LEN        34
#define RBL_SID_CHECK_LEN  66
#define RBL_SID_MAX        RBL_SID_CHECK_LEN

typedef struct {
    char    s[RBL_SID_MAX + 1];         /* NUL-terminated */
    size_t  n;
} rbl_sid_t;

/* Sets the SID in lower case.  RBL_EINVAL: malformed. */
rbl_err_t rbl_sid_parse(rbl_sid_t *sid, rbl_sid_kind_t kind, rbl_str_t text);

/* True if the text has the letters and the length of that kind.  The digits are
   not checked: for SIDs that come from the store. */
int rbl_sid_like(rbl_sid_kind_t kind, rbl_str_t text);

/* Makes a new SID.  RBL_EINVAL: the kernel provides no random bytes. */
rbl_err_t rbl_sid_make(rbl_sid_t *sid, rbl_sid_kind_t kind);

/*
 * Makes the SID of a system list from the first 128 bits of the SHA-256 of its
 * zone in lower case.  A zone thus has the same SID after every load and on
 * every installation.
 */
void rbl_sid_from_digest(rbl_sid_t *sid, rbl_sid_kind_t kind,
    const unsigned char digest[16]);

/* The first 16 bytes that the digits of a SID stand for.  RBL_EINVAL: they are
   no digits. */
rbl_err_t rbl_sid_to_digest(unsigned char digest[16], rbl_str_t sid);

static inline rbl_str_t
rbl_sid_str(const rbl_sid_t *sid)
{
    rbl_str_t  s = { sid->s, sid->n };

    return s;
}

#endif /* RBL_SID_H_INCLUDED */
