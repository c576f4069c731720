/*
 * Internal header of the files behind ngx_rbl_store.h, which names its
 * layers.  No other file includes it.
 *
 * A link is one connection.  A store has up to three to each of its nodes: the
 * main link, the slow link, which is opened when it is first needed, and, if
 * the node has replicas, the durable link.  Behind Sentinels it has one more,
 * the scout, which asks them.
 */

#ifndef _NGX_RBL_REDIS_H_INCLUDED_
#define _NGX_RBL_REDIS_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include "ngx_rbl_commands.h"
#include "ngx_rbl_counts.h"
#include "ngx_rbl_redis_wire.h"
#include "ngx_rbl_store.h"
#include "rbl_meta.h"
#include "rbl_views.h"

#define NGX_RBL_BACKOFF_MIN     50      /* ms */
#define NGX_RBL_REDIS_NAME      (RBL_HOST_PORT_TEXT + 24)
#define NGX_RBL_REDIS_REASON    128     /* longest reason in a log line */


typedef enum {
    NGX_RBL_REDIS_IDLE = 0,     /* not needed so far */
    NGX_RBL_REDIS_CLOSED,       /* must not be connected again */
    NGX_RBL_REDIS_WAITING,      /* the timer runs until the next attempt */
    NGX_RBL_REDIS_CONNECTING,   /* the timer limits the attempt */
    NGX_RBL_REDIS_GREETING,     /* connected, handshake sent; likewise */
    NGX_RBL_REDIS_READY,
    NGX_RBL_REDIS_SILENT,       /* replies are late: no new batches are sent */
    NGX_RBL_REDIS_LEAVING       /* Redis refuses service: no new batches are
                                   sent; dropped when the replies have
                                   arrived */
} ngx_rbl_redis_state_e;

typedef struct ngx_rbl_node_s  ngx_rbl_node_t;
typedef struct ngx_rbl_scout_s  ngx_rbl_scout_t;

/* A link to a node, or that of the scout, which needs `greet` and `lost`
   alone. */
typedef struct {
    /* Sends the handshake.  NGX_ERROR: out of memory. */
    ngx_int_t   (*greet)(ngx_rbl_link_t *link);

    /* Asks whether its server is the master; ngx_rbl_redis_sought follows. */
    void        (*seek)(ngx_rbl_link_t *link);

    /* It has become ready, or was, and the meta data are known now; it is not
       ready now. */
    void        (*up)(ngx_rbl_link_t *link);
    void        (*down)(ngx_rbl_link_t *link);

    /* Its connection is gone, and what was in flight. */
    void        (*lost)(ngx_rbl_link_t *link, const char *reason);

    /* Fails the batches in flight whose deadline has passed.  Returns the time
       until the next deadline; 0: no other batch has one. */
    ngx_msec_t  (*expire)(ngx_rbl_link_t *link);

    /* Its server reports its data and replicas (INFO REPLICATION). */
    void        (*reports)(ngx_rbl_link_t *link, const redisReply *info);
} ngx_rbl_link_kind_t;

struct ngx_rbl_link_s {
    const ngx_rbl_link_kind_t   *kind;
    ngx_rbl_store_t             *store;
    ngx_rbl_node_t              *node;      /* NULL: the scout */
    const rbl_host_port_t       *at;        /* its server */
    char                         name[NGX_RBL_REDIS_NAME];  /* for the log:
                                               "", ", node 192.0.2.1:6379",
                                               " (slow link)" or both */

    ngx_rbl_wire_t              *wire;      /* NULL: no connection */
    ngx_uint_t                   changed;   /* rbl_node_t that it is a
                                               connection to; rbl_nodes.h */
    ngx_rbl_redis_state_e        state;
    ngx_msec_t                   backoff;   /* last pause, ms */
    ngx_event_t                  timer;     /* cancelable: housekeeping */
    ngx_event_t                  turn;      /* posted: drops the connection */

    ngx_queue_t                  flight;    /* batches waiting for replies */
    ngx_uint_t                   nflight;

    ngx_event_t                  watch;     /* cancelable without a batch in
                                               flight; deadlines, silence */
    ngx_msec_t                   heard;     /* time of the last byte */
    ngx_uint_t                   asked;     /* 1: the other link was queried
                                               since then */
    ngx_uint_t                   answers;   /* responses received there */

