/*
 * Counting.  No locks, no allocations.
 */

#include "ngx_rbl_meter.h"


static ngx_rbl_meter_t   ngx_rbl_meter_own;
ngx_rbl_meter_t         *ngx_rbl_meter = &ngx_rbl_meter_own;

const ngx_uint_t  ngx_rbl_meter_codes[NGX_RBL_METER_CODES] = {
    200, 400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503, 304, 0
};


void
ngx_rbl_meter_use(ngx_rbl_meter_t *block)
{
    ngx_rbl_meter = block ? block : &ngx_rbl_meter_own;
    ngx_rbl_counts = &ngx_rbl_meter->store;
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
        to->store.stores += from->store.stores;
        to->store.ready += from->store.ready;
        to->store.pending += from->store.pending;
    }

    /* all members from the first total to the end are totals */

    sum = to->store.latency;
    one = from->store.latency;

    for (i = 0;
         i < (sizeof(ngx_rbl_meter_t)
              - offsetof(ngx_rbl_meter_t, store.latency))
             / sizeof(uint64_t);
         i++)
    {
        sum[i] += one[i];
    }
}
