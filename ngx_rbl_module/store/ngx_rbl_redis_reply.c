/*
 * Replies are allocated from a pool of the connection.  A page of hosts has
 * twenty strings, and a malloc and a free for each would cost more than
 * decoding.
 *
 * The free hook resets the pool, so it holds one reply at a time.  There is
 * never more than one: a reply is passed on and freed before the reader makes
 * the next.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_REPLY_POOL  32768       /* fits a reply of usual size */
#define NGX_RBL_REPLY_KEEP  262144      /* largest unused buffer of the
                                           reader */


/* The object that our reply functions return; hiredis knows only `reply`. */

typedef struct {
    redisReply                reply;
    ngx_rbl_redis_replies_t  *owner;
} ngx_rbl_reply_t;


static ngx_int_t
ngx_rbl_reply_pool(ngx_rbl_redis_replies_t *replies)
{
    if (replies->pool == NULL) {
        replies->pool = ngx_create_pool(NGX_RBL_REPLY_POOL, replies->log);
    }

    return replies->pool == NULL ? NGX_ERROR : NGX_OK;
}


/* NULL, here and below: out of memory, or the guard refused the reply; the
   connection ends then */

static redisReply *
ngx_rbl_reply_create(const redisReadTask *task, rbl_reply_count_t n)
{
    redisReply               *parent;
    ngx_rbl_reply_t          *r;
    ngx_rbl_redis_replies_t  *replies = task->privdata;

    if (!rbl_reply_allowed(&replies->guard, task, n)
        || ngx_rbl_reply_pool(replies) != NGX_OK)
    {
        return NULL;
    }

    r = ngx_pcalloc(replies->pool, sizeof(ngx_rbl_reply_t));
    if (r == NULL) {
        return NULL;
    }

    r->owner = replies;
    r->reply.type = task->type;

    if (task->parent != NULL) {
        parent = task->parent->obj;
        parent->element[task->idx] = &r->reply;
    }

    return &r->reply;
}


static void *
ngx_rbl_reply_string(const redisReadTask *task, char *str, size_t len)
{
    redisReply               *reply;
    ngx_rbl_redis_replies_t  *replies = task->privdata;

    reply = ngx_rbl_reply_create(task, 0);
    if (reply == NULL) {
        return NULL;
    }

    reply->str = ngx_pnalloc(replies->pool, len + 1);
    if (reply->str == NULL) {
        return NULL;
    }

    ngx_memcpy(reply->str, str, len);
    reply->str[len] = '\0';
    reply->len = len;

    return reply;
}


static void *
ngx_rbl_reply_array(const redisReadTask *task, rbl_reply_count_t n)
{
    redisReply               *reply;
    ngx_rbl_redis_replies_t  *replies = task->privdata;

    reply = ngx_rbl_reply_create(task, n);
    if (reply == NULL) {
        return NULL;
    }

    if (n > 0) {
        reply->element = ngx_pcalloc(replies->pool, n * sizeof(redisReply *));
        if (reply->element == NULL) {
            return NULL;
        }
    }

    reply->elements = n;

    return reply;
}


static void *
ngx_rbl_reply_integer(const redisReadTask *task, long long v)
{
    redisReply  *reply;

    reply = ngx_rbl_reply_create(task, 0);

    if (reply != NULL) {
        reply->integer = v;
    }

    return reply;
}


/* The task still has the type string or array; the reply is nil. */

static void *
ngx_rbl_reply_nil(const redisReadTask *task)
{
    redisReply  *reply;

    reply = ngx_rbl_reply_create(task, 0);

    if (reply != NULL) {
        reply->type = REDIS_REPLY_NIL;
    }

    return reply;
}


/* A pool that has grown is destroyed; the next reply has the usual size. */

static void
ngx_rbl_reply_free(void *data)
{
    ngx_rbl_reply_t          *r = data;
    ngx_rbl_redis_replies_t  *replies;

    if (r == NULL) {
        return;
    }

    replies = r->owner;

    if (replies->pool->d.next == NULL) {
        ngx_reset_pool(replies->pool);
        return;
    }

    ngx_destroy_pool(replies->pool);
    replies->pool = NULL;
}


redisReader *
ngx_rbl_redis_reader(ngx_rbl_redis_replies_t *replies, ngx_log_t *log)
{
    redisReader  *reader;

    replies->log = log;
    rbl_reply_guard(&replies->guard, NULL);
    rbl_reply_functions(&replies->fn);
    replies->fn.createString = ngx_rbl_reply_string;
    replies->fn.createArray = ngx_rbl_reply_array;
    replies->fn.createInteger = ngx_rbl_reply_integer;
    replies->fn.createNil = ngx_rbl_reply_nil;
    replies->fn.freeObject = ngx_rbl_reply_free;

    reader = redisReaderCreateWithFunctions(&replies->fn);

    if (reader != NULL) {
        reader->privdata = replies;
        reader->maxbuf = NGX_RBL_REPLY_KEEP;
    }

    return reader;
}


void
ngx_rbl_redis_replies_free(ngx_rbl_redis_replies_t *replies)
{
    if (replies->pool != NULL) {
        ngx_destroy_pool(replies->pool);
        replies->pool = NULL;
    }
}
