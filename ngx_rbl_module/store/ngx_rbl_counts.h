/*
 * Counters of a worker about its stores.  The folder stats shows them and moves
 * them into shared memory if there is any.
 */

#ifndef _NGX_RBL_COUNTS_H_INCLUDED_
#define _NGX_RBL_COUNTS_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>


#define NGX_RBL_COUNTS_BOUNDS  16       /* latency buckets */

typedef struct {
    /* gauges; count only for a worker that is alive */
    uint64_t  stores;                   /* links that are not idle */
    uint64_t  ready;                    /* links that are ready */
    uint64_t  pending;                  /* batches of commands in flight */

    /* totals */
    uint64_t  latency[NGX_RBL_COUNTS_BOUNDS + 1];   /* batches by latency
                                                       bucket */
    uint64_t  latency_us;
    uint64_t  reconnects;
    uint64_t  away;                     /* batches refused without a store */
    uint64_t  lost;                     /* batches without a response */
} ngx_rbl_counts_t;


/* Counters of this process; never NULL.  ngx_rbl_meter_use sets it. */
extern ngx_rbl_counts_t  *ngx_rbl_counts;

/* Upper bounds of the latency buckets, in microseconds, and in seconds as
   text. */
extern const uint64_t     ngx_rbl_counts_bounds[NGX_RBL_COUNTS_BOUNDS];
extern const char *const  ngx_rbl_counts_seconds[NGX_RBL_COUNTS_BOUNDS];

/*
 * The worker reads the clock once per burst of batches that it sends or whose
 * replies it reads, because a clock read costs as much as all counting.
 * ngx_rbl_counts_turn ends a burst.
 */
uint64_t ngx_rbl_counts_clock(void);     /* microseconds */
void ngx_rbl_counts_turn(void);
void ngx_rbl_counts_latency(uint64_t since);

#endif /* _NGX_RBL_COUNTS_H_INCLUDED_ */
