/*
 * Counters of a worker about itself and its stores.  Each worker writes its own
 * block, so counting is an ordinary addition; the reader sums the blocks.  The
 * blocks are in shared memory (rbl_zone) and outlive their workers.  Without
 * shared memory the process has a private block that is never read.
 */

#ifndef _NGX_RBL_METER_H_INCLUDED_
#define _NGX_RBL_METER_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_rbl_counts.h"


#define NGX_RBL_METER_CODES      14     /* the last: all other codes */
#define NGX_RBL_METER_ENDPOINTS  128    /* the first: unknown path */

typedef struct {
    ngx_rbl_counts_t  store;            /* its first three members are gauges */

    uint64_t  answers[NGX_RBL_METER_CODES];
    uint64_t  endpoints[NGX_RBL_METER_ENDPOINTS];
    uint64_t  flushes;                  /* statistics sent to the store */
    uint64_t  flush_errors;
    uint64_t  uncounted;                /* requests without room, or not
                                           known to be in the store */
    uint64_t  unlogged;                 /* refusals likewise */
} ngx_rbl_meter_t;


/* The block of this process; never NULL. */
extern ngx_rbl_meter_t  *ngx_rbl_meter;

/* Sets the block; NULL: a private block that is never read. */
void ngx_rbl_meter_use(ngx_rbl_meter_t *block);

/* Status codes with a counter of their own; 0: all others. */
extern const ngx_uint_t   ngx_rbl_meter_codes[NGX_RBL_METER_CODES];

void ngx_rbl_meter_answer(ngx_uint_t code, ngx_uint_t endpoint);

/* Adds the totals of `from`, and its gauges if `alive`. */
void ngx_rbl_meter_add(ngx_rbl_meter_t *to, const ngx_rbl_meter_t *from,
    ngx_uint_t alive);

#endif /* _NGX_RBL_METER_H_INCLUDED_ */
