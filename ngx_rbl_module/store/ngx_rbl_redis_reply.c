/*
 * Replies of Redis in RESP2, decoded where they were received: the texts of a
 * reply are parts of the buffer.  A page of hosts has twenty of them, and
 * copying them would cost more than decoding.
 *
 * The bytes are first followed to the end of a reply, as far as they have
 * arrived, without memory for it: twelve bytes may announce millions of
 * elements.  More elements or levels than this program reads end the connection
 * (RBL_REPLY_ELEMENTS, RBL_REPLY_PARENTS).  A reply that is complete is then
 * decoded into the pool, which holds one reply at a time.
 */

#include "ngx_rbl_redis_wire.h"

#define NGX_RBL_REPLY_POOL  8192        /* fits the elements of a page */
#define NGX_RBL_REPLY_LINE  65536       /* bytes of a line */
#define NGX_RBL_REPLY_TEXT  (512 * 1024 * 1024)     /* as Redis */


static ngx_int_t
ngx_rbl_replies_refuse(ngx_rbl_replies_t *replies, const char *reason)
{
    replies->refused = reason;

    return NGX_ERROR;
}


void
ngx_rbl_replies_free(ngx_rbl_replies_t *replies)
{
    if (replies->pool != NULL) {
        ngx_destroy_pool(replies->pool);
        replies->pool = NULL;
    }

    ngx_rbl_bytes_free(&replies->bytes);
}


/* Returns the end of the line, its CR.  NULL: it has not arrived, or `refused`
   is set. */

static u_char *
ngx_rbl_reply_line(ngx_rbl_replies_t *replies, u_char *p, u_char *end)
{
    u_char  *cr;

    cr = memchr(p, '\r', end - p);

    if ((cr != NULL ? cr : end) - p > NGX_RBL_REPLY_LINE) {
        (void) ngx_rbl_replies_refuse(replies, "it sent a line of over 64 KiB");
        return NULL;
    }

    if (cr == NULL || cr + 1 == end) {
        return NULL;
    }

    if (cr[1] != '\n' || memchr(p, '\n', cr - p) != NULL) {
        (void) ngx_rbl_replies_refuse(replies, "Protocol error, a bad line");
        return NULL;
    }

    return cr;
}


/* Sets a decimal number of 64 bits.  NGX_ERROR: it is none. */

static ngx_int_t
ngx_rbl_reply_number(const u_char *p, const u_char *end, int64_t *number)
{
    uint64_t    n, most;
    ngx_uint_t  negative;

    negative = p < end && *p == '-';
    p += negative;

    if (p == end || (*p == '0' && (negative || end - p > 1))) {
        return NGX_ERROR;
    }

    most = (uint64_t) INT64_MAX + negative;

    for (n = 0; p < end; p++) {
        if (*p < '0' || *p > '9' || n > most / 10
            || n * 10 > most - (*p - '0'))
        {
            return NGX_ERROR;
        }

        n = n * 10 + (*p - '0');
    }

    *number = negative ? (int64_t) -n : (int64_t) n;

    return NGX_OK;
}


/* An array begins. */

static ngx_int_t
ngx_rbl_reply_array(ngx_rbl_replies_t *replies, int64_t n)
{
    if (n > (int64_t) (RBL_REPLY_ELEMENTS - replies->announced)) {
        return ngx_rbl_replies_refuse(replies,
            "it announced a reply with too many elements");
    }

    if (replies->depth > RBL_REPLY_PARENTS) {
        return ngx_rbl_replies_refuse(replies,
            "it announced a reply with too many levels");
    }

    replies->announced += n;
    replies->left[replies->depth++] = n;

    return NGX_OK;
}


/* Follows one text, number or head of an array.  NGX_OK: it is complete;
   NGX_DONE: so is the reply. */

static ngx_int_t
ngx_rbl_reply_follow(ngx_rbl_replies_t *replies)
{
    u_char           *p, *cr, *end;
    int64_t           n;
    ngx_rbl_bytes_t  *b;

    b = &replies->bytes;

    if (b->from + replies->followed == b->to) {
        return NGX_AGAIN;
    }

    p = b->start + b->from + replies->followed;
    end = b->start + b->to;
    cr = ngx_rbl_reply_line(replies, p, end);

    if (cr == NULL) {
        return replies->refused != NULL ? NGX_ERROR : NGX_AGAIN;
    }

    n = 0;

    if (*p != '+' && *p != '-'
        && ((*p != ':' && *p != '$' && *p != '*')
            || ngx_rbl_reply_number(p + 1, cr, &n) != NGX_OK
            || (*p != ':' && n < -1)
            || (*p == '$' && n > NGX_RBL_REPLY_TEXT)))
    {
        return ngx_rbl_replies_refuse(replies, "Protocol error, a bad type or"
                                               " number");
    }

    if (*p == '$' && n >= 0) {
        if (end - (cr + 2) < n + 2) {
            return NGX_AGAIN;
        }

        cr += 2 + n;

        if (cr[0] != '\r' || cr[1] != '\n') {
            return ngx_rbl_replies_refuse(replies, "Protocol error, a text"
                                                   " without its end");
        }
    }

    replies->followed += (cr + 2) - p;

    if (*p == '*' && n > 0) {
        return ngx_rbl_reply_array(replies, n);
    }

    while (replies->depth > 0 && --replies->left[replies->depth - 1] == 0) {
        replies->depth--;
    }

    return replies->depth == 0 ? NGX_DONE : NGX_OK;
}


