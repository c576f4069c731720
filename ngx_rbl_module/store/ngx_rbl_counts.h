/*
 * Counters of a worker about its stores.  The folder stats shows them, and puts
 * them into the memory that the workers share, if there is one.
 */

#ifndef _NGX_RBL_COUNTS_H_INCLUDED_
#define _NGX_RBL_COUNTS_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>


#define NGX_RBL_COUNTS_BOUNDS  16       /* of latencies */

typedef struct {
    /* how it is now; of a worker that is alive */
    uint64_t  stores;                   /* connections there should be */
    uint64_t  ready;                    /* connections in service */
    uint64_t  pending;                  /* batches of commands in flight */

    /* sums */
    uint64_t  latency[NGX_RBL_COUNTS_BOUNDS + 1];   /* of batches, by bound */
    uint64_t  latency_us;
    uint64_t  reconnects;
    uint64_t  away;                     /* batches that found no store */
    uint64_t  lost;                     /* batches whose answer never came */
} ngx_rbl_counts_t;


/* Of this process; never NULL.  ngx_rbl_meter_use sets it. */
extern ngx_rbl_counts_t  *ngx_rbl_counts;

/* Upper bounds of latencies in microseconds, and as texts in seconds. */
extern const uint64_t     ngx_rbl_counts_bounds[NGX_RBL_COUNTS_BOUNDS];
extern const char *const  ngx_rbl_counts_seconds[NGX_RBL_COUNTS_BOUNDS];

/*
 * The latency of a batch is taken between two looks at a clock, which costs as
 * much as all counting: so one look serves whatever is sent, or arrives, in
 * one go.  ngx_rbl_counts_turn ends a go.
 */
uint64_t ngx_rbl_counts_clock(void);     /* microseconds */
void ngx_rbl_counts_turn(void);
void ngx_rbl_counts_latency(uint64_t since);

#endif /* _NGX_RBL_COUNTS_H_INCLUDED_ */
