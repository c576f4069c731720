/*
 * Amounts of money, read and written.
 */

#include "rbl_money.h"
#include "tap.h"


static const struct {
    const char  *text;
    unsigned     decimals;
    int64_t      amount;
    const char  *written;
} right[] = {
    { "0", 6, 0, "0.00" },
    { "0.0", 6, 0, "0.00" },
    { "0.000001", 6, 1, "0.000001" },
    { "0.002", 6, 2000, "0.002" },
    { "4.998", 6, 4998000, "4.998" },
    { "5", 2, 5000000, "5.00" },
    { "5.1", 2, 5100000, "5.10" },
    { "25.00", 2, 25000000, "25.00" },
    { "20.010", 3, 20010000, "20.01" },
    { "1000000000", 6, RBL_MONEY_MAX, "1000000000.00" },
    { "999999999.999999", 6, RBL_MONEY_MAX - 1, "999999999.999999" },
};

static const struct {
    const char  *text;
    unsigned     decimals;
    rbl_err_t    err;
} wrong[] = {
    { "", 6, RBL_EINVAL }, { ".", 6, RBL_EINVAL }, { "1.", 6, RBL_EINVAL },
    { ".5", 6, RBL_EINVAL }, { "-1", 6, RBL_EINVAL },
    { "+1", 6, RBL_EINVAL }, { " 1", 6, RBL_EINVAL },
    { "1 ", 6, RBL_EINVAL }, { "1e3", 6, RBL_EINVAL },
    { "0x1", 6, RBL_EINVAL }, { "01", 6, RBL_EINVAL },
    { "00.5", 6, RBL_EINVAL }, { "1,50", 6, RBL_EINVAL },
    { "1.2.3", 6, RBL_EINVAL }, { "1.005", 2, RBL_EINVAL },
    { "0.0000001", 6, RBL_EINVAL }, { "0.0000001", 9, RBL_EINVAL },
    { "USD 1", 6, RBL_EINVAL }, { "1.00 EUR", 6, RBL_EINVAL },
    { "$1", 6, RBL_EINVAL }, { "\xd9\xa1", 6, RBL_EINVAL },
    { "1000000000.000001", 6, RBL_ETOOBIG },
    { "1000000001", 6, RBL_ETOOBIG },
    { "9223372036854775807", 6, RBL_ETOOBIG },
    { "123456789012345678901234567890", 6, RBL_ETOOBIG },
    { "123456789012345678901234567890.5", 6, RBL_ETOOBIG },
};

static const struct {
    int64_t      amount;
    const char  *text;
} written[] = {
    { -1, "-0.000001" }, { -10000, "-0.01" }, { -25000000, "-25.00" },
    { INT64_MAX, "9223372036854.775807" },
    { INT64_MIN, "-9223372036854.775808" },
};


int
main(void)
{
    char       buf[RBL_MONEY_LEN];
    size_t     i;
    int64_t    amount;
    rbl_str_t  text;

    for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        amount = -1;
        ok(rbl_money_parse(&amount, rbl_str(right[i].text), right[i].decimals)
           == RBL_OK && amount == right[i].amount, "\"%s\" is read",
           right[i].text);
        text = rbl_money_text(buf, right[i].amount);
        is_str(text, right[i].written, right[i].text);
    }

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        amount = -1;
        ok(rbl_money_parse(&amount, rbl_str(wrong[i].text), wrong[i].decimals)
           == wrong[i].err && amount == -1, "\"%s\" is refused",
           wrong[i].text);
    }

    for (i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
        text = rbl_money_text(buf, written[i].amount);
        is_str(text, written[i].text, written[i].text);
    }

    return tap_done();
}
