/*
 * One batch: submit, deadline, cancel, completion.
 *
 * A batch is its own allocation and outlives the request that made it.  It is
 * freed in two places: by cancel when it was not submitted, else by complete,
 * which is the only one to call `done`.  Its commands are kept to the end, for
 * a script that the store does not have is sent again with its source.
 *
 * A script ends a segment: what follows it in the batch is sent when its reply
 * is in.  So replies come in the order of the commands, and nothing is executed
 * twice, even when a script has to be sent again.
 */

#include "ngx_rbl_redis.h"
#include "ngx_rbl_commands.h"

#define NGX_RBL_FLIGHT_MAX  8192        /* batches of a store in flight */
#define NGX_RBL_UNWILLING   60000       /* ms */


typedef enum {
    NGX_RBL_BATCH_OPEN = 0,
    NGX_RBL_BATCH_HELD,
    NGX_RBL_BATCH_FLIGHT,
    NGX_RBL_BATCH_REFUSED,
    NGX_RBL_BATCH_DONE
} ngx_rbl_batch_state_e;

struct ngx_rbl_batch_s {
    ngx_queue_t               queue;    /* held, in flight or refused */
    ngx_rbl_store_t          *store;
    ngx_event_t               deadline;

    ngx_rbl_reply_pt          reply;    /* both NULL: cancelled */
    ngx_rbl_done_pt           done;
    void                     *data;

    ngx_uint_t                sent;     /* commands handed to hiredis */
    ngx_uint_t                replied;
    ngx_uint_t                executed; /* replied and not refused */
    uint64_t                  since;    /* submitted, by the meter's clock */

    ngx_rbl_batch_state_e     state;

    unsigned                  nomem:1;  /* a command could not be added */
    unsigned                  failed:1; /* no further reply is handed over */
    unsigned                  evaled:1; /* the present script is out as EVAL */
    unsigned                  optional:1;   /* refused, it says nothing of the
                                           store */

    ngx_rbl_commands_t        commands; /* last: its room is not zeroed */
};


static void ngx_rbl_batch_hold(ngx_rbl_batch_t *batch);
static void ngx_rbl_batch_refuse(ngx_rbl_batch_t *batch);
static void ngx_rbl_batch_wake(ngx_rbl_store_t *store);
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
static void ngx_rbl_batch_complete(ngx_rbl_batch_t *batch,
    ngx_rbl_store_rc_e rc);
static void ngx_rbl_batch_free(ngx_rbl_batch_t *batch);


ngx_rbl_batch_t *
ngx_rbl_batch_create(ngx_rbl_store_t *store, ngx_rbl_reply_pt reply,
    ngx_rbl_done_pt done, void *data)
{
    ngx_rbl_batch_t  *batch;

    if (store == NULL) {
        return NULL;
    }

    batch = ngx_alloc(sizeof(ngx_rbl_batch_t), store->log);
    if (batch == NULL) {
        return NULL;
    }

    ngx_memzero(batch, offsetof(ngx_rbl_batch_t, commands)
                       + NGX_RBL_COMMANDS_HEAD);

    batch->store = store;
    batch->reply = reply;
    batch->done = done;
    batch->data = data;
    batch->deadline.data = batch;
    batch->deadline.log = store->log;
    batch->deadline.handler = ngx_rbl_batch_timeout;

    return batch;
}


void
ngx_rbl_batch_command(ngx_rbl_batch_t *batch, int argc, const rbl_str_t *argv)
{
    ngx_rbl_batch_script(batch, NULL, 0, argc, argv);
}


