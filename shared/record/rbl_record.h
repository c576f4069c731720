/*
 * Records of the store as C structures, generated from shared/schema.txt, which
 * has their meaning: rbl_host_t and rbl_host_decode of the entity "host".
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

/* One entry of host.details. */
typedef struct {
    rbl_str_t  list, zone, website, details;
    rbl_str_t  codes;                   /* packed array of texts */
    int64_t    since;
    int64_t    asked, errors, cleared;  /* 0 in older entries */
} rbl_listing_t;

/* Reads the next entry from a reader positioned inside host.details. */
rbl_err_t rbl_listing_decode(rbl_listing_t *v, rbl_mp_t *mp);

/* One entry of host.troubled. */
typedef struct {
    rbl_str_t  list, error;
    int64_t    since, count;
} rbl_trouble_t;

/* The same for host.troubled. */
rbl_err_t rbl_trouble_decode(rbl_trouble_t *v, rbl_mp_t *mp);

/*
 * One result of a check: an element of check:<AC>:<PP>:d and of an argument of
 * check_finish.  Order: list SID, type, custom, zone, website, status (listed,
 * clear, unknown, skipped), codes, details, reason, error, ms.
 */
typedef struct {
    rbl_str_t  list, type;
    int64_t    custom;
    rbl_str_t  zone, website, status;
    rbl_str_t  codes;                   /* packed array of texts */
    rbl_str_t  details, reason, error;
    int64_t    ms;
} rbl_result_t;

#define RBL_RESULT_FIELDS  11

rbl_err_t rbl_result_decode(rbl_result_t *v, rbl_mp_t *mp);
void rbl_result_encode(rbl_out_t *out, const rbl_result_t *v);

#endif /* RBL_RECORD_H_INCLUDED */
