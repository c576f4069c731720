/*
 * Two hashes.  XXH64: 64 bits that change with the bytes they are made of.
 * Quick, and no protection against somebody who looks for two texts with the
 * same hash.
 *
 * SipHash-2-4 of 128 bits: without the key, which is random and told to nobody,
 * no text can be found that has the hash of another, nor be told from its hash.
 */

#ifndef RBL_HASH_H_INCLUDED
#define RBL_HASH_H_INCLUDED

#include "rbl_common.h"

uint64_t rbl_hash(rbl_str_t s, uint64_t seed);

#define RBL_HASH_KEY  16

typedef struct {
    uint64_t  low;
    uint64_t  high;
} rbl_hash_keyed_t;

rbl_hash_keyed_t rbl_hash_keyed(rbl_str_t s,
    const unsigned char key[RBL_HASH_KEY]);

#endif /* RBL_HASH_H_INCLUDED */
