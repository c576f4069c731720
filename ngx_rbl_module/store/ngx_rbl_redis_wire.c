/*
 * One connection of a link: an nginx connection, the commands that it writes in
 * order, and their replies.
 *
 * Of hiredis it uses only what opens a socket.  Its event part allocates memory
 * for each command, knows no TLS (0.14), and forbids to end a connection inside
 * most of its callbacks; its reader copies each text and moves the rest of its
 * buffer once per KiB.
 *
 * Writes: the first command of a turn of the event loop posts the flush event,
 * so that the commands of that turn leave in one write.  They are written
 * earlier before replies are read or if they exceed a number of bytes: Redis
 * executes them while the worker answers or reads the next requests.  The limit
 * is in bytes, because bytes predict the work of Redis better than the number
 * of commands.  Each write may wake Redis, which costs more than a command: a
 * single command is not worth it.  The write event is active only while the
 * socket is full.
 *
 * Reads: a request costs fewer turns, reads and writes if a turn reads more
 * replies.  Therefore an event reads again while replies are due, up to a
 * limit, because the worker has other clients.  The event is level triggered:
 * the rest comes with the next one.
 *
 * End: ngx_rbl_wire_close may be called anywhere, inside a reply, too.  Memory
 * that the read still needs is freed at its end.
 */

#include "ngx_rbl_redis.h"

#include <assert.h>
#include <sys/ioctl.h>

#define NGX_RBL_WIRE_READ   16384       /* bytes of one read, at least */
#define NGX_RBL_WIRE_READS  8           /* reads in one event */
#define NGX_RBL_WIRE_EARLY  4096        /* bytes that are written early */
#define NGX_RBL_WIRE_ASKED  64          /* first number of commands whose reply
                                           is due; a power of two */


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


void
ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply)
{
    rbl_str_t  text;

    text = reply->type == REDIS_REPLY_ERROR
           ? rbl_reply_error(reply) : RBL_STR("a reply of an unexpected type");

    ngx_rbl_redis_clean(buf, size, text.p, text.n);
}


static void
ngx_rbl_wire_free(ngx_rbl_wire_t *wire)
{
    rbl_replies_free(&wire->replies);
    rbl_bytes_free(&wire->out);

    if (wire->asked != NULL) {
        ngx_free(wire->asked);
    }

    ngx_free(wire);
}


#if (NGX_SSL)

static void
ngx_rbl_wire_end_tls(ngx_connection_t *c)
{
    if (c->ssl != NULL) {
        c->ssl->no_wait_shutdown = 1;
        c->ssl->no_send_shutdown = 1;
        (void) ngx_ssl_shutdown(c);
    }

    if (c->pool != NULL) {
        ngx_destroy_pool(c->pool);
        c->pool = NULL;
    }
}

#endif


void
ngx_rbl_wire_close(ngx_rbl_wire_t *wire)
{
    ngx_rbl_link_t   *link;
    ngx_rbl_asked_t  *asked;

    link = wire->link;
    wire->link = NULL;

    if (wire->flush.posted) {
        ngx_delete_posted_event(&wire->flush);
    }

#if (NGX_SSL)
    ngx_rbl_wire_end_tls(wire->connection);
#endif
    ngx_close_connection(wire->connection);

    while (wire->first != wire->next) {
        asked = &wire->asked[wire->first++ & (wire->size - 1)];
        asked->reply(link, NULL, asked->data);
    }

    if (!wire->reading) {
        ngx_rbl_wire_free(wire);
    }
}


/* Ends the connection after a failed call of the system; errno is its. */

static void
ngx_rbl_wire_failed(ngx_rbl_wire_t *wire)
{
    ngx_err_t  err = ngx_errno;

    wire->on->failed(wire->link,
                       wire->connection->ssl != NULL
                       ? "the TLS connection has ended" : strerror(err));
}


/* NGX_AGAIN: the socket is full. */

static ngx_int_t
ngx_rbl_wire_write(ngx_rbl_wire_t *wire)
{
    ssize_t            n;
    rbl_bytes_t       *out;
    ngx_connection_t  *c;

    c = wire->connection;
    out = &wire->out;

    while (out->from < out->to) {
        n = c->send(c, (u_char *) out->start + out->from, out->to - out->from);

        if (n <= 0) {
            wire->full = 1;
            return n == NGX_AGAIN ? NGX_AGAIN : NGX_ERROR;
        }

        out->from += n;
    }

    return NGX_OK;
}


/* Writes if there are `least` bytes or more.  The flush reports an error: its
   connection must not end inside ngx_rbl_wire_send. */

