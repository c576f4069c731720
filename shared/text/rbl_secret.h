/*
 * The secret that signs callbacks and webhooks, as text, and the name of a
 * token.
 */

#ifndef RBL_SECRET_H_INCLUDED
#define RBL_SECRET_H_INCLUDED

#include "rbl_common.h"

#define RBL_SECRET_BYTES  32            /* random */
#define RBL_SECRET_LEN    50            /* "whsec_" and their Base64 */

/* Writes it into buf, which it ends with a NUL.  Returns buf as a string. */
rbl_str_t rbl_secret_text(char buf[RBL_SECRET_LEN + 1],
    const unsigned char bytes[RBL_SECRET_BYTES]);

/*
 * Reads the hex digits that name a token, the beginning of its SHA-256, and
 * writes them in lower case into buf.  RBL_EINVAL: too few, too many, or
 * others.
 */
#define RBL_TOKEN_FIELD   16            /* digits that the store knows it by */
#define RBL_TOKEN_DIGITS  8             /* of these, shown */

rbl_err_t rbl_token_digits(char buf[RBL_TOKEN_FIELD + 1], rbl_str_t *digits,
    rbl_str_t text);

#endif /* RBL_SECRET_H_INCLUDED */
