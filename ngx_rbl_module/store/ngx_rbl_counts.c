/*
 * Updates the counters.  Nothing here locks or allocates.
 */

#include "ngx_rbl_counts.h"


static ngx_rbl_counts_t   ngx_rbl_counts_own;
ngx_rbl_counts_t         *ngx_rbl_counts = &ngx_rbl_counts_own;

static uint64_t           ngx_rbl_counts_now;   /* us; 0: read the clock
                                                   again */


const uint64_t  ngx_rbl_counts_bounds[NGX_RBL_COUNTS_BOUNDS] = {
    50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000,
    500000, 1000000, 2000000, 5000000
};

const char *const  ngx_rbl_counts_seconds[NGX_RBL_COUNTS_BOUNDS] = {
    "0.00005", "0.0001", "0.0002", "0.0005", "0.001", "0.002", "0.005",
    "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"
};


uint64_t
ngx_rbl_counts_clock(void)
{
    struct timespec  ts;

    if (ngx_rbl_counts_now == 0) {
        (void) clock_gettime(CLOCK_MONOTONIC, &ts);

        ngx_rbl_counts_now = (uint64_t) ts.tv_sec * 1000000
                            + (uint64_t) ts.tv_nsec / 1000;
    }

    return ngx_rbl_counts_now;
}


void
ngx_rbl_counts_turn(void)
{
    ngx_rbl_counts_now = 0;
}


void
ngx_rbl_counts_latency(uint64_t since)
{
    uint64_t    us;
    ngx_uint_t  i;

    us = ngx_rbl_counts_clock() - since;

    for (i = 0; i < NGX_RBL_COUNTS_BOUNDS; i++) {
        if (us <= ngx_rbl_counts_bounds[i]) {
            break;
        }
    }

    ngx_rbl_counts->latency[i]++;
    ngx_rbl_counts->latency_us += us;
}