static void
ngx_rbl_wire_early(ngx_rbl_wire_t *wire, size_t least)
{
    if (wire->flush.posted && !wire->full
        && wire->out.to - wire->out.from >= least)
    {
        (void) ngx_rbl_wire_write(wire);
    }
}


static void
ngx_rbl_wire_flush(ngx_rbl_wire_t *wire)
{
    ngx_int_t     rc;
    ngx_event_t  *wev;

    rc = ngx_rbl_wire_write(wire);
    wev = wire->connection->write;

    if (rc == NGX_ERROR) {
        ngx_rbl_wire_failed(wire);
        return;
    }

    ngx_rbl_counts_turn();

    if (rc == NGX_OK) {
        if (wev->active) {
            (void) ngx_del_event(wev, NGX_WRITE_EVENT, 0);
        }

    } else if (!wev->active
               && ngx_add_event(wev, NGX_WRITE_EVENT, NGX_LEVEL_EVENT)
                  != NGX_OK)
    {
        wire->on->failed(wire->link, "the write event cannot be added");
    }
}


static void
ngx_rbl_wire_flush_handler(ngx_event_t *ev)
{
    ngx_rbl_wire_flush(ev->data);
}


static void
ngx_rbl_wire_write_handler(ngx_event_t *wev)
{
    ngx_connection_t  *c;
    ngx_rbl_wire_t    *wire;

    c = wev->data;
    wire = c->data;

    if (c->close) {
        wire->on->shutdown(wire->link);
        return;
    }

    ngx_rbl_wire_flush(wire);
}


/* Passes one reply on.  An error that answers no command is the reason why the
   server ends the connection. */

static void
ngx_rbl_wire_answer(ngx_rbl_wire_t *wire, const redisReply *reply)
{
    char              reason[NGX_RBL_REDIS_REASON];
    ngx_rbl_asked_t  *asked;

    if (wire->first == wire->next) {
        if (reply->type == REDIS_REPLY_ERROR) {
            ngx_rbl_redis_reason(reason, sizeof(reason), reply);
            wire->on->failed(wire->link, reason);

        } else {
            wire->on->failed(wire->link,
                               "it sent a reply that no command waits for");
        }

        return;
    }

    asked = &wire->asked[wire->first++ & (wire->size - 1)];
    asked->reply(wire->link, reply, asked->data);
}


/* Reads once, and passes on the replies that are complete.  NGX_DONE: there is
   nothing to read, or the connection has ended. */

static ngx_int_t
ngx_rbl_wire_read(ngx_rbl_wire_t *wire)
{
    int                rc;
    char              *p;
    ssize_t            n;
    redisReply         reply;
    rbl_bytes_t       *in;
    ngx_connection_t  *c;

    c = wire->connection;
    in = &wire->replies.bytes;
    p = rbl_bytes_room(in, NGX_RBL_WIRE_READ);

    if (p == NULL) {
        wire->on->failed(wire->link, "out of memory");
        return NGX_DONE;
    }

    n = c->recv(c, (u_char *) p, in->room - in->to);

    if (n == NGX_AGAIN) {
        return NGX_DONE;
    }

    if (n < 0) {
        ngx_rbl_wire_failed(wire);
        return NGX_DONE;
    }

    if (n == 0) {
        wire->on->failed(wire->link, "the server has closed the connection");
        return NGX_DONE;
    }

    in->to += n;

    do {
        rc = rbl_replies_next(&wire->replies, &reply);

        if (rc == 1) {
            ngx_rbl_wire_answer(wire, &reply);

        } else if (rc == -1) {
            wire->on->failed(wire->link, wire->replies.refused);
        }

    } while (rc == 1 && wire->link != NULL);

    return wire->link != NULL ? NGX_OK : NGX_DONE;
}


/* Over TLS, decrypted bytes may wait, which no event announces. */

static void
ngx_rbl_wire_read_all(ngx_rbl_wire_t *wire)
{
    ngx_uint_t         i;
    ngx_connection_t  *c;

    c = wire->connection;

    for (i = 0; i < NGX_RBL_WIRE_READS; i++) {
        if (ngx_rbl_wire_read(wire) != NGX_OK) {
            return;
        }

        if (c->ssl == NULL) {
            if (wire->first == wire->next) {
                return;
            }

            c->read->available = -1;    /* more may have arrived */
        }
    }

    if (c->ssl != NULL) {
        ngx_post_event(c->read, &ngx_posted_next_events);
    }
}


