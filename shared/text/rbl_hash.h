/*
 * XXH64: 64 bits that change with the bytes they are made from.  It is quick,
 * and no protection against somebody who looks for two texts with one hash.
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