/* Decodes what was followed; returns its end.  A NUL in place of the CR ends a
   text. */

static u_char *
ngx_rbl_reply_decode(ngx_rbl_replies_t *replies, redisReply *reply, u_char *p)
{
    u_char       type, *cr;
    int64_t      n;
    ngx_uint_t   i;
    redisReply  *elements;

    type = *p++;
    cr = memchr(p, '\r', replies->bytes.start + replies->bytes.to - p);

    if (type == '+' || type == '-') {
        reply->type = type == '+' ? REDIS_REPLY_STATUS : REDIS_REPLY_ERROR;
        reply->str = (char *) p;
        reply->len = cr - p;
        *cr = '\0';

        return cr + 2;
    }

    (void) ngx_rbl_reply_number(p, cr, &n);
    p = cr + 2;

    if (type == ':') {
        reply->type = REDIS_REPLY_INTEGER;
        reply->integer = n;
        return p;
    }

    if (n == -1) {
        reply->type = REDIS_REPLY_NIL;
        return p;
    }

    if (type == '$') {
        reply->type = REDIS_REPLY_STRING;
        reply->str = (char *) p;
        reply->len = n;
        p[n] = '\0';

        return p + n + 2;
    }

    reply->type = REDIS_REPLY_ARRAY;

    if (n == 0) {
        return p;
    }

    elements = ngx_pcalloc(replies->pool, n * sizeof(redisReply));
    reply->element = ngx_palloc(replies->pool, n * sizeof(redisReply *));

    if (elements == NULL || reply->element == NULL) {
        return NULL;
    }

    reply->elements = n;

    for (i = 0; i < reply->elements && p != NULL; i++) {
        reply->element[i] = &elements[i];
        p = ngx_rbl_reply_decode(replies, &elements[i], p);
    }

    return p;
}


/* A pool that has grown is destroyed; the next reply has the usual size. */

static ngx_int_t
ngx_rbl_reply_pool(ngx_rbl_replies_t *replies)
{
    if (replies->pool != NULL && replies->pool->d.next == NULL
        && replies->pool->large == NULL)
    {
        ngx_reset_pool(replies->pool);
        return NGX_OK;
    }

    if (replies->pool != NULL) {
        ngx_destroy_pool(replies->pool);
    }

    replies->pool = ngx_create_pool(NGX_RBL_REPLY_POOL, replies->log);

    return replies->pool != NULL ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_rbl_replies_next(ngx_rbl_replies_t *replies, redisReply *reply)
{
    ngx_int_t  rc;

    do {
        rc = ngx_rbl_reply_follow(replies);
    } while (rc == NGX_OK);

    if (rc != NGX_DONE) {
        return rc;
    }

    ngx_memzero(reply, sizeof(redisReply));

    if (ngx_rbl_reply_pool(replies) != NGX_OK
        || ngx_rbl_reply_decode(replies, reply,
                                replies->bytes.start + replies->bytes.from)
           == NULL)
    {
        return ngx_rbl_replies_refuse(replies, "out of memory");
    }

    replies->bytes.from += replies->followed;
    replies->followed = 0;
    replies->announced = 0;

    return NGX_OK;
}


void
ngx_rbl_redis_clean(char *buf, size_t size, const char *text, size_t len)
{
    size_t  i;

    len = ngx_min(len, size - 1);

    for (i = 0; i < len; i++) {
        buf[i] = text[i] < 0x20 || text[i] > 0x7e ? '?' : text[i];
    }

    buf[len] = '\0';
}


/* "ERR unknown command" repeats the arguments, which may hold secrets. */

void
ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply)
{
    char    *args;
    size_t   len;

    if (reply->type != REDIS_REPLY_ERROR || reply->str == NULL) {
        ngx_rbl_redis_clean(buf, size, "a reply of an unexpected type", 29);
        return;
    }

    len = reply->len;
    args = ngx_strstr(reply->str, ", with args");
    if (args != NULL) {
        len = args - reply->str;
    }

    ngx_rbl_redis_clean(buf, size, reply->str, len);
}
