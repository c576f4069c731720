/*
 * Common declarations of bill.c, bill_credit.c (the balance) and
 * bill_ledger.c.
 */

#ifndef CTL_BILL_INT_H_INCLUDED
#define CTL_BILL_INT_H_INCLUDED

#include "ctl.h"

#include "rbl_record.h"

#define BILL_REFERENCE  255             /* octets */

/* bill.c */
json_t *bill_money(int64_t amount);
rbl_str_t bill_key(const ctl_t *ctl, rbl_key_t *key, const char *name,
    const rbl_sid_t *account);

/* The option --reference, or "".  -1: error printed. */
int bill_reference(const ctl_t *ctl, rbl_str_t *reference);

/* Changes what the account chose; fields of args that are empty stay. */
int bill_terms(ctl_t *ctl, rbl_bill_terms_args_t args);

/* bill_credit.c: adds the balance, and what the account chose about it, to what
   is printed.  -1: error printed. */
int bill_credit(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_terms_t *terms, json_t *v);

#endif /* CTL_BILL_INT_H_INCLUDED */
