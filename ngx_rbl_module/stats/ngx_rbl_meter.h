/*
 * Counters of a worker about itself and its stores.  Each worker writes its own
 * block, so counting is an ordinary addition; the reader sums the blocks.
 *
 * The blocks are in shared memory (rbl_zone) and outlive their workers.  The
 * layout is made once, when the memory is new.  After that there are no
 * allocations and no locks in it, so a worker that dies or stops at any point
 * does not block others.  The memory survives a reload.  Without shared memory
 * the process has a private block that is never read.
 */

#ifndef _NGX_RBL_METER_H_INCLUDED_
#define _NGX_RBL_METER_H_INCLUDED_

#include "ngx_rbl_counts.h"
#include "ngx_rbl_http.h"


#define NGX_RBL_METER_CODES      14     /* the last: all other codes */
#define NGX_RBL_METER_ENDPOINTS  (NGX_RBL_ROUTES_MAX + 1)   /* the first:
                                           unknown paths */

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

/* Status codes with a counter of their own; 0: all others. */
extern const ngx_uint_t   ngx_rbl_meter_codes[NGX_RBL_METER_CODES];

/* endpoint: of ngx_rbl_route_number. */
void ngx_rbl_meter_answer(ngx_uint_t code, ngx_uint_t endpoint);


typedef struct ngx_rbl_shm_s  ngx_rbl_shm_t;

/* Setter of rbl_zone. */
char *ngx_rbl_set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Claims and releases the block of this worker.  Both accept NULL. */
void ngx_rbl_shm_enter(ngx_rbl_shm_t *shm, ngx_log_t *log);
void ngx_rbl_shm_leave(ngx_rbl_shm_t *shm);

/* Sums the counters of all workers; returns the number of live workers, and the
   start of counting (seconds). */
ngx_uint_t ngx_rbl_shm_sum(ngx_rbl_shm_t *shm, ngx_rbl_meter_t *sum,
    time_t *since);

#endif /* _NGX_RBL_METER_H_INCLUDED_ */
