/*
 * Between the files behind ngx_rbl_store.h: descriptor, replies, connection and
 * batch.  Nobody else includes this.
 */

#ifndef _NGX_RBL_REDIS_H_INCLUDED_
#define _NGX_RBL_REDIS_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include <hiredis/async.h>

#include "ngx_rbl_meter.h"
#include "ngx_rbl_store.h"
#include "rbl_reply_guard.h"

#define NGX_RBL_REDIS_REASON    128     /* longest reason in a log line */


typedef enum {
    NGX_RBL_REDIS_CLOSED = 0,   /* not to be connected again */
    NGX_RBL_REDIS_WAITING,      /* the timer runs until the next attempt */
    NGX_RBL_REDIS_CONNECTING,   /* the timer runs until giving up */
    NGX_RBL_REDIS_GREETING,     /* connected, handshake sent; likewise */
    NGX_RBL_REDIS_READY,
    NGX_RBL_REDIS_LEAVING       /* it refuses us: nothing new is sent, and it is
                                   dropped when the replies are in */
} ngx_rbl_redis_state_e;

/* How hiredis' reader makes replies: ngx_rbl_redis_reply.c. */
typedef struct {
    redisReplyObjectFunctions    fn;
    ngx_pool_t                  *pool;      /* of the reply in hand; or NULL */
    rbl_reply_guard_t            guard;
    ngx_log_t                   *log;
} ngx_rbl_redis_replies_t;

struct ngx_rbl_store_s {
    const ngx_rbl_store_conf_t  *conf;
    ngx_log_t                   *log;       /* lives as long as the worker */
    rbl_keyspace_t               ks;

    redisAsyncContext           *ac;        /* NULL in CLOSED and WAITING */
    ngx_rbl_redis_state_e        state;
    ngx_msec_t                   backoff;   /* the last pause, ms */
    ngx_event_t                  timer;     /* cancelable: housekeeping */
    ngx_event_t                  turn;      /* posted: greet, or leave */

    ngx_queue_t                  flight;    /* batches that wait for replies */
    ngx_uint_t                   nflight;
    ngx_msec_t                   heard;     /* when the last reply came */
    ngx_queue_t                  held;      /* empty batches: wait for ready */
    ngx_queue_t                  refused;   /* batches to complete with AWAY */
    ngx_event_t                  refuse;    /* posted while there are such */
    ngx_msec_t                   unwilling; /* when it refused what is optional;
                                               0: it has not */
    ngx_uint_t                   known;     /* 1: it was ready before */
    ngx_uint_t                   opening;   /* 1: the first attempt to connect
                                               has not ended yet */

    ngx_rbl_redis_replies_t      replies;   /* the context's reader uses it */

    char                         host[NGX_SOCKADDR_STRLEN + 1];
    in_port_t                    port;      /* 0: host is a path */

    /* why it is not ready, once logged; "" while it is ready */
    char                         reason[NGX_RBL_REDIS_REASON];
};


/* ngx_rbl_redis_event.c */

/*
 * What the descriptor layer tells: the worker shuts down.  Called from an event
 * handler, never from inside hiredis.
 */
typedef void (*ngx_rbl_redis_shutdown_pt)(redisAsyncContext *ac);

/*
 * Puts the descriptor of a context that has just begun to connect under
 * nginx's event loop; from then on it is closed by the cleanup hook alone.
 * NGX_ERROR: no connection slot or memory is left; the context is as before.
 */
ngx_int_t ngx_rbl_redis_event_attach(redisAsyncContext *ac,
    ngx_rbl_redis_shutdown_pt shutdown, ngx_log_t *log);


/* ngx_rbl_redis_open.c */

/* Takes host and port out of the configured address. */
ngx_int_t ngx_rbl_redis_set_address(ngx_rbl_store_t *store);

/* A context that has begun to connect; or NULL, with the reason. */
redisAsyncContext *ngx_rbl_redis_open(ngx_rbl_store_t *store,
    ngx_rbl_redis_shutdown_pt shutdown, char *reason, size_t size);


/* ngx_rbl_redis_reply.c */

/* Lets the reader of a new context make its replies in the store's pool. */
void ngx_rbl_redis_read_replies(ngx_rbl_store_t *store, redisAsyncContext *ac);

/* The pool, when there is no context any more. */
void ngx_rbl_redis_free_replies(ngx_rbl_store_t *store);


/* ngx_rbl_redis_greet.c */

/* NGX_ERROR: hiredis takes no commands; the caller drops the connection. */
ngx_int_t ngx_rbl_redis_greet(ngx_rbl_store_t *store);


/* ngx_rbl_redis.c */

/* The handshake is done: the store is ready. */
void ngx_rbl_redis_greeted(ngx_rbl_store_t *store);

/* Drops the connection: all batches in flight are LOST.  Not to be called in
   hiredis' connect and disconnect callbacks. */
void ngx_rbl_redis_drop(ngx_rbl_store_t *store, const char *reason);

/* hiredis has given up the connection and frees it: the same, without that. */
void ngx_rbl_redis_lost(ngx_rbl_store_t *store, const char *reason);

/* The store refuses commands: takes no new ones, and drops when it may. */
void ngx_rbl_redis_leave(ngx_rbl_store_t *store, const redisReply *reply);

/* A batch has left the flight queue. */
void ngx_rbl_redis_landed(ngx_rbl_store_t *store);

/*
 * The head of every reply callback: the store, or NULL when nothing is to be
 * done any more, for the connection was given up before or is with this call.
 */
ngx_rbl_store_t *ngx_rbl_redis_replied(redisAsyncContext *ac,
    const redisReply *reply);

/* An error reply made fit for a log line: no control bytes, no arguments. */
void ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply);

/* Copies with a terminating zero, cut to size, everything but printable ASCII
   as "?". */
void ngx_rbl_redis_clean(char *buf, size_t size, const char *text, size_t len);


/* ngx_rbl_batch.c */

/* Completes every batch that is held. */
void ngx_rbl_batch_release(ngx_rbl_store_t *store, ngx_rbl_store_rc_e rc);

/* Completes every batch in flight, LOST, or refused, AWAY. */
void ngx_rbl_batch_fail_flight(ngx_rbl_store_t *store);
void ngx_rbl_batch_fail_refused(ngx_rbl_store_t *store);

#endif /* _NGX_RBL_REDIS_H_INCLUDED_ */