    ngx_event_t                  role;      /* cancelable; queries the role */
    ngx_uint_t                   role_asked;    /* 1: the response is due */
    ngx_msec_t                   role_since;    /* when it was queried */
    ngx_uint_t                   replica;   /* 1: replica of a reachable
                                               master */

    ngx_uint_t                   known;     /* 1: was ready before */
    ngx_uint_t                   opening;   /* 1: the first attempt to connect
                                               is not over */
    ngx_uint_t                   seeking;   /* the round of the scout that it
                                               waits for; 0: none */
    ngx_msec_t                   began;     /* when it began to connect */

    /* last logged reason why it is not ready; "" while it is ready */
    char                         reason[NGX_RBL_REDIS_REASON];
};

/* The slow batches of one account: ngx_rbl_lanes.c. */
typedef struct {
    ngx_str_node_t               name;      /* key: account */
    ngx_queue_t                  turn;      /* in `turns` of the lanes */
    ngx_queue_t                  waiting;   /* batches */
    ngx_uint_t                   nwaiting;
    ngx_uint_t                   flying;    /* 1: it has a batch in flight */
    ngx_uint_t                   clocks;    /* TIME replies to wait for */
    ngx_uint_t                   refs;      /* references to the lane */
    ngx_rbl_node_t              *node;
    rbl_sid_t                    account;

    uint64_t                     began;     /* us, clock of Redis; or 0 */
    uint64_t                     spent;     /* us used by the batch in flight */
    ngx_msec_t                   even;      /* when the time that it used equals
                                               its share; may be past */
    ngx_event_t                  rest;      /* cancelable; until it may send or
                                               is even */
    ngx_uint_t                   resting;   /* 1: must not send */
} ngx_rbl_lane_t;

/* Last use of a worker by an account. */
typedef struct {
    rbl_sid_t                    account;
    ngx_msec_t                   at;        /* 0: never */
} ngx_rbl_visit_t;

typedef struct {
    ngx_rbtree_t                 tree;      /* all lanes, by account */
    ngx_rbtree_node_t            sentinel;
    ngx_queue_t                  turns;     /* lanes with waiting batches that
                                               may send */
    ngx_uint_t                   nwaiting;  /* waiting batches, all lanes */
} ngx_rbl_lanes_t;

/* A server of the store, and what a worker has of it. */
struct ngx_rbl_node_s {
    ngx_rbl_store_t             *store;
    ngx_uint_t                   i;         /* in `nodes` of the store */
    ngx_uint_t                   changed;   /* rbl_node_t that the links are of;
                                               rbl_nodes.h */
    ngx_rbl_link_t               main;
    ngx_rbl_link_t               slow;
    ngx_rbl_link_t               durable;   /* WAIT blocks what is behind it */
    ngx_rbl_lanes_t              lanes;     /* for the slow link */
    ngx_uint_t                   replicas;  /* so many must have a durable
                                               change: a failover may make any
                                               of them the master */
    ngx_uint_t                   seen;      /* so many follow it closely, as it
                                               said last */
    ngx_uint_t                   doubted;   /* the round of the scout that says
                                               whether `seen` may be lower; 0:
                                               none */
    char                         history[RBL_NODE_ID];  /* of its data; [0] NUL:
                                               not known (rbl_role.h) */
};

/* The scout: a link that asks the Sentinels for the master. */
struct ngx_rbl_scout_s {
    ngx_rbl_link_t               link;
    ngx_uint_t                   n;         /* Sentinels */
    rbl_host_port_t              at[RBL_PLACE_HOSTS];
    ngx_uint_t                   silent[RBL_PLACE_HOSTS];   /* 1: no answer in
                                               the last round */
    ngx_uint_t                   round;     /* number of the current one, or of
                                               the last */
    ngx_uint_t                   running;   /* 1: it is under way */
    ngx_uint_t                   asked;     /* so many had their turn */
    ngx_uint_t                   auth;      /* 1: AUTH was sent on this
                                               connection */
    ngx_uint_t                   tries;     /* attempts in a row with servers
                                               that could not be used */
    rbl_views_t                  views;     /* of this round */
    ngx_queue_t                  doubts;    /* batches that wait for a round */
    char                         reason[NGX_RBL_REDIS_REASON];  /* of the last
                                               Sentinel without an answer */
};

