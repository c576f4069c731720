/*
 * Turns of accounts on the slow link, and their share of the store's time.
 *
 * Each account that has slow batches has a lane.  A lane has one batch in
 * flight.  `turns` holds the lanes that have waiting batches and none in
 * flight; the first of them sends next.  When its batch has completed, the lane
 * goes to the end of `turns`.  A batch that its owner cancels keeps its place
 * in flight until Redis has answered it, so a slow store gets no more work.
 *
 * A slow batch is sent between two TIME commands.  Redis executes the commands
 * of one connection without a pause, so the difference is the time in which it
 * served no other client.  All workers together give an account at most a
 * quarter of the store's time, and each worker an equal part of that.  A lane
 * that has used more rests until its balance is even, but for a credit, which
 * is about 60 ms of the store.  It does not rest while no other account uses
 * the worker.
 *
 * A lane lives as long as batches point to it, and until its balance is even.
 */

#include "ngx_rbl_redis.h"

#include <assert.h>

#define NGX_RBL_LANES_FLIGHT   4        /* batches in flight, all lanes */
#define NGX_RBL_LANES_WAITING  2048     /* waiting batches, all lanes; the first
                                           of a lane is always accepted */
#define NGX_RBL_LANES_PATIENCE 10       /* wait limit of a batch, in timeouts */

#define NGX_RBL_SHARE_PARTS    4
#define NGX_RBL_SHARE_CREDIT   250      /* ms of rest */
#define NGX_RBL_SHARE_RECENT   1000     /* ms for which an account counts as
                                           active */
#define NGX_RBL_SHARE_MOST     20000    /* us per batch: a longer time was a
                                           pause of Redis */


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


void
ngx_rbl_share_seen(ngx_rbl_store_t *store, const rbl_sid_t *account)
{
    ngx_rbl_visit_t  *last;

    last = store->visits;

    if (ngx_memcmp(last[0].account.s, account->s, RBL_SID_LEN) != 0) {
        last[1] = last[0];
        last[0].account = *account;
    }

    last[0].at = ngx_max(ngx_current_msec, 1);
}


/* True if an account other than the lane's has used this worker recently. */

static ngx_uint_t
ngx_rbl_share_others(const ngx_rbl_lane_t *lane)
{
    const ngx_rbl_visit_t  *visit;

    visit = lane->node->store->visits;

    if (ngx_memcmp(visit->account.s, lane->account.s, RBL_SID_LEN) == 0) {
        visit++;
    }

    return visit->at && ngx_current_msec - visit->at < NGX_RBL_SHARE_RECENT;
}


static void
ngx_rbl_share_spend(ngx_rbl_lane_t *lane)
{
    uint64_t          parts;
    ngx_msec_t        now;
    ngx_core_conf_t  *ccf;

    ccf = (ngx_core_conf_t *) ngx_get_conf(ngx_cycle->conf_ctx,
                                           ngx_core_module);

    parts = NGX_RBL_SHARE_PARTS * ngx_max(ccf->worker_processes, 1);
    now = ngx_current_msec;

    if ((ngx_msec_int_t) (lane->even - now) < 0) {
        lane->even = now;
    }

    lane->even += lane->spent * parts / 1000;
    lane->spent = 0;
}


static ngx_msec_t
ngx_rbl_share_rest(const ngx_rbl_lane_t *lane)
{
    ngx_msec_int_t  owed;

    owed = lane->even - ngx_current_msec;

    if (owed <= NGX_RBL_SHARE_CREDIT || !ngx_rbl_share_others(lane)) {
        return 0;
    }

    return owed - NGX_RBL_SHARE_CREDIT;
}


static ngx_uint_t
ngx_rbl_lanes_busy(const ngx_rbl_lane_t *lane)
{
    return lane->flying || lane->clocks || lane->resting;
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


static void
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
ngx_rbl_lanes_landed(ngx_rbl_lane_t *lane)
{
    assert(lane->flying);

    lane->flying = 0;
    ngx_rbl_lanes_idle(lane);
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


static uint32_t
ngx_rbl_lanes_hash(const ngx_str_t *account)
{
    return ngx_crc32_short(account->data, account->len);
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


static ngx_int_t
ngx_rbl_share_clock(ngx_rbl_batch_t *batch, ngx_rbl_replied_pt reply)
{
    static const char  command[] = "*1\r\n$4\r\nTIME\r\n";

    return ngx_rbl_wire_send(batch->link->wire, command, sizeof(command) - 1,
                             reply, batch->lane);
}


static void
ngx_rbl_share_began(ngx_rbl_link_t *link, const redisReply *reply, void *data)
{
    ngx_rbl_lane_t  *lane = data;

    lane->began = reply != NULL ? rbl_reply_time(reply) : 0;
    ngx_rbl_lanes_exit(lane);
}


void
ngx_rbl_share_begin(ngx_rbl_batch_t *batch)
{
    if (ngx_rbl_share_clock(batch, ngx_rbl_share_began) == NGX_OK) {
        batch->lane->refs++;
    }
}


static void
ngx_rbl_share_ended(ngx_rbl_link_t *link, const redisReply *reply, void *data)
{
    uint64_t         now;
    ngx_rbl_lane_t  *lane = data;

    now = reply != NULL ? rbl_reply_time(reply) : 0;

    if (lane->began && now > lane->began) {
        lane->spent += ngx_min(now - lane->began, NGX_RBL_SHARE_MOST);
    }

    lane->clocks--;
    ngx_rbl_lanes_idle(lane);
    ngx_rbl_lanes_exit(lane);
}


void
ngx_rbl_share_end(ngx_rbl_batch_t *batch)
{
    if (ngx_rbl_share_clock(batch, ngx_rbl_share_ended) == NGX_OK) {
        batch->lane->refs++;
        batch->lane->clocks++;
    }
}
