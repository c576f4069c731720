/*
 * Turns of accounts on the slow link.
 *
 * Each account that has slow batches has a lane.  A lane has one batch in
 * flight.  `turns` holds the lanes that have waiting batches and none in
 * flight; the first of them sends next.  When its batch has completed, the lane
 * goes to the end of `turns`.  A batch that its owner cancels keeps its place
 * in flight until Redis has answered it, so a slow store gets no more work.
 *
 * A lane that has used more than its share of the store's time rests before its
 * next batch (ngx_rbl_share.c).  A lane lives as long as batches point to it,
 * and until its balance is even.
 */

#include "ngx_rbl_redis.h"

#include <assert.h>

#define NGX_RBL_LANES_FLIGHT   4        /* batches in flight, all lanes */
#define NGX_RBL_LANES_WAITING  2048     /* waiting batches, all lanes; the first
                                           of a lane is always accepted */
#define NGX_RBL_LANES_PATIENCE 10       /* wait limit of a batch, in timeouts */


void
ngx_rbl_lanes_init(ngx_rbl_lanes_t *lanes)
{
    ngx_rbtree_init(&lanes->tree, &lanes->sentinel,
                    ngx_str_rbtree_insert_value);
    ngx_queue_init(&lanes->turns);
}


void
ngx_rbl_lanes_close(ngx_rbl_lanes_t *lanes)
{
    ngx_rbl_lane_t     *lane;
    ngx_rbtree_node_t  *node;

    while (lanes->tree.root != &lanes->sentinel) {
        node = ngx_rbtree_min(lanes->tree.root, &lanes->sentinel);
        lane = (ngx_rbl_lane_t *) node;

        if (lane->rest.timer_set) {
            ngx_del_timer(&lane->rest);
        }

        ngx_rbtree_delete(&lanes->tree, node);
        ngx_free(lane);
    }
}


static uint32_t
ngx_rbl_lanes_hash(const ngx_str_t *account)
{
    return ngx_crc32_short(account->data, account->len);
}


static void
ngx_rbl_lanes_rested(ngx_event_t *ev)
{
    ngx_rbl_lane_t  *lane = ev->data;

    if (lane->resting) {
        lane->resting = 0;
        ngx_rbl_lanes_idle(lane);
    }

    ngx_rbl_lanes_exit(lane);
}


ngx_rbl_lane_t *
ngx_rbl_lanes_enter(ngx_rbl_node_t *node, const rbl_sid_t *account)
{
    ngx_str_t        name;
    ngx_rbl_lane_t  *lane;

    name.data = (u_char *) account->s;
    name.len = RBL_SID_LEN;

    lane = (ngx_rbl_lane_t *)
               ngx_str_rbtree_lookup(&node->lanes.tree, &name,
                                     ngx_rbl_lanes_hash(&name));

    if (lane == NULL) {
        lane = ngx_calloc(sizeof(ngx_rbl_lane_t), node->store->log);
        if (lane == NULL) {
            return NULL;
        }

        lane->node = node;
        lane->account = *account;
        lane->name.str.data = (u_char *) lane->account.s;
        lane->name.str.len = RBL_SID_LEN;
        lane->name.node.key = ngx_rbl_lanes_hash(&name);
        ngx_queue_init(&lane->waiting);
        lane->rest.data = lane;
        lane->rest.log = node->store->log;
        lane->rest.handler = ngx_rbl_lanes_rested;
        lane->rest.cancelable = 1;

        ngx_rbtree_insert(&node->lanes.tree, &lane->name.node);
    }

    lane->refs++;

    return lane;
}


/* The timer holds a reference to the lane. */

static void
ngx_rbl_lanes_later(ngx_rbl_lane_t *lane, ngx_msec_t after)
{
    if (lane->rest.timer_set) {
        ngx_del_timer(&lane->rest);

    } else {
        lane->refs++;
    }

    ngx_add_timer(&lane->rest, after);
}


void
ngx_rbl_lanes_exit(ngx_rbl_lane_t *lane)
{
    ngx_msec_int_t  owed;

    assert(lane->refs > 0);

    if (--lane->refs) {
        return;
    }

    owed = lane->even - ngx_current_msec;

    if (owed > 0) {
        ngx_rbl_lanes_later(lane, owed);
        return;
    }

    ngx_rbtree_delete(&lane->node->lanes.tree, &lane->name.node);
    ngx_free(lane);
}


static ngx_uint_t
ngx_rbl_lanes_busy(const ngx_rbl_lane_t *lane)
{
    return lane->flying || lane->clocks || lane->resting;
}