struct ngx_rbl_store_s {
    const ngx_rbl_store_conf_t  *conf;
    ngx_log_t                   *log;       /* lives as long as the worker */
    rbl_keyspace_t               ks;

    rbl_nodes_t                  nodes;
    ngx_rbl_node_t              *node[RBL_NODES_MAX];   /* of the same index;
                                               NULL: not needed so far */
    ngx_rbl_scout_t             *scout;     /* NULL: no Sentinels */
    ngx_event_t                  survey;    /* cancelable; asks a cluster for
                                               its slots */
    ngx_msec_t                   surveyed;  /* when it was asked */
    ngx_uint_t                   surveys;   /* so many, none within 200 ms of
                                               another */
    ngx_event_t                  follow;    /* posted: `nodes` has changed */
    ngx_uint_t                   known;     /* 1: it was ready before */
    ngx_uint_t                   epoch;     /* number of failovers seen */

    ngx_rbl_visit_t              visits[2]; /* last account, and the last other
                                               one */

    ngx_queue_t                  held;      /* empty batches waiting for
                                               ready */
    ngx_queue_t                  spares;    /* batches that are not used */
    ngx_uint_t                   nspares;
    ngx_queue_t                  refused;   /* batches to be completed */
    ngx_event_t                  refuse;    /* posted while `refused` is not
                                               empty */
    ngx_msec_t                   unwilling; /* when it refused an optional
                                               batch; 0: it did not */
    char                         refusal[NGX_RBL_REDIS_REASON];     /* of the
                                               last refused change; "": it took
                                               one since */
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
    ngx_queue_t               queue;    /* queue of its state */
    ngx_rbl_store_t          *store;
    ngx_rbl_link_t           *link;     /* link that it is sent on; NULL before
                                           it is sent */
    ngx_rbl_lane_t           *lane;     /* NULL: not slow, or not submitted */
    rbl_sid_t                 account;  /* of a slow one */
    ngx_event_t               deadline; /* until it is sent */
    ngx_msec_t                due;      /* deadline of its replies */

    ngx_rbl_reply_pt          reply;    /* both NULL: cancelled */
    ngx_rbl_done_pt           done;
    void                     *data;

    ngx_uint_t                sent;     /* commands given to the connection */
    ngx_uint_t                replied;
    ngx_uint_t                executed; /* replies without refusal */
    ngx_uint_t                target;   /* node that MOVED names, or
                                           RBL_NODE_NONE */
    uint64_t                  since;    /* when it was sent,
                                           ngx_rbl_counts_clock() */

    ngx_rbl_batch_state_e     state;
    ngx_rbl_store_rc_e        refusal;  /* rc of a refused batch */

    unsigned                  nomem:1;  /* a command could not be added */
    unsigned                  failed:1; /* no more replies are passed on */
    unsigned                  evaled:1; /* the current script was sent as
                                           EVAL */
    unsigned                  optional:1;   /* a refusal does not affect the
                                               link */
    unsigned                  quiet:1;  /* a refusal is not logged */
    unsigned                  moved:1;  /* sent again after MOVED */
    unsigned                  slow:1;   /* for the slow link */
    unsigned                  durable:1;    /* a replica must have its
                                               changes */
    unsigned                  waits:1;  /* its last commands are SET and WAIT
                                           (rbl_nodes_touch) */
    ngx_uint_t                needs;    /* so many replicas must have it */
    ngx_uint_t                doubted;  /* the round of the scout that it waits
                                           for, in `doubts`; 0: none */

    ngx_rbl_commands_t        commands; /* last: its `room` is not zeroed */
};


/* ngx_rbl_redis_greet.c: parts of the handshake */

/* AUTH, if there is a password; the meta data.  In a cluster, the copy of the
   meta data that the node has; NGX_DECLINED: it has none.  NGX_ERROR: out of
   memory. */
ngx_int_t ngx_rbl_redis_auth(ngx_rbl_link_t *link);
ngx_int_t ngx_rbl_redis_meta_ask(ngx_rbl_link_t *link);
ngx_int_t ngx_rbl_redis_copy_ask(ngx_rbl_link_t *link);


/* ngx_rbl_redis.c */

/* Initializes an idle link.  After it is begun, it connects and reconnects by
   itself. */
void ngx_rbl_redis_init(ngx_rbl_link_t *link, const ngx_rbl_link_kind_t *kind,
    ngx_rbl_store_t *store, const rbl_host_port_t *at);
