/*
 * The quota of a list: queries per second and per day, over all daemons.  The
 * counts are in the store (list_grant).  A daemon takes them in batches and
 * returns nothing, so that at most a batch per daemon is lost and none is ever
 * spent twice.  No daemon queries a list that has refused (blocked) for a
 * while, longer each time.  Its test points are queried at intervals, and end
 * the back-off when they pass.
 */

#ifndef QUOTA_H_INCLUDED
#define QUOTA_H_INCLUDED

#include "check/lists/lists.h"
#include "check/verdict/health.h"
#include "store/store.h"

typedef struct quota_s       quota_t;
typedef struct quota_wait_s  quota_wait_t;

typedef enum {
    QUOTA_GO = 0,
    QUOTA_WAIT,             /* the call back will come */
    QUOTA_USED_UP,          /* of the day, or not in time: RBL_ERR_QUOTA */
    QUOTA_BLOCKED           /* it backs off: RBL_ERR_BLOCKED */
} quota_answer_t;

/* QUOTA_GO, QUOTA_USED_UP or QUOTA_BLOCKED. */
typedef void (*quota_done_pt)(void *data, quota_answer_t answer);

quota_t *quota_new(struct ev_loop *loop, store_t *store, health_t *health);
void quota_free(quota_t *quota);        /* before its health */

/* Interval between test points of a list that refuses; 60 s without a call. */
void quota_probe_after(quota_t *quota, double seconds);

/*
 * May one query be sent to the list?  A list without limits costs a comparison.
 * It waits at most `patience` seconds.  If the store does not reply, lists with
 * limits get no grant.  If it waits, *wait is valid until the call back or
 * quota_forget; otherwise it is NULL.
 */
quota_answer_t quota_take(quota_t *quota, const list_t *list, double patience,
    quota_done_pt done, void *data, quota_wait_t **wait);

/* The call back will not come.  NULL: no effect. */
void quota_forget(quota_wait_t *wait);

typedef enum {
    QUOTA_RESPONSE_ANSWER = 0,
    QUOTA_RESPONSE_BLOCKED, /* by the list, in a code of its own */
    QUOTA_RESPONSE_REFUSED  /* by the list, or by the resolver */
} quota_response_t;

/*
 * The response of the list to a query through that resolver.  An error code is
 * reported to other daemons at once, REFUSED only after another list passes
 * through the same resolver: otherwise the resolver may be the one that
 * refuses.
 */
void quota_response(quota_t *quota, const list_t *list,
    quota_response_t response, unsigned resolver);

/* The rest of the list's daily quota, as known by this daemon; -1: no limit. */
int64_t quota_left(const quota_t *quota, const list_t *list);

#endif /* QUOTA_H_INCLUDED */
