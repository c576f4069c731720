/*
 * The zone: layout, the workers' blocks, and a table of applications.
 *
 * The table has a slot for each application and hour that was counted since
 * the last flush; taking empties a slot, so it needs room for the applications
 * of about a second.  A slot is a word and a key.  The word says everything
 * that changes, so one compare-and-swap changes it:
 *
 *     state 2 bits | generation 16 | requests 23 | refusals 23
 *
 * A key is written while the state is FILLING, by whoever put it there, and
 * holds as long as the generation does.  Two workers may bring the same
 * application in at the same time and fill two slots: they are added up in the
 * store.  A worker that is killed while it fills a slot costs this slot.
 */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "ngx_rbl_module.h"
#include "ngx_rbl_zone.h"

#define NGX_RBL_ZONE_MIN      (512 * 1024)
#define NGX_RBL_ZONE_MAX      (64 * 1024 * 1024)
#define NGX_RBL_ZONE_WORKERS  256
#define NGX_RBL_ZONE_WAYS     16        /* slots that a key may be in */
#define NGX_RBL_ZONE_TRIES    4
#define NGX_RBL_ZONE_STALE    24        /* hours */

#define NGX_RBL_SLOT_FREE     0
#define NGX_RBL_SLOT_FILLING  1
#define NGX_RBL_SLOT_USED     2
#define NGX_RBL_SLOT_STATE    3
#define NGX_RBL_SLOT_GEN      (0xffffULL << 2)
#define NGX_RBL_SLOT_LIFE     (NGX_RBL_SLOT_STATE|NGX_RBL_SLOT_GEN)
#define NGX_RBL_SLOT_MAX      0x7fffffULL
#define NGX_RBL_SLOT_REQUESTS(w)  ((w) >> 18 & NGX_RBL_SLOT_MAX)
#define NGX_RBL_SLOT_REFUSALS(w)  ((w) >> 41)


typedef struct {
    ngx_atomic_t     pid;               /* who writes it; 0: nobody */
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
    ngx_atomic_t         nblocks;       /* that were ever in use */
    uint32_t             nslots;
    uint64_t            *words;
    ngx_rbl_slot_key_t  *keys;
    ngx_rbl_block_t      blocks[NGX_RBL_ZONE_WORKERS];
} ngx_rbl_zone_sh_t;

struct ngx_rbl_zone_s {
    ngx_rbl_zone_sh_t  *sh;
};


static ngx_int_t ngx_rbl_zone_init(ngx_shm_zone_t *shm_zone, void *data);
static ngx_rbl_zone_sh_t *ngx_rbl_zone_layout(ngx_slab_pool_t *shpool);
static ngx_uint_t ngx_rbl_zone_alive(ngx_atomic_uint_t pid);
static ngx_int_t ngx_rbl_zone_try(ngx_rbl_zone_sh_t *sh,
    const ngx_rbl_usage_t *usage);
static uint32_t ngx_rbl_zone_first(ngx_rbl_zone_sh_t *sh,
    const ngx_rbl_usage_t *usage);
static ngx_int_t ngx_rbl_slot_add(uint64_t *word, uint64_t w,
    const ngx_rbl_usage_t *usage);
static ngx_int_t ngx_rbl_slot_fill(ngx_rbl_zone_sh_t *sh, uint32_t i,
    uint64_t w, const ngx_rbl_usage_t *usage);
static ngx_uint_t ngx_rbl_slot_is(const ngx_rbl_slot_key_t *key,
    const ngx_rbl_usage_t *usage);
static ngx_uint_t ngx_rbl_slot_swap(uint64_t *word, uint64_t *w, uint64_t to);
static ngx_uint_t ngx_rbl_slot_take(ngx_rbl_zone_sh_t *sh, uint32_t i,
    uint32_t store, uint32_t hour, ngx_rbl_usage_t *usage);


static ngx_rbl_block_t  *ngx_rbl_zone_block;    /* of this process */


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


/* The same name and size before a reload: the same memory goes on. */

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


/* All of the free pages become one piece of memory, which is never freed. */

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


/* --- the workers' blocks ------------------------------------------------- */


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

        /* it may be that of a worker that was killed */

        block->meter.stores = 0;
        block->meter.ready = 0;
        block->meter.pending = 0;
        ngx_rbl_meter = &block->meter;
        ngx_rbl_zone_block = block;

        do {
            n = zone->sh->nblocks;
        } while (n <= i
                 && !ngx_atomic_cmp_set(&zone->sh->nblocks, n, i + 1));

        return;
    }

    if (zone != NULL) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "rbl zone: there are more than %d workers, this one is "
                      "not in rbl_status", NGX_RBL_ZONE_WORKERS);
    }
}


