/*
 * Shared memory of all workers (rbl_zone): the counters of each worker, and the
 * requests of applications since the last flush.
 *
 * The layout is made once, when the memory is new.  After that there are no
 * allocations and no locks in it, so a worker that dies or stops at any point
 * does not block others.  The memory survives a reload.
 */

#ifndef _NGX_RBL_ZONE_H_INCLUDED_
#define _NGX_RBL_ZONE_H_INCLUDED_

#include "ngx_rbl_meter.h"

#include "rbl_sid.h"


typedef struct ngx_rbl_shm_s  ngx_rbl_shm_t;

/* Requests of one application in one hour. */
typedef struct {
    uint32_t    store;                  /* see ngx_rbl_gather.c */
    uint32_t    hour;                   /* hours since the epoch */
    char        account[RBL_SID_LEN];
    char        app[RBL_SID_LEN];
    ngx_uint_t  requests;
    ngx_uint_t  refusals;
} ngx_rbl_usage_t;


/* Setter of rbl_zone. */
char *ngx_rbl_set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Claims and releases the block of this worker.  Both accept NULL. */
void ngx_rbl_shm_enter(ngx_rbl_shm_t *shm, ngx_log_t *log);
void ngx_rbl_shm_leave(ngx_rbl_shm_t *shm);

/* NGX_DECLINED: no room. */
ngx_int_t ngx_rbl_shm_add(ngx_rbl_shm_t *shm, const ngx_rbl_usage_t *usage);

/* Which accounts are taken. */
typedef struct {
    ngx_uint_t  (*is)(void *data, const char *account);
    void         *data;
} ngx_rbl_fits_t;

/*
 * Takes at most n entries of a store, of the accounts that fit; the caller owns
 * them then.  Drops old entries of stores that no worker uses.
 */
ngx_uint_t ngx_rbl_shm_take(ngx_rbl_shm_t *shm, uint32_t store,
    uint32_t hour, const ngx_rbl_fits_t *fits, ngx_rbl_usage_t *usage,
    ngx_uint_t n);

/* True if there may be entries to take. */
ngx_uint_t ngx_rbl_shm_dirty(ngx_rbl_shm_t *shm);

/*
 * Lets one worker take entries: returns 1 to the first caller within `pause`.
 */
ngx_uint_t ngx_rbl_shm_turn(ngx_rbl_shm_t *shm, ngx_msec_t pause);

/* Sums the counters of all workers; returns the number of live workers, and the
   start of counting (seconds). */
ngx_uint_t ngx_rbl_shm_sum(ngx_rbl_shm_t *shm, ngx_rbl_meter_t *sum,
    time_t *since);

#endif /* _NGX_RBL_ZONE_H_INCLUDED_ */
