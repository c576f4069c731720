/*
 * One connection of a link.  The link learns from callbacks what happens to it,
 * and closes it, however it ends.
 */

#ifndef _NGX_RBL_REDIS_WIRE_H_INCLUDED_
#define _NGX_RBL_REDIS_WIRE_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include "rbl_reply_guard.h"

#define NGX_RBL_REDIS_WORDS     5


typedef struct ngx_rbl_link_s  ngx_rbl_link_t;      /* ngx_rbl_redis.h */
typedef struct ngx_rbl_wire_s  ngx_rbl_wire_t;

/*
 * Gets the reply of a command.  It is valid during the call, in which the
 * connection may end.  NULL: the connection has ended, and the link is down.
 */
typedef void (*ngx_rbl_replied_pt)(ngx_rbl_link_t *link,
    const redisReply *reply, void *data);

/* Callbacks of a connection. */
typedef struct {
    /* The server has accepted it; the TLS handshake has succeeded. */
    void  (*connected)(ngx_rbl_link_t *link);
    void  (*secured)(ngx_rbl_link_t *link);

    /* There is something to read: bytes, or the end. */
    void  (*readable)(ngx_rbl_link_t *link);

    /* It must be closed: it has failed; the worker shuts down. */
    void  (*failed)(ngx_rbl_link_t *link, const char *reason);
    void  (*shutdown)(ngx_rbl_link_t *link);
} ngx_rbl_wire_events_t;

/* Bytes of a buffer: ngx_rbl_redis_bytes.c.  Zeroed, it has none. */
typedef struct {
    u_char                   *start;    /* of the buffer; or NULL */
    size_t                    room;     /* its size */
    size_t                    from;     /* offset of the first byte */
    size_t                    to;       /* of the end */
} ngx_rbl_bytes_t;

/* The replies that arrive: ngx_rbl_redis_reply.c.  Zeroed with a log, there are
   none. */
typedef struct {
    ngx_rbl_bytes_t           bytes;
    size_t                    followed; /* so many belong to the next reply */

    ngx_uint_t                depth;    /* arrays that are not complete */
    int64_t                   left[RBL_REPLY_PARENTS + 2];  /* elements that
                                           they lack */
    size_t                    announced;    /* elements, on all levels */
    const char               *refused;  /* why it cannot be decoded; or NULL */

    ngx_pool_t               *pool;     /* holds the current reply; or NULL */
    ngx_log_t                *log;
} ngx_rbl_replies_t;

/* A command whose reply is due. */
typedef struct {
    ngx_rbl_replied_pt        reply;
    void                     *data;
} ngx_rbl_asked_t;

struct ngx_rbl_wire_s {
    ngx_connection_t         *connection;
    ngx_rbl_link_t           *link;     /* NULL: closed, to be freed */
    const ngx_rbl_wire_events_t  *on;
    ngx_rbl_replies_t         replies;

    ngx_rbl_asked_t          *asked;    /* ring of `size` places */
    ngx_uint_t                size;     /* a power of two */
    ngx_uint_t                first;    /* counts replies */
    ngx_uint_t                next;     /* counts commands */

    ngx_rbl_bytes_t           out;      /* commands to be written */

    ngx_event_t               flush;    /* posted: there are commands */
    unsigned                  full:1;   /* the socket is full: no early
                                           writes */
    unsigned                  reading:1;
};


/* ngx_rbl_redis_wire.c */

/* Makes it of a socket, without handlers and events; sets the handlers once it
   can serve.  NULL: no connection slot or memory is left; the socket is
   closed. */
ngx_rbl_wire_t *ngx_rbl_wire_create(ngx_rbl_link_t *link,
    const ngx_rbl_wire_events_t *on, ngx_socket_t s);
void ngx_rbl_wire_serve(ngx_rbl_wire_t *wire);

/* Closes and frees it.  Commands whose reply is due get NULL. */
void ngx_rbl_wire_close(ngx_rbl_wire_t *wire);

/* Sends a command in the form of RESP, which is copied.  NGX_ERROR: out of
   memory; nothing is sent. */
ngx_int_t ngx_rbl_wire_send(ngx_rbl_wire_t *wire, const u_char *command,
    size_t len, ngx_rbl_replied_pt reply, void *data);

/* Sends a command of at most NGX_RBL_REDIS_WORDS words that belongs to no
   batch, such as those of the handshake.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_redis_send(ngx_rbl_link_t *link, ngx_rbl_replied_pt reply,
    int argc, const rbl_str_t *argv);

/* Returns the number of received bytes that are not read yet. */
ngx_uint_t ngx_rbl_wire_waiting(const ngx_rbl_wire_t *wire);


/* ngx_rbl_redis_open.c: how it begins */

/* Begins to connect; `connected` follows.  NULL: the reason is set. */
ngx_rbl_wire_t *ngx_rbl_wire_open(ngx_rbl_link_t *link,
    const ngx_rbl_wire_events_t *on, char *reason, size_t size);

/* Begins the TLS handshake; `secured` follows.  NGX_ERROR: the
   caller drops the connection. */
ngx_int_t ngx_rbl_wire_secure(ngx_rbl_wire_t *wire);


/* ngx_rbl_redis_tls.c: for ngx_rbl_redis_open.c; the end for
   ngx_rbl_redis_wire.c */

/* Begins the handshake; returns as ngx_ssl_handshake. */
ngx_int_t ngx_rbl_redis_tls_start(const ngx_rbl_link_t *link,
    ngx_connection_t *c);

/* Returns NULL, or why the handshake has failed or the server is another. */
const char *ngx_rbl_redis_tls_refused(const ngx_rbl_link_t *link,
    ngx_connection_t *c);

void ngx_rbl_redis_tls_end(ngx_connection_t *c);


/* ngx_rbl_redis_bytes.c */

/* Returns the end of the bytes, with room for so many more, up to `room`; the
   caller adds those that it has appended to `to`.  NULL: out of memory. */
u_char *ngx_rbl_bytes_room(ngx_rbl_bytes_t *b, size_t least, ngx_log_t *log);

void ngx_rbl_bytes_free(ngx_rbl_bytes_t *b);


/* ngx_rbl_redis_reply.c */

/* Decodes the next reply, which is valid until the next call of a function of
   this file.  NGX_AGAIN: it is not complete; NGX_ERROR: `refused` is set. */
ngx_int_t ngx_rbl_replies_next(ngx_rbl_replies_t *replies, redisReply *reply);

void ngx_rbl_replies_free(ngx_rbl_replies_t *replies);

/* Formats an error reply for a log line: no control bytes, no arguments. */
void ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply);

/* Copies src, cut to size and terminated with zero; bytes other than printable
   ASCII become "?". */
void ngx_rbl_redis_clean(char *buf, size_t size, const char *text, size_t len);

#endif /* _NGX_RBL_REDIS_WIRE_H_INCLUDED_ */
