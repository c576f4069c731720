/*
 * The names that are queried for a host at a list, and those of the list's test
 * points (RFC 5782).
 *
 * Addresses are reversed; a mapped one is treated as the IPv4 address in it.
 * For a domain it is the whole name, its registered domain, or both if they
 * differ, as the list requires (list->names).  The registered domain is that of
 * the public suffix list with its private section; a public suffix, which has
 * none, is queried unchanged.
 *
 * Names may contain the list's key: they must not appear in logs or answers.
 */

#ifndef NAMES_H_INCLUDED
#define NAMES_H_INCLUDED

#include "lists.h"
#include "rbl_validate.h"

#define NAMES_MAX  2

typedef struct {
    size_t  n;
    char    s[RBL_VALUE_MAX];           /* without a trailing dot, NUL */
} names_t;

/* Data that is the same for all lists: made once per check. */
typedef struct {
    rbl_family_t  family;               /* family of the checked value */
    names_t       whole;                /* reversed, or the domain itself */
    names_t       registered;           /* n 0: no other than `whole` */
} names_host_t;

/*
 * Reads the public suffix list, the system's newest; without it uses the one
 * built into libpsl.  To be called once per process, before the first query.
 */
void names_open(void);
void names_close(void);

/* -1: it is no value of that family. */
int names_host(names_host_t *host, rbl_family_t family, rbl_str_t value);

/*
 * Returns the number of names in out[NAMES_MAX].  0 and RBL_ERR_NONE: the list
 * does not take the host, or its key is missing: it is skipped.  0 and
 * RBL_ERR_NAME: a name would be too long for the DNS.
 */
int names_make(names_t *out, const list_t *list, const names_host_t *host,
    rbl_lookup_err_t *err);

/*
 * The owner of a list: the registered domain in its zone, or the zone itself.
 * Part of `zone`.
 */
const char *names_owner(const char *zone);

typedef enum {
    NAMES_POSITIVE = 0,     /* the list must know it */
    NAMES_NEGATIVE,         /* it must not: 127.0.0.1 */
    NAMES_RANDOM,           /* it must not either, and no cache has it */
    NAMES_SAMPLE,           /* a name that no list should contain */
    NAMES_ROOT              /* the same, in the network of names_network */
} names_point_t;

/*
 * 1: the list must have its positive test point, if its mode has one.  0: it is
 * only known that RFC 5782 demands one (mode "").
 */
int names_must(const list_t *list);

/*
 * The name of a test point by the list's mode (list->control: the key of the
 * configuration and of the store means test points); `random` varies the name
 * (RANDOM and SAMPLE).  1: it is in *out; 0: the list has no such test point
 * for that family.
 *
 * mode                 POSITIVE      NEGATIVE      RANDOM
 * "ip", addresses      127.0.0.2     127.0.0.1     of 127.128.0.0/9
 * "ip", domains        none          none          <random>.invalid
 * "ip-positive-only"   as "ip"       none          none
 * "name:X", domains    X             none          <random>.invalid
 * "name:X", addresses  as "ip"       as "ip"       as "ip"
 * "" (custom lists),   127.0.0.2     as "ip"       as "ip"
 *   domains            test          none          <random>.invalid
 * "none"               none          none          none
 *
 * IPv6 lists are queried for the mapped forms of these addresses.  SAMPLE, for
 * every mode: a random address of the networks of the root name servers or of
 * unassigned networks (240.0.0.0/4, 4000::/3), or a random name under
 * root-servers.net or invalid.  ROOT is the same without unassigned networks.
 * A list that does not take the family, or whose key is missing, has no test
 * point.
 */
int names_point(names_t *out, const list_t *list, rbl_family_t family,
    names_point_t kind, uint64_t random);

/*
 * The network of the name that names_point makes from the same `random` for
 * NAMES_ROOT: 0..NAMES_NETWORKS - 1.  Domains have two: the names under invalid
 * and those under root-servers.net.
 */
#define NAMES_NETWORKS  13

unsigned names_network(rbl_family_t family, uint64_t random);

#endif /* NAMES_H_INCLUDED */
