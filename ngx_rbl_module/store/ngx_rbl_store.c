/*
 * One store, and the batches that are on no link.  Empty batches
 * wait until the store is ready; refused batches are completed on a later turn
 * of the event loop.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_LAST_ROUNDS  8
#define NGX_RBL_UNWILLING    60000      /* ms */


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


static void
ngx_rbl_store_woken(ngx_event_t *ev)
{
    ngx_rbl_store_t  *store = ev->data;

    ngx_rbl_store_fail_refused(store);
    ngx_rbl_store_settle(store);
}


/* Sets the nodes that are configured, or the Sentinels. */

static ngx_int_t
ngx_rbl_store_place(ngx_rbl_store_t *store)
{
    ngx_uint_t          i;
    const rbl_place_t  *place;

    place = store->conf->place;
    rbl_nodes_init(&store->nodes, place->kind, store->conf->map);

    if (place->kind == RBL_PLACE_SENTINEL) {
        store->scout = ngx_rbl_sentinel_create(store);

        return store->scout != NULL ? NGX_OK : NGX_ERROR;
    }

    for (i = 0; i < place->n; i++) {
        (void) rbl_nodes_seed(&store->nodes, &place->hosts[i]);
    }

    return place->n != 0 ? NGX_OK : NGX_ERROR;
}


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

    store->follow.data = store;
    store->follow.log = log;
    store->follow.handler = ngx_rbl_node_followed;

    ngx_rbl_cluster_init(store);

    if (rbl_keyspace_init(&store->ks, ngx_rbl_str(&conf->prefix)) != RBL_OK
        || ngx_rbl_store_place(store) != NGX_OK)
    {
        ngx_log_error(NGX_LOG_ALERT, log, 0,
                      "rbl store \"%V\" cannot be used", &conf->name);
        ngx_rbl_sentinel_destroy(store->scout);
        ngx_free(store);
        return NULL;
    }

    ngx_rbl_node_followed(&store->follow);
    ngx_rbl_cluster_doubt(store);

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

    ngx_rbl_node_close(store);
    ngx_rbl_sentinel_destroy(store->scout);

    if (store->survey.timer_set) {
        ngx_del_timer(&store->survey);
    }

    /* a completion may submit another batch; the rounds are bounded */

    for (i = 0; i < NGX_RBL_LAST_ROUNDS; i++) {
        ngx_rbl_store_fail_refused(store);
    }

    if (store->refuse.posted) {
        ngx_delete_posted_event(&store->refuse);
    }

    if (store->follow.posted) {
        ngx_delete_posted_event(&store->follow);
    }

    ngx_rbl_node_free(store);

    while ((batch = ngx_rbl_batch_spare(store)) != NULL) {
        ngx_free(batch);
    }

    ngx_free(store);
}


ngx_int_t
ngx_rbl_store_ready(ngx_rbl_store_t *store)
{
    /* at first all links, so that a new worker refuses no request */

    if (store == NULL || (!store->known && ngx_rbl_store_opening(store))) {
        return 0;
    }

    if (store->nodes.kind != RBL_PLACE_CLUSTER) {
        return store->node[0] != NULL
               && ngx_rbl_redis_ready(&store->node[0]->main);
    }

    return store->ks.partitions != 0 && ngx_rbl_node_any(store) != NULL;
}


ngx_uint_t
ngx_rbl_store_opening(const ngx_rbl_store_t *store)
{
    ngx_uint_t             i;
    const ngx_rbl_node_t  *node;

    for (i = 0; i < store->nodes.n; i++) {
        node = store->node[i];

        if (node != NULL ? node->main.opening || node->durable.opening
                         : ngx_rbl_cluster_unknown(store))
        {
            return 1;
        }
    }

    return store->follow.posted;
}


ngx_uint_t
ngx_rbl_store_epoch(const ngx_rbl_store_t *store)
{
    return store == NULL ? 0 : store->epoch;
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


const char *
ngx_rbl_store_refusal(const ngx_rbl_store_t *store)
{
    return store->refusal;
}


void
ngx_rbl_store_accepts(ngx_rbl_store_t *store)
{
    store->refusal[0] = '\0';
}


void
ngx_rbl_store_up(ngx_rbl_link_t *link)
{
    if (link == &link->node->slow) {
        ngx_rbl_lanes_run(link->node);

    } else {
        ngx_rbl_store_settle(link->store);
    }
}


void
ngx_rbl_store_down(ngx_rbl_link_t *link)
{
    if (link == &link->node->slow) {
        ngx_rbl_lanes_fail(link->node);

    } else if (link == &link->node->main) {
        ngx_rbl_cluster_doubt(link->store);
        ngx_rbl_store_settle(link->store);

        if (ngx_rbl_cluster_unknown(link->store)) {
            ngx_rbl_node_follow(link->store);
        }

    } else {
        ngx_rbl_store_settle(link->store);
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


void
ngx_rbl_store_refuse(ngx_rbl_batch_t *batch, ngx_rbl_store_rc_e rc)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, batch->store->log, 0,
                   "rbl batch %p is not sent: %d", batch, rc);

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
    ngx_queue_t  *q;

    while (!ngx_queue_empty(&store->held)) {
        q = ngx_queue_head(&store->held);
        ngx_queue_remove(q);
        ngx_rbl_store_refuse(ngx_queue_data(q, ngx_rbl_batch_t, queue), rc);
    }
}


/* Completes the batches that wait for the store, if there is a result. */

void
ngx_rbl_store_settle(ngx_rbl_store_t *store)
{
    if (ngx_rbl_store_ready(store)) {
        store->known = 1;
        ngx_rbl_store_release(store, NGX_RBL_STORE_OK);

    } else if (!ngx_rbl_store_opening(store)) {
        ngx_rbl_store_release(store, NGX_RBL_STORE_AWAY);
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

    if (!ngx_rbl_store_opening(store) && !ngx_rbl_store_ready(store)) {
        ngx_rbl_store_refuse(batch, NGX_RBL_STORE_AWAY);
        return;
    }

    batch->state = NGX_RBL_BATCH_HELD;
    ngx_queue_insert_tail(&store->held, &batch->queue);
    ngx_add_timer(&batch->deadline, store->conf->timeout);

    if (store->known || !ngx_rbl_store_opening(store)) {
        ngx_rbl_store_wake(store);
    }
}
