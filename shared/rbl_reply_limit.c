/*
 * Refused before there is room for it: to whatever is created for a reply,
 * NULL makes hiredis call itself out of memory and end the connection.
 */

#include <stdint.h>

#include "rbl_reply_limit.h"

#define RBL_REPLY_OVER     SIZE_MAX         /* too many were announced */
#define RBL_REPLY_UNASKED  (SIZE_MAX - 1)


int
rbl_reply_announce(size_t *announced, const redisReadTask *task, int n)
{
    if (task->parent == NULL) {
        *announced = 0;
    }

    if (n < 0 || (size_t) n > RBL_REPLY_ELEMENTS - *announced) {
        *announced = RBL_REPLY_OVER;
        return -1;
    }

    *announced += (size_t) n;

    return 0;
}


const char *
rbl_reply_lost(size_t announced, const char *errstr)
{
    return announced == RBL_REPLY_OVER
           ? "it announces a reply of more elements than any has"
           : announced == RBL_REPLY_UNASKED
           ? "it sent what nobody asked for" : errstr;
}


static int
rbl_reply_unasked(rbl_reply_limit_t *limit, const redisReadTask *task)
{
    if (task->parent != NULL || limit->asked == NULL
        || limit->asked->head != NULL)
    {
        return 0;
    }

    limit->announced = RBL_REPLY_UNASKED;

    return 1;
}


static void *
rbl_reply_limit_string(const redisReadTask *task, char *str, size_t len)
{
    rbl_reply_limit_t  *limit = task->privdata;

    return rbl_reply_unasked(limit, task)
           ? NULL : limit->own->createString(task, str, len);
}


static void *
rbl_reply_limit_array(const redisReadTask *task, int n)
{
    rbl_reply_limit_t  *limit = task->privdata;

    return rbl_reply_unasked(limit, task)
           || rbl_reply_announce(&limit->announced, task, n) != 0
           ? NULL : limit->own->createArray(task, n);
}


static void *
rbl_reply_limit_integer(const redisReadTask *task, long long value)
{
    rbl_reply_limit_t  *limit = task->privdata;

    return rbl_reply_unasked(limit, task)
           ? NULL : limit->own->createInteger(task, value);
}


static void *
rbl_reply_limit_nil(const redisReadTask *task)
{
    rbl_reply_limit_t  *limit = task->privdata;

    return rbl_reply_unasked(limit, task)
           ? NULL : limit->own->createNil(task);
}


void
rbl_reply_limit(rbl_reply_limit_t *limit, redisContext *c,
    const redisCallbackList *asked)
{
    redisReader  *reader = c->reader;

    limit->announced = 0;
    limit->asked = asked;
    limit->own = reader->fn;
    limit->fn.createString = rbl_reply_limit_string;
    limit->fn.createArray = rbl_reply_limit_array;
    limit->fn.createInteger = rbl_reply_limit_integer;
    limit->fn.createNil = rbl_reply_limit_nil;
    limit->fn.freeObject = limit->own->freeObject;
    reader->fn = &limit->fn;
    reader->privdata = limit;
}
