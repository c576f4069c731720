/*
 * XXH64: a fast 64-bit hash.  It does not resist an attacker who searches for
 * two texts with the same hash.
 */

#ifndef RBL_HASH_H_INCLUDED
#define RBL_HASH_H_INCLUDED

#include "rbl_common.h"

#include <xxhash.h>


static inline uint64_t
rbl_hash(rbl_str_t s, uint64_t seed)
{
    return XXH64(s.p, s.n, seed);
}

#endif /* RBL_HASH_H_INCLUDED */
