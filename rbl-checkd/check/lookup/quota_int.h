/*
 * Declarations of the quota's files: quota.c has the waiting callers,
 * quota_tokens.c the tokens in hand, quota_backoff.c the lists that refuse,
 * quota_store.c the calls of the store.
 *
 * The clock continues while this process or the machine is stopped: tokens that
 * expired meanwhile are not spent.
 */

#ifndef QUOTA_INT_H_INCLUDED
#define QUOTA_INT_H_INCLUDED

#include "base/clock.h"
#include "base/link.h"
#include "check/lists/sidmap.h"
#include "quota.h"

#define QUOTA_BUCKETS  1024             /* a power of two */

typedef struct quota_wait_s  quota_wait_t;
typedef struct quota_list_s  quota_list_t;

struct quota_wait_s {
    link_t           link;              /* of its list, in order */
    link_t           like;              /* in the same bucket */
    quota_list_t    *ql;
    quota_done_pt    done;
    void            *data;
    double           deadline;
    quota_answer_t   what;              /* answer when the timer fires */
    unsigned         over:1;            /* waits no longer */
    ev_timer         timer;
};

struct quota_list_s {
    quota_t         *quota;
    char             sid[40];
    list_t          *list;              /* as it was given last */
    int64_t          rate, day;         /* last limits of the list; 0: none */

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
    unsigned         n_waits;
    double           latest;            /* no deadline is later */
    double           sent;              /* time of the call to the store */
    ev_timer         timer;             /* the next token, or another attempt */

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
    health_t        *health;            /* NULL: no test points */
    sidmap_t         lists;
    ev_timer         look;
    double           probe_every;
    link_t           bucket[QUOTA_BUCKETS];
};

/* quota.c */
void quota_give_up(quota_list_t *ql, quota_answer_t why, double deadline);
void quota_serve(quota_list_t *ql);
void quota_again(quota_list_t *ql, double seconds);

/* quota_tokens.c */

/* How many were spent within the last second, or somewhat less. */
int64_t quota_recent(const quota_list_t *ql, double now);

/* Spends a token if one is available now.  1: spent. */
int quota_spend(quota_list_t *ql);

/* The time at which the next token in hand may be spent. */
double quota_due(const quota_list_t *ql);

/* quota_backoff.c */
void quota_refuse(quota_list_t *ql, quota_answer_t why, double seconds);
int quota_refuses(quota_list_t *ql);

/* 1: the list refuses, and that must be reported to the store. */
int quota_unreported(quota_list_t *ql);

/* Queries the test points of a list in back-off, at most once an interval. */
void quota_probe(quota_list_t *ql);

/* quota_store.c: nothing calls back from inside these. */
void quota_ask(quota_list_t *ql);
void quota_look(quota_list_t *ql);
void quota_report(quota_list_t *ql, int blocked);

#endif /* QUOTA_INT_H_INCLUDED */
