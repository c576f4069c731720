/*
 * The DNS cache: responses NOERROR and NXDOMAIN for their TTL, nothing else.
 * It is one block of memory, allocated once and used as a ring: new responses
 * replace the oldest ones.  It has neither network nor clock; the caller gives
 * the time.
 */

#ifndef CACHE_H_INCLUDED
#define CACHE_H_INCLUDED

#include "dns/engine.h"

/* Upper limit of the time in the cache, for any TTL. */
#define CACHE_TTL_MAX  3600

typedef struct cache_s  cache_t;

/* A packed response; cache_unpack restores it. */
typedef struct {
    uint32_t  units;            /* its size, in units of 8 octets */
    uint32_t  next;             /* of its slot: unit + 1; 0: the last */
    double    at;               /* when it came */
    uint64_t  hash;
    uint32_t  ttl;              /* then */
    float     ms;
    uint32_t  server;
    uint16_t  type;
    uint16_t  name_len, txt_len;
    uint8_t   n_a, n_aaaa;
    uint8_t   status, tries, soa;
    uint8_t   alias:1;
    uint8_t   dead:1;           /* in no slot */
    uint8_t   rest[];           /* addresses, name, TXT */
} cache_kept_t;

/* NULL: the system gave no random octets.  It keeps nothing if there is no room
   for a single one in so many octets. */
cache_t *cache_new(size_t octets);
void cache_free(cache_t *cache);

void cache_put(cache_t *cache, const char *name, uint16_t type,
    const dns_answer_t *answer, double now);

/* NULL: there is none that still holds.  It lives until the next cache_put. */
const cache_kept_t *cache_find(cache_t *cache, const char *name,
    uint16_t type, double now);

/* `ttl` becomes the remaining time. */
void cache_unpack(dns_answer_t *answer, const cache_kept_t *kept, double now);

static inline size_t
cache_kept_size(const cache_kept_t *kept)
{
    return (size_t) kept->units * 8;
}


size_t cache_entries(const cache_t *cache);     /* those that time has not
                                                   been seen to end */
size_t cache_octets(const cache_t *cache);      /* that they take */

#endif /* CACHE_H_INCLUDED */
