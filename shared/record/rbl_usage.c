/*
 * Reads the statistics of an application.
 */

#include "rbl_usage.h"

#include "rbl_out.h"
#include "rbl_validate.h"

#define RBL_USAGE_HOURS_KEY  24         /* hours of one key */
#define RBL_USAGE_DAYS_KEY   32         /* days of one key */
#define RBL_USAGE_LAST       (RBL_USAGE_DAYS_KEY * (int64_t) 1000000)


static int64_t
rbl_usage_size(const rbl_usage_t *u)
{
    return u->days ? RBL_USAGE_DAYS_KEY : RBL_USAGE_HOURS_KEY;
}


void
rbl_usage_begin(rbl_usage_t *u, int days, int64_t n, int64_t now)
{
    memset(u, 0, sizeof(*u));

    u->days = days;
    u->n = n;
    u->first = now / (days ? 86400 : 3600) - n + 1;
}


int64_t
rbl_usage_part(const rbl_usage_t *u)
{
    return u->first / rbl_usage_size(u);
}


int64_t
rbl_usage_parts(const rbl_usage_t *u)
{
    return (u->first + u->n - 1) / rbl_usage_size(u) - rbl_usage_part(u) + 1;
}


rbl_str_t
rbl_usage_name(char buf[RBL_USAGE_NAME], const rbl_usage_t *u,
    const rbl_sid_t *app, int64_t part)
{
    char       number[RBL_OUT_INT];
    rbl_str_t  digits, name;

    digits = rbl_out_int_text(number, part);

    memcpy(buf, app->s, RBL_SID_LEN);
    buf[RBL_SID_LEN] = ':';
    buf[RBL_SID_LEN + 1] = u->days ? 'd' : 'h';
    memcpy(buf + RBL_SID_LEN + 2, digits.p, digits.n);

    name.p = buf;
    name.n = RBL_SID_LEN + 2 + digits.n;

    return name;
}


/* A field is the number of an hour of the day, or of a day since 1970; a suffix
   "e" marks errors. */

static void
rbl_usage_field(rbl_usage_t *u, int64_t base, rbl_str_t name, int64_t n)
{
    int         errors;
    int64_t     i;
    rbl_sum_t  *sum;

    errors = name.n > 0 && name.p[name.n - 1] == 'e';
    name.n -= (size_t) errors;

    if (name.p == NULL || n < 0
        || rbl_int_parse(&i, name, 0, RBL_USAGE_LAST) != RBL_OK)
    {
        return;
    }

    i += base - u->first;

    if (i < 0 || i >= u->n) {
        return;
    }

    sum = &u->sum[i];
    *(errors ? &sum->errors : &sum->requests) = n;
}


void
rbl_usage_read(rbl_usage_t *u, int64_t part, const redisReply *reply)
{
    size_t  i;

    for (i = 1; i < rbl_reply_len(reply); i += 2) {
        rbl_usage_field(u, u->days ? 0 : part * RBL_USAGE_HOURS_KEY,
                        rbl_reply_str(rbl_reply_at(reply, i - 1)),
                        rbl_reply_int(rbl_reply_at(reply, i), 0));
    }
}


rbl_sum_t
rbl_usage_all(const rbl_usage_t *u)
{
    int64_t    i;
    rbl_sum_t  all = { 0, 0 };

    for (i = 0; i < u->n; i++) {
        all.requests += u->sum[i].requests;
        all.errors += u->sum[i].errors;
    }

    return all;
}


int64_t
rbl_usage_time(const rbl_usage_t *u, int64_t i)
{
    return (u->first + i) * (u->days ? 86400000 : 3600000);
}
