/*
 * Times as text for clients: in a time zone, with the abbreviation in force at
 * that time.
 */

#ifndef RBL_TIME_H_INCLUDED
#define RBL_TIME_H_INCLUDED

#include "rbl_timezone.h"

#define RBL_TIME_LEN    40              /* fits any of these texts with NUL */

/* "2016-11-07 21:01:33 EST"; "" for 0.  Without a time zone (NULL) the text of
   rbl_time_rfc3339. */
rbl_str_t rbl_time_text(char buf[RBL_TIME_LEN], int64_t ms,
    const rbl_timezone_t *tz);

/* "2026-11-20T09:30:00+00:00", always UTC; "" for 0. */
rbl_str_t rbl_time_rfc3339(char buf[RBL_TIME_LEN], int64_t ms);

/*
 * Reads a time: "2026-11-20T17:00" or with ":30" for seconds, of that time zone
 * (NULL: UTC), or with "Z" or "+01:00" behind it; or how long after `now`:
 * "90m", "12h", "7d".  A local time that a change of summer time leaves out
 * is as much later; of one that is there twice the second one is meant.
 * RBL_EINVAL: something else, or not in the years 1970 to 2105.
 */
rbl_err_t rbl_time_read(int64_t *ms, rbl_str_t text, int64_t now,
    const rbl_timezone_t *tz);

/*
 * The second since 1970 at which clocks in the time zone show `shown`, by the
 * same rule.
 */
int64_t rbl_time_of_zone(int64_t shown, const rbl_timezone_t *tz);

/* "0 days 00:12:09", "1 day 11:37:51", "13 days 13:35:58". */
rbl_str_t rbl_period_text(char buf[RBL_TIME_LEN], int64_t ms);

/* The same in short, by its two largest units: "3 d 4 h", "4 h 5 min", "5 min",
   "40 s". */
rbl_str_t rbl_span_text(char buf[RBL_TIME_LEN], int64_t ms);

/* The seconds of such a short text; 0: it has none. */
uint64_t rbl_span_read(rbl_str_t text);

#endif /* RBL_TIME_H_INCLUDED */
