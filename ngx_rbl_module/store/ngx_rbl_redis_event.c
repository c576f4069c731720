/*
 * One descriptor: hiredis' event hooks on an ngx_connection_t.
 *
 * The object below lives as long as the descriptor.  Attach makes it.  The
 * cleanup hook, which hiredis calls once before it frees its context, frees it;
 * if the hook runs inside a read, the read frees it afterwards.
 *
 * Properties of hiredis 0.14.1 (Debian 12), and their consequences here:
 *  1. No timeouts at all: connect and command deadlines are ours.
 *  2. redisAsyncConnect with a name calls getaddrinfo, which blocks: numeric
 *     addresses only.  Unix sockets: redisAsyncConnectUnix.
 *  3. After connect test NULL and ->err; on ->err call redisAsyncFree.
 *  4. redisAsyncSetConnectCallback arms the write event: attach first.
 *  5. Never free or disconnect inside the connect callback (use after free).
 *     On success act on a later turn; on failure forget the pointer, hiredis
 *     frees it.
 *  6. Never free inside the disconnect callback.  Forget the pointer.
 *  7. After redisAsyncDisconnect commands return REDIS_ERR and their callback
 *     never runs: check every return value.
 *  8. Refused connection: connect callback with an error, then each queued
 *     callback with NULL; the disconnect callback is not called.
 *  9. In a reply callback redisAsyncFree is safe (deferred).  The reply is
 *     hiredis' own: never free or keep it.
 * 10. redisAsyncFree runs all pending callbacks with NULL, synchronously.
 * 11. At most 16 KiB are read per call: use level triggering.
 * 12. Out of memory inside hiredis' wrappers calls abort().
 * 13. An error reply that answers no command closes the connection; any other
 *     reply that answers none fails an assertion, so it must not get there:
 *     see rbl_reply_guard.h.
 * 14. Reply sizes are bounded by what we ask, not by hiredis.
 * 15. redisEnableKeepAlive(&ac->c): worth calling on TCP.
 * 16. The library's sds*, hi_* and hex_digit names must not clash: it is linked
 *     statically with hidden symbols.
 *
 * Close: only the cleanup hook closes the descriptor, with
 * ngx_close_connection.  It sets ac->c.fd to -1; otherwise redisFree would
 * close the number again, which may be another socket by then.
 *
 * Writes: the first command of a loop turn posts the flush event, so that the
 * commands of that turn leave in one write.  They are written earlier before
 * replies are read or if they exceed a number of bytes: Redis executes them
 * while the worker answers or reads the next requests.  The limit is in bytes,
 * because bytes predict the work of Redis better than the number of commands.
 * Each write may wake Redis, which costs more than a command: a single command
 * is not worth it.  The write event is armed only when the socket is full.
 *
 * Reads: a request costs fewer turns, reads and writes if a turn reads more
 * replies.  While replies are due, hiredis is called until the waiting bytes
 * are read, up to a limit, so that one busy store does not keep the worker from
 * its clients.
 */

#include "ngx_rbl_redis.h"

#include <hiredis/sds.h>
#include <sys/ioctl.h>

#define NGX_RBL_REDIS_READ   16384      /* bytes that hiredis reads in one
                                           call */
#define NGX_RBL_REDIS_READS  8          /* calls in one event */
#define NGX_RBL_REDIS_EARLY  4096       /* bytes that are written early */


static void ngx_rbl_redis_write_handler(ngx_event_t *wev);


typedef struct {
    ngx_connection_t           *connection;
    redisAsyncContext          *ac;
    ngx_event_t                 flush;
    unsigned                    flushing:1; /* inside redisAsyncHandleWrite */
    unsigned                    full:1;     /* the socket is full: no early
                                               writes */
    unsigned                    reading:1;  /* inside ngx_rbl_redis_read */
    unsigned                    closed;     /* 1: to be freed after the read */
    unsigned                    tls:1;      /* the handshake is done */
} ngx_rbl_redis_event_t;


/*
 * Writes if the buffer holds `least` bytes or more.  hiredis would free its
 * context inside the command if the write failed.  The flush writes the rest
 * and handles the error.
 */

static void
ngx_rbl_redis_write_early(ngx_rbl_redis_event_t *e, size_t least)
{
    ssize_t        n;
    redisContext  *c;

    c = &e->ac->c;

    if (e->full || sdslen(c->obuf) < least) {
        return;
    }

    n = send(c->fd, c->obuf, sdslen(c->obuf), MSG_NOSIGNAL);

    e->full = n < (ssize_t) sdslen(c->obuf);

    if (n > 0) {
        sdsrange(c->obuf, n, -1);
    }
}


