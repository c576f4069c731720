/*
 * IPv4 addresses inside of IPv6 addresses that a translator (NAT64, RFC 6146)
 * serves: below the well-known prefix 64:ff9b::/96, and below the prefixes that
 * the resolvers of this machine show by the addresses of ipv4only.arpa
 * (RFC 7050).  One table for the process, since it has one network.
 */

#ifndef NAT64_H_INCLUDED
#define NAT64_H_INCLUDED

#include <netinet/in.h>

#include "rbl_validate.h"

#define NAT64_NAME      "ipv4only.arpa"
#define NAT64_PREFIXES  4

typedef struct {
    unsigned char  net[16];             /* zero behind the prefix */
    unsigned       bits;                /* 32, 40, 48, 56, 64 or 96 */
} nat64_prefix_t;

/*
 * The prefix in an address of ipv4only.arpa.  -1: the address holds neither
 * 192.0.0.170 nor 192.0.0.171 at exactly one of the places of RFC 6052, or its
 * prefix is in private or other special space, which no resolver may declare to
 * be public.
 */
int nat64_prefix(nat64_prefix_t *prefix, const struct in6_addr *addr);

/* Replaces the learned prefixes by those in these addresses.  Returns their
   number; all other addresses are ignored. */
unsigned nat64_learn(const struct in6_addr *addr, unsigned n);

/* Is it such an address?  Then 1, and the address inside. */
int nat64_inside(rbl_addr_t *inside, const rbl_addr_t *a);

#endif /* NAT64_H_INCLUDED */
