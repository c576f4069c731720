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
 *
 * An account keeps the values of its plan in its record; later changes of the
 * file do not affect it.
 */

#ifndef PLANS_H_INCLUDED
#define PLANS_H_INCLUDED

#include "entry_read.h"
#include "rbl_out.h"
#include "rbl_script.h"

#define PLANS_MAX  200                  /* of a file */

typedef struct {
    rbl_str_t  name;
    int64_t    paid, max_hosts, max_contacts, max_checks;
    int64_t    interval;                /* seconds */
    rbl_str_t  price, period, check_price;      /* n 0: absent */
} plan_t;

/* The plans of a file, in its order. */
typedef struct {
    json_t  *root;                      /* has their texts */
    size_t   n;
    plan_t   plan[PLANS_MAX];
} plans_t;

/* Reads the file.  -1: it has mistakes, and each was reported; in this case,
   too, plans_free frees what was read. */
int plans_read(plans_t *plans, const char *path, entry_say_pt say);
void plans_free(plans_t *plans);

/* NULL: there is none with that name. */
const plan_t *plans_find(const plans_t *plans, rbl_str_t name);

/* Seconds between the checks of a host of a new account on the plan, whose
   interval is 0 if it has none. */
int64_t plan_interval(const plan_t *plan);

/* The numbers of a plan as arguments of scripts, which point to these texts. */
typedef struct {
    char  hosts[RBL_OUT_INT], contacts[RBL_OUT_INT], checks[RBL_OUT_INT],
          shortest[RBL_OUT_INT], interval[RBL_OUT_INT];
} plan_words_t;

/* The arguments that depend on the plan: of a new account, whose hosts are
   checked every `interval` seconds; of another plan. */
void plan_put(rbl_account_put_args_t *args, plan_words_t *words,
    const plan_t *plan, int64_t interval);
void plan_set(rbl_account_plan_args_t *args, plan_words_t *words,
    const plan_t *plan);

#endif /* PLANS_H_INCLUDED */
