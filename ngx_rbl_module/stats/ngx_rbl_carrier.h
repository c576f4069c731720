/*
 * Sends the statistics and refusals of applications to one store.
 *
 * The carrier collects a load for each node of the store, from shared memory
 * and from this worker's refusals.  It sends the load as one batch of scripts,
 * each with a unique number, and keeps it until the store has confirmed it.  If
 * the response is lost, the same load is sent again with the same numbers, and
 * the scripts skip the numbers that they have seen.  A node has one load at a
 * time, so a killed worker loses at most one load of each.
 *
 * Data of partitions whose node is not ready stay where they are, and a load
 * that cannot be sent does not hold up those of other nodes.
 */

#ifndef _NGX_RBL_CARRIER_H_INCLUDED_
#define _NGX_RBL_CARRIER_H_INCLUDED_

#include "ngx_rbl_gather.h"

#include "rbl_nodes.h"

#define NGX_RBL_LOAD_USAGE     256
#define NGX_RBL_LOAD_REFUSALS  1000


typedef struct ngx_rbl_carrier_s  ngx_rbl_carrier_t;

/* The load of a node.  A partition may move: its data are then in the loads of
   two nodes, so each has a sender's name of its own. */
typedef struct {
    ngx_rbl_carrier_t   *carrier;
    ngx_uint_t           node;
    rbl_sid_t            name;          /* sender's name in the scripts */

    ngx_rbl_batch_t     *batch;         /* the load in flight */
    ngx_rbl_usage_t      usage[NGX_RBL_LOAD_USAGE];
    ngx_uint_t           nusage;
    ngx_queue_t          log;
    ngx_uint_t           nlog;

    uint64_t             number;        /* of the last confirmed call */
    uint64_t             calls;         /* calls of the load */
    ngx_uint_t           failed;        /* consecutive failures */
    ngx_msec_t           again;         /* do not retry earlier */
    unsigned             unknown:1;     /* the load may have been executed */
} ngx_rbl_load_t;

struct ngx_rbl_carrier_s {
    ngx_rbl_store_t     *store;
    ngx_rbl_shm_t       *shm;
    uint32_t             id;            /* id of the store in shared memory */
    void               (*landed)(void);

    ngx_rbl_refusals_t   refusals;      /* waiting */
    u_char               on[RBL_PARTITIONS_MAX];    /* node of each partition;
                                                       RBL_NODE_NONE: away */
    ngx_rbl_load_t      *load[RBL_NODES_MAX];   /* NULL: not used yet */
    unsigned             damaged:1;     /* keys in the store are damaged; logged
                                           once */
};


/* Initializes a zeroed carrier.  `landed` is called after each load. */
void ngx_rbl_carrier_init(ngx_rbl_carrier_t *c, ngx_rbl_store_t *store,
    const ngx_rbl_store_conf_t *conf, ngx_rbl_shm_t *shm,
    void (*landed)(void));

/* Sends what is waiting; statistics from shared memory only if `turn`. */
void ngx_rbl_carrier_run(ngx_rbl_carrier_t *c, ngx_uint_t turn);

/* True if data wait that are not in flight; true if the carrier cannot send to
   any node at present. */
ngx_uint_t ngx_rbl_carrier_waits(const ngx_rbl_carrier_t *c);
ngx_uint_t ngx_rbl_carrier_stuck(const ngx_rbl_carrier_t *c);

/*
 * Ends the carrier at exit.  Statistics that are known not to be in the store
 * go back into shared memory; those that may be there, and refusals, are
 * dropped and counted.
 */
void ngx_rbl_carrier_leave(ngx_rbl_carrier_t *c);

#endif /* _NGX_RBL_CARRIER_H_INCLUDED_ */
