/*
 * The name servers in a response: the zone, its SOA, the names of its servers
 * and their addresses.  dns_wire_read() does not report these.
 *
 * A response only claims them.  The caller judges whether its sender has
 * authority for the zone, and whether an address may be queried.
 */

#ifndef DNS_REFERRAL_H_INCLUDED
#define DNS_REFERRAL_H_INCLUDED

#include "wire.h"

#define DNS_MAX_NS    16
#define DNS_MAX_GLUE  32

/* In wire form, lower case; `len` 0: there is none. */
typedef struct {
    uint8_t  len;
    uint8_t  wire[DNS_NAME_MAX];
} dns_name_t;

typedef struct {
    unsigned  ns;               /* index in `ns` of its name */
    unsigned  v6:1;
    uint32_t  ttl;
    uint8_t   addr[16];         /* network order; IPv4: the first four octets */
} dns_glue_t;

typedef struct {
    unsigned    found:1;        /* it has the queried type, for the queried name
                                   or `target` */
    dns_name_t  target;         /* where the last CNAME leads; 0: there is no
                                   CNAME */
    uint32_t    target_ttl;     /* least TTL of the CNAMEs */
    dns_name_t  apex;           /* the owner of an SOA; 0: there is none */
    dns_name_t  zone;           /* the owner of the NS records; 0: none */
    uint32_t    ttl;            /* least TTL of these records */
    unsigned    n_ns;           /* different names; surplus ones are dropped */
    dns_name_t  ns[DNS_MAX_NS];
    unsigned    n_glue;
    dns_glue_t  glue[DNS_MAX_GLUE];
} dns_referral_t;

/*
 * `msg` is a response that dns_wire_match() has accepted.  NS and SOA records
 * are taken from the answer section if they were queried and are there,
 * otherwise from the authority section, and then only if they belong to
 * `target`, or to the queried name, or to a zone above it.  All NS records have
 * one owner.  0, or -1: neither NOERROR nor NXDOMAIN, truncated, or unreadable.
 */
int dns_wire_referral(dns_referral_t *referral, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type);

/* The number of labels of the name, with the root's. */
unsigned dns_name_labels(const dns_name_t *name);

/* Is the name that of the zone, or below it? */
int dns_name_within(const dns_name_t *name, const dns_name_t *zone);

/*
 * Does the referral, from a server of the zone `apex`, lead to a zone below it?
 * Each one that is followed is therefore deeper than the one before.
 */
int dns_referral_below(const dns_referral_t *referral, const dns_name_t *apex);

/* Is the name server with that index inside of the zone, so that only glue can
   show its address? */
int dns_referral_inside(const dns_referral_t *referral, unsigned ns);

#endif /* DNS_REFERRAL_H_INCLUDED */
