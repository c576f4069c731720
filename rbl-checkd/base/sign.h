/*
 * Signatures of a delivery (rbl-events(7)), over the exact bytes sent:
 *     X-Webhook-Signature   t=<t>,v1=<hex HMAC-SHA256(secret, t "." body)>
 *     webhook-signature     v1,<base64 HMAC-SHA256(key, id "." t "." body)>
 * While an old secret is valid beside the new one each value has a second
 * signature by it, `,v1=<hex>` and ` v1,<base64>` at the end.
 * `key` is the secret's bytes; of a secret "whsec_<base64>" (Standard
 * Webhooks) it is what the base64 holds, if that is well-formed.
 */

#ifndef SIGN_H_INCLUDED
#define SIGN_H_INCLUDED

#include "rbl_common.h"

#define SIGN_MAX  160                   /* room for either value, NUL too */

typedef struct {
    char  own[SIGN_MAX];                /* value of X-Webhook-Signature */
    char  standard[SIGN_MAX];           /* value of webhook-signature */
} sign_t;

/*
 * `old` is empty if there is no other secret; `t` in seconds since 1970.
 * RBL_ENOMEM: OpenSSL has failed.
 */
rbl_err_t sign_make(sign_t *sign, rbl_str_t secret, rbl_str_t old,
    rbl_str_t id, int64_t t, rbl_str_t body);

#endif /* SIGN_H_INCLUDED */
