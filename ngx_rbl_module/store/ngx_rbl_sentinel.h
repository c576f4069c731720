/*
 * The scout: a link that asks the Sentinels for the master.  For the files
 * behind ngx_rbl_redis.h.
 */

#ifndef _NGX_RBL_SENTINEL_H_INCLUDED_
#define _NGX_RBL_SENTINEL_H_INCLUDED_

#include "ngx_rbl_redis.h"
#include "rbl_views.h"


struct ngx_rbl_scout_s {
    ngx_rbl_link_t               link;
    ngx_uint_t                   n;         /* Sentinels */
    rbl_host_port_t              at[RBL_PLACE_HOSTS];
    ngx_uint_t                   silent[RBL_PLACE_HOSTS];   /* 1: no answer in
                                               the last round */
    ngx_uint_t                   round;     /* number of the current one, or of
                                               the last */
    ngx_uint_t                   running;   /* 1: it is under way */
    ngx_uint_t                   asked;     /* so many had their turn */
    ngx_uint_t                   auth;      /* 1: AUTH was sent on this
                                               connection */
    ngx_uint_t                   tries;     /* attempts in a row with servers
                                               that could not be used */
    rbl_views_t                  views;     /* of this round */
    ngx_queue_t                  doubts;    /* batches that wait for a round */
    char                         reason[NGX_RBL_REDIS_REASON];  /* of the last
                                               Sentinel without an answer */
};


/* NULL: out of memory. */
ngx_rbl_scout_t *ngx_rbl_sentinel_create(ngx_rbl_store_t *store);
void ngx_rbl_sentinel_destroy(ngx_rbl_scout_t *scout);

/* Looks for the master on behalf of a link, which gets the result by
   ngx_rbl_redis_sought. */
void ngx_rbl_sentinel_seek(ngx_rbl_link_t *link);

/* Begins a round, or plans another one behind that which is under way.  Returns
   the number of the round whose answers are not older than the call: the caller
   sets `doubted` or `seeking` to it. */
ngx_uint_t ngx_rbl_sentinel_round(ngx_rbl_scout_t *scout);

/* Asks whether the server of a batch is the master still.  The batch is in no
   other queue, and gets the result by ngx_rbl_batch_judged. */
void ngx_rbl_sentinel_doubt(ngx_rbl_batch_t *batch);

#endif /* _NGX_RBL_SENTINEL_H_INCLUDED_ */
