/*
 * The block is a ring of entries of any length; no entry is split.  The part in
 * use goes from `tail` to `head`, or, after the ring has wrapped, from `tail`
 * to `end` and from 0 to `head`.  Slots of the index chain entries by their
 * place in the block.  Both are allocated once and touched only as they fill.
 */

#include "cache.h"
#include "base/xalloc.h"
#include "rbl_hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define CACHE_UNIT   8
#define CACHE_GUESS  256        /* octets of block for a slot of the index */
#define CACHE_LEAST  16         /* slots */

_Static_assert(sizeof(cache_kept_t) % CACHE_UNIT == 0, "whole units");

struct cache_s {
    uint8_t   *block;
    uint32_t  *slot;            /* unit + 1; 0: empty */
    uint64_t   mask;            /* of slots */
    uint64_t   seed;
    uint32_t   units;           /* of the block */
    uint32_t   head, tail, end; /* units */
    unsigned   round:1;         /* the ring has come round */
    size_t     written;         /* entries in the ring, dead ones too */
    size_t     entries, used;   /* those alive, and their units */
};


cache_t *
cache_new(size_t octets)
{
    size_t     slots;
    cache_t   *cache;
    uint64_t   seed;

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t) sizeof(seed)) {
        return NULL;
    }

    cache = xcalloc(1, sizeof(cache_t));
    cache->seed = seed;
    slots = CACHE_LEAST;

    while (slots * 2 <= octets / CACHE_GUESS) {
        slots *= 2;
    }

    octets -= octets < slots * sizeof(uint32_t) ? octets
                                                : slots * sizeof(uint32_t);
    octets /= CACHE_UNIT;
    cache->units = octets < UINT32_MAX ? (uint32_t) octets : UINT32_MAX - 1;
    cache->mask = slots - 1;
    cache->slot = xcalloc(slots, sizeof(uint32_t));
    cache->block = xmalloc((size_t) cache->units * CACHE_UNIT + 1);

    return cache;
}


void
cache_free(cache_t *cache)
{
    if (cache != NULL) {
        free(cache->slot);
        free(cache->block);
        free(cache);
    }
}


static cache_kept_t *
cache_at(const cache_t *cache, uint32_t unit)
{
    return (cache_kept_t *) (cache->block + (size_t) unit * CACHE_UNIT);
}


static uint64_t
cache_hash(const cache_t *cache, const char *name, uint16_t type)
{
    return rbl_hash(rbl_str(name), cache->seed + type);
}


static size_t
cache_addresses(const cache_kept_t *kept)
{
    return kept->n_a * sizeof(uint32_t)
           + kept->n_aaaa * sizeof(struct in6_addr);
}


/* Where the entry is chained: in its slot, or in the one before it. */
static uint32_t *
cache_place(cache_t *cache, const char *name, uint16_t type, uint64_t hash)
{
    size_t         n;
    uint32_t      *at;
    cache_kept_t  *kept;

    n = strlen(name);

    for (at = &cache->slot[hash & cache->mask]; *at != 0; at = &kept->next) {
        kept = cache_at(cache, *at - 1);

        if (kept->hash == hash && kept->type == type && kept->name_len == n
            && memcmp(kept->rest + cache_addresses(kept), name, n) == 0)
        {
            return at;
        }
    }

    return NULL;
}


static int
cache_holds(const cache_kept_t *kept, double now)
{
    uint32_t  ttl;

    ttl = kept->ttl < CACHE_TTL_MAX ? kept->ttl : CACHE_TTL_MAX;
    return now >= kept->at && now < kept->at + ttl;
}


/* Out of its slot; its room is free when the tail comes by. */
static void
cache_kill(cache_t *cache, uint32_t *at)
{
    cache_kept_t  *kept;

    kept = cache_at(cache, *at - 1);
    *at = kept->next;
    kept->dead = 1;
    cache->entries--;
    cache->used -= kept->units;
}


static void
cache_drop_tail(cache_t *cache)
{
    uint32_t      *at;
    cache_kept_t  *kept;

    kept = cache_at(cache, cache->tail);

    if (!kept->dead) {
        at = &cache->slot[kept->hash & cache->mask];

        while (*at != cache->tail + 1) {
            at = &cache_at(cache, *at - 1)->next;
        }

        cache_kill(cache, at);
    }

    cache->tail += kept->units;
    cache->written--;

    if (cache->round && cache->tail == cache->end) {
        cache->tail = 0;
        cache->round = 0;
    }

    if (cache->written == 0) {
        cache->head = cache->tail = 0;
        cache->round = 0;
    }
}


/* The oldest, while they are of no use. */
static void
cache_tidy(cache_t *cache, double now)
{
    cache_kept_t  *kept;

    while (cache->written != 0) {
        kept = cache_at(cache, cache->tail);

        if (!kept->dead && cache_holds(kept, now)) {
            return;
        }

        cache_drop_tail(cache);
    }
}


