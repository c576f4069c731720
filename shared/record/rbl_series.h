/*
 * The last seven days of the service (rbl_keys.h: series, responses): what all
 * daemons together did in each five minutes, and how the queries to each list
 * ended in each hour.  Daemons add to it (series_add.lua), nginx shows it.
 * Days are those of UTC.
 */

#ifndef RBL_SERIES_H_INCLUDED
#define RBL_SERIES_H_INCLUDED

#include "rbl_common.h"

#define RBL_SERIES_STEP     300         /* s of a point */
#define RBL_SERIES_POINTS   288         /* of a day */
#define RBL_SERIES_DAYS     8           /* that 7 days, or less, lie in */

enum {                                  /* numbers of a point */
    RBL_SERIES_REPORTS = 0,             /* of daemons; 0: nothing is known */
    RBL_SERIES_CHECKS,
    RBL_SERIES_ANSWERED,                /* queries to lists: these four */
    RBL_SERIES_REFUSED,
    RBL_SERIES_TIMED_OUT,
    RBL_SERIES_FAILED,
    RBL_SERIES_OLDEST,                  /* s; the largest that was reported */
    RBL_SERIES_DELIVERED,               /* attempts of deliveries: these
                                           three */
    RBL_SERIES_RETRIED,
    RBL_SERIES_DEAD,
    RBL_SERIES__N
};

enum {                                  /* numbers of an hour of a list */
    RBL_RESPONSES_ANSWERED = 0,
    RBL_RESPONSES_REFUSED,
    RBL_RESPONSES_FAILED,
    RBL_RESPONSES__N
};

/* Adds the point i of a day to the numbers; of RBL_SERIES_OLDEST the larger one
   stays.  A point that the day does not have adds nothing. */
void rbl_series_add(int64_t number[RBL_SERIES__N], rbl_str_t day, unsigned i);

/* Adds the hours of a list on a day, from the first to the last, to the
   numbers.  A value of another size counts as none. */
void rbl_responses_add(int64_t number[RBL_RESPONSES__N], rbl_str_t day,
    unsigned first, unsigned last);

/* How the queries of an hour ended, in a character: '0': none was answered;
   '9': all were; '1' to '8': some; '-': no query has ended. */
char rbl_responses_hour(rbl_str_t day, unsigned hour);

#endif /* RBL_SERIES_H_INCLUDED */
