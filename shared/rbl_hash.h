/*
 * XXH64: 64 bits that change with the bytes they are made of.  Quick, and no
 * protection against somebody who looks for two texts with the same hash.
 */

#ifndef RBL_HASH_H_INCLUDED
#define RBL_HASH_H_INCLUDED

#include "rbl_common.h"

uint64_t rbl_hash(rbl_str_t s, uint64_t seed);

#endif /* RBL_HASH_H_INCLUDED */
