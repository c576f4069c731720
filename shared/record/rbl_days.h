/*
 * The days of an account: how many hosts were listed and unknown at the end of
 * each, and how many listings began and ended (rbl_keys.h: today, days); how
 * many hosts each list listed (trends).  Days are those of UTC.
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


#define RBL_TRENDS_LISTS   512          /* as many as the store may have */
#define RBL_TRENDS_ROWS    1400

typedef struct {
    int64_t  date;
    int64_t  hosts;                     /* at its end */
    int64_t  begun;                     /* listings */
} rbl_list_day_t;

/* A change of one list on one day. */
typedef struct {
    int64_t   date;
    int64_t   change, begun;
    unsigned  list;                     /* its place */
} rbl_trends_row_t;

/* The record, taken apart. */
typedef struct {
    int64_t               first, last;  /* 0: there is none */
    size_t                n_lists, n;
    const unsigned char  *list;         /* views: the first bytes of SIDs */
    int64_t               hosts[RBL_TRENDS_LISTS];  /* at the end of `last` */
    rbl_trends_row_t      row[RBL_TRENDS_ROWS];
} rbl_trends_read_t;

/* A list as it is today. */
typedef struct {
    rbl_str_t        list;              /* SID */
    int64_t          date;              /* today */
    int64_t          hosts;             /* now */
    const int64_t   *begun;             /* today, yesterday, and so on */
    size_t           n_begun;
} rbl_list_now_t;

/* Takes a record apart; "" is none.  RBL_EINVAL: damaged, which reads as
   none. */
rbl_err_t rbl_trends_read(rbl_trends_read_t *trends, rbl_str_t raw);

/*
 * The last days of a list, `most` or as many as are known, oldest first,
 * without a gap; the last one is today.  Returns how many there are.
 */
int rbl_trends_days(rbl_list_day_t *day, int most,
    const rbl_trends_read_t *trends, const rbl_list_now_t *now);

#endif /* RBL_DAYS_H_INCLUDED */
