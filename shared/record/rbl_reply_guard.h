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

#ifndef RBL_REPLY_GUARD_H_INCLUDED
#define RBL_REPLY_GUARD_H_INCLUDED

#include <hiredis/hiredis.h>
#include <hiredis/async.h>

#include "rbl_common.h"

#define RBL_REPLY_ELEMENTS  2097152     /* at most in a reply, all levels */

/* Of one connection. */
typedef struct {
    const redisCallbackList  *asked;        /* who waits for replies */
    size_t                    announced;    /* elements of this reply */
    const char               *refused;      /* why, or NULL; static */
} rbl_reply_guard_t;

/* asked: the list of an asynchronous connection; NULL: all is asked for. */
void rbl_reply_guard(rbl_reply_guard_t *guard, const redisCallbackList *asked);

/*
 * May a reader go on with this object, of n elements (0 if it is no array)?  If
 * not, it answers NULL, which hiredis takes for a lack of memory, and ends the
 * connection.
 */
int rbl_reply_allowed(rbl_reply_guard_t *guard, const redisReadTask *task,
    int n);

/* Why a connection ended: `refused' or, if it was nothing of that, errstr. */
const char *rbl_reply_lost(const rbl_reply_guard_t *guard, const char *errstr);

/*
 * hiredis' own reader, guarded.  Owned by whoever owns the connection, whose
 * reader uses it until its end.
 */
typedef struct {
    rbl_reply_guard_t                 guard;
    redisReplyObjectFunctions         fn;
    const redisReplyObjectFunctions  *own;          /* of hiredis */
} rbl_reply_reader_t;

/* From now on for this connection, whose reader must have read nothing yet. */
void rbl_reply_reader(rbl_reply_reader_t *reader, redisContext *c,
    const redisCallbackList *asked);

#endif
