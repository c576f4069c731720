/*
 * Replies as hiredis' reader makes them, but in a pool of the link: a page of
 * hosts is twenty strings, and one malloc and one free for each of them is more
 * than decoding them.
 *
 * The pool is emptied by the free hook, so it holds one reply at a time.  That
 * is all there ever is: hiredis hands a reply over and frees it before it makes
 * the next, and a context is freed before the next one of its link can read.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_REPLY_POOL  32768       /* a reply of usual size fits */
#define NGX_RBL_REPLY_KEEP  262144      /* of the reader's buffer, unused */


/* What our reply functions hand to hiredis; it knows the first member only. */

typedef struct {
    redisReply                reply;
    ngx_rbl_redis_replies_t  *owner;
} ngx_rbl_reply_t;


static ngx_int_t ngx_rbl_reply_pool(ngx_rbl_redis_replies_t *replies);
static redisReply *ngx_rbl_reply_create(const redisReadTask *task, int n);
static void *ngx_rbl_reply_string(const redisReadTask *task, char *str,
    size_t len);
static void *ngx_rbl_reply_array(const redisReadTask *task, int n);
static void *ngx_rbl_reply_integer(const redisReadTask *task, long long v);
static void *ngx_rbl_reply_nil(const redisReadTask *task);
static void ngx_rbl_reply_free(void *data);


void
ngx_rbl_redis_read_replies(ngx_rbl_link_t *link, redisAsyncContext *ac)
{
    redisReader              *reader;
    ngx_rbl_redis_replies_t  *replies;

    replies = &link->replies;
    replies->log = link->store->log;
    rbl_reply_guard(&replies->guard, &ac->replies);
    replies->fn.createString = ngx_rbl_reply_string;
    replies->fn.createArray = ngx_rbl_reply_array;
    replies->fn.createInteger = ngx_rbl_reply_integer;
    replies->fn.createNil = ngx_rbl_reply_nil;
    replies->fn.freeObject = ngx_rbl_reply_free;

    reader = ac->c.reader;
    reader->fn = &replies->fn;
    reader->privdata = replies;

    /* else the buffer is allocated anew for every read of 16 KiB */

    reader->maxbuf = NGX_RBL_REPLY_KEEP;
}


void
ngx_rbl_redis_free_replies(ngx_rbl_link_t *link)
{
    if (link->replies.pool != NULL) {
        ngx_destroy_pool(link->replies.pool);
        link->replies.pool = NULL;
    }
}


static ngx_int_t
ngx_rbl_reply_pool(ngx_rbl_redis_replies_t *replies)
{
    if (replies->pool == NULL) {
        replies->pool = ngx_create_pool(NGX_RBL_REPLY_POOL, replies->log);
    }

    return replies->pool == NULL ? NGX_ERROR : NGX_OK;
}


/* NULL, here and below: no memory, or the guard refused; hiredis then ends the
   connection. */

static redisReply *
ngx_rbl_reply_create(const redisReadTask *task, int n)
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
ngx_rbl_reply_array(const redisReadTask *task, int n)
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


/* The task's type is still that of the string or array which is none. */

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


/* A pool that has grown is given back: the next reply is a usual one. */

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
