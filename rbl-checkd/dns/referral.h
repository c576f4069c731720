/*
 * What a reply tells of servers: whose zone it is, who serves it, and where
 * those are.  For whoever looks for a list's servers, or asks them; the answer
 * that dns_wire_read() makes holds none of it.
 *
 * All of it is what the reply claims.  Whether its sender may speak for the
 * zone, and whether an address may be asked, is the caller's judgement.
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
    unsigned  ns;               /* whose: index of `ns` */
    unsigned  v6:1;
    uint32_t  ttl;
    uint8_t   addr[16];         /* network order; IPv4: four octets of it */
} dns_glue_t;

typedef struct {
    unsigned    aa:1;           /* an authoritative answer */
    unsigned    found:1;        /* the asked type is there, of the asked name
                                   or of `target` */
    dns_name_t  target;         /* where the last CNAME leads; 0: there is no
                                   CNAME */
    uint32_t    target_ttl;     /* the least of the CNAMEs */
    dns_name_t  apex;           /* the owner of an SOA; 0: there is none */
    uint32_t    serial;         /* of that */
    dns_name_t  zone;           /* the owner of the NS records; 0: none */
    uint32_t    ttl;            /* the least of these */
    unsigned    n_ns;           /* different ones; the others are left out */
    dns_name_t  ns[DNS_MAX_NS];
    unsigned    n_glue;
    dns_glue_t  glue[DNS_MAX_GLUE];
} dns_referral_t;

/*
 * A reply that dns_wire_match() has accepted.  NS and SOA records are taken
 * from the answer section if they were asked for and are there, otherwise from
 * the authority section, and then only such as belong to `target`, or to the
 * asked name, or to a zone above it.  All NS records have one owner.
 * 0, or -1: neither NOERROR nor NXDOMAIN, truncated, or it cannot be read.
 */
int dns_wire_referral(dns_referral_t *referral, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type);

#endif /* DNS_REFERRAL_H_INCLUDED */
