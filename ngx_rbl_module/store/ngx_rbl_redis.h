/*
 * Between the files behind ngx_rbl_store.h: descriptor, replies, connection,
 * batch, lanes, share and store.  Nobody else includes this.
 *
 * A link is one connection.  A store owns two to the same Redis: the main link,
 * and the slow link, which is opened when it is first needed.
 */

#ifndef _NGX_RBL_REDIS_H_INCLUDED_
#define _NGX_RBL_REDIS_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include <hiredis/async.h>

#include "ngx_rbl_commands.h"
#include "ngx_rbl_counts.h"
#include "ngx_rbl_store.h"
#include "rbl_reply_guard.h"

#define NGX_RBL_REDIS_WORDS     4
#define NGX_RBL_REDIS_REASON    128     /* longest reason in a log line */


typedef enum {
    NGX_RBL_REDIS_IDLE = 0,     /* nobody has needed it yet */
    NGX_RBL_REDIS_CLOSED,       /* not to be connected again */
    NGX_RBL_REDIS_WAITING,      /* the timer runs until the next attempt */
    NGX_RBL_REDIS_CONNECTING,   /* the timer runs until giving up */
    NGX_RBL_REDIS_GREETING,     /* connected, handshake sent; likewise */
    NGX_RBL_REDIS_READY,
    NGX_RBL_REDIS_SILENT,       /* replies are late: nothing new is sent */
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

typedef struct {
    ngx_rbl_store_t             *store;
    const char                  *name;      /* "" or " (slow)": for messages */

    redisAsyncContext           *ac;        /* NULL: there is no connection */
    ngx_rbl_redis_state_e        state;
    ngx_msec_t                   backoff;   /* the last pause, ms */
    ngx_event_t                  timer;     /* cancelable: housekeeping */
    ngx_event_t                  turn;      /* posted: greet, or leave */

    ngx_queue_t                  flight;    /* batches that wait for replies */
    ngx_uint_t                   nflight;

    ngx_event_t                  watch;     /* cancelable; for silence */
    ngx_msec_t                   heard;     /* when the last byte came */
    ngx_uint_t                   asked;     /* 1: the other link, since then */
    ngx_uint_t                   answers;   /* that came there */

    ngx_event_t                  role;      /* cancelable: asks for it */
    ngx_uint_t                   role_asked;    /* 1: the answer is due */
    ngx_uint_t                   replica;   /* 1: of a master that is there */

    ngx_uint_t                   known;     /* 1: it was ready before */
    ngx_uint_t                   opening;   /* 1: the first attempt to connect
                                               has not ended yet */

    ngx_rbl_redis_replies_t      replies;   /* the context's reader uses it */

    /* why it is not ready, once logged; "" while it is ready */
    char                         reason[NGX_RBL_REDIS_REASON];
} ngx_rbl_link_t;

/* The slow batches of one account: ngx_rbl_lanes.c. */
typedef struct {
    ngx_str_node_t               node;      /* by account */
    ngx_queue_t                  turn;      /* among those that may send */
    ngx_queue_t                  waiting;   /* batches */
    ngx_uint_t                   nwaiting;
    ngx_uint_t                   flying;    /* 1: it has one in flight */
    ngx_uint_t                   clocks;    /* whose replies must come first */
    ngx_uint_t                   refs;      /* those that point to it */
    ngx_rbl_store_t             *store;
    rbl_sid_t                    account;

    uint64_t                     began;     /* us, by the store's clock; or 0 */
    uint64_t                     spent;     /* us, by the batch in flight */
    ngx_msec_t                   even;      /* when what it has spent will be
                                               its share; may be past */
    ngx_event_t                  rest;      /* cancelable; until it may send, or
                                               until it is even */
    ngx_uint_t                   resting;   /* 1: until it may send */
} ngx_rbl_lane_t;

/* When an account was last here. */
typedef struct {
    rbl_sid_t                    account;
    ngx_msec_t                   at;        /* 0: never */
} ngx_rbl_visit_t;

typedef struct {
    ngx_rbtree_t                 tree;      /* all lanes, by account */
    ngx_rbtree_node_t            sentinel;
    ngx_queue_t                  turns;     /* lanes that wait, none busy */
    ngx_uint_t                   nwaiting;  /* batches, in all lanes */
} ngx_rbl_lanes_t;

struct ngx_rbl_store_s {
    const ngx_rbl_store_conf_t  *conf;
    ngx_log_t                   *log;       /* lives as long as the worker */
    rbl_keyspace_t               ks;

    ngx_rbl_link_t               main;
    ngx_rbl_link_t               slow;
    ngx_rbl_lanes_t              lanes;     /* of the slow link */
    ngx_rbl_visit_t              visits[2]; /* of the last account, and of the
                                               last other one */

    ngx_queue_t                  held;      /* empty batches: wait for ready */
    ngx_queue_t                  refused;   /* batches to complete */
    ngx_event_t                  refuse;    /* posted while there are such */
    ngx_msec_t                   unwilling; /* when it refused what is optional;
                                               0: it has not */

    char                         host[NGX_SOCKADDR_STRLEN + 1];
    in_port_t                    port;      /* 0: host is a path */
};


typedef enum {
    NGX_RBL_BATCH_OPEN = 0,
    NGX_RBL_BATCH_HELD,
    NGX_RBL_BATCH_WAITING,              /* in its lane */
    NGX_RBL_BATCH_FLIGHT,
    NGX_RBL_BATCH_REFUSED,
    NGX_RBL_BATCH_DONE
} ngx_rbl_batch_state_e;

struct ngx_rbl_batch_s {
    ngx_queue_t               queue;    /* of its state */
    ngx_rbl_store_t          *store;
    ngx_rbl_link_t           *link;     /* which it goes by */
    ngx_rbl_lane_t           *lane;     /* NULL: it is not slow */
    ngx_event_t               deadline;

    ngx_rbl_reply_pt          reply;    /* both NULL: cancelled */
    ngx_rbl_done_pt           done;
    void                     *data;

    ngx_uint_t                sent;     /* commands handed to hiredis */
    ngx_uint_t                replied;
    ngx_uint_t                executed; /* replied and not refused */
    uint64_t                  since;    /* sent, by the meter's clock */

    ngx_rbl_batch_state_e     state;
    ngx_rbl_store_rc_e        refusal;  /* of a refused one */

    unsigned                  nomem:1;  /* a command could not be added */
    unsigned                  failed:1; /* no further reply is handed over */
    unsigned                  evaled:1; /* the present script is out as EVAL */
    unsigned                  optional:1;   /* refused, it says nothing of the
                                           store */

    ngx_rbl_commands_t        commands; /* last: its room is not zeroed */
};


/* ngx_rbl_redis_event.c */

/*
 * Puts the descriptor of a context that has just begun to connect under
 * nginx's event loop; from then on it is closed by the cleanup hook alone.
 * NGX_ERROR: no connection slot or memory is left; the context is as before.
 */
ngx_int_t ngx_rbl_redis_event_attach(redisAsyncContext *ac, ngx_log_t *log);

/* Bytes that have come and are not read yet. */
int ngx_rbl_redis_waiting(redisAsyncContext *ac);


/* ngx_rbl_redis_open.c */

/* Takes host and port out of the configured address. */
ngx_int_t ngx_rbl_redis_set_address(ngx_rbl_store_t *store);

/* A context that has begun to connect; or NULL, with the reason. */
redisAsyncContext *ngx_rbl_redis_open(ngx_rbl_link_t *link, char *reason,
    size_t size);


/* ngx_rbl_redis_reply.c */

/* Lets the reader of a new context make its replies in the link's pool. */
void ngx_rbl_redis_read_replies(ngx_rbl_link_t *link, redisAsyncContext *ac);

/* The pool, when there is no context any more. */
void ngx_rbl_redis_free_replies(ngx_rbl_link_t *link);


/* ngx_rbl_redis_greet.c */

/* NGX_ERROR: hiredis takes no commands; the caller drops the connection. */
ngx_int_t ngx_rbl_redis_greet(ngx_rbl_link_t *link);


/* ngx_rbl_redis.c */

/* An idle link.  It connects when it is opened, and then reconnects alone. */
void ngx_rbl_redis_init(ngx_rbl_link_t *link, ngx_rbl_store_t *store,
    const char *name);
void ngx_rbl_redis_begin(ngx_rbl_link_t *link);
void ngx_rbl_redis_close(ngx_rbl_link_t *link);

/* May batches be sent?  And if not: will it be known soon? */
#define ngx_rbl_redis_ready(link)    ((link)->state == NGX_RBL_REDIS_READY)
#define ngx_rbl_redis_opening(link)  ((link)->opening)

/* The handshake is done: the link is ready. */
void ngx_rbl_redis_greeted(ngx_rbl_link_t *link);

/* Drops the connection: all batches in flight are LOST.  Not to be called in
   hiredis' connect and disconnect callbacks. */
void ngx_rbl_redis_drop(ngx_rbl_link_t *link, const char *reason);

/* hiredis has given up the connection and frees it: the same, without that. */
void ngx_rbl_redis_lost(ngx_rbl_link_t *link, const char *reason);

/* The store is silent: takes no new ones, until a byte comes. */
void ngx_rbl_redis_hush(ngx_rbl_link_t *link, const char *reason);

/*
 * The store is of no use: takes no new batches, and drops the connection when
 * none is in flight.  To be called in a reply callback.
 */
void ngx_rbl_redis_leave(ngx_rbl_link_t *link, const char *reason);

/* A batch has left the flight queue. */
void ngx_rbl_redis_landed(ngx_rbl_link_t *link);

/*
 * What the descriptor layer tells, from an event handler and never from inside
 * hiredis: there is something to read, the worker shuts down.
 */
void ngx_rbl_redis_readable(redisAsyncContext *ac);
void ngx_rbl_redis_shutdown(redisAsyncContext *ac);

/* Sends a command of at most NGX_RBL_REDIS_WORDS words that belongs to no
   batch, such as those of the handshake.  NGX_ERROR: hiredis takes none. */
ngx_int_t ngx_rbl_redis_send(ngx_rbl_link_t *link, redisCallbackFn *reply,
    int argc, const rbl_str_t *argv);

/*
 * The head of every reply callback: the link, or NULL when nothing is to be
 * done any more, for the connection was given up before or is with this call.
 */
ngx_rbl_link_t *ngx_rbl_redis_replied(redisAsyncContext *ac,
    const redisReply *reply);

/* An error reply made fit for a log line: no control bytes, no arguments. */
void ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply);