void ngx_rbl_redis_begin(ngx_rbl_link_t *link);
void ngx_rbl_redis_close(ngx_rbl_link_t *link);

/* Ends a connection that is not needed; the link is idle then. */
void ngx_rbl_redis_rest(ngx_rbl_link_t *link, const char *reason);

/* Connects, or waits for the next attempt, with the result of the scout:
   reason is NULL, or why there is no master. */
void ngx_rbl_redis_sought(ngx_rbl_link_t *link, const char *reason);

/* True if batches may be sent. */
#define ngx_rbl_redis_ready(link)    ((link)->state == NGX_RBL_REDIS_READY)

/* The handshake has succeeded: the link becomes ready, or it was, and the meta
   data are known now. */
void ngx_rbl_redis_greeted(ngx_rbl_link_t *link);

/* Drops the connection; all batches in flight are LOST. */
void ngx_rbl_redis_drop(ngx_rbl_link_t *link, const char *reason);

/* Marks the store as silent: no new batches are sent until a byte arrives. */
void ngx_rbl_redis_hush(ngx_rbl_link_t *link, const char *reason);

/*
 * Marks the store as unusable: sends no new batches, and drops the connection
 * when none is in flight.  To be called in a reply callback.
 */
void ngx_rbl_redis_leave(ngx_rbl_link_t *link, const char *reason);

/* A batch has left the flight queue. */
void ngx_rbl_redis_landed(ngx_rbl_link_t *link);


/* ngx_rbl_redis_role.c */

void ngx_rbl_redis_role_init(ngx_rbl_link_t *link);

/* Queries the role of the store, and leaves it if it may not serve.  NGX_ERROR:
   out of memory. */
ngx_int_t ngx_rbl_redis_role_ask(ngx_rbl_link_t *link);

/* Queries the role once a second from now on, and judges the link while no
   reply comes; stops doing so. */
void ngx_rbl_redis_role_watch(ngx_rbl_link_t *link);

/* Behind Sentinels: for how long the reply has been due, in ms; 0: it is
   not. */
ngx_msec_t ngx_rbl_redis_role_late(const ngx_rbl_link_t *link);
void ngx_rbl_redis_role_forget(ngx_rbl_link_t *link);


/* ngx_rbl_redis_watch.c */

void ngx_rbl_redis_watch_init(ngx_rbl_link_t *link);

/* A batch was put into the flight queue. */
void ngx_rbl_redis_launched(ngx_rbl_link_t *link);

/* A byte has arrived. */
void ngx_rbl_redis_heard(ngx_rbl_link_t *link);

/* A reply is late: judges the link, and may drop it. */
void ngx_rbl_redis_judge(ngx_rbl_link_t *link);

/* The node has answered the handshake, or a query that was sent because another
   link is silent: the links that are silent count it. */
void ngx_rbl_redis_answered(ngx_rbl_link_t *link);


/* ngx_rbl_node.c */

/* Returns the node of this index and makes it if needed.  NULL: there is none,
   or no memory. */
ngx_rbl_node_t *ngx_rbl_node(ngx_rbl_store_t *store, ngx_uint_t i);

/* The nodes of the store have changed: opens and closes links. */
void ngx_rbl_node_follow(ngx_rbl_store_t *store);
void ngx_rbl_node_followed(ngx_event_t *ev);        /* its event */

/* Close all links; free all nodes, which have no batches then. */
void ngx_rbl_node_close(ngx_rbl_store_t *store);
void ngx_rbl_node_free(ngx_rbl_store_t *store);

/* Returns a node with a ready main link, or NULL. */
ngx_rbl_node_t *ngx_rbl_node_any(ngx_rbl_store_t *store);

/* A round of the scout has ended; reason NULL: it has found a master. */
void ngx_rbl_node_judged(ngx_rbl_node_t *node, const char *reason);


/* of its cluster */

void ngx_rbl_cluster_init(ngx_rbl_store_t *store);

/* True if no node has named the slots of the cluster so far. */
ngx_uint_t ngx_rbl_cluster_unknown(const ngx_rbl_store_t *store);

/* The map of slots may be out of date: asks for it soon. */
void ngx_rbl_cluster_doubt(ngx_rbl_store_t *store);

/* Returns the index of the node that a MOVED error on a link names, or
   RBL_NODE_NONE. */
