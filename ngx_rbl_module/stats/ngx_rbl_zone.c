/*
 * Shared memory: directive, layout, and the workers' blocks.
 */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "ngx_rbl_conf.h"
#include "ngx_rbl_zone_int.h"

#define NGX_RBL_ZONE_MIN      (512 * 1024)
#define NGX_RBL_ZONE_MAX      (64 * 1024 * 1024)


static ngx_rbl_block_t  *ngx_rbl_zone_block;    /* of this process */


/* Makes one block of all free pages; it is never freed. */

static ngx_rbl_zone_sh_t *
ngx_rbl_zone_layout(ngx_slab_pool_t *shpool)
{
    size_t              size, slot;
    ngx_rbl_zone_sh_t  *sh;

    size = shpool->pfree * ngx_pagesize;
    sh = ngx_slab_alloc(shpool, size);

    if (sh == NULL) {
        return NULL;
    }

    ngx_memzero(sh, sizeof(ngx_rbl_zone_sh_t));

    slot = sizeof(uint64_t) + sizeof(ngx_rbl_slot_key_t);

    sh->since = ngx_time();
    sh->nslots = (size - sizeof(ngx_rbl_zone_sh_t)) / slot;
    sh->words = (uint64_t *) (sh + 1);
    sh->keys = (ngx_rbl_slot_key_t *) (sh->words + sh->nslots);

    ngx_memzero(sh->words, sh->nslots * sizeof(uint64_t));

    return sh;
}


/* A zone of the same name and size keeps its memory over a reload. */

static ngx_int_t
ngx_rbl_zone_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_rbl_zone_t  *old = data;

    ngx_rbl_zone_t   *zone;
    ngx_slab_pool_t  *shpool;

    zone = shm_zone->data;

    if (old != NULL) {
        zone->sh = old->sh;
        return NGX_OK;
    }

    shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (!shm_zone->shm.exists) {
        shpool->data = ngx_rbl_zone_layout(shpool);
    }

    zone->sh = shpool->data;

    return zone->sh ? NGX_OK : NGX_ERROR;
}


char *
ngx_rbl_set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_main_conf_t  *rmcf = conf;

    ssize_t          size;
    ngx_str_t       *value;
    ngx_rbl_zone_t  *zone;

    if (rmcf->zone != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    size = ngx_parse_size(&value[2]);

    if (value[1].len == 0 || size == NGX_ERROR || size < NGX_RBL_ZONE_MIN
        || size > NGX_RBL_ZONE_MAX)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid value \"%V %V\" in \"%V\" directive, it "
                           "must be a name and a size from 512k to 64m",
                           &value[1], &value[2], &cmd->name);
        return NGX_CONF_ERROR;
    }

    zone = ngx_pcalloc(cf->pool, sizeof(ngx_rbl_zone_t));
    if (zone == NULL) {
        return NGX_CONF_ERROR;
    }

    rmcf->zone = ngx_shared_memory_add(cf, &value[1], size, &ngx_rbl_module);
    if (rmcf->zone == NULL) {
        return NGX_CONF_ERROR;
    }

    rmcf->zone->init = ngx_rbl_zone_init;
    rmcf->zone->data = zone;

    return NGX_CONF_OK;
}


static ngx_uint_t
ngx_rbl_zone_alive(ngx_atomic_uint_t pid)
{
    return pid != 0 && (kill((ngx_pid_t) pid, 0) == 0 || ngx_errno != ESRCH);
}


void
ngx_rbl_zone_enter(ngx_rbl_zone_t *zone, ngx_log_t *log)
{
    ngx_uint_t          i;
    ngx_rbl_block_t    *block;
    ngx_atomic_uint_t   pid, n;

    for (i = 0; zone != NULL && i < NGX_RBL_ZONE_WORKERS; i++) {
        block = &zone->sh->blocks[i];
        pid = block->pid;

        if (ngx_rbl_zone_alive(pid)
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
        ngx_rbl_zone_block = block;

        do {
            n = zone->sh->nblocks;
        } while (n <= i
                 && !ngx_atomic_cmp_set(&zone->sh->nblocks, n, i + 1));

        return;
    }

    if (zone != NULL) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "rbl zone: more than %d workers, this one is not in"
                      " rbl_status",
                      NGX_RBL_ZONE_WORKERS);
    }
}


void
ngx_rbl_zone_leave(ngx_rbl_zone_t *zone)
{
    if (zone != NULL && ngx_rbl_zone_block != NULL) {
        (void) ngx_atomic_cmp_set(&ngx_rbl_zone_block->pid,
                                  (ngx_atomic_uint_t) ngx_pid, 0);
        ngx_rbl_meter_use(NULL);
        ngx_rbl_zone_block = NULL;
        zone->sh = NULL;
    }
}


ngx_uint_t
ngx_rbl_zone_sum(ngx_rbl_zone_t *zone, ngx_rbl_meter_t *sum, time_t *since)
{
    ngx_uint_t        i, n, alive;
    ngx_rbl_block_t  *block;

    ngx_memzero(sum, sizeof(ngx_rbl_meter_t));
    n = 0;

    if (zone->sh == NULL) {
        *since = ngx_time();
        return 0;
    }

    for (i = 0; i < zone->sh->nblocks && i < NGX_RBL_ZONE_WORKERS; i++) {
        block = &zone->sh->blocks[i];
        alive = ngx_rbl_zone_alive(block->pid);
        ngx_rbl_meter_add(sum, &block->meter, alive);
        n += alive;
    }

    *since = zone->sh->since;

    return n;
}
