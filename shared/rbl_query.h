/*
 * From a host to the name that is asked (facts: RFC 5782, reversed octets,
 * nibbles, domains).
 */

#ifndef RBL_QUERY_H_INCLUDED
#define RBL_QUERY_H_INCLUDED

#include "rbl_validate.h"

/*
 * The query name for `value` (canonical, of that family) at `zone`, without a
 * trailing dot.  {key} in the zone is replaced by `key` (its own label or
 * labels); a zone with {key} and an empty key is RBL_EINVAL.  RBL_ETOOBIG: the
 * name would be over 253 octets or a label over 63.
 */
rbl_err_t rbl_query_name(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_family_t family, rbl_str_t value, rbl_str_t zone, rbl_str_t key);

/* A list's look-up URL for a value: "%s" replaced, percent-encoded. */
rbl_err_t rbl_lookup_url(char *buf, size_t size, rbl_str_t *out,
    rbl_str_t pattern, rbl_str_t value);

/* Is this a zone name that may be asked: domain form, {key} label allowed? */
int rbl_zone_ok(rbl_str_t zone);

#endif /* RBL_QUERY_H_INCLUDED */
