/*
 * One batch: commands, submit, replies, deadline, cancel, completion.
 *
 * A batch is its own allocation and outlives the request that made it.  Cancel
 * frees a batch that was not submitted; complete frees any other, and is the
 * only caller of `done`.  The store keeps some freed batches for the next ones.
 *
 * The batch keeps its commands to the end, because a script that Redis answers
 * with NOSCRIPT is sent again with its source.
 *
 * A script ends a segment: the commands behind it are sent when its reply has
 * arrived.  So replies arrive in the order of the commands, and no command is
 * executed twice when a script is sent again.  A command for another node ends
 * a segment, too; the batch then continues on a link to that node.
 *
 * A batch that a node of a cluster refuses with MOVED, before it has executed
 * anything, is sent once more, to the node that has the slot now.
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


static void ngx_rbl_batch_replied(ngx_rbl_link_t *link,
    const redisReply *reply, void *data);


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


static void
ngx_rbl_batch_board(ngx_rbl_batch_t *batch, ngx_rbl_link_t *link)
{
    batch->link = link;
    batch->due = ngx_current_msec + batch->store->conf->timeout;
    ngx_queue_insert_tail(&link->flight, &batch->queue);
    ngx_rbl_redis_launched(link);
}


static void
ngx_rbl_batch_leave(ngx_rbl_batch_t *batch)
{
    assert(batch->link->nflight > 0);

    ngx_queue_remove(&batch->queue);
    batch->link->nflight--;
    ngx_rbl_redis_landed(batch->link);
}


static void
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


static void
ngx_rbl_batch_unsure(ngx_rbl_batch_t *batch)
{
    ngx_log_error(NGX_LOG_WARN, batch->store->log, 0,
                  "rbl store \"%V\"%s: no replica confirms a change that a"
                  " failover must not undo",
                  &batch->store->conf->name, batch->link->name);
}


void
ngx_rbl_batch_judged(ngx_rbl_batch_t *batch, ngx_uint_t good)
{
    ngx_queue_remove(&batch->queue);

    if (batch->deadline.timer_set) {
        ngx_del_timer(&batch->deadline);
    }

    if (!good) {
        ngx_rbl_batch_unsure(batch);
    }

    ngx_rbl_batch_land(batch, good ? NGX_RBL_STORE_OK : NGX_RBL_STORE_LOST);
}


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


void
ngx_rbl_batch_script(ngx_rbl_batch_t *batch, const rbl_script_t *script,
    int argc, const rbl_str_t *argv)
{
    char                 buf[RBL_KEY_MAX];
    rbl_str_t            guard;
    ngx_rbl_command_t   *command;
    ngx_rbl_commands_t  *commands;

    commands = &batch->commands;
    guard = script != NULL && batch->store->nodes.kind == RBL_PLACE_CLUSTER
            ? rbl_nodes_guard(buf, argv[0]) : RBL_STR("");

    if (ngx_rbl_commands_add(commands, script, guard, argc, argv,
                             batch->store->log)
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
ngx_rbl_batch_command(ngx_rbl_batch_t *batch, int argc, const rbl_str_t *argv)
{
    ngx_rbl_batch_script(batch, NULL, argc, argv);
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


static ngx_rbl_link_t *
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


/* Sends the script that was answered with NOSCRIPT again, with its source. */

static ngx_int_t
ngx_rbl_batch_eval(ngx_rbl_batch_t *batch)
{
    char       *buf;
    size_t      len;
    ngx_int_t   rc;

    buf = ngx_rbl_commands_eval(&batch->commands, batch->replied, &len,
                                batch->store->log);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_rbl_wire_send(batch->link->wire, buf, len, ngx_rbl_batch_replied,
                           batch);
    ngx_free(buf);

    return rc;
}


/*
 * The reply of WAIT: how many replicas have the changes.  If one lacks them, it
 * may be the master by now, and this server may not know it yet.  The scout
 * asks the Sentinels.  In a cluster the other nodes tell a server at once.
 */

static void
ngx_rbl_batch_waited(ngx_rbl_batch_t *batch, const redisReply *reply)
{
    int64_t  n;

    n = rbl_reply_int(reply, 0);

    if (n <= 0) {
        batch->failed = 1;
        ngx_rbl_batch_unsure(batch);

    } else if (n < (int64_t) batch->needs && !batch->failed
               && batch->store->scout != NULL)
    {
        ngx_rbl_batch_leave(batch);
        ngx_add_timer(&batch->deadline,
                      ngx_max((ngx_msec_int_t) (batch->due - ngx_current_msec),
                              1));
        ngx_rbl_sentinel_doubt(batch);
    }
}