/* Returns how many more read calls the waiting bytes need.  Only bytes that
   answer pending commands count. */

static ngx_int_t
ngx_rbl_redis_calls(ngx_rbl_redis_event_t *e)
{
    int  waiting;

    if (e->closed || e->tls || e->ac->replies.head == NULL) {
        return 0;
    }

    waiting = ngx_rbl_redis_waiting(e->ac);

    return ngx_min((waiting + NGX_RBL_REDIS_READ - 1) / NGX_RBL_REDIS_READ,
                   NGX_RBL_REDIS_READS - 1);
}


/* When the connection ends, hiredis calls the cleanup hook and frees its
   context. */

static void
ngx_rbl_redis_read(ngx_rbl_redis_event_t *e)
{
    ngx_int_t  calls;

    if (e->flush.posted) {
        ngx_rbl_redis_write_early(e, 1);
    }

    e->reading = 1;
    ngx_rbl_counts_turn();
    ngx_rbl_redis_readable(e->ac);

    if (e->closed) {
        ngx_free(e);
        return;
    }

#if (NGX_SSL)
    if (e->tls) {
        ngx_rbl_redis_tls_read(e->ac, e->connection, &e->closed);

    } else
#endif
    {
        redisAsyncHandleRead(e->ac);
    }

    for (calls = ngx_rbl_redis_calls(e); calls > 0 && !e->closed; calls--) {
        redisAsyncHandleRead(e->ac);
    }

    e->reading = 0;
    ngx_rbl_counts_turn();

    if (e->closed) {
        ngx_free(e);
    }
}


static void
ngx_rbl_redis_read_handler(ngx_event_t *rev)
{
    ngx_connection_t       *c;
    ngx_rbl_redis_event_t  *e;

    c = rev->data;
    e = c->data;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0,
                   "rbl store read, close:%d", c->close);

    if (c->close) {
        ngx_rbl_redis_shutdown(e->ac);
        return;
    }

    ngx_rbl_redis_read(e);
}


static void
ngx_rbl_redis_del_write(void *data)
{
    ngx_rbl_redis_event_t  *e = data;

    ngx_event_t  *wev;

    e->flushing = 0;
    wev = e->connection->write;

    if (wev->active) {
        (void) ngx_del_event(wev, NGX_WRITE_EVENT, 0);
    }
}


static void
ngx_rbl_redis_add_write(void *data)
{
    ngx_rbl_redis_event_t  *e = data;

    ngx_event_t  *wev;

    wev = e->connection->write;

    if (wev->active) {
        e->flushing = 0;
        return;
    }

    if (!e->flushing && (e->ac->c.flags & REDIS_CONNECTED)) {
        if (!e->flush.posted) {
            e->full = e->tls;
            ngx_post_event(&e->flush, &ngx_posted_events);
        }

        ngx_rbl_redis_write_early(e, NGX_RBL_REDIS_EARLY);
        return;
    }

    e->flushing = 0;

    if (ngx_add_event(wev, NGX_WRITE_EVENT, NGX_LEVEL_EVENT) != NGX_OK) {
        ngx_log_error(NGX_LOG_CRIT, wev->log, 0,
                      "rbl store: the write event cannot be added");
    }
}


#if (NGX_SSL)

static void
ngx_rbl_redis_write_tls(ngx_rbl_redis_event_t *e)
{
    switch (ngx_rbl_redis_tls_write(e->ac, e->connection)) {

    case NGX_OK:
        ngx_rbl_redis_del_write(e);
        break;

    case NGX_AGAIN:
        e->flushing = 1;
        ngx_rbl_redis_add_write(e);
        break;

    default:
        ngx_rbl_redis_tls_fail(e->ac);
        redisAsyncHandleWrite(e->ac);
        return;
    }

    ngx_rbl_counts_turn();
}


/* The handshake is over, with success or not. */

static void
ngx_rbl_redis_shaken(ngx_connection_t *c)
{
    const char             *reason;
    ngx_rbl_link_t         *link;
    ngx_rbl_redis_event_t  *e;

    e = c->data;
    link = e->ac->data;
    c->read->handler = ngx_rbl_redis_read_handler;
    c->write->handler = ngx_rbl_redis_write_handler;

    e->tls = 1;
    e->full = 1;
    ngx_rbl_redis_del_write(e);

    reason = ngx_rbl_redis_tls_refused(link, c);

    if (reason != NULL) {
        ngx_rbl_redis_drop(link, reason);

    } else {
        ngx_rbl_redis_secured(link);
    }
}