void
ngx_rbl_batch_script(ngx_rbl_batch_t *batch, const rbl_script_t *script,
    int nkeys, int argc, const rbl_str_t *argv)
{
    if (ngx_rbl_commands_add(&batch->commands, script, nkeys, argc, argv,
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


ngx_uint_t
ngx_rbl_store_unwilling(const ngx_rbl_store_t *store)
{
    return store->unwilling
           && ngx_current_msec - store->unwilling < NGX_RBL_UNWILLING;
}


void
ngx_rbl_batch_submit(ngx_rbl_batch_t *batch)
{
    ngx_rbl_store_t  *store;

    store = batch->store;

    if (batch->commands.nelts == 0 && !batch->nomem) {
        ngx_rbl_batch_hold(batch);
        return;
    }

    if (batch->nomem
        || !ngx_rbl_store_ready(store)
        || store->nflight >= NGX_RBL_FLIGHT_MAX)
    {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, store->log, 0,
                       "rbl batch %p refused, in flight: %ui",
                       batch, store->nflight);

        ngx_rbl_batch_refuse(batch);
        return;
    }

    batch->state = NGX_RBL_BATCH_FLIGHT;
    ngx_queue_insert_tail(&store->flight, &batch->queue);
    store->nflight++;
    ngx_rbl_meter->pending++;
    batch->since = ngx_rbl_meter_clock();
    ngx_add_timer(&batch->deadline, store->conf->timeout);

    ngx_rbl_batch_send(batch);
}


void
ngx_rbl_batch_cancel(ngx_rbl_batch_t *batch)
{
    batch->reply = NULL;
    batch->done = NULL;

    if (batch->state == NGX_RBL_BATCH_OPEN) {
        ngx_rbl_batch_free(batch);
    }
}


void
ngx_rbl_batch_release(ngx_rbl_store_t *store, ngx_rbl_store_rc_e rc)
{
    ngx_queue_t       queue;
    ngx_queue_t      *q;
    ngx_rbl_batch_t  *batch;

    ngx_queue_init(&queue);

    if (!ngx_queue_empty(&store->held)) {
        ngx_queue_add(&queue, &store->held);
        ngx_queue_init(&store->held);
    }

    while (!ngx_queue_empty(&queue)) {
        q = ngx_queue_head(&queue);
        ngx_queue_remove(q);
        batch = ngx_queue_data(q, ngx_rbl_batch_t, queue);

        if (batch->deadline.timer_set) {
            ngx_del_timer(&batch->deadline);
        }

        ngx_rbl_batch_complete(batch, rc);
    }
}


void
ngx_rbl_batch_fail_flight(ngx_rbl_store_t *store)
{
    ngx_queue_t  *q;

    /* none can be added: the store is not ready */

    while (!ngx_queue_empty(&store->flight)) {
        q = ngx_queue_head(&store->flight);
        ngx_rbl_batch_land(ngx_queue_data(q, ngx_rbl_batch_t, queue),
                           NGX_RBL_STORE_LOST);
    }
}


void
ngx_rbl_batch_fail_refused(ngx_rbl_store_t *store)
{
    ngx_queue_t   queue;
    ngx_queue_t  *q;

    /* what is refused from inside a completion waits for the next event */

    ngx_queue_init(&queue);

    if (!ngx_queue_empty(&store->refused)) {
        ngx_queue_add(&queue, &store->refused);
        ngx_queue_init(&store->refused);
    }

    while (!ngx_queue_empty(&queue)) {
        q = ngx_queue_head(&queue);
        ngx_queue_remove(q);
        ngx_rbl_batch_complete(ngx_queue_data(q, ngx_rbl_batch_t, queue),
                               NGX_RBL_STORE_AWAY);
    }
}


/*
 * An empty batch asks for nothing but a store that is ready, and waits for the
 * outcome of the first connect of this worker.  So a worker that has just been
 * started by a reload refuses nobody.
 */

static void
ngx_rbl_batch_hold(ngx_rbl_batch_t *batch)
{
    ngx_rbl_store_t  *store;

    store = batch->store;

    if (!store->opening && !ngx_rbl_store_ready(store)) {
        ngx_rbl_batch_refuse(batch);
        return;
    }

    batch->state = NGX_RBL_BATCH_HELD;
    ngx_queue_insert_tail(&store->held, &batch->queue);
    ngx_add_timer(&batch->deadline, store->conf->timeout);

    if (!store->opening) {
        ngx_rbl_batch_wake(store);
    }
}


static void
ngx_rbl_batch_refuse(ngx_rbl_batch_t *batch)
{
    batch->state = NGX_RBL_BATCH_REFUSED;
    ngx_queue_insert_tail(&batch->store->refused, &batch->queue);
    ngx_rbl_batch_wake(batch->store);
}


/* What is decided already is completed later, never from inside submit. */

static void
ngx_rbl_batch_wake(ngx_rbl_store_t *store)
{
    if (!store->refuse.posted) {
        ngx_post_event(&store->refuse, &ngx_posted_events);
    }
}


/*
 * Sends up to and with the next script.  A command that hiredis does not take
 * is left to the deadline, which drops the connection.
 */

static void
ngx_rbl_batch_send(ngx_rbl_batch_t *batch)
{
    u_char             *bytes;
    ngx_rbl_command_t  *command;

    while (batch->sent < batch->commands.nelts) {
        command = &batch->commands.elts[batch->sent];
        bytes = batch->commands.bytes + command->start;

        if (redisAsyncFormattedCommand(batch->store->ac,
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

        if (command->script != NULL) {
            return;
        }
    }
}


/* The script that was answered by NOSCRIPT, once more and with its source. */

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

    rc = redisAsyncFormattedCommand(batch->store->ac, ngx_rbl_batch_callback,
                                    batch, (char *) buf, len);
    ngx_free(buf);

    return rc == REDIS_OK ? NGX_OK : NGX_ERROR;
}


static void
ngx_rbl_batch_callback(redisAsyncContext *ac, void *reply, void *data)
{
    /* without a store the batch has been completed and freed */

    if (ngx_rbl_redis_replied(ac, reply) != NULL) {
        ngx_rbl_batch_reply(data, reply);
    }
}


static void
ngx_rbl_batch_reply(ngx_rbl_batch_t *batch, const redisReply *reply)
{
    rbl_reply_class_t  cls;

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
        if (batch->done != NULL && ngx_rbl_store_ready(batch->store)) {
            ngx_rbl_batch_send(batch);
            return;
        }

        batch->failed = 1;
    }

    ngx_rbl_batch_land(batch, !batch->failed ? NGX_RBL_STORE_OK
                              : batch->executed == 0 ? NGX_RBL_STORE_AWAY
                                                     : NGX_RBL_STORE_LOST);
}


/* What one reply means for the batch, and for the connection. */

static void
ngx_rbl_batch_judge(ngx_rbl_batch_t *batch, const redisReply *reply,
    rbl_reply_class_t cls)
{
    ngx_uint_t  i;

    i = batch->replied++;

    switch (cls) {

    case RBL_REPLY_OK:
        batch->executed++;

        if (!batch->failed && batch->reply != NULL) {
            batch->reply(batch->data, i, reply);
        }

        return;

    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_READONLY:
    case RBL_REPLY_NOAUTH:
        if (batch->optional) {
            break;
        }

        batch->failed = 1;
        ngx_rbl_redis_leave(batch->store, reply);
        return;

    case RBL_REPLY_NOSCRIPT:
    case RBL_REPLY_NOWRITE:
    case RBL_REPLY_NOPERM:
        break;

    default:
        batch->executed++;
        break;
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
    char       reason[NGX_RBL_REDIS_REASON];
    ngx_str_t  name;

    name = ngx_rbl_commands_name(&batch->commands, batch->replied - 1);
    ngx_rbl_redis_reason(reason, sizeof(reason), reply);

    ngx_log_error(NGX_LOG_ERR, batch->store->log, 0,
                  "rbl store \"%V\" answers %V: %s",
                  &batch->store->conf->name, &name, reason);
}


/* Replies come in order: when one is late, so are all behind it. */

static void
ngx_rbl_batch_timeout(ngx_event_t *ev)
{
    ngx_rbl_done_pt   done;
    ngx_rbl_store_t  *store;
    ngx_rbl_batch_t  *batch = ev->data;

    store = batch->store;

    if (batch->state == NGX_RBL_BATCH_HELD) {
        ngx_queue_remove(&batch->queue);
        ngx_rbl_batch_complete(batch, NGX_RBL_STORE_AWAY);
        return;
    }

    if (ngx_current_msec - store->heard < store->conf->timeout) {

        /* busy, not dead: the owner is told, the replies are passed over */

        done = batch->done;
        batch->reply = NULL;
        batch->done = NULL;
        ngx_add_timer(&batch->deadline, store->conf->timeout);

        if (done != NULL) {
            ngx_rbl_meter->lost++;
            done(batch->data, NGX_RBL_STORE_LOST);
        }

        return;
    }

    ngx_rbl_redis_drop(store, "no answer within rbl_store_timeout");
}


static void
ngx_rbl_batch_land(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc)
{
    ngx_queue_remove(&batch->queue);
    batch->store->nflight--;
    ngx_rbl_meter->pending--;
    ngx_rbl_meter_latency(batch->since);

    if (batch->deadline.timer_set) {
        ngx_del_timer(&batch->deadline);
    }

    ngx_rbl_redis_landed(batch->store);
    ngx_rbl_batch_complete(batch, rc);
}


static void
ngx_rbl_batch_complete(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_done_pt  done;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, batch->store->log, 0,
                   "rbl batch %p complete: %d", batch, rc);

    batch->state = NGX_RBL_BATCH_DONE;
    done = batch->done;
    batch->done = NULL;

    if (done != NULL) {
        ngx_rbl_meter->away += rc == NGX_RBL_STORE_AWAY;
        ngx_rbl_meter->lost += rc == NGX_RBL_STORE_LOST;
        done(batch->data, rc);
    }

    ngx_rbl_batch_free(batch);
}


static void
ngx_rbl_batch_free(ngx_rbl_batch_t *batch)
{
    ngx_rbl_commands_free(&batch->commands);
    ngx_free(batch);
}
