/*
 * One connection of a link.  The link learns from callbacks what happens to it,
 * and closes it, however it ends.
 */

#ifndef _NGX_RBL_REDIS_WIRE_H_INCLUDED_
#define _NGX_RBL_REDIS_WIRE_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include "rbl_resp.h"


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

/* A command whose reply is due. */
typedef struct {
    ngx_rbl_replied_pt        reply;
    void                     *data;
} ngx_rbl_asked_t;

struct ngx_rbl_wire_s {
    ngx_connection_t         *connection;
    ngx_rbl_link_t           *link;     /* NULL: closed, to be freed */
    const ngx_rbl_wire_events_t  *on;
    rbl_replies_t             replies;

    ngx_rbl_asked_t          *asked;    /* ring of `size` places */
    ngx_uint_t                size;     /* a power of two */
    ngx_uint_t                first;    /* counts replies */
    ngx_uint_t                next;     /* counts commands */

    rbl_bytes_t               out;      /* commands to be written */

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
ngx_int_t ngx_rbl_wire_send(ngx_rbl_wire_t *wire, const char *command,
    size_t len, ngx_rbl_replied_pt reply, void *data);

/* Sends a command that belongs to no batch, such as those of the handshake.
   NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_redis_send(ngx_rbl_link_t *link, ngx_rbl_replied_pt reply,
    int argc, const rbl_str_t *argv);

/* Returns the number of received bytes that are not read yet. */
ngx_uint_t ngx_rbl_wire_waiting(const ngx_rbl_wire_t *wire);

/* Formats an error reply for a log line: no control bytes, no arguments. */
void ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply);

/* Copies src, cut to size and terminated with zero; bytes other than printable
   ASCII become "?". */
void ngx_rbl_redis_clean(char *buf, size_t size, const char *text, size_t len);


/* ngx_rbl_redis_open.c: how it begins */

/* Begins to connect; `connected` follows.  NULL: the reason is set. */
ngx_rbl_wire_t *ngx_rbl_wire_open(ngx_rbl_link_t *link,
    const ngx_rbl_wire_events_t *on, char *reason, size_t size);

/* Begins the TLS handshake; `secured` follows.  NGX_ERROR: the
   caller drops the connection. */
ngx_int_t ngx_rbl_wire_secure(ngx_rbl_wire_t *wire);

#endif /* _NGX_RBL_REDIS_WIRE_H_INCLUDED_ */
