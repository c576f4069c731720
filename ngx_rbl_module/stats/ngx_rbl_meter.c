/*
 * The counters of a worker, and the shared memory: directive, layout, blocks.
 */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "ngx_rbl_conf.h"
#include "ngx_rbl_meter.h"

#define NGX_RBL_SHM_MIN      (512 * 1024)
#define NGX_RBL_SHM_MAX      (64 * 1024 * 1024)
#define NGX_RBL_SHM_WORKERS  256


typedef struct {
    ngx_atomic_t      pid;              /* owner; 0: free */
    ngx_rbl_meter_t   meter;
} ngx_rbl_block_t;

typedef struct {
    time_t            since;
    ngx_atomic_t      nblocks;          /* blocks ever used */
    ngx_rbl_block_t   blocks[NGX_RBL_SHM_WORKERS];
} ngx_rbl_shm_sh_t;

struct ngx_rbl_shm_s {
    ngx_rbl_shm_sh_t  *sh;
};


static ngx_rbl_meter_t   ngx_rbl_meter_own;
ngx_rbl_meter_t         *ngx_rbl_meter = &ngx_rbl_meter_own;

const ngx_uint_t  ngx_rbl_meter_codes[NGX_RBL_METER_CODES] = {
    200, 400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503, 304, 0
};

static ngx_rbl_block_t  *ngx_rbl_shm_block;    /* of this process */


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
    ngx_rbl_meter->endpoints[endpoint]++;
}


/* A zone of the same name and size keeps its memory over a reload. */

static ngx_int_t
ngx_rbl_shm_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_rbl_shm_t  *old = data;

    ngx_rbl_shm_t    *shm;
    ngx_slab_pool_t  *shpool;

    shm = shm_zone->data;

    if (old != NULL) {
        shm->sh = old->sh;
        return NGX_OK;
    }

    shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (!shm_zone->shm.exists) {
        shpool->data = ngx_slab_calloc(shpool, sizeof(ngx_rbl_shm_sh_t));
    }

    shm->sh = shpool->data;

    if (shm->sh == NULL) {
        return NGX_ERROR;
    }

    if (shm->sh->since == 0) {
        shm->sh->since = ngx_time();
    }

    return NGX_OK;
}


char *
ngx_rbl_set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_main_conf_t  *rmcf = conf;

    ssize_t          size;
    ngx_str_t       *value;
    ngx_rbl_shm_t  *shm;

    if (rmcf->shm != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    size = ngx_parse_size(&value[2]);

    if (value[1].len == 0 || size == NGX_ERROR || size < NGX_RBL_SHM_MIN
        || size > NGX_RBL_SHM_MAX)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid value \"%V %V\" in \"%V\" directive, it "
                           "must be a name and a size from 512k to 64m",
                           &value[1], &value[2], &cmd->name);
        return NGX_CONF_ERROR;
    }

    shm = ngx_pcalloc(cf->pool, sizeof(ngx_rbl_shm_t));
    if (shm == NULL) {
        return NGX_CONF_ERROR;
    }

    rmcf->shm = ngx_shared_memory_add(cf, &value[1], size, &ngx_rbl_module);
    if (rmcf->shm == NULL) {
        return NGX_CONF_ERROR;
    }

    rmcf->shm->init = ngx_rbl_shm_init;
    rmcf->shm->data = shm;

    return NGX_CONF_OK;
}


/* Sets the block; NULL: a private block that is never read. */

static void
ngx_rbl_meter_use(ngx_rbl_meter_t *block)
{
    ngx_rbl_meter = block ? block : &ngx_rbl_meter_own;
    ngx_rbl_counts = &ngx_rbl_meter->store;
}


static ngx_uint_t
ngx_rbl_shm_alive(ngx_atomic_uint_t pid)
{
    return pid != 0 && (kill((ngx_pid_t) pid, 0) == 0 || ngx_errno != ESRCH);
}


void
ngx_rbl_shm_enter(ngx_rbl_shm_t *shm, ngx_log_t *log)
{
    ngx_uint_t          i;
    ngx_rbl_block_t    *block;
    ngx_atomic_uint_t   pid, n;

    for (i = 0; shm != NULL && i < NGX_RBL_SHM_WORKERS; i++) {
        block = &shm->sh->blocks[i];
        pid = block->pid;

        if (ngx_rbl_shm_alive(pid)
            || !ngx_atomic_cmp_set(&block->pid, pid,
                                   (ngx_atomic_uint_t) ngx_pid))
        {
            continue;
        }

        /* the block may be that of a killed worker */

        block->meter.store.stores = 0;
        block->meter.store.ready = 0;
        block->meter.store.pending = 0;
        ngx_rbl_meter_use(&block->meter);
        ngx_rbl_shm_block = block;

        do {
            n = shm->sh->nblocks;
        } while (n <= i
                 && !ngx_atomic_cmp_set(&shm->sh->nblocks, n, i + 1));

        return;
    }

    if (shm != NULL) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "rbl zone: more than %d workers, this one is not in"
                      " rbl_status",
                      NGX_RBL_SHM_WORKERS);
    }
}


void
ngx_rbl_shm_leave(ngx_rbl_shm_t *shm)
{
    if (shm != NULL && ngx_rbl_shm_block != NULL) {
        (void) ngx_atomic_cmp_set(&ngx_rbl_shm_block->pid,
                                  (ngx_atomic_uint_t) ngx_pid, 0);
        ngx_rbl_meter_use(NULL);
        ngx_rbl_shm_block = NULL;
        shm->sh = NULL;
    }
}


/* Adds the totals of `from`, and its gauges if `alive`. */

static void
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


ngx_uint_t
ngx_rbl_shm_sum(ngx_rbl_shm_t *shm, ngx_rbl_meter_t *sum, time_t *since)
{
    ngx_uint_t        i, n, alive;
    ngx_rbl_block_t  *block;

    ngx_memzero(sum, sizeof(ngx_rbl_meter_t));
    n = 0;

    if (shm->sh == NULL) {
        *since = ngx_time();
        return 0;
    }

    for (i = 0; i < shm->sh->nblocks && i < NGX_RBL_SHM_WORKERS; i++) {
        block = &shm->sh->blocks[i];
        alive = ngx_rbl_shm_alive(block->pid);
        ngx_rbl_meter_add(sum, &block->meter, alive);
        n += alive;
    }

    *since = shm->sh->since;

    return n;
}