ngx_int_t
ngx_rbl_redis_secure(redisAsyncContext *ac)
{
    ngx_int_t               rc;
    ngx_rbl_redis_event_t  *e = ac->ev.data;

    rc = ngx_rbl_redis_tls_start(ac->data, e->connection);

    if (rc == NGX_AGAIN) {
        e->connection->ssl->handler = ngx_rbl_redis_shaken;

    } else if (rc == NGX_OK) {
        ngx_rbl_redis_shaken(e->connection);
    }

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}

#endif


/* hiredis then calls the hook that adds or deletes the write event, or the
   cleanup hook. */

static void
ngx_rbl_redis_write(ngx_rbl_redis_event_t *e)
{
#if (NGX_SSL)
    if (e->tls) {
        ngx_rbl_redis_write_tls(e);
        return;
    }
#endif

    e->flushing = 1;
    redisAsyncHandleWrite(e->ac);
    ngx_rbl_counts_turn();
}


static void
ngx_rbl_redis_write_handler(ngx_event_t *wev)
{
    ngx_connection_t       *c;
    ngx_rbl_redis_event_t  *e;

    c = wev->data;
    e = c->data;

    if (c->close) {
        ngx_rbl_redis_shutdown(e->ac);
        return;
    }

    ngx_rbl_redis_write(e);
}


static void
ngx_rbl_redis_flush_handler(ngx_event_t *ev)
{
    ngx_connection_t  *c;

    c = ev->data;

    ngx_rbl_redis_write(c->data);
}


static void
ngx_rbl_redis_add_read(void *data)
{
    ngx_rbl_redis_event_t  *e = data;

    ngx_event_t  *rev;

    rev = e->connection->read;

    if (!rev->active
        && ngx_add_event(rev, NGX_READ_EVENT, NGX_LEVEL_EVENT) != NGX_OK)
    {
        ngx_log_error(NGX_LOG_CRIT, rev->log, 0,
                      "rbl store: the read event cannot be added");
    }
}


static void
ngx_rbl_redis_del_read(void *data)
{
    ngx_rbl_redis_event_t  *e = data;

    ngx_event_t  *rev;

    rev = e->connection->read;

    if (rev->active) {
        (void) ngx_del_event(rev, NGX_READ_EVENT, 0);
    }
}


static void
ngx_rbl_redis_cleanup(void *data)
{
    ngx_rbl_redis_event_t  *e = data;

    redisAsyncContext  *ac;

    ac = e->ac;

    if (e->flush.posted) {
        ngx_delete_posted_event(&e->flush);
    }

#if (NGX_SSL)
    ngx_rbl_redis_tls_end(e->connection);
#endif
    ngx_close_connection(e->connection);

    if (e->reading) {
        e->closed = 1;

    } else {
        ngx_free(e);
    }

    ac->c.fd = -1;
    ac->ev.data = NULL;
    ac->ev.addRead = NULL;
    ac->ev.delRead = NULL;
    ac->ev.addWrite = NULL;
    ac->ev.delWrite = NULL;
    ac->ev.cleanup = NULL;
}


ngx_int_t
ngx_rbl_redis_event_attach(redisAsyncContext *ac, ngx_log_t *log)
{
    ngx_connection_t       *c;
    ngx_rbl_redis_event_t  *e;

    e = ngx_calloc(sizeof(ngx_rbl_redis_event_t), log);
    if (e == NULL) {
        return NGX_ERROR;
    }

    c = ngx_get_connection(ac->c.fd, log);
    if (c == NULL) {
        ngx_free(e);
        return NGX_ERROR;
    }

    c->number = ngx_atomic_fetch_add(ngx_connection_counter, 1);
    c->data = e;
    c->log = log;
    c->read->log = log;
    c->read->handler = ngx_rbl_redis_read_handler;
    c->write->log = log;
    c->write->handler = ngx_rbl_redis_write_handler;

    e->connection = c;
    e->ac = ac;
    e->flush.data = c;
    e->flush.log = log;
    e->flush.handler = ngx_rbl_redis_flush_handler;

    ac->ev.data = e;
    ac->ev.addRead = ngx_rbl_redis_add_read;
    ac->ev.delRead = ngx_rbl_redis_del_read;
    ac->ev.addWrite = ngx_rbl_redis_add_write;
    ac->ev.delWrite = ngx_rbl_redis_del_write;
    ac->ev.cleanup = ngx_rbl_redis_cleanup;

    return NGX_OK;
}


int
ngx_rbl_redis_waiting(redisAsyncContext *ac)
{
    int  waiting;

    return ioctl(ac->c.fd, FIONREAD, &waiting) == -1 ? 0 : waiting;
}
