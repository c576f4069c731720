/*
 * Interface to the store: batches of commands over pipelined connections.  Each
 * batch is completed exactly once.  A worker has two connections (links) to
 * each node of a store: the main link, and the slow link for work that must not
 * delay the others, where accounts take turns.  The keys of a command choose
 * its node (rbl_nodes.h).
 *
 * Three layers.  Each calls those below, which answer by callbacks:
 *
 *  - ngx_rbl_redis_wire.c: one connection, with _open.c (its beginning);
 *  - ngx_rbl_redis.c: one link: states, back-off, with _greet.c, _role.c and
 *    _watch.c (silence);
 *  - ngx_rbl_batch.c (one batch), ngx_rbl_commands.c (its bytes),
 *    ngx_rbl_lanes.c (turns on the slow link, and their share of time),
 *    ngx_rbl_node.c (the nodes of a store), ngx_rbl_sentinel.c (which is the
 *    master), ngx_rbl_store.c (one store, and batches that are not sent).
 */

#ifndef _NGX_RBL_STORE_H_INCLUDED_
#define _NGX_RBL_STORE_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include "rbl_keys.h"
#include "rbl_place.h"
#include "rbl_reply.h"
#include "rbl_script.h"
#include "rbl_sid.h"


typedef struct ngx_rbl_store_s  ngx_rbl_store_t;
typedef struct ngx_rbl_batch_s  ngx_rbl_batch_t;

/* A string of nginx as a counted string: a view. */

static ngx_inline rbl_str_t
ngx_rbl_str(const ngx_str_t *text)
{
    return (rbl_str_t) { (const char *) text->data, text->len };
}


#define NGX_RBL_LANE_WAITING  256   /* waiting slow batches per account */

typedef enum {
    NGX_RBL_STORE_OK = 0,       /* every reply was passed on */
    NGX_RBL_STORE_AWAY,         /* not connected or not ready, or Redis refused
                                   the command without executing it (LOADING,
                                   READONLY, OOM, ...): nothing was changed */
    NGX_RBL_STORE_BUSY,         /* NGX_RBL_LANE_WAITING slow batches of the
                                   account wait: nothing was sent */
    NGX_RBL_STORE_LOST          /* timeout or connection lost after sending: the
                                   outcome is unknown */
} ngx_rbl_store_rc_e;

/* Configuration of a store; one for each distinct set of directives. */
typedef struct {
    ngx_str_t               name;       /* as configured, for log messages */
    const rbl_place_t      *place;      /* resolved at configuration time */
    rbl_place_map_t        *map;        /* NULL: none */
    ngx_str_t               user;
    ngx_str_t               password;   /* from rbl_store_password_file */
    ngx_str_t               prefix;
    ngx_str_t               ca, cert, key;  /* files of TLS */
    ngx_ssl_t              *ssl;        /* made of them; NULL: no TLS */
    ngx_str_t               tls_name;   /* ends with NUL; empty: certificates
                                           are for the addresses */
    ngx_msec_t              timeout;    /* limit for connecting and for a
                                           command */
} ngx_rbl_store_conf_t;

/*
 * Called for each command in order; i counts from 0.  The reply is valid during
 * the call.  Not called for error replies that make
 * the batch fail; `done` reports these.
 */
typedef void (*ngx_rbl_reply_pt)(void *data, ngx_uint_t i,
    const redisReply *reply);

/* Called once, after the last reply or instead of the missing ones. */
typedef void (*ngx_rbl_done_pt)(void *data, ngx_rbl_store_rc_e rc);

/*
 * Returns the store of a configuration in this worker.  The store connects on
 * the first turn of the event loop, and again after each lost connection.  Its
 * keyspace is valid when it is ready.  NULL: out of memory.  All functions
 * accept NULL as a store that is not connected; no batch can be made for it.
 */
ngx_rbl_store_t *ngx_rbl_store_create(const ngx_rbl_store_conf_t *conf,
    ngx_log_t *log);
void ngx_rbl_store_destroy(ngx_rbl_store_t *store);     /* exit_process */

/* True if the store, or a part of it, is connected and its handshake is done;
   ks->partitions is not 0 then. */
ngx_int_t ngx_rbl_store_ready(ngx_rbl_store_t *store);

/* Number of failovers that were seen.  Acknowledged writes may be lost in one:
   nothing that was remembered before is certain. */
ngx_uint_t ngx_rbl_store_epoch(const ngx_rbl_store_t *store);
const rbl_keyspace_t *ngx_rbl_store_keyspace(ngx_rbl_store_t *store);

/* A node of the store, as this worker sees it. */
typedef struct {
    char        name[RBL_HOST_PORT_TEXT];   /* "": not used, not known, or
                                               the only Redis */
    ngx_uint_t  up;                     /* 1: connected and ready */
    ngx_uint_t  partitions;             /* that are on it */
} ngx_rbl_store_node_t;

