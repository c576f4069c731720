/*
 * Table of applications in shared memory.
 *
 * It has a slot for each application and hour counted since the last flush.
 * Taking empties a slot, so the table needs room for the applications of about
 * a second.  A slot is a word and a key.  The word holds all mutable state, so
 * one compare-and-swap changes it:
 *
 *     state 2 bits | generation 16 | requests 23 | refusals 23
 *
 * The worker that sets the state FILLING writes the key, which is valid for
 * that generation.  Two workers may add the same application at the same time
 * and fill two slots; the store adds them up.  A worker killed while it fills a
 * slot loses that slot.
 */

#include "ngx_rbl_shm_int.h"

#define NGX_RBL_SHM_WAYS     16        /* slots in which a key may be */
#define NGX_RBL_SHM_TRIES    4
#define NGX_RBL_SHM_STALE    24        /* hours */

#define NGX_RBL_SLOT_FREE     0
#define NGX_RBL_SLOT_FILLING  1
#define NGX_RBL_SLOT_USED     2
#define NGX_RBL_SLOT_STATE    3
#define NGX_RBL_SLOT_GEN      (0xffffULL << 2)
#define NGX_RBL_SLOT_LIFE     (NGX_RBL_SLOT_STATE|NGX_RBL_SLOT_GEN)
#define NGX_RBL_SLOT_MAX      0x7fffffULL
#define NGX_RBL_SLOT_REQUESTS(w)  ((w) >> 18 & NGX_RBL_SLOT_MAX)
#define NGX_RBL_SLOT_REFUSALS(w)  ((w) >> 41)


/* SIDs are random, so any of their digits are a hash. */

static uint32_t
ngx_rbl_shm_first(ngx_rbl_shm_sh_t *sh, const ngx_rbl_usage_t *usage)
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


/* Returns 0 and sets *w to the current word if that differs from *w. */

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
ngx_rbl_slot_fill(ngx_rbl_shm_sh_t *sh, uint32_t i, uint64_t w,
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


/* NGX_AGAIN: another worker changed the slot first. */

static ngx_int_t
ngx_rbl_shm_try(ngx_rbl_shm_sh_t *sh, const ngx_rbl_usage_t *usage)
{
    uint32_t    i, at, room;
    uint64_t    w, room_w;
    ngx_uint_t  found;

    at = ngx_rbl_shm_first(sh, usage);
    found = 0;
    room = 0;
    room_w = 0;

    for (i = 0; i < NGX_RBL_SHM_WAYS; i++, at++) {
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


ngx_int_t
ngx_rbl_shm_add(ngx_rbl_shm_t *shm, const ngx_rbl_usage_t *usage)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    for (i = 0, rc = NGX_AGAIN; rc == NGX_AGAIN && i < NGX_RBL_SHM_TRIES; i++)
    {
        rc = ngx_rbl_shm_try(shm->sh, usage);
    }

    if (rc != NGX_OK) {
        return NGX_DECLINED;
    }

    /* after the slot: a reader that clears `dirty` before it reads sees both */

    if (!__atomic_load_n(&shm->sh->dirty, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&shm->sh->dirty, 1, __ATOMIC_SEQ_CST);
    }

    return NGX_OK;
}


ngx_uint_t
ngx_rbl_shm_dirty(ngx_rbl_shm_t *shm)
{
    return __atomic_load_n(&shm->sh->dirty, __ATOMIC_SEQ_CST);
}


ngx_uint_t
ngx_rbl_shm_turn(ngx_rbl_shm_t *shm, ngx_msec_t pause)
{
    ngx_atomic_uint_t  taken;

    taken = shm->sh->taken;

    return ngx_current_msec - taken >= pause
           && ngx_atomic_cmp_set(&shm->sh->taken, taken, ngx_current_msec);
}


/* Empties a slot of the store.  Returns 0 if the caller gets nothing. */

static ngx_uint_t
ngx_rbl_slot_take(ngx_rbl_shm_sh_t *sh, uint32_t i, uint32_t store,
    uint32_t hour, const ngx_rbl_fits_t *fits, ngx_rbl_usage_t *usage)
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

    if (usage->store == store ? !fits->is(fits->data, usage->account)
                              : usage->hour + NGX_RBL_SHM_STALE > hour)
    {
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


ngx_uint_t
ngx_rbl_shm_take(ngx_rbl_shm_t *shm, uint32_t store, uint32_t hour,
    const ngx_rbl_fits_t *fits, ngx_rbl_usage_t *usage, ngx_uint_t n)
{
    uint32_t            i;
    uint64_t            w;
    ngx_uint_t          taken, left;
    ngx_rbl_shm_sh_t  *sh;

    sh = shm->sh;
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

        if (ngx_rbl_slot_take(sh, i, store, hour, fits, &usage[taken])) {
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