void
ngx_rbl_zone_leave(ngx_rbl_zone_t *zone)
{
    if (zone != NULL && ngx_rbl_zone_block != NULL) {
        (void) ngx_atomic_cmp_set(&ngx_rbl_zone_block->pid,
                                  (ngx_atomic_uint_t) ngx_pid, 0);
    }
}


static ngx_uint_t
ngx_rbl_zone_alive(ngx_atomic_uint_t pid)
{
    return pid != 0 && (kill((ngx_pid_t) pid, 0) == 0 || ngx_errno != ESRCH);
}


ngx_uint_t
ngx_rbl_zone_sum(ngx_rbl_zone_t *zone, ngx_rbl_meter_t *sum, time_t *since)
{
    ngx_uint_t        i, n, alive;
    ngx_rbl_block_t  *block;

    ngx_memzero(sum, sizeof(ngx_rbl_meter_t));
    n = 0;

    for (i = 0; i < zone->sh->nblocks && i < NGX_RBL_ZONE_WORKERS; i++) {
        block = &zone->sh->blocks[i];
        alive = ngx_rbl_zone_alive(block->pid);
        ngx_rbl_meter_add(sum, &block->meter, alive);
        n += alive;
    }

    *since = zone->sh->since;

    return n;
}


/* --- the table of applications ------------------------------------------- */


ngx_int_t
ngx_rbl_zone_add(ngx_rbl_zone_t *zone, const ngx_rbl_usage_t *usage)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    for (i = 0, rc = NGX_AGAIN; rc == NGX_AGAIN && i < NGX_RBL_ZONE_TRIES; i++)
    {
        rc = ngx_rbl_zone_try(zone->sh, usage);
    }

    if (rc != NGX_OK) {
        return NGX_DECLINED;
    }

    /* after the slot: who clears the mark before it looks will see both */

    if (!__atomic_load_n(&zone->sh->dirty, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&zone->sh->dirty, 1, __ATOMIC_SEQ_CST);
    }

    return NGX_OK;
}


/* NGX_AGAIN: somebody else was faster. */

static ngx_int_t
ngx_rbl_zone_try(ngx_rbl_zone_sh_t *sh, const ngx_rbl_usage_t *usage)
{
    uint32_t    i, at, room;
    uint64_t    w, room_w;
    ngx_uint_t  found;

    at = ngx_rbl_zone_first(sh, usage);
    found = 0;
    room = 0;
    room_w = 0;

    for (i = 0; i < NGX_RBL_ZONE_WAYS; i++, at++) {
        if (at == sh->nslots) {
            at = 0;
        }

        w = __atomic_load_n(&sh->words[at], __ATOMIC_ACQUIRE);

        if ((w & NGX_RBL_SLOT_STATE) == NGX_RBL_SLOT_USED) {
            if (ngx_rbl_slot_is(&sh->keys[at], usage)) {
                return ngx_rbl_slot_add(&sh->words[at], w, usage);
            }

        } else if ((w & NGX_RBL_SLOT_STATE) == NGX_RBL_SLOT_FREE && !found) {
            found = 1;
            room = at;
            room_w = w;
        }
    }

    return found ? ngx_rbl_slot_fill(sh, room, room_w, usage) : NGX_DECLINED;
}


/* SIDs are random: any of their digits are a hash. */

static uint32_t
ngx_rbl_zone_first(ngx_rbl_zone_sh_t *sh, const ngx_rbl_usage_t *usage)
{
    uint64_t  digits;

    ngx_memcpy(&digits, usage->app + 2, sizeof(digits));
    digits = (digits ^ usage->store) * 0x9e3779b97f4a7c15ULL;

    return (uint32_t) (((digits >> 32) * sh->nslots) >> 32);
}


static ngx_uint_t
ngx_rbl_slot_is(const ngx_rbl_slot_key_t *key, const ngx_rbl_usage_t *usage)
{
    return key->hour == usage->hour && key->store == usage->store
           && ngx_memcmp(key->app, usage->app, RBL_SID_LEN) == 0
           && ngx_memcmp(key->account, usage->account, RBL_SID_LEN) == 0;
}


/* 0: another word stands there, which *w now is. */

