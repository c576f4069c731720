/*
 * Statistics of an application: requests and errors by hour or by day, in UTC.
 * A key holds the hours of one day, or 32 days (rbl_keys.h: stats).
 */

#ifndef RBL_USAGE_H_INCLUDED
#define RBL_USAGE_H_INCLUDED

#include "rbl_reply.h"
#include "rbl_sid.h"

#define RBL_USAGE_HOURS_MAX  744        /* 31 days */
#define RBL_USAGE_DAYS_MAX   396        /* 13 months */
#define RBL_USAGE_NAME       64         /* fits the end of a key */

typedef struct {
    int64_t  requests, errors;
} rbl_sum_t;

typedef struct {
    int        days;                    /* one sum per day, not per hour */
    int64_t    first, n;                /* days or hours since 1970 */
    rbl_sum_t  sum[RBL_USAGE_HOURS_MAX];
} rbl_usage_t;

/* Begins n hours or days that end with the present one; now in seconds since
   1970.  n must be in 1..RBL_USAGE_HOURS_MAX or RBL_USAGE_DAYS_MAX. */
void rbl_usage_begin(rbl_usage_t *u, int days, int64_t n, int64_t now);

/* The number of the first key, and how many follow with it. */
int64_t rbl_usage_part(const rbl_usage_t *u);
int64_t rbl_usage_parts(const rbl_usage_t *u);

/* Returns what follows the account in that key, in buf. */
rbl_str_t rbl_usage_name(char buf[RBL_USAGE_NAME], const rbl_usage_t *u,
    const rbl_sid_t *app, int64_t part);

/* Adds the reply of HGETALL of that key. */
void rbl_usage_read(rbl_usage_t *u, int64_t part, const redisReply *reply);

/* Returns the sum of all. */
rbl_sum_t rbl_usage_all(const rbl_usage_t *u);

/* Returns the beginning of the i-th hour or day (ms since 1970). */
int64_t rbl_usage_time(const rbl_usage_t *u, int64_t i);

#endif /* RBL_USAGE_H_INCLUDED */
