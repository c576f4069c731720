/*
 * One store: its links, and the batches that are on no link.  Empty batches
 * wait until the store is ready; refused batches are completed on a later turn
 * of the event loop.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_LAST_ROUNDS  8
#define NGX_RBL_UNWILLING    60000      /* ms */


static void ngx_rbl_store_release(ngx_rbl_store_t *store,
    ngx_rbl_store_rc_e rc);
static void ngx_rbl_store_fail_refused(ngx_rbl_store_t *store);
static void ngx_rbl_store_wake(ngx_rbl_store_t *store);
static void ngx_rbl_store_woken(ngx_event_t *ev);


ngx_rbl_store_t *
ngx_rbl_store_create(const ngx_rbl_store_conf_t *conf, ngx_log_t *log)
{
    ngx_rbl_store_t  *store;

    store = ngx_calloc(sizeof(ngx_rbl_store_t), log);
    if (store == NULL) {
        return NULL;
    }

    store->conf = conf;
    store->log = log;
    ngx_queue_init(&store->held);
    ngx_queue_init(&store->refused);
    ngx_queue_init(&store->spares);

    store->refuse.data = store;
    store->refuse.log = log;
    store->refuse.handler = ngx_rbl_store_woken;

    ngx_rbl_redis_init(&store->main, store, "");
    ngx_rbl_redis_init(&store->slow, store, " (slow link)");
    ngx_rbl_lanes_init(&store->lanes);

    if (rbl_keyspace_init(&store->ks, (rbl_str_t) {
            (char *) conf->prefix.data, conf->prefix.len }) != RBL_OK
        || ngx_rbl_redis_set_address(store) != NGX_OK)
    {
        ngx_log_error(NGX_LOG_ALERT, log, 0,
                      "rbl store \"%V\" cannot be used", &conf->name);
        ngx_free(store);
        return NULL;
    }

    ngx_rbl_redis_begin(&store->main);

    return store;
}


void
ngx_rbl_store_destroy(ngx_rbl_store_t *store)
{
    ngx_uint_t        i;
    ngx_rbl_batch_t  *batch;

    if (store == NULL) {
        return;
    }

    ngx_rbl_redis_close(&store->slow);
    ngx_rbl_redis_close(&store->main);

    /* a completion may submit another batch; the rounds are bounded */

    for (i = 0; i < NGX_RBL_LAST_ROUNDS; i++) {
        ngx_rbl_store_fail_refused(store);
    }

    if (store->refuse.posted) {
        ngx_delete_posted_event(&store->refuse);
    }

    ngx_rbl_lanes_close(&store->lanes);

    while ((batch = ngx_rbl_batch_spare(store)) != NULL) {
        ngx_free(batch);
    }

    ngx_free(store);
}


ngx_int_t
ngx_rbl_store_ready(ngx_rbl_store_t *store)
{
    return store != NULL && ngx_rbl_redis_ready(&store->main);
}


const rbl_keyspace_t *
ngx_rbl_store_keyspace(ngx_rbl_store_t *store)
{
    return store == NULL ? NULL : &store->ks;
}


ngx_uint_t
ngx_rbl_store_unwilling(const ngx_rbl_store_t *store)
{
    return store->unwilling
           && ngx_current_msec - store->unwilling < NGX_RBL_UNWILLING;
}


void
ngx_rbl_store_up(ngx_rbl_link_t *link)
{
    if (link == &link->store->slow) {
        ngx_rbl_redis_answered(&link->store->main);
        ngx_rbl_lanes_run(link->store);

    } else {
        ngx_rbl_redis_answered(&link->store->slow);
        ngx_rbl_store_release(link->store, NGX_RBL_STORE_OK);
    }
}


void
ngx_rbl_store_down(ngx_rbl_link_t *link)
{
    if (link == &link->store->slow) {
        ngx_rbl_lanes_fail(link->store);

    } else {
        ngx_rbl_store_release(link->store, NGX_RBL_STORE_AWAY);
    }
}


/*
 * An empty batch only checks that the store is ready.  It waits for the result
 * of the first attempt to connect, so that a worker just started by a reload
 * refuses no request.
 */

void
ngx_rbl_store_hold(ngx_rbl_batch_t *batch)
{
    ngx_rbl_store_t  *store;

    store = batch->store;

    if (!store->main.opening && !ngx_rbl_store_ready(store)) {
        ngx_rbl_store_refuse(batch, NGX_RBL_STORE_AWAY);
        return;
    }

    batch->state = NGX_RBL_BATCH_HELD;
    ngx_queue_insert_tail(&store->held, &batch->queue);
    ngx_add_timer(&batch->deadline, store->conf->timeout);

    if (!store->main.opening) {
        ngx_rbl_store_wake(store);
    }
}


void
ngx_rbl_store_refuse(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, batch->store->log, 0,
                   "rbl batch %p refused, in flight: %ui",
                   batch, batch->link->nflight);

    if (batch->deadline.timer_set) {
        ngx_del_timer(&batch->deadline);
    }

    batch->state = NGX_RBL_BATCH_REFUSED;
    batch->refusal = rc;
    ngx_queue_insert_tail(&batch->store->refused, &batch->queue);
    ngx_rbl_store_wake(batch->store);
}


static void
ngx_rbl_store_release(ngx_rbl_store_t *store, ngx_rbl_store_rc_e rc)
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


static void
ngx_rbl_store_fail_refused(ngx_rbl_store_t *store)
{
    ngx_queue_t       queue;
    ngx_queue_t      *q;
    ngx_rbl_batch_t  *batch;

    /* batches refused by a completion below wait for the next event */

    ngx_queue_init(&queue);

    if (!ngx_queue_empty(&store->refused)) {
        ngx_queue_add(&queue, &store->refused);
        ngx_queue_init(&store->refused);
    }

    while (!ngx_queue_empty(&queue)) {
        q = ngx_queue_head(&queue);
        ngx_queue_remove(q);
        batch = ngx_queue_data(q, ngx_rbl_batch_t, queue);

        ngx_rbl_batch_complete(batch, batch->refusal);
    }
}


/* Completes refused batches later, never from inside submit. */

static void
ngx_rbl_store_wake(ngx_rbl_store_t *store)
{
    if (!store->refuse.posted) {
        ngx_post_event(&store->refuse, &ngx_posted_events);
    }
}


static void
ngx_rbl_store_woken(ngx_event_t *ev)
{
    ngx_rbl_store_t  *store = ev->data;

    ngx_rbl_store_fail_refused(store);

    if (ngx_rbl_store_ready(store)) {
        ngx_rbl_store_release(store, NGX_RBL_STORE_OK);

    } else if (!store->main.opening) {
        ngx_rbl_store_release(store, NGX_RBL_STORE_AWAY);
    }
}
