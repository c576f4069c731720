/*
 * The text of a secret: "whsec_" and Base64 (RFC 4648).  The name of a token.
 */

#include "rbl_secret.h"

#include "rbl_hex.h"


rbl_str_t
rbl_secret_text(char buf[RBL_SECRET_LEN + 1],
    const unsigned char bytes[RBL_SECRET_BYTES])
{
    int       k;
    char     *p;
    size_t    i, n;
    unsigned  v;

    static const char  digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";

    memcpy(buf, "whsec_", 6);
    p = buf + 6;

    for (i = 0; i < RBL_SECRET_BYTES; i += 3) {
        n = RBL_SECRET_BYTES - i;
        v = (unsigned) bytes[i] << 16
            | (unsigned) (n > 1 ? bytes[i + 1] : 0) << 8
            | (unsigned) (n > 2 ? bytes[i + 2] : 0);

        for (k = 0; k < 4; k++) {
            *p++ = k <= (int) n ? digits[v >> (18 - 6 * k) & 63] : '=';
        }
    }

    *p = '\0';

    return rbl_str(buf);
}


rbl_err_t
rbl_token_digits(char buf[RBL_TOKEN_FIELD + 1], rbl_str_t *digits,
    rbl_str_t text)
{
    int     digit;
    size_t  i;

    if (text.n < RBL_TOKEN_DIGITS || text.n > RBL_TOKEN_FIELD) {
        return RBL_EINVAL;
    }

    for (i = 0; i < text.n; i++) {
        digit = rbl_hex_value(text.p[i]);

        if (digit < 0) {
            return RBL_EINVAL;
        }

        buf[i] = rbl_hex_digits[digit];
    }

    buf[i] = '\0';
    *digits = rbl_str(buf);

    return RBL_OK;
}
