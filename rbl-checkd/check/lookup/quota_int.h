/*
 * The structures of quota.c.
 */

#ifndef QUOTA_INT_H_INCLUDED
#define QUOTA_INT_H_INCLUDED

#include "base/clock.h"
#include "base/link.h"
#include "base/timer.h"
#include "check/lists/sidmap.h"
#include "quota.h"

typedef struct quota_list_s  quota_list_t;

struct quota_wait_s {
    link_t           link;              /* in waits of its list, or in over */
    quota_list_t    *ql;
    quota_done_pt    done;
    void            *data;
    double           deadline;
    quota_answer_t   what;              /* answer when the timer fires */
    loop_timer_t     timer;
};

struct quota_list_s {
    quota_t         *quota;
    char             sid[40];
    list_t          *list;              /* as it was given last */

    /* The grant: its tokens, and when they may be spent, one by one. */
    int64_t          n, spent, granted_rate;
    double           from, till;
    int64_t          left;              /* of the day; -1: not known */

    quota_answer_t   refused;           /* QUOTA_GO: it is not */
    double           refused_till;
    int64_t          times;             /* it has refused, in a row */
    health_q_t      *probe;             /* its test points */
    double           probed;            /* time of the last probe:
                                           clock_now() */
    unsigned         probed_by;         /* through that resolver */
    double           since;             /* when it refused: clock_now() */
    unsigned         resolver;          /* through that one */

    /* Spent in this half second and in the one before. */
    int64_t          half, now_n, before_n;

    link_t           waits;
    link_t           over;              /* to be called back at once */
    double           latest;            /* no deadline is later */
    double           sent;              /* time of the call to the store */
    loop_timer_t     timer;             /* the next token, or another attempt */

    unsigned         asking:1;
    unsigned         looking:1;
    unsigned         reporting:1;
    unsigned         reported:1;        /* 1: the report under way is that it
                                           refuses */
    unsigned         unreported:1;      /* a refusal is not reported yet */
    unsigned         unsure:1;          /* the resolver may have refused */
    unsigned         used:1;            /* since the last look */
    unsigned         said:1;            /* logged that its daily quota is used
                                           up */
};

struct quota_s {
    struct ev_loop  *loop;
    store_t         *store;
    health_t        *health;
    sidmap_t         lists;
    loop_timer_t     look;
    double           probe_every;
};

#endif /* QUOTA_INT_H_INCLUDED */
