/*
 * The text of a secret, and the digits that name a token.
 */

#include "rbl_secret.h"
#include "tap.h"


static const struct {
    const char  *text, *digits;         /* NULL: refused */
} tokens[] = {
    { "0123abcd", "0123abcd" },
    { "0123ABCDEF", "0123abcdef" },
    { "0123456789abcdef", "0123456789abcdef" },
    { "0123abc", NULL },
    { "0123456789abcdef0", NULL },
    { "", NULL },
    { "0123abcg", NULL },
    { "0123abc@", NULL },
    { "0123abc`", NULL },
    { "0123abc/", NULL },
    { "0123abc:", NULL },
    { "0123 bcd", NULL },
};


int
main(void)
{
    char           buf[RBL_SECRET_LEN + 1];
    size_t         i;
    rbl_err_t      rc;
    rbl_str_t      digits;
    unsigned char  bytes[RBL_SECRET_BYTES];

    memset(bytes, 0, sizeof(bytes));
    is_str(rbl_secret_text(buf, bytes),
           "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "zeros");

    memset(bytes, 0xff, sizeof(bytes));
    is_str(rbl_secret_text(buf, bytes),
           "whsec_//////////////////////////////////////////8=", "ones");

    for (i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char) (i * 8 + 3);
    }

    is_str(rbl_secret_text(buf, bytes),
           "whsec_AwsTGyMrMztDS1NbY2tze4OLk5ujq7O7w8vT2+Pr8/s=", "others");

    for (i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        rc = rbl_token_digits(buf, &digits, rbl_str(tokens[i].text));

        ok((rc == RBL_OK) == (tokens[i].digits != NULL), "digits '%s'",
           tokens[i].text);

        if (rc == RBL_OK && tokens[i].digits) {
            is_str(digits, tokens[i].digits, "in lower case");
        }
    }

    return tap_done();
}
