/*
 * The store as the rest of the module sees it: batches of commands over
 * pipelined connections, each batch completed exactly once.  A worker has two
 * connections (links) to a store: the main link, and the slow link for work
 * that must not delay the others, where accounts take turns.
 *
 * Files behind it: ngx_rbl_redis_event.c (one descriptor: hiredis hooks on an
 * ngx_connection_t), ngx_rbl_redis.c (one link: states, back-off), with
 * ngx_rbl_redis_open.c (its context), ngx_rbl_redis_reply.c (its replies) and
 * ngx_rbl_redis_greet.c (its handshake), ngx_rbl_batch.c (one batch: submit,
 * deadline, cancel, completion, NOSCRIPT), ngx_rbl_lanes.c (whose turn it is on
 * the slow link), ngx_rbl_share.c (for how long), ngx_rbl_store.c (one store:
 * its links, and batches that are not sent), ngx_rbl_commands.c (the bytes of
 * commands).  Only the redis, batch and share files call redisAsync*.
 */

#ifndef _NGX_RBL_STORE_H_INCLUDED_
#define _NGX_RBL_STORE_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>

#include "rbl_keys.h"
#include "rbl_reply.h"
#include "rbl_script.h"
#include "rbl_sid.h"


typedef struct ngx_rbl_store_s  ngx_rbl_store_t;
typedef struct ngx_rbl_batch_s  ngx_rbl_batch_t;

#define NGX_RBL_LANE_WAITING  256   /* slow batches of an account that wait */

typedef enum {
    NGX_RBL_STORE_OK = 0,       /* every reply was handed over */
    NGX_RBL_STORE_AWAY,         /* not connected or not ready, or the store
                                   refused without doing anything (LOADING,
                                   READONLY, OOM, ...): nothing was changed */
    NGX_RBL_STORE_BUSY,         /* NGX_RBL_LANE_WAITING slow batches of the
                                   account wait: nothing was sent */
    NGX_RBL_STORE_LOST          /* time-out or connection lost after sending:
                                   the outcome is unknown */
} ngx_rbl_store_rc_e;

/* Configuration of a store, one per distinct set of directives. */
typedef struct {
    ngx_str_t    name;          /* as written, for messages */
    ngx_addr_t  *addr;          /* resolved at configuration time */
    ngx_str_t    user;
    ngx_str_t    password;      /* from rbl_store_password_file */
    ngx_str_t    prefix;
    ngx_msec_t   timeout;       /* connect and command */
} ngx_rbl_store_conf_t;

/*
 * Called for each command in order, i from 0.  The reply belongs to hiredis
 * and ends with the call.  Not called for error replies that make the batch
 * fail (then `done` says so).
 */
typedef void (*ngx_rbl_reply_pt)(void *data, ngx_uint_t i,
    const redisReply *reply);

/* Called once, after the last reply or instead of the missing ones. */
typedef void (*ngx_rbl_done_pt)(void *data, ngx_rbl_store_rc_e rc);

/*
 * The store of a configuration, in this worker; connects by itself, the first
 * time on the first turn of the event loop.  Its keyspace is valid once ready.
 * NULL: out of memory; all functions that take a store take NULL for one that
 * is away, and no batch can be made for it.
 */
ngx_rbl_store_t *ngx_rbl_store_create(const ngx_rbl_store_conf_t *conf,
    ngx_log_t *log);
void ngx_rbl_store_destroy(ngx_rbl_store_t *store);     /* exit_process */

/* Is it connected and through its handshake?  (Then ks->partitions != 0.) */
ngx_int_t ngx_rbl_store_ready(ngx_rbl_store_t *store);
const rbl_keyspace_t *ngx_rbl_store_keyspace(ngx_rbl_store_t *store);

/*
 * A batch, from its own allocation (it may outlive the request).  NULL: out of
 * memory.  Every batch is either submitted or cancelled.
 */
ngx_rbl_batch_t *ngx_rbl_batch_create(ngx_rbl_store_t *store,
    ngx_rbl_reply_pt reply, ngx_rbl_done_pt done, void *data);

/* Adds a command; the bytes are copied.  A failure is remembered. */
void ngx_rbl_batch_command(ngx_rbl_batch_t *batch, int argc,
    const rbl_str_t *argv);

/* Adds a script call: argv holds its keys, then the arguments. */
void ngx_rbl_batch_script(ngx_rbl_batch_t *batch, const rbl_script_t *script,
    int argc, const rbl_str_t *argv);

/*
 * No request waits for this batch, and the store may refuse it.  A refusal is
 * logged and leaves the connection as it is; ngx_rbl_store_unwilling is then
 * true for a minute, or until another such batch succeeds.
 */
void ngx_rbl_batch_optional(ngx_rbl_batch_t *batch);
ngx_uint_t ngx_rbl_store_unwilling(const ngx_rbl_store_t *store);

/*
 * Sends the batch by the slow link.  Call it once, before submit.  An account
 * has one slow batch in flight, the others wait; accounts take turns.  While
 * other accounts use the worker, the slow batches of an account have at most a
 * quarter of the store's time, in all workers together.  At most 256 batches of
 * an account wait and 2048 in all, but one of each account in any case; each
 * waits for at most ten times rbl_store_timeout.  Beyond the 256 of its account
 * a batch is BUSY, beyond the rest AWAY.
 * The deadline counts from when the batch is sent.  A batch that is cancelled
 * while it waits is never sent.
 */
void ngx_rbl_batch_slow(ngx_rbl_batch_t *batch, const rbl_sid_t *account);

/* An account that has proved who it is uses the worker now. */
void ngx_rbl_share_seen(ngx_rbl_store_t *store, const rbl_sid_t *account);

/*
 * Sends.  An empty batch asks only whether the store is ready: OK when it is,
 * or as soon as this worker's first attempt to connect has succeeded; else
 * AWAY.  The completion never comes from inside this call.  A batch in
 * flight owns a timer that is not cancelable, so a graceful exit waits for it.
 */
void ngx_rbl_batch_submit(ngx_rbl_batch_t *batch);

/*
 * The owner is gone: neither function will be called any more.  What was sent
 * is not undone.  The pointer must not be used again.
 */
void ngx_rbl_batch_cancel(ngx_rbl_batch_t *batch);

#endif /* _NGX_RBL_STORE_H_INCLUDED_ */