static void
ngx_rbl_batch_log(ngx_rbl_batch_t *batch, const redisReply *reply)
{
    char        reason[NGX_RBL_REDIS_REASON];
    rbl_str_t   name;
    ngx_uint_t  level;

    if (batch->quiet) {
        return;
    }

    /* replies of a failover are no fault of the store */

    level = batch->link->replica
            || (batch->store->nodes.kind == RBL_PLACE_CLUSTER
                && rbl_reply_class(reply) < RBL_REPLY_NOAUTH)
            ? NGX_LOG_INFO : NGX_LOG_ERR;

    name = ngx_rbl_commands_name(&batch->commands, batch->replied - 1);
    ngx_rbl_redis_reason(reason, sizeof(reason), reply);

    ngx_log_error(level, batch->store->log, 0,
                  "rbl store \"%V\"%s answers %*s: %s",
                  &batch->store->conf->name, batch->link->name, name.n, name.p,
                  reason);
}


/* Applies one reply to the batch and to the connection. */

static void
ngx_rbl_batch_judge(ngx_rbl_batch_t *batch, const redisReply *reply,
    rbl_reply_class_t cls)
{
    char        reason[NGX_RBL_REDIS_REASON];
    ngx_uint_t  i;

    i = batch->replied++;

    switch (cls) {

    case RBL_REPLY_OK:
        batch->executed++;

        if (batch->waits && i + 2 >= batch->commands.nelts) {
            if (i + 1 == batch->commands.nelts) {
                ngx_rbl_batch_waited(batch, reply);
            }

            return;
        }

        if (batch->optional) {
            batch->store->unwilling = 0;
        }

        if (!batch->failed && batch->reply != NULL) {
            batch->reply(batch->data, i, reply);
        }

        return;

    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_NOAUTH:
        if (!batch->optional) {
            batch->failed = 1;
            ngx_rbl_redis_reason(reason, sizeof(reason), reply);
            ngx_rbl_redis_leave(batch->link, reason);
            return;
        }

        break;

    case RBL_REPLY_READONLY:

        /* only this write failed; if the query fails, the next one will tell */

        (void) ngx_rbl_redis_role_ask(batch->link);
        break;

    case RBL_REPLY_NOWRITE:
        ngx_rbl_redis_reason(batch->store->refusal,
                             sizeof(batch->store->refusal), reply);

        if (batch->store->scout != NULL) {
            (void) ngx_rbl_redis_role_ask(batch->link);
        }

        break;

    case RBL_REPLY_MOVED:
        batch->target = ngx_rbl_cluster_moved(batch->link, reply);

        if (batch->target == batch->link->node->i) {
            ngx_rbl_redis_leave(batch->link,
                                "it answers MOVED with its own address");
        }

        break;

    case RBL_REPLY_SLOT:
        ngx_rbl_cluster_doubt(batch->store);
        break;

    case RBL_REPLY_NOSCRIPT:
    case RBL_REPLY_NOPERM:
        break;

    default:
        batch->executed++;
        batch->failed = 1;
        ngx_rbl_batch_log(batch, reply);
        return;
    }

    if (batch->optional) {
        batch->store->unwilling = ngx_max(ngx_current_msec, 1);
    }

    batch->failed = 1;
    ngx_rbl_batch_log(batch, reply);
}


static void
ngx_rbl_batch_send(ngx_rbl_batch_t *batch)
{
    rbl_str_t           bytes;
    ngx_rbl_command_t  *command;

    if (batch->lane) {
        ngx_rbl_share_begin(batch);
    }

    command = NULL;

    while (batch->sent < batch->commands.nelts
           && (command == NULL || command->script == NULL)
           && batch->commands.elts[batch->sent].node == batch->link->node->i)
    {
        command = &batch->commands.elts[batch->sent];
        bytes = ngx_rbl_commands_bytes(&batch->commands, batch->sent);

        if (ngx_rbl_wire_send(batch->link->wire, bytes.p, bytes.n,
                              ngx_rbl_batch_replied, batch)
            != NGX_OK)
        {
            ngx_log_error(NGX_LOG_ERR, batch->store->log, 0,
                          "rbl store \"%V\": a command cannot be sent",
                          &batch->store->conf->name);
            return;
        }

        batch->sent++;
    }

    if (batch->lane) {
        ngx_rbl_share_end(batch);
    }
}


/* Sends the batch to the node that MOVED has named.  0: it cannot be sent. */

