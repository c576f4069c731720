/*
 * Counting.  Nothing here locks or allocates.
 */

#include "ngx_rbl_meter.h"


static ngx_rbl_meter_t   ngx_rbl_meter_own;
ngx_rbl_meter_t         *ngx_rbl_meter = &ngx_rbl_meter_own;

static uint64_t          ngx_rbl_meter_now;     /* 0: look again */


const uint64_t  ngx_rbl_meter_bounds[NGX_RBL_METER_BOUNDS] = {
    50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000,
    500000, 1000000, 2000000, 5000000
};

const char *const  ngx_rbl_meter_seconds[NGX_RBL_METER_BOUNDS] = {
    "0.00005", "0.0001", "0.0002", "0.0005", "0.001", "0.002", "0.005",
    "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"
};

const ngx_uint_t  ngx_rbl_meter_codes[NGX_RBL_METER_CODES] = {
    200, 400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503, 304, 0
};


void
ngx_rbl_meter_use(ngx_rbl_meter_t *block)
{
    ngx_rbl_meter = block ? block : &ngx_rbl_meter_own;
}


void
ngx_rbl_meter_answer(ngx_uint_t code, ngx_uint_t endpoint)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_RBL_METER_CODES - 1; i++) {
        if (ngx_rbl_meter_codes[i] == code) {
            break;
        }
    }

    ngx_rbl_meter->answers[i]++;
    ngx_rbl_meter->endpoints[endpoint < NGX_RBL_METER_ENDPOINTS ? endpoint
                                                                : 0]++;
}


void
ngx_rbl_meter_add(ngx_rbl_meter_t *to, const ngx_rbl_meter_t *from,
    ngx_uint_t alive)
{
    ngx_uint_t       i;
    uint64_t        *sum;
    const uint64_t  *one;

    if (alive) {
        to->stores += from->stores;
        to->ready += from->ready;
        to->pending += from->pending;
    }

    /* from the first sum to the end there are only sums */

    sum = to->answers;
    one = from->answers;

    for (i = 0;
         i < (sizeof(ngx_rbl_meter_t) - offsetof(ngx_rbl_meter_t, answers))
             / sizeof(uint64_t);
         i++)
    {
        sum[i] += one[i];
    }
}


uint64_t
ngx_rbl_meter_clock(void)
{
    struct timespec  ts;

    if (ngx_rbl_meter_now == 0) {
        (void) clock_gettime(CLOCK_MONOTONIC, &ts);

        ngx_rbl_meter_now = (uint64_t) ts.tv_sec * 1000000
                            + (uint64_t) ts.tv_nsec / 1000;
    }

    return ngx_rbl_meter_now;
}


void
ngx_rbl_meter_turn(void)
{
    ngx_rbl_meter_now = 0;
}


void
ngx_rbl_meter_latency(uint64_t since)
{
    uint64_t    us;
    ngx_uint_t  i;

    us = ngx_rbl_meter_clock() - since;

    for (i = 0; i < NGX_RBL_METER_BOUNDS; i++) {
        if (us <= ngx_rbl_meter_bounds[i]) {
            break;
        }
    }

    ngx_rbl_meter->latency[i]++;
    ngx_rbl_meter->latency_us += us;
}
