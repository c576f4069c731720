/*
 * Shared memory of all workers (rbl_zone): the counters of each worker.
 *
 * The layout is made once, when the memory is new.  After that there are no
 * allocations and no locks in it, so a worker that dies or stops at any point
 * does not block others.  The memory survives a reload.
 */

#ifndef _NGX_RBL_SHM_H_INCLUDED_
#define _NGX_RBL_SHM_H_INCLUDED_

#include "ngx_rbl_meter.h"


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

#endif /* _NGX_RBL_SHM_H_INCLUDED_ */
