/*
 * Checks that hiredis does not make on replies of a store:
 *
 * The number of elements that a reply announces.  hiredis allocates memory for
 * all of them, and walks them all when it frees the reply, even if they never
 * arrive: twelve bytes from a faulty store block the program for many seconds.
 *
 * That every reply answers a command, or is what a subscriber gets.  The
 * asynchronous part of hiredis asserts this.
 *
 * That the reply is RESP2.  hiredis 1 reads RESP3 as well, which the programs
 * do not request, and nests arrays without a limit: it frees them by recursion.
 *
 * A violation ends the connection, as invalid RESP does.
 */

#ifndef RBL_REPLY_GUARD_H_INCLUDED
#define RBL_REPLY_GUARD_H_INCLUDED

#include <hiredis/hiredis.h>
#include <hiredis/async.h>

#include "rbl_common.h"

#define RBL_REPLY_ELEMENTS  2097152     /* elements of a reply, all levels */
#define RBL_REPLY_PARENTS   6           /* arrays around one that has
                                           elements; hiredis 0.14 allows 7 */

/* Guard of one connection. */
typedef struct {
    const redisCallbackList  *asked;        /* pending callbacks */
    int                       messages;     /* 1: a subscriber's */
    size_t                    announced;    /* elements of this reply */
    const char               *refused;      /* reason, or NULL; static */
} rbl_reply_guard_t;

/* From now on accept only errors and ["subscribe" or "message", channel, a
   value]. */
void rbl_reply_messages(rbl_reply_guard_t *guard);

/* Returns why a connection ended: `refused`, or, if that is NULL, errstr. */
const char *rbl_reply_lost(const rbl_reply_guard_t *guard, const char *errstr);

/*
 * The reader of hiredis with a guard.  It belongs to the owner of the
 * connection, and must live as long as the connection.
 */
typedef struct {
    rbl_reply_guard_t                 guard;        /* first */
    redisReplyObjectFunctions         fn;
    const redisReplyObjectFunctions  *own;          /* hiredis' own */
} rbl_reply_reader_t;

/* Guards this connection, whose reader must not have read anything.  asked: the
   list of an asynchronous connection; NULL: all replies are accepted. */
void rbl_reply_reader(rbl_reply_reader_t *reader, redisContext *c,
    const redisCallbackList *asked);

#endif