/* Gets the i-th node; NGX_DONE: there are no more. */
ngx_int_t ngx_rbl_store_node(ngx_rbl_store_t *store, ngx_uint_t i,
    ngx_rbl_store_node_t *node);

/* Returns the index of the node of a partition; RBL_NODE_NONE: it is not
   ready.  ngx_rbl_store_has: it is ready. */
unsigned ngx_rbl_store_on(ngx_rbl_store_t *store, unsigned p);
ngx_uint_t ngx_rbl_store_has(ngx_rbl_store_t *store, unsigned p);

/* Changes the octets that choose the partition of a digest (rbl_hash_key) to
   those of the next partition whose node is ready, if its own is not. */
void ngx_rbl_store_near(ngx_rbl_store_t *store, u_char octets[2]);

/* Number of partitions on no node that is ready; 0: unknown, too. */
ngx_uint_t ngx_rbl_store_partitions_away(ngx_rbl_store_t *store);

/*
 * Returns a new batch, in its own allocation, because it may outlive the
 * request.  NULL: out of memory.  Every batch must be submitted or cancelled.
 */
ngx_rbl_batch_t *ngx_rbl_batch_create(ngx_rbl_store_t *store,
    ngx_rbl_reply_pt reply, ngx_rbl_done_pt done, void *data);

/*
 * Adds a command and copies its bytes.  Submit reports a failure.  Commands for
 * another node are sent when the replies to those before have arrived, so a
 * batch of many nodes is slow.  A command without a key goes where the one
 * before it goes.
 */
void ngx_rbl_batch_command(ngx_rbl_batch_t *batch, int argc,
    const rbl_str_t *argv);

/* Adds a script call: argv holds the keys, then the arguments. */
void ngx_rbl_batch_script(ngx_rbl_batch_t *batch, const rbl_script_t *script,
    int argc, const rbl_str_t *argv);

/*
 * Declares that no request waits for this batch and that the store may refuse
 * it.  A refusal is logged and does not affect the connection;
 * ngx_rbl_store_unwilling is then true for a minute, or until another such
 * batch succeeds.
 */
void ngx_rbl_batch_optional(ngx_rbl_batch_t *batch);
ngx_uint_t ngx_rbl_store_unwilling(const ngx_rbl_store_t *store);

/* Declares that a refusal of the batch is not logged. */
void ngx_rbl_batch_quiet(ngx_rbl_batch_t *batch);

/* Why the store, a master, refused a change (OOM, MISCONF, NOREPLICAS); "": it
   did not since ngx_rbl_store_accepts, by which the caller says that it takes
   changes. */
const char *ngx_rbl_store_refusal(const ngx_rbl_store_t *store);
void ngx_rbl_store_accepts(ngx_rbl_store_t *store);

/*
 * Sends the batch on the slow link.  To be called once, before submit.
 *
 * An account has one slow batch in flight; its others wait.  Accounts take
 * turns.  While other accounts use the worker, the slow batches of an account
 * use at most a quarter of the store's time, over all workers.
 *
 * At most 256 batches of an account wait, and 2048 of all accounts; the first
 * of an account is always accepted.  Each waits for at most ten times
 * rbl_store_timeout.  A batch beyond the 256 of its account is BUSY; one beyond
 * the other limits is AWAY.  The deadline starts when the batch is sent.  A
 * batch cancelled while it waits is never sent.
 */
void ngx_rbl_batch_slow(ngx_rbl_batch_t *batch, const rbl_sid_t *account);

/*
 * Declares that a failover must not undo the changes of the batch.  If its node
 * has replicas, it is complete when one of them has the changes, and LOST if
 * none has them within a quarter of rbl_store_timeout.  To be called before
 * submit.
 */
void ngx_rbl_batch_durable(ngx_rbl_batch_t *batch);

/* Notes that an authenticated account uses the worker now. */
void ngx_rbl_share_seen(ngx_rbl_store_t *store, const rbl_sid_t *account);

/*
 * Sends a batch.  An empty batch checks only that the store is ready: OK if it
 * is, or as soon as the first attempt of this worker to connect has succeeded;
 * else AWAY.  The completion is never called from inside submit.  A timer that
 * is not cancelable runs until the deadline of a batch in flight, so a graceful
 * shutdown waits for it.
 */
void ngx_rbl_batch_submit(ngx_rbl_batch_t *batch);

/*
 * Cancels a batch: neither callback will be called.  Commands already sent are
 * not undone.  The pointer is invalid afterwards.
 */
void ngx_rbl_batch_cancel(ngx_rbl_batch_t *batch);

#endif /* _NGX_RBL_STORE_H_INCLUDED_ */
