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

#ifndef CTL_PLAN_FILE_H_INCLUDED
#define CTL_PLAN_FILE_H_INCLUDED

#include "ctl.h"

#define PLAN_FILE_MAX  200

/* The texts live as long as the file's root. */
typedef struct {
    rbl_str_t  name;
    int64_t    paid, max_hosts, max_contacts, max_checks;
    int64_t    interval;                /* seconds */
    rbl_str_t  price, period, check_price;      /* n 0: absent */
} plan_t;

typedef struct {
    json_t  *root;
    size_t   n;
    plan_t   plan[PLAN_FILE_MAX];       /* in the order of the file */
} plan_file_t;

/*
 * Reads the whole file.  -1: the file has mistakes and nothing is returned;
 * a line on standard error for each mistake names the plan and the member.
 */
int plan_file_read(plan_file_t *file, const char *path);
void plan_file_free(plan_file_t *file);

/* NULL: no plan has that name. */
const plan_t *plan_file_find(const plan_file_t *file, rbl_str_t name);

#endif /* CTL_PLAN_FILE_H_INCLUDED */
