/*
 * What a worker counts about itself and its store.  Each worker writes a block
 * of its own, so counting is an ordinary addition; whoever shows the numbers
 * adds the blocks up.  The blocks lie in the zone (rbl_zone) and outlive their
 * workers; without a zone a block of the process is written and never read.
 */

#ifndef _NGX_RBL_METER_H_INCLUDED_
#define _NGX_RBL_METER_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_rbl_counts.h"


#define NGX_RBL_METER_CODES      14     /* the last one: any other */
#define NGX_RBL_METER_ENDPOINTS  128    /* the first one: unknown path */

typedef struct {
    ngx_rbl_counts_t  store;            /* the first three are no sums */

    uint64_t  answers[NGX_RBL_METER_CODES];
    uint64_t  endpoints[NGX_RBL_METER_ENDPOINTS];
    uint64_t  flushes;                  /* of statistics, successful */
    uint64_t  flush_errors;
    uint64_t  uncounted;                /* requests without room in the zone */
    uint64_t  unlogged;                 /* refusals without room in the log */
} ngx_rbl_meter_t;


/* The block of this process; never NULL. */
extern ngx_rbl_meter_t  *ngx_rbl_meter;

/* Counts in this block from now on; NULL: in one that nobody reads. */
void ngx_rbl_meter_use(ngx_rbl_meter_t *block);

/* The status codes that are told apart; 0: any other. */
extern const ngx_uint_t   ngx_rbl_meter_codes[NGX_RBL_METER_CODES];

void ngx_rbl_meter_answer(ngx_uint_t code, ngx_uint_t endpoint);

/* Adds the sums of `from`, and what is now if `alive`. */
void ngx_rbl_meter_add(ngx_rbl_meter_t *to, const ngx_rbl_meter_t *from,
    ngx_uint_t alive);

#endif /* _NGX_RBL_METER_H_INCLUDED_ */
