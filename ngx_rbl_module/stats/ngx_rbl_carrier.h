/*
 * The carrier of a store: brings what was gathered of its applications there.
 *
 * It takes a load out of the zone and out of this worker's refusals, and keeps
 * it until the store has said that it has it: as one batch of scripts, each
 * with a number that is its alone.  If the answer is lost, the same load goes
 * again with the same numbers, and what was done before is not done twice.
 * There is one load of a carrier at a time, and no more than that can be lost
 * with a worker that is killed.
 */

#ifndef _NGX_RBL_CARRIER_H_INCLUDED_
#define _NGX_RBL_CARRIER_H_INCLUDED_

#include "ngx_rbl_gather.h"

#define NGX_RBL_LOAD_USAGE     256
#define NGX_RBL_LOAD_REFUSALS  1000


typedef struct {
    ngx_rbl_store_t     *store;
    ngx_rbl_zone_t      *zone;
    uint32_t             id;            /* of the store in the zone */
    rbl_sid_t            name;          /* to the scripts */
    void               (*landed)(void);

    ngx_rbl_refusals_t   refusals;      /* that wait */

    ngx_rbl_batch_t     *batch;         /* the load, in flight */
    ngx_rbl_usage_t      usage[NGX_RBL_LOAD_USAGE];
    ngx_uint_t           nusage;
    ngx_queue_t          log;
    ngx_uint_t           nlog;

    uint64_t             number;        /* of the last call that is done */
    uint64_t             calls;         /* of the load */
    ngx_uint_t           failed;        /* times in a row */
    ngx_msec_t           again;         /* not before that */
    unsigned             unknown:1;     /* it may have been done */
    unsigned             damaged:1;     /* keys of the store are; said once */
} ngx_rbl_carrier_t;


/* All zero before.  `landed` is called after each load.  NGX_ERROR: there are
   no random bytes for a name. */
ngx_int_t ngx_rbl_carrier_init(ngx_rbl_carrier_t *c, ngx_rbl_store_t *store,
    const ngx_rbl_store_conf_t *conf, ngx_rbl_zone_t *zone,
    void (*landed)(void));

/* Sends what there is; out of the zone only in its turn. */
void ngx_rbl_carrier_run(ngx_rbl_carrier_t *c, ngx_uint_t turn);

/* Has it something that is not on its way?  Can it do nothing at present? */
ngx_uint_t ngx_rbl_carrier_waits(const ngx_rbl_carrier_t *c);
ngx_uint_t ngx_rbl_carrier_stuck(const ngx_rbl_carrier_t *c);

/*
 * The worker ends.  What is known not to be in the store goes back into the
 * zone; what may be there is not counted twice.
 */
void ngx_rbl_carrier_leave(ngx_rbl_carrier_t *c);

#endif /* _NGX_RBL_CARRIER_H_INCLUDED_ */