/* Copies with a terminating zero, cut to size, everything but printable ASCII
   as "?". */
void ngx_rbl_redis_clean(char *buf, size_t size, const char *text, size_t len);


/* ngx_rbl_redis_role.c */

void ngx_rbl_redis_role_init(ngx_rbl_link_t *link);

/* What is the store?  Leaves it if it may not serve.  NGX_ERROR: hiredis takes
   no commands. */
ngx_int_t ngx_rbl_redis_role_ask(ngx_rbl_link_t *link);

/* Asks once a second from now on; stops that, with the connection. */
void ngx_rbl_redis_role_watch(ngx_rbl_link_t *link);
void ngx_rbl_redis_role_forget(ngx_rbl_link_t *link);


/* ngx_rbl_redis_watch.c */

void ngx_rbl_redis_watch_init(ngx_rbl_link_t *link);

/* A batch is put into the flight queue. */
void ngx_rbl_redis_launched(ngx_rbl_link_t *link);

/* A byte has come. */
void ngx_rbl_redis_heard(ngx_rbl_link_t *link);

/* A reply is late: how is the link?  It may be dropped. */
void ngx_rbl_redis_judge(ngx_rbl_link_t *link);

/* The store has answered on the other link. */
void ngx_rbl_redis_answered(ngx_rbl_link_t *link);


