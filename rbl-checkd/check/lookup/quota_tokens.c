/*
 * The tokens of a list that are in hand: spent one by one, at the pace of the
 * grant.
 */

#include "quota_int.h"


static void
count_spent(quota_list_t *ql, double now)
{
    int64_t  half;

    half = (int64_t) (now * 2);

    if (half != ql->half) {
        ql->before_n = half == ql->half + 1 ? ql->now_n : 0;
        ql->now_n = 0;
        ql->half = half;
    }

    ql->now_n++;
}


int64_t
quota_recent(const quota_list_t *ql, double now)
{
    int64_t  half;

    half = (int64_t) (now * 2);

    return half == ql->half ? ql->now_n + ql->before_n
                            : half == ql->half + 1 ? ql->now_n : 0;
}


int
quota_spend(quota_list_t *ql)
{
    double   now;

    if (ql->spent >= ql->n) {
        return 0;
    }

    now = clock_now();

    if (now >= ql->till) {
        ql->n = ql->spent = 0;
        return 0;
    }

    if (now < ql->from
        || (ql->granted_rate > 0
            && (now - ql->from) * (double) ql->granted_rate
               < (double) ql->spent))
    {
        return 0;
    }

    ql->spent++;
    count_spent(ql, now);

    return 1;
}


double
quota_due(const quota_list_t *ql)
{
    double  at;

    at = ql->from;
    if (ql->granted_rate > 0) {
        at += (double) ql->spent / (double) ql->granted_rate;
    }

    return at < ql->till ? at : ql->till;
}
