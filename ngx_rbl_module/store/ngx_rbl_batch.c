/*
 * One batch: submit, deadline, cancel, completion.
 *
 * A batch is its own allocation and outlives the request that made it.  Cancel
 * frees a batch that was not submitted; complete frees any other, and is the
 * only caller of `done`.  The store keeps some freed batches for the next ones.
 */

#include "ngx_rbl_redis.h"
#include "rbl_out.h"

#include <assert.h>

#define NGX_RBL_FLIGHT_MAX  8192        /* batches of a link in flight */

#if (NGX_DEBUG_PALLOC)
#define NGX_RBL_SPARES      0           /* shows a use after free */
#else
#define NGX_RBL_SPARES      64          /* batches of a store to be used
                                           again */
#endif


/* A batch was not sent in time, or the Sentinels have not answered in time. */

static void
ngx_rbl_batch_timeout(ngx_event_t *ev)
{
    ngx_rbl_batch_t  *batch = ev->data;

    if (batch->doubted) {
        ngx_rbl_batch_judged(batch, 0);
        return;
    }

    if (batch->state == NGX_RBL_BATCH_WAITING) {
        ngx_rbl_lanes_leave(batch);

    } else {
        ngx_queue_remove(&batch->queue);
    }

    ngx_rbl_batch_complete(batch, NGX_RBL_STORE_AWAY);
}


ngx_rbl_batch_t *
ngx_rbl_batch_create(ngx_rbl_store_t *store, ngx_rbl_reply_pt reply,
    ngx_rbl_done_pt done, void *data)
{
    ngx_rbl_batch_t  *batch;

    if (store == NULL) {
        return NULL;
    }

    batch = ngx_rbl_batch_spare(store);

    if (batch == NULL) {
        batch = ngx_alloc(sizeof(ngx_rbl_batch_t), store->log);
    }

    if (batch == NULL) {
        return NULL;
    }

    ngx_memzero(batch, offsetof(ngx_rbl_batch_t, commands)
                       + NGX_RBL_COMMANDS_HEAD);

    batch->store = store;
    batch->target = RBL_NODE_NONE;
    batch->reply = reply;
    batch->done = done;
    batch->data = data;
    batch->deadline.data = batch;
    batch->deadline.log = store->log;
    batch->deadline.handler = ngx_rbl_batch_timeout;

    return batch;
}


/* A malloc and a free of this size cost as much as building the commands. */

ngx_rbl_batch_t *
ngx_rbl_batch_spare(ngx_rbl_store_t *store)
{
    ngx_queue_t  *q;

    if (store->nspares == 0) {
        return NULL;
    }

    store->nspares--;
    q = ngx_queue_head(&store->spares);
    ngx_queue_remove(q);

    return ngx_queue_data(q, ngx_rbl_batch_t, queue);
}


void
ngx_rbl_batch_command(ngx_rbl_batch_t *batch, int argc, const rbl_str_t *argv)
{
    ngx_rbl_batch_script(batch, NULL, argc, argv);
}


void
ngx_rbl_batch_script(ngx_rbl_batch_t *batch, const rbl_script_t *script,
    int argc, const rbl_str_t *argv)
{
    char                 buf[RBL_KEY_MAX];
    rbl_str_t            guard;
    ngx_uint_t           guarded;
    ngx_rbl_command_t   *command;
    ngx_rbl_commands_t  *commands;

    commands = &batch->commands;
    guarded = script != NULL && batch->store->nodes.kind == RBL_PLACE_CLUSTER;

    if (guarded) {
        guard = rbl_nodes_guard(buf, argv[0]);
    }

    if (ngx_rbl_commands_add(commands, script, guarded ? &guard : NULL, argc,
                             argv, batch->store->log)
        != NGX_OK)
    {
        batch->nomem = 1;
        return;
    }

    command = &commands->elts[commands->nelts - 1];

    command->node = argc == 1 && script == NULL && commands->nelts > 1
                    ? command[-1].node
                    : rbl_nodes_of_words(&batch->store->nodes, argc, argv);
}


void
ngx_rbl_batch_optional(ngx_rbl_batch_t *batch)
{
    batch->optional = 1;
}


void
ngx_rbl_batch_quiet(ngx_rbl_batch_t *batch)
{
    batch->quiet = 1;
}


