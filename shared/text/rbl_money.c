#include "rbl_money.h"

#include <inttypes.h>
#include <stdio.h>

#define MONEY_DECIMALS  6               /* of a micro-USD */


/* Adds the digits at *at to *v, which stays above the limit once it is.
   Returns how many there are. */
static unsigned
money_digits(int64_t *v, rbl_str_t text, size_t *at)
{
    unsigned  n;

    for (n = 0; *at < text.n && text.p[*at] >= '0' && text.p[*at] <= '9'; n++) {
        if (*v <= RBL_MONEY_MAX) {
            *v = *v * 10 + (text.p[*at] - '0');
        }

        (*at)++;
    }

    return n;
}


rbl_err_t
rbl_money_parse(int64_t *amount, rbl_str_t text, unsigned decimals)
{
    size_t    at;
    int64_t   whole, part;
    unsigned  n;

    at = 0;
    whole = part = 0;
    n = money_digits(&whole, text, &at);

    if (n == 0 || (n > 1 && text.p[0] == '0')) {
        return RBL_EINVAL;
    }

    n = 0;

    if (at < text.n) {
        if (text.p[at++] != '.') {
            return RBL_EINVAL;
        }

        n = money_digits(&part, text, &at);

        if (n == 0 || n > decimals || n > MONEY_DECIMALS || at < text.n) {
            return RBL_EINVAL;
        }
    }

    for (; n < MONEY_DECIMALS; n++) {
        part *= 10;
    }

    if (whole > RBL_MONEY_MAX / RBL_MONEY_USD
        || whole * RBL_MONEY_USD > RBL_MONEY_MAX - part)
    {
        return RBL_ETOOBIG;
    }

    *amount = whole * RBL_MONEY_USD + part;

    return RBL_OK;
}


rbl_str_t
rbl_money_text(char buf[RBL_MONEY_LEN], int64_t amount)
{
    int        n;
    uint64_t   v;
    rbl_str_t  text;

    v = amount < 0 ? 0 - (uint64_t) amount : (uint64_t) amount;
    n = snprintf(buf, RBL_MONEY_LEN, "%s%" PRIu64 ".%06" PRIu64,
                 amount < 0 ? "-" : "", v / RBL_MONEY_USD,
                 v % RBL_MONEY_USD);
    text.p = buf;
    text.n = (size_t) n;

    for (n = 0; n < MONEY_DECIMALS - 2 && buf[text.n - 1] == '0'; n++) {
        buf[--text.n] = '\0';
    }

    return text;
}
