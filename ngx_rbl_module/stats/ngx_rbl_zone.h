/*
 * The shared memory of all workers (rbl_zone): the block of each worker's
 * meter, and what applications have asked since the last flush.
 *
 * Everything is laid out when the memory is new; after that there is no
 * allocation and no lock in it, so a worker that dies or stops anywhere leaves
 * nothing that others wait for.  It survives a reload.
 */

#ifndef _NGX_RBL_ZONE_H_INCLUDED_
#define _NGX_RBL_ZONE_H_INCLUDED_

#include "ngx_rbl_meter.h"

#include "rbl_sid.h"


typedef struct ngx_rbl_zone_s  ngx_rbl_zone_t;

/* Requests of one application in one hour. */
typedef struct {
    uint32_t    store;                  /* whose application: see gather */
    uint32_t    hour;                   /* since 1970 */
    char        account[RBL_SID_LEN];
    char        app[RBL_SID_LEN];
    ngx_uint_t  requests;
    ngx_uint_t  refusals;
} ngx_rbl_usage_t;


/* The setter of rbl_zone. */
char *ngx_rbl_set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* A worker begins and ends to count in it, and then uses it no more; both take
   NULL. */
void ngx_rbl_zone_enter(ngx_rbl_zone_t *zone, ngx_log_t *log);
void ngx_rbl_zone_leave(ngx_rbl_zone_t *zone);

/* NGX_DECLINED: there is no room. */
ngx_int_t ngx_rbl_zone_add(ngx_rbl_zone_t *zone, const ngx_rbl_usage_t *usage);

/*
 * Takes at most n of what was added for a store; the caller owns it then.
 * What is of an hour long past and of a store that nobody took it for is
 * thrown away.
 */
ngx_uint_t ngx_rbl_zone_take(ngx_rbl_zone_t *zone, uint32_t store,
    uint32_t hour, ngx_rbl_usage_t *usage, ngx_uint_t n);

/* May there be something to take? */
ngx_uint_t ngx_rbl_zone_dirty(ngx_rbl_zone_t *zone);

/*
 * One of the workers takes, the others need not: 1 for the first who asks
 * within `pause`.
 */
ngx_uint_t ngx_rbl_zone_turn(ngx_rbl_zone_t *zone, ngx_msec_t pause);

/* The sums over all workers; how many are alive; since when (seconds). */
ngx_uint_t ngx_rbl_zone_sum(ngx_rbl_zone_t *zone, ngx_rbl_meter_t *sum,
    time_t *since);

#endif /* _NGX_RBL_ZONE_H_INCLUDED_ */