void
ngx_rbl_batch_slow(ngx_rbl_batch_t *batch, const rbl_sid_t *account)
{
    batch->slow = 1;
    batch->account = *account;
}


void
ngx_rbl_batch_durable(ngx_rbl_batch_t *batch)
{
    batch->durable = 1;
}


/* True if the batch may change something that a failover must not undo: by a
   script, or by a command that makes or deletes a key.  A session that is kept
   alive needs no replica. */

static ngx_uint_t
ngx_rbl_batch_changes(const ngx_rbl_batch_t *batch)
{
    ngx_str_t    name;
    ngx_uint_t   i, k;
    const char  *verbs[] = { "SET", "GETDEL", "ZADD", "ZREM" };

    for (i = 0; i < batch->commands.nelts; i++) {
        if (batch->commands.elts[i].script != NULL) {
            return 1;
        }

        name = ngx_rbl_commands_name(&batch->commands, i);

        for (k = 0; k < sizeof(verbs) / sizeof(verbs[0]); k++) {
            if (name.len == ngx_strlen(verbs[k])
                && ngx_memcmp(name.data, verbs[k], name.len) == 0)
            {
                return 1;
            }
        }
    }

    return 0;
}


/* Adds WAIT for all replicas of the node, if it has some. */

static void
ngx_rbl_batch_wait(ngx_rbl_batch_t *batch, const ngx_rbl_node_t *node)
{
    char                 text[2][RBL_OUT_INT];
    ngx_rbl_commands_t  *commands;

    if (node->replicas == 0 || !ngx_rbl_batch_changes(batch)) {
        return;
    }

    commands = &batch->commands;

    ngx_rbl_batch_command(batch, RBL_COMMAND("WAIT",
                          rbl_out_int_text(text[0], (int64_t) node->replicas),
                          rbl_out_int_text(text[1],
                                    batch->store->conf->timeout / 4 + 1)));

    commands->elts[commands->nelts - 1].node =
        commands->elts[commands->nelts - 2].node;
    batch->waits = 1;
    batch->needs = node->replicas;
}


static ngx_uint_t
ngx_rbl_batch_open(const ngx_rbl_link_t *link)
{
    return ngx_rbl_redis_ready(link) && link->nflight < NGX_RBL_FLIGHT_MAX;
}


void
ngx_rbl_batch_submit(ngx_rbl_batch_t *batch)
{
    ngx_int_t        rc;
    ngx_rbl_node_t  *node;

    assert(batch->state == NGX_RBL_BATCH_OPEN);

    if (batch->commands.nelts == 0 && !batch->nomem) {
        ngx_rbl_store_hold(batch);
        return;
    }

    node = batch->nomem ? NULL
           : ngx_rbl_node(batch->store, batch->commands.elts[0].node);

    if (node != NULL && batch->durable) {
        ngx_rbl_batch_wait(batch, node);
    }

    if (node != NULL && batch->slow) {
        batch->lane = ngx_rbl_lanes_enter(node, &batch->account);
        batch->link = &node->slow;
        rc = batch->lane != NULL ? ngx_rbl_lanes_wait(batch) : NGX_DECLINED;

        if (rc != NGX_OK) {
            ngx_rbl_store_refuse(batch, rc == NGX_BUSY ? NGX_RBL_STORE_BUSY
                                                       : NGX_RBL_STORE_AWAY);
        }

    } else if (node != NULL
               && ngx_rbl_batch_open(ngx_rbl_batch_link(batch, node)))
    {
        batch->link = ngx_rbl_batch_link(batch, node);
        ngx_rbl_batch_launch(batch);

    } else {
        ngx_rbl_store_refuse(batch, NGX_RBL_STORE_AWAY);
    }
}


ngx_rbl_link_t *
ngx_rbl_batch_link(const ngx_rbl_batch_t *batch, ngx_rbl_node_t *node)
{
    if (node == NULL) {
        return NULL;
    }

    if (batch->waits) {
        return &node->durable;
    }

    return batch->lane != NULL && ngx_rbl_redis_ready(&node->slow)
           ? &node->slow : &node->main;
}


void
ngx_rbl_batch_launch(ngx_rbl_batch_t *batch)
{
    assert(batch->state == NGX_RBL_BATCH_OPEN
           || batch->state == NGX_RBL_BATCH_WAITING);

    batch->state = NGX_RBL_BATCH_FLIGHT;
    ngx_rbl_counts->pending++;
    batch->since = ngx_rbl_counts_clock();

    ngx_rbl_batch_board(batch, batch->link);
    ngx_rbl_batch_send(batch);
}


