/*
 * Amounts of money: US dollars, as integers of micro-USD (millionths).  They
 * are never floating point, so that no amount is rounded by accident.
 */

#ifndef RBL_MONEY_H_INCLUDED
#define RBL_MONEY_H_INCLUDED

#include "rbl_common.h"

#define RBL_MONEY_USD  INT64_C(1000000)

/* A thousand million dollars; Lua's numbers are exact up to nine times that. */
#define RBL_MONEY_MAX  (INT64_C(1000000000) * RBL_MONEY_USD)
#define RBL_MONEY_LEN  32               /* fits any amount with NUL */

/*
 * Reads "25", "25.00" or "0.002": digits, and a point with 1 to `decimals`
 * digits (at most 6).  No sign, exponent, space, or zero before another digit.
 * RBL_EINVAL: another form.  RBL_ETOOBIG: more than RBL_MONEY_MAX.
 */
rbl_err_t rbl_money_parse(int64_t *amount, rbl_str_t text, unsigned decimals);

/* Writes "25.00", "4.998", "-0.01": two digits behind the point, and more only
   up to the last that is not 0. */
rbl_str_t rbl_money_text(char buf[RBL_MONEY_LEN], int64_t amount);

#endif /* RBL_MONEY_H_INCLUDED */
