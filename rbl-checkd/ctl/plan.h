/*
 * The operator's file of plans (conf/plans.json).
 *
 *     { "version": 1, "plans": [ {...} ] }
 *
 * A plan has a name, paid (0, 1), max_hosts, max_contacts, max_checks (started
 * a day; 0 is no limit, everywhere) and interval, the shortest time between the
 * checks of a host ("15m").  A paid one costs either price ("25.00") a period
 * ("month", "year") or check_price ("0.002"), an unpaid one has neither.
 * Amounts are US dollars.  Any other member is a mistake, as is a duplicate
 * name.
 */

#ifndef CTL_PLAN_H_INCLUDED
#define CTL_PLAN_H_INCLUDED

#include "ctl.h"

typedef struct {
    rbl_str_t  name;
    int64_t    paid, max_hosts, max_contacts, max_checks;
    int64_t    interval;                /* seconds */
    rbl_str_t  price, period, check_price;      /* n 0: absent */
} plan_t;

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