void
ngx_rbl_batch_board(ngx_rbl_batch_t *batch, ngx_rbl_link_t *link)
{
    batch->link = link;
    batch->due = ngx_current_msec + batch->store->conf->timeout;
    ngx_queue_insert_tail(&link->flight, &batch->queue);
    ngx_rbl_redis_launched(link);
}


void
ngx_rbl_batch_leave(ngx_rbl_batch_t *batch)
{
    assert(batch->link->nflight > 0);

    ngx_queue_remove(&batch->queue);
    batch->link->nflight--;
    ngx_rbl_redis_landed(batch->link);
}


static void
ngx_rbl_batch_free(ngx_rbl_batch_t *batch)
{
    if (batch->lane != NULL) {
        ngx_rbl_lanes_exit(batch->lane);
    }

    ngx_rbl_commands_free(&batch->commands);

    if (batch->store->nspares == NGX_RBL_SPARES) {
        ngx_free(batch);
        return;
    }

    batch->store->nspares++;
    ngx_queue_insert_head(&batch->store->spares, &batch->queue);
}


void
ngx_rbl_batch_cancel(ngx_rbl_batch_t *batch)
{
    batch->reply = NULL;
    batch->done = NULL;

    if (batch->state == NGX_RBL_BATCH_WAITING) {
        ngx_rbl_lanes_leave(batch);
        ngx_rbl_batch_free(batch);

    } else if (batch->state == NGX_RBL_BATCH_OPEN) {
        ngx_rbl_batch_free(batch);
    }
}


void
ngx_rbl_batch_fail_flight(ngx_rbl_link_t *link)
{
    ngx_queue_t  *q;

    /* no batch can be added here: the link is not ready */

    while (!ngx_queue_empty(&link->flight)) {
        q = ngx_queue_head(&link->flight);
        ngx_rbl_batch_land(ngx_queue_data(q, ngx_rbl_batch_t, queue),
                           NGX_RBL_STORE_LOST);
    }
}


/*
 * A deadline fails one batch: its owner is notified, and replies that still
 * arrive are discarded.  All batches of a link have the same timeout, so they
 * are in the order of their deadlines.
 */

ngx_msec_t
ngx_rbl_batch_expire(ngx_rbl_link_t *link)
{
    ngx_queue_t      *q;
    ngx_rbl_done_pt   done;
    ngx_rbl_batch_t  *batch;

    for (q = ngx_queue_head(&link->flight);
         q != ngx_queue_sentinel(&link->flight);
         q = ngx_queue_next(q))
    {
        batch = ngx_queue_data(q, ngx_rbl_batch_t, queue);

        if ((ngx_msec_int_t) (batch->due - ngx_current_msec) > 0) {
            return batch->due - ngx_current_msec;
        }

        done = batch->done;
        batch->reply = NULL;
        batch->done = NULL;

        if (done != NULL) {
            ngx_rbl_counts->lost++;
            done(batch->data, NGX_RBL_STORE_LOST);
        }
    }

    return 0;
}


void
ngx_rbl_batch_land(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc)
{
    assert(batch->state == NGX_RBL_BATCH_FLIGHT);

    ngx_rbl_counts->pending--;
    ngx_rbl_counts_latency(batch->since);

    if (!batch->doubted) {
        ngx_rbl_batch_leave(batch);
    }

    if (batch->lane != NULL) {
        ngx_rbl_lanes_landed(batch->lane);
    }

    ngx_rbl_batch_complete(batch, rc);
}


void
ngx_rbl_batch_complete(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_done_pt  done;

    assert(batch->state != NGX_RBL_BATCH_DONE);
    assert(!batch->deadline.timer_set);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, batch->store->log, 0,
                   "rbl batch %p complete: %d", batch, rc);

    batch->state = NGX_RBL_BATCH_DONE;
    done = batch->done;
    batch->done = NULL;

    if (done != NULL) {
        ngx_rbl_counts->away += rc == NGX_RBL_STORE_AWAY;
        ngx_rbl_counts->lost += rc == NGX_RBL_STORE_LOST;
        done(batch->data, rc);
    }

    ngx_rbl_batch_free(batch);
}