ngx_int_t
ngx_rbl_lanes_wait(ngx_rbl_batch_t *batch)
{
    ngx_rbl_lane_t  *lane;
    ngx_rbl_node_t  *node;

    lane = batch->lane;
    node = lane->node;

    /* a batch that has just completed makes room for one successor */

    if (lane->nwaiting + lane->flying > NGX_RBL_LANE_WAITING) {
        return NGX_BUSY;
    }

    ngx_rbl_redis_begin(&node->slow);

    /* the first waiting batch of an account is always accepted */

    if ((lane->nwaiting != 0
         && node->lanes.nwaiting + node->slow.nflight
            >= NGX_RBL_LANES_WAITING + NGX_RBL_LANES_FLIGHT)
        || !(ngx_rbl_redis_ready(&node->slow) || node->slow.opening))
    {
        return NGX_DECLINED;
    }

    batch->state = NGX_RBL_BATCH_WAITING;
    ngx_add_timer(&batch->deadline,
                  NGX_RBL_LANES_PATIENCE * batch->store->conf->timeout);
    ngx_queue_insert_tail(&lane->waiting, &batch->queue);
    node->lanes.nwaiting++;

    if (lane->nwaiting++ == 0 && !ngx_rbl_lanes_busy(lane)) {
        ngx_queue_insert_tail(&node->lanes.turns, &lane->turn);
    }

    ngx_rbl_lanes_run(node);

    return NGX_OK;
}


void
ngx_rbl_lanes_leave(ngx_rbl_batch_t *batch)
{
    ngx_rbl_lane_t  *lane;

    assert(batch->state == NGX_RBL_BATCH_WAITING);
    assert(batch->lane->nwaiting > 0);

    lane = batch->lane;

    ngx_queue_remove(&batch->queue);
    lane->node->lanes.nwaiting--;

    if (--lane->nwaiting == 0 && !ngx_rbl_lanes_busy(lane)) {
        ngx_queue_remove(&lane->turn);
    }

    if (batch->deadline.timer_set) {
        ngx_del_timer(&batch->deadline);
    }
}


void
ngx_rbl_lanes_landed(ngx_rbl_lane_t *lane)
{
    assert(lane->flying);

    lane->flying = 0;
    ngx_rbl_lanes_idle(lane);
}


void
ngx_rbl_lanes_idle(ngx_rbl_lane_t *lane)
{
    ngx_msec_t  rest;

    if (ngx_rbl_lanes_busy(lane)) {
        return;
    }

    ngx_rbl_share_spend(lane);
    rest = ngx_rbl_share_rest(lane);

    if (rest) {
        lane->resting = 1;
        ngx_rbl_lanes_later(lane, rest);

    } else if (lane->nwaiting) {
        ngx_queue_insert_tail(&lane->node->lanes.turns, &lane->turn);
    }

    ngx_rbl_lanes_run(lane->node);
}


void
ngx_rbl_lanes_run(ngx_rbl_node_t *node)
{
    ngx_queue_t      *q;
    ngx_rbl_lane_t   *lane;
    ngx_rbl_batch_t  *batch;

    while (ngx_rbl_redis_ready(&node->slow)
           && node->slow.nflight < NGX_RBL_LANES_FLIGHT
           && !ngx_queue_empty(&node->lanes.turns))
    {
        q = ngx_queue_head(&node->lanes.turns);
        lane = ngx_queue_data(q, ngx_rbl_lane_t, turn);

        q = ngx_queue_head(&lane->waiting);
        batch = ngx_queue_data(q, ngx_rbl_batch_t, queue);

        ngx_rbl_lanes_leave(batch);

        if (lane->nwaiting) {
            ngx_queue_remove(&lane->turn);
        }

        lane->flying = 1;
        ngx_rbl_batch_launch(batch);
    }
}


void
ngx_rbl_lanes_fail(ngx_rbl_node_t *node)
{
    ngx_queue_t        *q;
    ngx_rbl_lane_t     *lane;
    ngx_rbl_batch_t    *batch;
    ngx_rbtree_node_t  *entry;

    if (node->lanes.nwaiting == 0) {
        return;
    }

    for (entry = ngx_rbtree_min(node->lanes.tree.root, &node->lanes.sentinel);
         entry != NULL;
         entry = ngx_rbtree_next(&node->lanes.tree, entry))
    {
        lane = (ngx_rbl_lane_t *) entry;

        while (lane->nwaiting) {
            q = ngx_queue_head(&lane->waiting);
            batch = ngx_queue_data(q, ngx_rbl_batch_t, queue);

            ngx_rbl_lanes_leave(batch);
            ngx_rbl_store_refuse(batch, NGX_RBL_STORE_AWAY);
        }
    }
}
