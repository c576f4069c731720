/*
 * Records of the store as C structures, generated from shared/schema.txt, which
 * has their meaning: rbl_host_t and rbl_host_decode of the entity "host".  The
 * decoder of an entry, such as rbl_listing_decode, reads the next one from a
 * reader inside the array.
 *
 * A decoder takes the bytes of one record and fills views of them, which are
 * valid as long as the bytes.  RBL_ETYPE: not a record of that entity, one of
 * an unknown version, or too large; the structure is zeroed then.  Fields that
 * a newer version has added are skipped; fields that an older version lacks are
 * "", 0 or an empty array.  Arrays stay packed (rbl_str_t of the raw
 * MessagePack array) and are read with rbl_mp.
 */

#ifndef RBL_RECORD_H_INCLUDED
#define RBL_RECORD_H_INCLUDED

#include "rbl_mp.h"
#include "rbl_schema.h"

#define RBL_RECORD_VERSION  1

/* Limits of an application, in the order of rbl_app_t.limits. */
enum {
    RBL_LIMIT_HOUR = 0,
    RBL_LIMIT_READS,
    RBL_LIMIT_WRITES,
    RBL_LIMIT_STARTS,
    RBL_LIMITS
};

#define RBL_HOUR_MAX  1000000000        /* requests an hour */
#define RBL_RATE_MAX  1000000           /* a second */

/* Reads the limits of an application or a token; 0: no limit. */
void rbl_limits_decode(int64_t limits[RBL_LIMITS], rbl_str_t packed);

#endif /* RBL_RECORD_H_INCLUDED */