/* ngx_rbl_batch.c */

/* Sends a batch that has not been sent, on its link, which is ready. */
void ngx_rbl_batch_launch(ngx_rbl_batch_t *batch);

/* Completes a batch that is in no queue any more. */
void ngx_rbl_batch_complete(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc);

/* Completes every batch in flight: LOST. */
void ngx_rbl_batch_fail_flight(ngx_rbl_link_t *link);


/* ngx_rbl_store.c */

/* What becomes of batches when a link is ready, and is no longer. */
void ngx_rbl_store_up(ngx_rbl_link_t *link);
void ngx_rbl_store_down(ngx_rbl_link_t *link);

/* An empty batch: waits until the store is ready, or will not be. */
void ngx_rbl_store_hold(ngx_rbl_batch_t *batch);

/* Completes a batch that was not sent, on a later turn of the event loop. */
void ngx_rbl_store_refuse(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc);


/* ngx_rbl_lanes.c */

void ngx_rbl_lanes_init(ngx_rbl_lanes_t *lanes);

/* Frees the lanes that rest, the only ones left at the end. */
void ngx_rbl_lanes_close(ngx_rbl_lanes_t *lanes);

/* The lane of an account, made if need be; NULL: out of memory.  Each
   caller gives it back once. */
ngx_rbl_lane_t *ngx_rbl_lanes_enter(ngx_rbl_store_t *store,
    const rbl_sid_t *account);
void ngx_rbl_lanes_exit(ngx_rbl_lane_t *lane);

/* Puts a batch into its lane, to be sent in its turn.  NGX_BUSY: too many of
   the lane wait.  NGX_DECLINED: too many of all lanes wait, or the slow link is
   away. */
ngx_int_t ngx_rbl_lanes_wait(ngx_rbl_batch_t *batch);

/* Takes a waiting batch out of its lane. */
void ngx_rbl_lanes_leave(ngx_rbl_batch_t *batch);

/* The lane's batch in flight has landed. */
void ngx_rbl_lanes_landed(ngx_rbl_lane_t *lane);

/* One of what keeps a lane from sending has ended. */
void ngx_rbl_lanes_idle(ngx_rbl_lane_t *lane);

/* Sends what may be sent; refuses what waits. */
void ngx_rbl_lanes_run(ngx_rbl_store_t *store);
void ngx_rbl_lanes_fail(ngx_rbl_store_t *store);


/* ngx_rbl_share.c */

/* Sends the clocks around a part of a slow batch.  What is between them is
   added to the time that its lane has spent. */
void ngx_rbl_share_begin(ngx_rbl_batch_t *batch);
void ngx_rbl_share_end(ngx_rbl_batch_t *batch);

/* Charges a lane with what its batch has spent. */
void ngx_rbl_share_spend(ngx_rbl_lane_t *lane);

/* How long a lane must rest before its next batch, ms. */
ngx_msec_t ngx_rbl_share_rest(const ngx_rbl_lane_t *lane);

#endif /* _NGX_RBL_REDIS_H_INCLUDED_ */
