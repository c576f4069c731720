/*
 * The days of an account: how many hosts were listed and unknown at the end of
 * each, and how many listings began and ended (rbl_keys.h: today, days).  Days
 * are those of UTC.
 */

#ifndef RBL_DAYS_H_INCLUDED
#define RBL_DAYS_H_INCLUDED

#include "rbl_record.h"

#define RBL_DAYS_MAX  400

typedef struct {
    int64_t  date;                      /* since 1970 */
    int64_t  listed, critical, unknown; /* hosts at its end */
    int64_t  begun, ended;              /* listings */
} rbl_day_t;

typedef struct {
    rbl_day_t  day;                     /* date and hosts of today */
    int64_t    answered;                /* day of the last answer of a list; 0:
                                           not known */
    int64_t    silent;                  /* hosts that are unknown on a day
                                           without an answer */
} rbl_days_now_t;

/*
 * The last days, `most` or as many as are known, oldest first, without a gap;
 * the last one is that of `now`.  today: NULL: the account has no such record,
 * and only that day is known.  Returns how many there are; -1: `days` is
 * damaged.
 */
int rbl_days_read(rbl_day_t *day, int most, const rbl_today_t *today,
    rbl_str_t days, const rbl_days_now_t *now);

#endif /* RBL_DAYS_H_INCLUDED */