/* Room in one piece, for fewer units than there are: its place. */
static uint32_t
cache_room(cache_t *cache, uint32_t units)
{
    uint32_t  unit;

    for ( ;; ) {
        if (!cache->round && cache->units - cache->head >= units) {
            break;
        }

        if (!cache->round) {
            cache->end = cache->head;
            cache->head = 0;
            cache->round = 1;
        }

        if (cache->tail - cache->head >= units) {
            break;
        }

        cache_drop_tail(cache);
    }

    unit = cache->head;
    cache->head += units;
    cache->written++;

    return unit;
}


static void
cache_fill(cache_kept_t *kept, const char *name, const dns_answer_t *answer)
{
    size_t    n;
    uint8_t  *p;

    kept->ttl = answer->ttl;
    kept->ms = (float) answer->ms;
    kept->name_len = (uint16_t) strlen(name);
    kept->txt_len = (uint16_t) answer->txt_len;
    kept->n_a = (uint8_t) answer->n_a;
    kept->n_aaaa = (uint8_t) answer->n_aaaa;
    kept->status = (uint8_t) answer->status;
    kept->tries = (uint8_t) answer->tries;
    kept->server = answer->server;
    kept->soa = (uint8_t) answer->soa;
    kept->alias = answer->alias & 1;
    kept->dead = 0;

    p = kept->rest;
    n = answer->n_a * sizeof(uint32_t);
    memcpy(p, answer->a, n);
    p += n;
    n = answer->n_aaaa * sizeof(struct in6_addr);
    memcpy(p, answer->aaaa, n);
    p += n;
    memcpy(p, name, kept->name_len);
    memcpy(p + kept->name_len, answer->txt, answer->txt_len);
}


void
cache_put(cache_t *cache, const char *name, uint16_t type,
    const dns_answer_t *answer, double now)
{
    size_t         n;
    uint32_t      *at, unit;
    uint64_t       hash;
    cache_kept_t  *kept;

    /* A valid list has no hundreds of addresses: they would displace others. */

    if (answer->ttl == 0 || answer->n_a > DNS_MAX_A
        || !dns_answered(answer->status))
    {
        return;
    }

    n = sizeof(cache_kept_t) + answer->n_a * sizeof(uint32_t)
        + answer->n_aaaa * sizeof(struct in6_addr) + strlen(name)
        + answer->txt_len;
    n = (n + CACHE_UNIT - 1) / CACHE_UNIT;

    if (n >= cache->units) {
        return;
    }

    hash = cache_hash(cache, name, type);
    at = cache_place(cache, name, type, hash);

    if (at != NULL) {
        cache_kill(cache, at);
    }

    cache_tidy(cache, now);
    unit = cache_room(cache, (uint32_t) n);
    kept = cache_at(cache, unit);
    kept->units = (uint32_t) n;
    kept->at = now;
    kept->hash = hash;
    kept->type = type;
    cache_fill(kept, name, answer);

    at = &cache->slot[hash & cache->mask];
    kept->next = *at;
    *at = unit + 1;
    cache->entries++;
    cache->used += n;
}


const cache_kept_t *
cache_find(cache_t *cache, const char *name, uint16_t type, double now)
{
    uint32_t      *at;
    cache_kept_t  *kept;

    at = cache_place(cache, name, type, cache_hash(cache, name, type));

    if (at == NULL) {
        return NULL;
    }

    kept = cache_at(cache, *at - 1);

    if (!cache_holds(kept, now)) {
        cache_kill(cache, at);
        return NULL;
    }

    return kept;
}


void
cache_unpack(dns_answer_t *answer, const cache_kept_t *kept, double now)
{
    double          left;
    const uint8_t  *p;

    left = kept->at + kept->ttl - now;
    answer->status = kept->status;
    answer->ttl = left > 0 ? (uint32_t) left : 0;
    answer->ms = kept->ms;
    answer->tries = kept->tries;
    answer->server = kept->server;
    answer->has_serial = 0;
    answer->aa = 0;
    answer->search = DNS_NOERROR;
    answer->soa = kept->soa;
    answer->alias = kept->alias & 1;
    answer->n_a = kept->n_a;
    answer->n_aaaa = kept->n_aaaa;
    answer->txt_len = kept->txt_len;

    p = kept->rest;
    memcpy(answer->a, p, kept->n_a * sizeof(uint32_t));
    p += kept->n_a * sizeof(uint32_t);
    memcpy(answer->aaaa, p, kept->n_aaaa * sizeof(struct in6_addr));
    p += kept->n_aaaa * sizeof(struct in6_addr) + kept->name_len;
    memcpy(answer->txt, p, kept->txt_len);
}


size_t
cache_entries(const cache_t *cache)
{
    return cache->entries;
}


size_t
cache_octets(const cache_t *cache)
{
    return cache->used * CACHE_UNIT;
}
