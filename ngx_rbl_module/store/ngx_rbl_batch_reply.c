/*
 * The commands of a batch on their way, and their replies.
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

#include "ngx_rbl_sentinel.h"

#include <assert.h>


static void ngx_rbl_batch_replied(ngx_rbl_link_t *link,
    const redisReply *reply, void *data);


/* Sends the script that was answered with NOSCRIPT again, with its source. */

static ngx_int_t
ngx_rbl_batch_eval(ngx_rbl_batch_t *batch)
{
    size_t      len;
    u_char     *buf;
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


static void
ngx_rbl_batch_unsure(ngx_rbl_batch_t *batch)
{
    ngx_log_error(NGX_LOG_WARN, batch->store->log, 0,
                  "rbl store \"%V\"%s: no replica confirms a change that a"
                  " failover must not undo",
                  &batch->store->conf->name, batch->link->name);
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
    ngx_str_t   name;
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
                  "rbl store \"%V\"%s answers %V: %s",
                  &batch->store->conf->name, batch->link->name, &name, reason);
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

        if (batch->waits && batch->replied == batch->commands.nelts) {
            ngx_rbl_batch_waited(batch, reply);
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
ngx_rbl_batch_send(ngx_rbl_batch_t *batch)
{
    u_char             *bytes;
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
        bytes = batch->commands.bytes + command->start;

        if (ngx_rbl_wire_send(batch->link->wire, bytes, command->len,
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
