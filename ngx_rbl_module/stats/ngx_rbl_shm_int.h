/*
 * Layout of the shared memory, for ngx_rbl_shm.c (blocks) and
 * ngx_rbl_shm_table.c (applications).  No other file includes it.
 */

#ifndef _NGX_RBL_ZONE_INT_H_INCLUDED_
#define _NGX_RBL_ZONE_INT_H_INCLUDED_

#include "ngx_rbl_shm.h"

#define NGX_RBL_SHM_WORKERS  256


typedef struct {
    ngx_atomic_t     pid;               /* owner; 0: free */
    ngx_rbl_meter_t  meter;
} ngx_rbl_block_t;

typedef struct {
    uint32_t  store;
    uint32_t  hour;
    char      account[RBL_SID_LEN];
    char      app[RBL_SID_LEN];
} ngx_rbl_slot_key_t;

typedef struct {
    time_t               since;
    uint32_t             dirty;
    ngx_atomic_t         taken;         /* ngx_current_msec of the last turn */
    ngx_atomic_t         nblocks;       /* blocks ever used */
    uint32_t             nslots;
    uint64_t            *words;
    ngx_rbl_slot_key_t  *keys;
    ngx_rbl_block_t      blocks[NGX_RBL_SHM_WORKERS];
} ngx_rbl_shm_sh_t;

struct ngx_rbl_shm_s {
    ngx_rbl_shm_sh_t  *sh;
};

#endif /* _NGX_RBL_ZONE_INT_H_INCLUDED_ */
