/*
 * From a host to the name that is asked (facts: RFC 5782, reversed octets,
 * nibbles, domains).
 */

#ifndef RBL_QUERY_H_INCLUDED
#define RBL_QUERY_H_INCLUDED

#include "rbl_validate.h"

/*
 * A query name is made of the part of the host and that of the zone, each a
 * name in lower case without a trailing dot.  RBL_ETOOBIG: over 253 octets, or
 * a label over 63; out->n is 0 after any error.
 *
 * The part of a host: an address (inet_pton form) reversed, a domain as it is.
 */
rbl_err_t rbl_query_host(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_family_t family, rbl_str_t value);

/*
 * The part of a zone: {key} in it is replaced by `key` (its own label or
 * labels); a zone with {key} and an empty key is RBL_EINVAL.
 */
rbl_err_t rbl_query_zone(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_str_t zone, rbl_str_t key);

/* Both: RBL_ETOOBIG is the only error. */
rbl_err_t rbl_query_name(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_str_t host, rbl_str_t zone);

/* A list's look-up URL for a value: "%s" replaced, percent-encoded. */
rbl_err_t rbl_lookup_url(char *buf, size_t size, rbl_str_t *out,
    rbl_str_t pattern, rbl_str_t value);

/* Is this a zone name that may be asked: domain form, {key} label allowed? */
int rbl_zone_ok(rbl_str_t zone);

#endif /* RBL_QUERY_H_INCLUDED */
