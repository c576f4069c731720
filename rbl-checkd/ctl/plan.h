/*
 * Plans of the operator's file in commands of rblctl.
 */

#ifndef CTL_PLAN_H_INCLUDED
#define CTL_PLAN_H_INCLUDED

#include "plan_file.h"

/*
 * Reads the options of a command: a plan of the file (--plan) and the
 * values that override it.  -1: error printed.  plan->interval is the shortest
 * that the account may choose (0: any); the prices are not set.
 */
int plan_given(const ctl_t *ctl, plan_t *plan, int64_t *interval);

/* Reads the file that the command means, and finds a plan in it.  NULL: error
   printed, and nothing to free. */
const plan_t *plan_open(const ctl_t *ctl, plan_file_t *file, const char *name);

/* account.c: makes an account, which is checked every `interval` s, under that
   key.  0; 1: the account is there already; -1: error printed. */
int account_make(ctl_t *ctl, rbl_str_t acct, rbl_str_t name,
    rbl_str_t timezone, const plan_t *plan, int64_t interval);

#endif /* CTL_PLAN_H_INCLUDED */