static ngx_uint_t
ngx_rbl_batch_redirect(ngx_rbl_batch_t *batch)
{
    ngx_uint_t          i, from;
    ngx_rbl_link_t     *link;
    ngx_rbl_node_t     *node;
    ngx_rbl_command_t  *elts;

    node = ngx_rbl_node(batch->store, batch->target);
    link = ngx_rbl_batch_link(batch, node);
    elts = batch->commands.elts;
    from = batch->link->node->i;

    if (link == NULL || !ngx_rbl_redis_ready(link) || batch->moved
        || batch->executed != 0 || batch->lane != NULL || batch->done == NULL)
    {
        return 0;
    }

    for (i = 0; i < batch->commands.nelts; i++) {
        if (elts[i].node == from) {
            elts[i].node = node->i;
        }
    }

    batch->moved = 1;
    batch->failed = 0;
    batch->target = RBL_NODE_NONE;
    batch->sent = 0;
    batch->replied = 0;

    ngx_rbl_batch_leave(batch);
    ngx_rbl_batch_board(batch, link);
    ngx_rbl_batch_send(batch);

    return 1;
}


/* Sends the next segment.  0: its node is not ready. */

static ngx_uint_t
ngx_rbl_batch_next(ngx_rbl_batch_t *batch)
{
    ngx_rbl_link_t  *link;
    ngx_rbl_node_t  *node;

    node = ngx_rbl_node(batch->store, batch->commands.elts[batch->sent].node);
    link = batch->link;

    if (node != link->node) {
        link = ngx_rbl_batch_link(batch, node);
    }

    if (link == NULL || !ngx_rbl_redis_ready(link)) {
        return 0;
    }

    if (link != batch->link) {
        ngx_rbl_batch_leave(batch);
        ngx_rbl_batch_board(batch, link);
    }

    ngx_rbl_batch_send(batch);

    return 1;
}


static void
ngx_rbl_batch_reply(ngx_rbl_batch_t *batch, const redisReply *reply)
{
    rbl_reply_class_t  cls;

    assert(batch->state == NGX_RBL_BATCH_FLIGHT);
    assert(batch->replied < batch->sent);

    cls = rbl_reply_class(reply);

    if (cls == RBL_REPLY_NOSCRIPT && batch->done != NULL && !batch->evaled
        && batch->commands.elts[batch->replied].script != NULL
        && ngx_rbl_batch_eval(batch) == NGX_OK)
    {
        batch->evaled = 1;
        return;
    }

    batch->evaled = 0;
    ngx_rbl_batch_judge(batch, reply, cls);

    if (batch->replied < batch->sent || batch->doubted) {
        return;
    }

    if (batch->target != RBL_NODE_NONE && ngx_rbl_batch_redirect(batch)) {
        return;
    }

    if (!batch->failed && batch->sent < batch->commands.nelts) {
        if (batch->done != NULL && ngx_rbl_batch_next(batch)) {
            return;
        }

        batch->failed = 1;
    }

    ngx_rbl_batch_land(batch, !batch->failed ? NGX_RBL_STORE_OK
                              : batch->executed == 0 ? NGX_RBL_STORE_AWAY
                                                     : NGX_RBL_STORE_LOST);
}


/* Without a reply the batch is already completed and freed. */

static void
ngx_rbl_batch_replied(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    if (reply != NULL) {
        ngx_rbl_batch_reply(data, reply);
    }
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


/* True if the batch may change something that a failover must not undo: by a
   script, or by a command that makes or deletes a key.  A session that is kept
   alive needs no replica. */

static ngx_uint_t
ngx_rbl_batch_changes(const ngx_rbl_batch_t *batch)
{
    rbl_str_t    name;
    ngx_uint_t   i, k;
    const char  *verbs[] = { "SET", "GETDEL", "ZADD", "ZREM" };

    for (i = 0; i < batch->commands.nelts; i++) {
        if (batch->commands.elts[i].script != NULL) {
            return 1;
        }

        name = ngx_rbl_commands_name(&batch->commands, i);

        for (k = 0; k < sizeof(verbs) / sizeof(verbs[0]); k++) {
            if (rbl_str_is(name, verbs[k])) {
                return 1;
            }
        }
    }

    return 0;
}


/* Adds a change, and WAIT for all replicas of the node, if it has some. */

static void
ngx_rbl_batch_wait(ngx_rbl_batch_t *batch, const ngx_rbl_node_t *node)
{
    char                 text[2][RBL_OUT_INT];
    rbl_key_t            key;
    ngx_rbl_commands_t  *commands;

    if (node->replicas == 0 || !ngx_rbl_batch_changes(batch)) {
        return;
    }

    commands = &batch->commands;

    ngx_rbl_batch_command(batch, RBL_COMMAND("SET",
                          rbl_nodes_touch(&key, &batch->store->nodes,
                                          &batch->store->ks, node->i),
                          RBL_STR("")));

    ngx_rbl_batch_command(batch, RBL_COMMAND("WAIT",
                          rbl_out_int_text(text[0], (int64_t) node->replicas),
                          rbl_out_int_text(text[1],
                                    batch->store->conf->timeout / 4 + 1)));

    if (batch->nomem) {
        return;
    }

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
        node = batch->nomem ? NULL : node;
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
