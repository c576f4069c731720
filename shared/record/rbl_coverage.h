/*
 * Which lists apply to the active hosts of an account, and which of them have
 * answered: numbers from the record "coverage" (schema.txt).
 */

#ifndef RBL_COVERAGE_H_INCLUDED
#define RBL_COVERAGE_H_INCLUDED

#include "rbl_sid.h"

#define RBL_COVERAGE_NAMED  5

typedef struct {
    int64_t    asked, answered;         /* lists that apply; of these, those
                                           that have answered within one and a
                                           half of their intervals: half of one
                                           is for checks that come late */
    int64_t    critical_asked, critical_answered;
    int64_t    critical_long;           /* critical ones without an answer for
                                           three of their intervals */
    unsigned   n_silent;
    rbl_sid_t  silent[RBL_COVERAGE_NAMED];
                                        /* the first lists that have not
                                           answered, critical ones first */
} rbl_coverage_t;

/*
 * Reads a record: `interval` seconds between the checks of a host, `now` in
 * seconds.  The interval of a list is the larger one of this and its minimum
 * interval.  A class that is no longer checked while others are has lost its
 * hosts and does not count.  RBL_EINVAL: damaged; the numbers are 0.
 */
rbl_err_t rbl_coverage_read(rbl_coverage_t *c, rbl_str_t raw, int64_t interval,
    int64_t now);

#endif /* RBL_COVERAGE_H_INCLUDED */
