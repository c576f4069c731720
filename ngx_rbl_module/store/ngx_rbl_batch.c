/*
 * One batch: submit, deadline, cancel, completion.
 *
 * A batch is its own allocation and outlives the request that made it.  Cancel
 * frees a batch that was not submitted; complete frees any other, and is the
 * only caller of `done`.  The store keeps some freed batches for the next ones.
 * The batch keeps its commands to the end, because a script that Redis answers
 * with NOSCRIPT is sent again with its source.
 *
 * A script ends a segment: the commands behind it are sent when its reply has
 * arrived.  So replies arrive in the order of the commands, and no command is
 * executed twice when a script is sent again.
 */

#include "ngx_rbl_redis.h"

#include <assert.h>

#define NGX_RBL_FLIGHT_MAX  8192        /* batches of a link in flight */

#if (NGX_DEBUG_PALLOC)
#define NGX_RBL_SPARES      0           /* shows a use after free */
#else
#define NGX_RBL_SPARES      64          /* batches of a store to be used
                                           again */
#endif


static void ngx_rbl_batch_send(ngx_rbl_batch_t *batch);
static ngx_int_t ngx_rbl_batch_eval(ngx_rbl_batch_t *batch);
static void ngx_rbl_batch_callback(redisAsyncContext *ac, void *reply,
    void *data);
static void ngx_rbl_batch_reply(ngx_rbl_batch_t *batch,
    const redisReply *reply);
static void ngx_rbl_batch_judge(ngx_rbl_batch_t *batch,
    const redisReply *reply, rbl_reply_class_t cls);
static void ngx_rbl_batch_log(ngx_rbl_batch_t *batch, const redisReply *reply);
static void ngx_rbl_batch_timeout(ngx_event_t *ev);
static void ngx_rbl_batch_land(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc);
static void ngx_rbl_batch_free(ngx_rbl_batch_t *batch);


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
    batch->link = &store->main;
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
    if (ngx_rbl_commands_add(&batch->commands, script, argc, argv,
                             batch->store->log)
        != NGX_OK)
    {
        batch->nomem = 1;
    }
}


void
ngx_rbl_batch_optional(ngx_rbl_batch_t *batch)
{
    batch->optional = 1;
}


void
ngx_rbl_batch_slow(ngx_rbl_batch_t *batch, const rbl_sid_t *account)
{
    batch->link = &batch->store->slow;
    batch->lane = ngx_rbl_lanes_enter(batch->store, account);

    if (batch->lane == NULL) {
        batch->nomem = 1;
    }
}


void
ngx_rbl_batch_submit(ngx_rbl_batch_t *batch)
{
    ngx_int_t        rc;
    ngx_rbl_link_t  *link;

    assert(batch->state == NGX_RBL_BATCH_OPEN);

    link = batch->link;

    if (batch->nomem) {
        ngx_rbl_store_refuse(batch, NGX_RBL_STORE_AWAY);

    } else if (batch->commands.nelts == 0) {
        ngx_rbl_store_hold(batch);

    } else if (batch->lane != NULL) {
        rc = ngx_rbl_lanes_wait(batch);

        if (rc != NGX_OK) {
            ngx_rbl_store_refuse(batch, rc == NGX_BUSY ? NGX_RBL_STORE_BUSY
                                                       : NGX_RBL_STORE_AWAY);
        }

    } else if (ngx_rbl_redis_ready(link)
               && link->nflight < NGX_RBL_FLIGHT_MAX)
    {
        ngx_rbl_batch_launch(batch);

    } else {
        ngx_rbl_store_refuse(batch, NGX_RBL_STORE_AWAY);
    }
}


