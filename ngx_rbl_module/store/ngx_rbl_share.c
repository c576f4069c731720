/*
 * Limits the share of the store's time that the slow batches of one account
 * use.
 *
 * A slow batch is sent between two TIME commands.  Redis executes the commands
 * of one connection without a pause, so the difference is the time in which it
 * served no other client.  All workers together give an account at most a
 * quarter of the store's time, and each worker an equal part of that.  A lane
 * that has used more, beyond a credit of two seconds, rests until its balance
 * is even.  It does not rest while no other account uses the worker.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_SHARE_PARTS   4
#define NGX_RBL_SHARE_CREDIT  2000      /* ms */
#define NGX_RBL_SHARE_RECENT  1000      /* ms for which an account counts as
                                           active */
#define NGX_RBL_SHARE_MOST    20000     /* us per batch: a longer time was a
                                           pause of Redis */


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


static ngx_int_t
ngx_rbl_share_clock(ngx_rbl_batch_t *batch, ngx_rbl_replied_pt reply)
{
    static const u_char  command[] = "*1\r\n$4\r\nTIME\r\n";

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


void
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


ngx_msec_t
ngx_rbl_share_rest(const ngx_rbl_lane_t *lane)
{
    ngx_msec_int_t  owed;

    owed = lane->even - ngx_current_msec;

    return owed > NGX_RBL_SHARE_CREDIT && ngx_rbl_share_others(lane)
           ? owed - NGX_RBL_SHARE_CREDIT : 0;
}