ngx_uint_t ngx_rbl_cluster_moved(ngx_rbl_link_t *link,
    const redisReply *error);


/* ngx_rbl_sentinel.c */

/* NULL: out of memory. */
ngx_rbl_scout_t *ngx_rbl_sentinel_create(ngx_rbl_store_t *store);
void ngx_rbl_sentinel_destroy(ngx_rbl_scout_t *scout);

/* Looks for the master on behalf of a link, which gets the result by
   ngx_rbl_redis_sought. */
void ngx_rbl_sentinel_seek(ngx_rbl_link_t *link);

/* Begins a round, or plans another one behind that which is under way.  Returns
   the number of the round whose answers are not older than the call: the caller
   sets `doubted` or `seeking` to it. */
ngx_uint_t ngx_rbl_sentinel_round(ngx_rbl_scout_t *scout);

/* Asks whether the server of a batch is the master still.  The batch is in no
   other queue, and gets the result by ngx_rbl_batch_judged. */
void ngx_rbl_sentinel_doubt(ngx_rbl_batch_t *batch);


/* ngx_rbl_batch.c */

/* Takes an unused batch of the store, or returns NULL. */
ngx_rbl_batch_t *ngx_rbl_batch_spare(ngx_rbl_store_t *store);

/* Sends a new batch on its link, which must be ready. */
void ngx_rbl_batch_launch(ngx_rbl_batch_t *batch);

/* Completes a batch that is in no queue. */
void ngx_rbl_batch_complete(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc);

/* `expire` of a node's link. */
ngx_msec_t ngx_rbl_batch_expire(ngx_rbl_link_t *link);

/* Ends the doubt about a batch.  good: its server is the master still, and the
   change is acknowledged. */
void ngx_rbl_batch_judged(ngx_rbl_batch_t *batch, ngx_uint_t good);

/* Completes every batch in flight with LOST. */
void ngx_rbl_batch_fail_flight(ngx_rbl_link_t *link);


/* ngx_rbl_store.c */

/* True if a first attempt to connect may still make the store ready. */
ngx_uint_t ngx_rbl_store_opening(const ngx_rbl_store_t *store);

/* Handles the batches of a link that has become ready, or is no longer
   ready. */
void ngx_rbl_store_up(ngx_rbl_link_t *link);
void ngx_rbl_store_down(ngx_rbl_link_t *link);
void ngx_rbl_store_settle(ngx_rbl_store_t *store);

/* Holds an empty batch until the store is ready or has failed to connect. */
void ngx_rbl_store_hold(ngx_rbl_batch_t *batch);

/* Completes a batch that was not sent, on a later turn of the event loop. */
void ngx_rbl_store_refuse(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc);


/* ngx_rbl_lanes.c */

void ngx_rbl_lanes_init(ngx_rbl_lanes_t *lanes);

/* Frees the lanes that rest, the only ones left at exit. */
void ngx_rbl_lanes_close(ngx_rbl_lanes_t *lanes);

/* Returns the lane of an account and makes it if needed.  NULL: out of memory.
   Each caller releases it once. */
ngx_rbl_lane_t *ngx_rbl_lanes_enter(ngx_rbl_node_t *node,
    const rbl_sid_t *account);
void ngx_rbl_lanes_exit(ngx_rbl_lane_t *lane);

/* Queues a batch in its lane.  NGX_BUSY: too many batches of the lane wait.
   NGX_DECLINED: too many of all lanes wait, or the slow link is not
   connected. */
ngx_int_t ngx_rbl_lanes_wait(ngx_rbl_batch_t *batch);

/* Removes a waiting batch from its lane. */
void ngx_rbl_lanes_leave(ngx_rbl_batch_t *batch);

/* The lane's batch in flight has completed. */
void ngx_rbl_lanes_landed(ngx_rbl_lane_t *lane);

/* Sends the batches that may be sent; refuses the waiting ones. */
void ngx_rbl_lanes_run(ngx_rbl_node_t *node);
void ngx_rbl_lanes_fail(ngx_rbl_node_t *node);


/* Adds the TIME commands around a segment of a slow batch.  The time between
   them is added to the time that its lane has used. */
void ngx_rbl_share_begin(ngx_rbl_batch_t *batch);
void ngx_rbl_share_end(ngx_rbl_batch_t *batch);

#endif /* _NGX_RBL_REDIS_H_INCLUDED_ */
