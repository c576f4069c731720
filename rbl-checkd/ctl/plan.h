/*
 * Plans for commands (config/plans.h).
 */

#ifndef CTL_PLAN_H_INCLUDED
#define CTL_PLAN_H_INCLUDED

#include "config/plans.h"
#include "ctl.h"

/*
 * Reads the options of a command: a plan of the file (--plan) and the
 * values that override it.  -1: error printed.  plan->interval is the shortest
 * that the account may choose (0: any); the prices are not set.
 */
int plan_given(const ctl_t *ctl, plan_t *plan, int64_t *interval);

/* Reads the file that the command means, and finds a plan in it, which lives as
   long as the process.  NULL: error printed, a line for each mistake in the
   file. */
const plan_t *plan_open(const ctl_t *ctl, const char *name);

/* account.c: makes an account, which is checked every `interval` s, under that
   key.  0; 1: the account is there already; -1: error printed. */
int account_make(ctl_t *ctl, rbl_str_t acct, rbl_str_t name,
    rbl_str_t timezone, const plan_t *plan, int64_t interval);

#endif /* CTL_PLAN_H_INCLUDED */
