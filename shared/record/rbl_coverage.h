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

/* A list that applies. */
typedef struct {
    const unsigned char  *sid;          /* its 16 bytes; a view */
    int                   answered;     /* within one and a half of its
                                           intervals */
    int64_t               last;         /* its last answer (s); 0: none yet */
} rbl_coverage_list_t;

/* The lists that apply, `most` of them or fewer; the other arguments as before.
   Returns how many; 0 if the record is damaged. */
size_t rbl_coverage_lists(rbl_coverage_list_t *list, size_t most, rbl_str_t raw,
    int64_t interval, int64_t now);

/* The order of the lists of a check; views of the record. */
typedef struct {
    const unsigned char  *lists;
    const unsigned char  *place;        /* 2 bytes for each list */
    size_t                n;
} rbl_coverage_order_t;

/* Finds the order that the answers of a host are in (rbl_answers.h).
   RBL_EINVAL: it is not there, or the record is damaged. */
rbl_err_t rbl_coverage_order(rbl_coverage_order_t *order, rbl_str_t raw,
    rbl_str_t answers);

/* The 16 bytes of the SID of the list at that place, from 0. */
const unsigned char *rbl_coverage_list(const rbl_coverage_order_t *order,
    size_t i);

#endif /* RBL_COVERAGE_H_INCLUDED */
