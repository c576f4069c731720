/*
 * The connection of a link: bytes between a socket, with TLS or not, and the
 * commands and replies.  Each end of the connection is a store_drop: it is
 * closed by the kick, never inside a call of this file.
 *
 * The commands of one turn of the loop leave at once, before the loop sleeps.
 * hiredis opens the socket; addresses are numeric, so it does not block.
 */

#include "base/xalloc.h"
#include "config/config_tls.h"
#include "store_int.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define WIRE_READ   16384               /* bytes of one read, at least */
#define WIRE_READS  8                   /* reads in one event */

struct store_wire_s {
    store_link_t   *link;
    int             fd;
    SSL            *ssl;                /* NULL: no TLS */
    ev_io           readable, writable;
    ev_prepare      flush;
    rbl_bytes_t     out;                /* commands to be written */
    rbl_replies_t   in;
    unsigned        connected:1;
    unsigned        ready:1;            /* so is TLS */
    unsigned        ended:1;            /* the link will be dropped */
    unsigned        stuck:1;            /* a read of TLS waits for a write */
};


static void
wire_wait(store_wire_t *wire, ev_io *io, int on)
{
    if (on) {
        ev_io_start(wire->link->store->loop, io);

    } else {
        ev_io_stop(wire->link->store->loop, io);
    }
}


static void
wire_end(store_wire_t *wire, const char *why)
{
    wire->ended = 1;
    wire_wait(wire, &wire->readable, 0);
    wire_wait(wire, &wire->writable, 0);
    store_drop(wire->link, why);
}


/* A call of OpenSSL returned rc: it waits for the socket, or failed. */

static void
wire_blocked(store_wire_t *wire, int rc)
{
    char  why[CONFIG_TLS_WHY];

    switch (SSL_get_error(wire->ssl, rc)) {

    case SSL_ERROR_WANT_READ:
        wire_wait(wire, &wire->writable, 0);
        break;

    case SSL_ERROR_WANT_WRITE:
        wire_wait(wire, &wire->writable, 1);
        break;

    default:
        wire_end(wire, config_tls_why(wire->ssl, rc, why));
    }
}


/* Finds out whether TCP is connected, and whether TLS is. */

