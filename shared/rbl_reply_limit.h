/*
 * What hiredis believes of a store, and must not:
 *
 * How many elements a reply announces.  It has room made for them all, and
 * walks as many when the reply is freed, though none of them ever comes: twelve
 * bytes from a store that has gone mad stop the program for many seconds.
 *
 * That every reply was asked for, which its asynchronous side asserts.
 *
 * Both end the connection, as a reply does that is no RESP.
 */

#ifndef RBL_REPLY_LIMIT_H_INCLUDED
#define RBL_REPLY_LIMIT_H_INCLUDED

#include <hiredis/hiredis.h>
#include <hiredis/async.h>

#include "rbl_common.h"

#define RBL_REPLY_ELEMENTS  2097152     /* at most in a reply, all levels */

/* Owned by whoever owns the connection, whose reader uses it until its end. */
typedef struct {
    redisReplyObjectFunctions         fn;
    const redisReplyObjectFunctions  *own;          /* of hiredis */
    const redisCallbackList          *asked;        /* who waits for replies */
    size_t                            announced;    /* by this reply */
} rbl_reply_limit_t;

/*
 * From now on for this connection, whose reader must have read nothing yet;
 * asked: the list of an asynchronous one, or NULL.
 */
void rbl_reply_limit(rbl_reply_limit_t *limit, redisContext *c,
    const redisCallbackList *asked);

/*
 * Adds n elements to those that the reply has announced so far.  0, or -1 if
 * they are too many or fewer than none, which rbl_reply_lost knows then.
 */
int rbl_reply_announce(size_t *announced, const redisReadTask *task, int n);

/* Why a connection ended: in hiredis' words or, if it was one of these, ours */
const char *rbl_reply_lost(size_t announced, const char *errstr);

#endif
