/*
 * Hooks for hiredis on libev for a link with TLS, in place of its adapter.
 * Bytes go between OpenSSL and the buffers of hiredis, which never uses the
 * socket: it would take bytes outside of TLS for replies, and would send the
 * greeting, which waits in its buffer, before the handshake.
 *
 * Each end of the connection that OpenSSL sees is a store_drop.
 */

#include "base/xalloc.h"
#include "config/config_tls.h"
#include "store_int.h"

#include <hiredis/sds.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <sys/socket.h>

/* hiredis exports it, but does not declare it */
void redisProcessCallbacks(redisAsyncContext *ac);

#define READ   16384                    /* bytes of one read */
#define READS  8                        /* reads in one event */

typedef struct {
    store_link_t       *link;
    redisAsyncContext  *ac;
    SSL                *ssl;
    ev_io               readable, writable;
    unsigned            shaken:1;       /* the handshake is done */
    unsigned            ended:1;        /* the link will be dropped */
    unsigned            stuck:1;        /* a read waits for a write */
    unsigned            busy:1;         /* inside on_io */
    unsigned            closed:1;       /* to be freed after that */
} store_tls_t;


static void
wait_for(store_tls_t *t, ev_io *io, int on)
{
    if (on) {
        ev_io_start(t->link->store->loop, io);

    } else {
        ev_io_stop(t->link->store->loop, io);
    }
}


static void
end(store_tls_t *t, const char *why)
{
    t->ended = 1;
    wait_for(t, &t->readable, 0);
    wait_for(t, &t->writable, 0);
    store_drop(t->link, why);
}


/* A call of OpenSSL returned rc: it waits for the socket, or failed. */

static void
blocked(store_tls_t *t, int rc)
{
    char  why[CONFIG_TLS_WHY];

    switch (SSL_get_error(t->ssl, rc)) {

    case SSL_ERROR_WANT_READ:
        wait_for(t, &t->writable, 0);
        break;

    case SSL_ERROR_WANT_WRITE:
        wait_for(t, &t->writable, 1);
        break;

    default:
        end(t, config_tls_why(t->ssl, rc, why));
    }
}


/* Finds out whether TCP is connected, in place of hiredis, which would then
   begin to write. */

static int
is_connected(store_tls_t *t)
{
    int        error;
    socklen_t  size;

    if (t->ac->c.flags & REDIS_CONNECTED) {
        return 1;
    }

    error = 0;
    size = sizeof(error);

    if (getsockopt(t->ac->c.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0
        || error != 0)
    {
        end(t, error != 0 ? strerror(error) : "no connection");
        return 0;
    }

    t->ac->c.flags |= REDIS_CONNECTED;
    wait_for(t, &t->readable, 1);

    return 1;
}


static void
shake(store_tls_t *t)
{
    int  rc;

    ERR_clear_error();
    rc = SSL_do_handshake(t->ssl);

    if (rc == 1) {
        t->shaken = 1;
        store_connected(t->link);

    } else {
        blocked(t, rc);
    }
}


/* OpenSSL may have read more than it returned, and no event announces that. */

static void
take(store_tls_t *t)
{
    int   i, n;
    char  buf[READ];

    for (i = 0; i < READS; i++) {
        ERR_clear_error();
        n = SSL_read(t->ssl, buf, sizeof(buf));
        t->stuck = n <= 0 && SSL_want_write(t->ssl);

        if (n <= 0) {
            blocked(t, n);
            return;
        }

        (void) redisReaderFeed(t->ac->c.reader, buf, (size_t) n);
        redisProcessCallbacks(t->ac);

        if (t->closed) {
            return;
        }
    }

    ev_feed_event(t->link->store->loop, &t->readable, EV_READ);
}


static void
put(store_tls_t *t)
{
    int            n;
    size_t         size;
    redisContext  *c = &t->ac->c;

    while ((size = sdslen(c->obuf)) != 0) {
        ERR_clear_error();
        n = SSL_write(t->ssl, c->obuf, size < INT_MAX ? (int) size : INT_MAX);

        if (n <= 0) {
            blocked(t, n);
            return;
        }

        sdsrange(c->obuf, n, -1);
    }

    if (!t->stuck) {
        wait_for(t, &t->writable, 0);
    }
}


static void
on_io(struct ev_loop *loop, ev_io *w, int revents)
{
    store_tls_t  *t = w->data;

    (void) loop;
    (void) revents;

    if (!is_connected(t)) {
        return;
    }

    if (!t->shaken) {
        shake(t);
    }

    if (!t->shaken) {
        return;
    }

    t->busy = 1;
    take(t);

    if (!t->closed && !t->ended) {
        put(t);
    }

    t->busy = 0;

    if (t->closed) {
        free(t);
    }
}


/* During the handshake OpenSSL decides what is waited for, not hiredis. */

static void
add_write(void *data)
{
    store_tls_t  *t = data;

    if (!t->ended && (t->shaken || !(t->ac->c.flags & REDIS_CONNECTED))) {
        wait_for(t, &t->writable, 1);
    }
}


/* hiredis closes the socket after that. */

static void
cleanup(void *data)
{
    store_tls_t  *t = data;

    wait_for(t, &t->readable, 0);
    wait_for(t, &t->writable, 0);
    SSL_free(t->ssl);

    if (t->busy) {
        t->closed = 1;

    } else {
        free(t);
    }
}


int
store_tls_attach(store_link_t *link, redisAsyncContext *ac)
{
    SSL          *ssl;
    store_tls_t  *t;

    ssl = config_tls_new(link->store->conf, &link->at, ac->c.fd);
    if (ssl == NULL) {
        return -1;
    }

    t = xcalloc(1, sizeof(store_tls_t));
    t->link = link;
    t->ac = ac;
    t->ssl = ssl;
    ev_io_init(&t->readable, on_io, ac->c.fd, EV_READ);
    ev_io_init(&t->writable, on_io, ac->c.fd, EV_WRITE);
    t->readable.data = t->writable.data = t;

    ac->ev.data = t;
    ac->ev.addWrite = add_write;
    ac->ev.cleanup = cleanup;

    return 0;
}


void
store_tls_write(redisAsyncContext *ac)
{
    store_tls_t  *t = ac->ev.data;

    if (t->shaken && !t->ended) {
        put(t);
    }
}