static void
ngx_rbl_wire_read_handler(ngx_event_t *rev)
{
    ngx_connection_t  *c;
    ngx_rbl_wire_t    *wire;

    c = rev->data;
    wire = c->data;

    if (c->close) {
        wire->on->shutdown(wire->link);
        return;
    }

    ngx_rbl_wire_early(wire, 1);

    wire->reading = 1;
    ngx_rbl_counts_turn();
    wire->on->readable(wire->link);

    if (wire->link != NULL) {
        ngx_rbl_wire_read_all(wire);
    }

    wire->reading = 0;
    ngx_rbl_counts_turn();

    if (wire->link == NULL) {
        ngx_rbl_wire_free(wire);
    }
}


void
ngx_rbl_wire_serve(ngx_rbl_wire_t *wire)
{
    wire->connection->read->handler = ngx_rbl_wire_read_handler;
    wire->connection->write->handler = ngx_rbl_wire_write_handler;
}


ngx_rbl_wire_t *
ngx_rbl_wire_create(ngx_rbl_link_t *link, const ngx_rbl_wire_events_t *on,
    ngx_socket_t s)
{
    ngx_log_t         *log;
    ngx_rbl_wire_t    *wire;
    ngx_connection_t  *c;

    log = link->store->log;
    c = ngx_get_connection(s, log);

    if (c == NULL) {
        if (ngx_close_socket(s) == -1) {
            ngx_log_error(NGX_LOG_ALERT, log, ngx_socket_errno,
                          ngx_close_socket_n " failed");
        }

        return NULL;
    }

    c->number = ngx_atomic_fetch_add(ngx_connection_counter, 1);
    c->log = log;
    c->log_error = NGX_ERROR_INFO;
    c->recv = ngx_recv;
    c->send = ngx_send;
    c->read->log = log;
    c->write->log = log;

    wire = ngx_calloc(sizeof(ngx_rbl_wire_t), log);

    if (wire == NULL) {
        ngx_close_connection(c);
        return NULL;
    }

    c->data = wire;
    wire->connection = c;
    wire->link = link;
    wire->on = on;
    wire->flush.data = wire;
    wire->flush.log = log;
    wire->flush.handler = ngx_rbl_wire_flush_handler;

    return wire;
}


/* Makes a place for one more command whose reply is due. */

static ngx_int_t
ngx_rbl_wire_place(ngx_rbl_wire_t *wire)
{
    ngx_uint_t        i, size;
    ngx_rbl_asked_t  *asked;

    if (wire->next - wire->first < wire->size) {
        return NGX_OK;
    }

    size = ngx_max(2 * wire->size, NGX_RBL_WIRE_ASKED);
    asked = ngx_alloc(size * sizeof(ngx_rbl_asked_t), wire->connection->log);

    if (asked == NULL) {
        return NGX_ERROR;
    }

    for (i = wire->first; i != wire->next; i++) {
        asked[i & (size - 1)] = wire->asked[i & (wire->size - 1)];
    }

    if (wire->asked != NULL) {
        ngx_free(wire->asked);
    }

    wire->asked = asked;
    wire->size = size;

    return NGX_OK;
}


ngx_int_t
ngx_rbl_wire_send(ngx_rbl_wire_t *wire, const char *command, size_t len,
    ngx_rbl_replied_pt reply, void *data)
{
    char             *p;
    ngx_rbl_asked_t  *asked;

    p = rbl_bytes_room(&wire->out, len);

    if (p == NULL || ngx_rbl_wire_place(wire) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, command, len);
    wire->out.to += len;

    asked = &wire->asked[wire->next++ & (wire->size - 1)];
    asked->reply = reply;
    asked->data = data;

    if (wire->connection->write->active) {
        return NGX_OK;
    }

    if (!wire->flush.posted) {
        wire->full = 0;
        ngx_post_event(&wire->flush, &ngx_posted_events);
    }

    ngx_rbl_wire_early(wire, NGX_RBL_WIRE_EARLY);

    return NGX_OK;
}


ngx_uint_t
ngx_rbl_wire_waiting(const ngx_rbl_wire_t *wire)
{
    int  waiting;

    return ioctl(wire->connection->fd, FIONREAD, &waiting) == -1
           ? 0 : (ngx_uint_t) waiting;
}


ngx_int_t
ngx_rbl_redis_send(ngx_rbl_link_t *link, ngx_rbl_replied_pt reply, int argc,
    const rbl_str_t *argv)
{
    char       *command;
    size_t      len, tail;
    ngx_int_t   rc;

    command = ngx_alloc(rbl_resp_size(NULL, RBL_STR(""), argc, argv),
                        link->store->log);

    if (command == NULL) {
        return NGX_ERROR;
    }

    len = rbl_resp_command(command, &tail, NULL, RBL_STR(""), argc, argv);
    rc = ngx_rbl_wire_send(link->wire, command, len, reply, NULL);
    ngx_free(command);

    return rc;
}