static void
wire_begin(store_wire_t *wire)
{
    int        rc, error;
    socklen_t  size;

    if (!wire->connected) {
        error = 0;
        size = sizeof(error);

        if (getsockopt(wire->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
            error = errno;
        }

        if (error != 0) {
            wire_end(wire, strerror(error));
            return;
        }

        wire->connected = 1;
        wire_wait(wire, &wire->readable, 1);
    }

    if (wire->ssl != NULL) {
        ERR_clear_error();
        rc = SSL_do_handshake(wire->ssl);

        if (rc != 1) {
            wire_blocked(wire, rc);
            return;
        }
    }

    wire->ready = 1;
    store_connected(wire->link);
}


/* Both return the number of bytes.  0: the socket is empty or full, or the
   connection has ended. */

static size_t
wire_recv(store_wire_t *wire, char *to, size_t size)
{
    int      rc;
    ssize_t  n;

    if (wire->ssl != NULL) {
        ERR_clear_error();
        rc = SSL_read(wire->ssl, to, size < INT_MAX ? (int) size : INT_MAX);
        wire->stuck = rc <= 0 && SSL_want_write(wire->ssl);

        if (rc <= 0) {
            wire_blocked(wire, rc);
        }

        return rc > 0 ? (size_t) rc : 0;
    }

    n = recv(wire->fd, to, size, 0);

    if (n == 0) {
        wire_end(wire, "Server closed the connection");

    } else if (n == -1 && errno != EAGAIN && errno != EINTR) {
        wire_end(wire, strerror(errno));
    }

    return n > 0 ? (size_t) n : 0;
}


static size_t
wire_send(store_wire_t *wire, const char *bytes, size_t size)
{
    int      rc;
    ssize_t  n;

    if (wire->ssl != NULL) {
        ERR_clear_error();
        rc = SSL_write(wire->ssl, bytes, size < INT_MAX ? (int) size : INT_MAX);

        if (rc <= 0) {
            wire_blocked(wire, rc);
        }

        return rc > 0 ? (size_t) rc : 0;
    }

    n = send(wire->fd, bytes, size, MSG_NOSIGNAL);

    if (n == -1 && errno != EAGAIN && errno != EINTR) {
        wire_end(wire, strerror(errno));

    } else if (n == -1) {
        wire_wait(wire, &wire->writable, 1);
    }

    return n > 0 ? (size_t) n : 0;
}


/* Passes on the replies that are complete. */

static void
wire_answer(store_wire_t *wire)
{
    int         rc;
    redisReply  reply;

    do {
        rc = rbl_replies_next(&wire->in, &reply);

        if (rc == 1) {
            store_link_reply(wire->link, &reply);

        } else if (rc == -1) {
            wire_end(wire, wire->in.refused);
        }

    } while (rc == 1);
}


/* OpenSSL may have read more than it returned, and no event announces that. */

static void
wire_read(store_wire_t *wire)
{
    int           i;
    char         *p;
    size_t        n;
    rbl_bytes_t  *in = &wire->in.bytes;

    for (i = 0; i < WIRE_READS && !wire->ended; i++) {
        p = xalloc_need(rbl_bytes_room(in, WIRE_READ), WIRE_READ);
        n = wire_recv(wire, p, in->room - in->to);

        if (n == 0) {
            return;
        }

        in->to += n;
        wire_answer(wire);

        if (wire->ssl == NULL) {
            return;
        }
    }

    if (!wire->ended) {
        ev_feed_event(wire->link->store->loop, &wire->readable, EV_READ);
    }
}


static void
wire_write(store_wire_t *wire)
{
    size_t        n;
    rbl_bytes_t  *out = &wire->out;

    while (out->from < out->to) {
        n = wire_send(wire, out->start + out->from, out->to - out->from);

        if (n == 0) {
            return;
        }

        out->from += n;
    }

    if (!wire->stuck) {
        wire_wait(wire, &wire->writable, 0);
    }
}


static void
on_io(struct ev_loop *loop, ev_io *w, int revents)
{
    store_wire_t  *wire = w->data;

    (void) loop;
    (void) revents;

    if (!wire->ready) {
        wire_begin(wire);
    }

    if (wire->ready) {
        wire_read(wire);
    }

    if (wire->ready && !wire->ended) {
        wire_write(wire);
    }
}


static void
on_flush(struct ev_loop *loop, ev_prepare *w, int revents)
{
    store_wire_t  *wire = w->data;

    (void) revents;

    ev_prepare_stop(loop, w);

    if (wire->ready && !wire->ended && !ev_is_active(&wire->writable)) {
        wire_write(wire);
    }
}


void
store_wire_send(store_wire_t *wire, rbl_str_t command)
{
    char  *p;

    p = xalloc_need(rbl_bytes_room(&wire->out, command.n), command.n);
    memcpy(p, command.p, command.n);
    wire->out.to += command.n;
    ev_prepare_start(wire->link->store->loop, &wire->flush);
}


/* -1: `why` is set. */

static int
wire_socket(const rbl_host_port_t *at, char why[STORE_WHY])
{
    redisContext  *c;

    c = at->port == 0 ? redisConnectUnixNonBlock(at->host)
                      : redisConnectNonBlock(at->host, (int) at->port);

    if (c == NULL || c->err) {
        snprintf(why, STORE_WHY, "%s", c == NULL ? "out of memory" : c->errstr);
        redisFree(c);
        return -1;
    }

    if (at->port != 0) {
        redisEnableKeepAlive(c);
    }

    return redisFreeKeepFd(c);
}


store_wire_t *
store_wire_open(store_link_t *link, char why[STORE_WHY])
{
    int            fd;
    SSL           *ssl;
    store_wire_t  *wire;

    fd = wire_socket(&link->at, why);

    if (fd == -1) {
        return NULL;
    }

    ssl = link->store->conf->place.tls
          ? config_tls_new(link->store->conf, &link->at, fd) : NULL;

    if (link->store->conf->place.tls && ssl == NULL) {
        snprintf(why, STORE_WHY, "out of memory");
        (void) close(fd);
        return NULL;
    }

    wire = xcalloc(1, sizeof(store_wire_t));
    wire->link = link;
    wire->fd = fd;
    wire->ssl = ssl;
    ev_io_init(&wire->readable, on_io, fd, EV_READ);
    ev_io_init(&wire->writable, on_io, fd, EV_WRITE);
    ev_prepare_init(&wire->flush, on_flush);
    wire->readable.data = wire->writable.data = wire->flush.data = wire;
    wire_wait(wire, &wire->writable, 1);

    return wire;
}


void
store_wire_close(store_wire_t *wire)
{
    wire_wait(wire, &wire->readable, 0);
    wire_wait(wire, &wire->writable, 0);
    ev_prepare_stop(wire->link->store->loop, &wire->flush);

    SSL_free(wire->ssl);
    (void) close(wire->fd);
    rbl_bytes_free(&wire->out);
    rbl_replies_free(&wire->in);
    free(wire);
}
