/*
 * Builds the query name for a host at a list (RFC 5782: reversed octets,
 * nibbles, domains).
 */

#ifndef RBL_QUERY_H_INCLUDED
#define RBL_QUERY_H_INCLUDED

#include "rbl_validate.h"

/*
 * A query name consists of the part of the host and the part of the zone; each
 * is a name in lower case without a trailing dot.  RBL_ETOOBIG: over 253 bytes,
 * or a label over 63; out->n is 0 after any error.
 *
 * The part of a host: an address (inet_pton form) is reversed, a domain is
 * copied.
 */
rbl_err_t rbl_query_host(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_family_t family, rbl_str_t value);

/*
 * Labels that stand for the key of a zone: in the catalogue, and in the zone of
 * an own list.
 */
#define RBL_KEY_SLOT    "{key}"
#define RBL_KEY_HIDDEN  "****"

/* The first such label of a zone; p NULL: none. */
rbl_str_t rbl_zone_slot(rbl_str_t zone);

/*
 * The part of a zone: such a label is replaced by `key` (one label or more).
 * RBL_EINVAL: the zone has one and the key is empty.
 */
rbl_err_t rbl_query_zone(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_str_t zone, rbl_str_t key);

/* Joins both parts; RBL_ETOOBIG is the only error. */
rbl_err_t rbl_query_name(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_str_t host, rbl_str_t zone);

/* A list's lookup URL for a value: "%s" is replaced, percent-encoded. */
rbl_err_t rbl_lookup_url(char *buf, size_t size, rbl_str_t *out,
    rbl_str_t pattern, rbl_str_t value);

/* True if this is a zone name that may be queried: domain form, a {key} label
   is allowed. */
int rbl_zone_ok(rbl_str_t zone);

#endif /* RBL_QUERY_H_INCLUDED */