void
ngx_rbl_batch_launch(ngx_rbl_batch_t *batch)
{
    ngx_rbl_link_t  *link;

    assert(batch->state == NGX_RBL_BATCH_OPEN
           || batch->state == NGX_RBL_BATCH_WAITING);

    link = batch->link;

    batch->state = NGX_RBL_BATCH_FLIGHT;
    ngx_queue_insert_tail(&link->flight, &batch->queue);
    ngx_rbl_redis_launched(link);
    ngx_rbl_counts->pending++;
    batch->since = ngx_rbl_counts_clock();
    batch->due = ngx_current_msec + batch->store->conf->timeout;

    ngx_rbl_batch_send(batch);
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
 * Sends the commands up to and including the next script.  If hiredis does not
 * accept a command, the deadline drops the connection.
 */

static void
ngx_rbl_batch_send(ngx_rbl_batch_t *batch)
{
    u_char             *bytes;
    ngx_rbl_command_t  *command;

    if (batch->lane) {
        ngx_rbl_share_begin(batch);
    }

    command = NULL;

    while (batch->sent < batch->commands.nelts
           && (command == NULL || command->script == NULL))
    {
        command = &batch->commands.elts[batch->sent];
        bytes = batch->commands.bytes + command->start;

        if (redisAsyncFormattedCommand(batch->link->ac,
                                       ngx_rbl_batch_callback, batch,
                                       (char *) bytes, command->len)
            != REDIS_OK)
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


/* Sends the script that was answered with NOSCRIPT again, with its source. */

static ngx_int_t
ngx_rbl_batch_eval(ngx_rbl_batch_t *batch)
{
    int      rc;
    size_t   len;
    u_char  *buf;

    buf = ngx_rbl_commands_eval(&batch->commands, batch->replied, &len,
                                batch->store->log);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    rc = redisAsyncFormattedCommand(batch->link->ac, ngx_rbl_batch_callback,
                                    batch, (char *) buf, len);
    ngx_free(buf);

    return rc == REDIS_OK ? NGX_OK : NGX_ERROR;
}


static void
ngx_rbl_batch_callback(redisAsyncContext *ac, void *reply, void *data)
{
    /* without a link the batch is already completed and freed */

    if (ngx_rbl_redis_replied(ac, reply) != NULL) {
        ngx_rbl_batch_reply(data, reply);
    }
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

    if (batch->replied < batch->sent) {
        return;
    }

    if (!batch->failed && batch->sent < batch->commands.nelts) {
        if (batch->done != NULL && ngx_rbl_redis_ready(batch->link)) {
            ngx_rbl_batch_send(batch);
            return;
        }

        batch->failed = 1;
    }

    ngx_rbl_batch_land(batch, !batch->failed ? NGX_RBL_STORE_OK
                              : batch->executed == 0 ? NGX_RBL_STORE_AWAY
                                                     : NGX_RBL_STORE_LOST);
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

    case RBL_REPLY_NOSCRIPT:
    case RBL_REPLY_MOVED:
    case RBL_REPLY_SLOT:
    case RBL_REPLY_NOWRITE:
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
ngx_rbl_batch_log(ngx_rbl_batch_t *batch, const redisReply *reply)
{
    char        reason[NGX_RBL_REDIS_REASON];
    ngx_str_t   name;
    ngx_uint_t  level;

    level = batch->link->replica ? NGX_LOG_INFO : NGX_LOG_ERR;

    name = ngx_rbl_commands_name(&batch->commands, batch->replied - 1);
    ngx_rbl_redis_reason(reason, sizeof(reason), reply);

    ngx_log_error(level, batch->store->log, 0,
                  "rbl store \"%V\" answers %V: %s",
                  &batch->store->conf->name, &name, reason);
}


/* A batch was not sent in time. */

static void
ngx_rbl_batch_timeout(ngx_event_t *ev)
{
    ngx_rbl_batch_t  *batch = ev->data;

    if (batch->state == NGX_RBL_BATCH_WAITING) {
        ngx_rbl_lanes_leave(batch);

    } else {
        ngx_queue_remove(&batch->queue);
    }

    ngx_rbl_batch_complete(batch, NGX_RBL_STORE_AWAY);
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


static void
ngx_rbl_batch_land(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc)
{
    assert(batch->state == NGX_RBL_BATCH_FLIGHT);
    assert(batch->link->nflight > 0);

    ngx_queue_remove(&batch->queue);
    batch->link->nflight--;
    ngx_rbl_counts->pending--;
    ngx_rbl_counts_latency(batch->since);

    if (batch->lane != NULL) {
        ngx_rbl_lanes_landed(batch->lane);
    }

    ngx_rbl_redis_landed(batch->link);
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