static ngx_uint_t
ngx_rbl_slot_swap(uint64_t *word, uint64_t *w, uint64_t to)
{
    return __atomic_compare_exchange_n(word, w, to, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}


static ngx_int_t
ngx_rbl_slot_add(uint64_t *word, uint64_t w, const ngx_rbl_usage_t *usage)
{
    uint64_t  life, requests, refusals;

    life = w & NGX_RBL_SLOT_LIFE;

    do {
        if ((w & NGX_RBL_SLOT_LIFE) != life) {
            return NGX_AGAIN;
        }

        requests = NGX_RBL_SLOT_REQUESTS(w) + usage->requests;
        refusals = NGX_RBL_SLOT_REFUSALS(w) + usage->refusals;

        if (requests > NGX_RBL_SLOT_MAX || refusals > NGX_RBL_SLOT_MAX) {
            return NGX_DECLINED;
        }

    } while (!ngx_rbl_slot_swap(word, &w,
                                life | requests << 18 | refusals << 41));

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_slot_fill(ngx_rbl_zone_sh_t *sh, uint32_t i, uint64_t w,
    const ngx_rbl_usage_t *usage)
{
    uint64_t             gen;
    ngx_rbl_slot_key_t  *key;

    gen = (w + (1 << 2)) & NGX_RBL_SLOT_GEN;

    if (!ngx_rbl_slot_swap(&sh->words[i], &w, gen | NGX_RBL_SLOT_FILLING)) {
        return NGX_AGAIN;
    }

    key = &sh->keys[i];
    key->store = usage->store;
    key->hour = usage->hour;
    ngx_memcpy(key->account, usage->account, RBL_SID_LEN);
    ngx_memcpy(key->app, usage->app, RBL_SID_LEN);

    __atomic_store_n(&sh->words[i], gen | NGX_RBL_SLOT_USED
                     | (uint64_t) usage->requests << 18
                     | (uint64_t) usage->refusals << 41, __ATOMIC_RELEASE);

    return NGX_OK;
}


ngx_uint_t
ngx_rbl_zone_dirty(ngx_rbl_zone_t *zone)
{
    return __atomic_load_n(&zone->sh->dirty, __ATOMIC_SEQ_CST);
}


ngx_uint_t
ngx_rbl_zone_turn(ngx_rbl_zone_t *zone, ngx_msec_t pause)
{
    ngx_atomic_uint_t  taken;

    taken = zone->sh->taken;

    return ngx_current_msec - taken >= pause
           && ngx_atomic_cmp_set(&zone->sh->taken, taken, ngx_current_msec);
}


ngx_uint_t
ngx_rbl_zone_take(ngx_rbl_zone_t *zone, uint32_t store, uint32_t hour,
    ngx_rbl_usage_t *usage, ngx_uint_t n)
{
    uint32_t            i;
    uint64_t            w;
    ngx_uint_t          taken, left;
    ngx_rbl_zone_sh_t  *sh;

    sh = zone->sh;
    taken = 0;
    left = 0;

    __atomic_store_n(&sh->dirty, 0, __ATOMIC_SEQ_CST);

    for (i = 0; i < sh->nslots; i++) {
        w = __atomic_load_n(&sh->words[i], __ATOMIC_ACQUIRE);

        if ((w & NGX_RBL_SLOT_STATE) != NGX_RBL_SLOT_USED) {
            continue;
        }

        if (taken == n) {
            left = 1;
            break;
        }

        if (ngx_rbl_slot_take(sh, i, store, hour, &usage[taken])) {
            taken++;

        } else {
            left = 1;
        }
    }

    if (left) {
        __atomic_store_n(&sh->dirty, 1, __ATOMIC_SEQ_CST);
    }

    return taken;
}


/* Empties a slot, if it is the store's; 0: it has nothing for the caller. */

static ngx_uint_t
ngx_rbl_slot_take(ngx_rbl_zone_sh_t *sh, uint32_t i, uint32_t store,
    uint32_t hour, ngx_rbl_usage_t *usage)
{
    uint64_t             w, life;
    ngx_rbl_slot_key_t  *key;

    key = &sh->keys[i];
    w = __atomic_load_n(&sh->words[i], __ATOMIC_ACQUIRE);
    life = w & NGX_RBL_SLOT_LIFE;

    usage->store = key->store;
    usage->hour = key->hour;
    ngx_memcpy(usage->account, key->account, RBL_SID_LEN);
    ngx_memcpy(usage->app, key->app, RBL_SID_LEN);

    if (usage->store != store && usage->hour + NGX_RBL_ZONE_STALE > hour) {
        return 0;
    }

    do {
        if ((w & NGX_RBL_SLOT_LIFE) != life
            || (w & NGX_RBL_SLOT_STATE) != NGX_RBL_SLOT_USED)
        {
            return 0;
        }

    } while (!ngx_rbl_slot_swap(&sh->words[i], &w, life & NGX_RBL_SLOT_GEN));

    usage->requests = NGX_RBL_SLOT_REQUESTS(w);
    usage->refusals = NGX_RBL_SLOT_REFUSALS(w);

    if (usage->store == store) {
        return 1;
    }

    ngx_rbl_meter->uncounted += usage->requests;

    return 0;
}
