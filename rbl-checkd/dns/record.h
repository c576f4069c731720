/*
 * Records, read by ldns.  record.c allocates and frees all objects of ldns.
 * Only messages that dns_screen() has accepted may be read.
 *
 * Names are dnames in lower case, complete and never compressed, so that equal
 * names have equal octets.  Data of records are read as octets (ldns_rdf_data,
 * ldns_rdf_size); the text functions of ldns are not safe with hostile data.
 */

#ifndef DNS_RECORD_H_INCLUDED
#define DNS_RECORD_H_INCLUDED

#include "wire.h"

#include <ldns/ldns.h>

/* Fields of SOA. */
#define DNS_SOA_SERIAL   2
#define DNS_SOA_MINIMUM  6

/*
 * Reads the record at `*off` and moves `*off` behind it.  The caller frees it
 * by dns_rr_free.  NULL: ldns cannot read it.  A, AAAA, TXT, NS, CNAME, DNAME
 * and SOA have all their fields.
 */
ldns_rr *dns_rr_read(const dns_screen_t *msg, size_t *off);
void dns_rr_free(ldns_rr *rr);

/*
 * The number of labels of the zone's name, with the root's; 0: `dname` is
 * neither that name nor below it.
 */
unsigned dns_dname_within(const ldns_rdf *dname, const ldns_rdf *zone);

/* RFC 2181, 8: a TTL with the top bit set counts as zero. */
uint32_t dns_rr_ttl(const ldns_rr *rr);

/* A field of four octets as a number. */
uint32_t dns_rr_get32(const ldns_rr *rr, size_t field);

/*
 * The CNAMEs in the answer section of a response: from the queried name to the
 * name that has the queried type, or to the last known name.
 */
typedef struct {
    ldns_rr_list    *list;          /* the answer section */
    const ldns_rdf  *name;          /* end of the chain: `asked`, or the target
                                       of a CNAME */
    uint32_t         ttl;           /* least TTL of the CNAMEs and the records
                                       at the end; UINT32_MAX: no records */
    unsigned         hops;          /* CNAMEs followed */
    unsigned         found:1;       /* `name` has the queried type */
    ldns_rdf         asked;
    uint8_t          buf[DNS_NAME_MAX];
} dns_chain_t;

/*
 * 0, or -1: more than DNS_CHAIN_MAX CNAMEs, a ring, or a record that cannot be
 * read.  The caller must call dns_chain_free in any case, and must not move the
 * chain.
 */
int dns_chain_walk(dns_chain_t *chain, const dns_screen_t *msg,
    const uint8_t *name, size_t len, unsigned type);
void dns_chain_free(dns_chain_t *chain);

/* The next record of that type at the end of the chain, from `*i` on, or
   NULL. */
const ldns_rr *dns_chain_next(dns_chain_t *chain, unsigned type, size_t *i);

#endif /* DNS_RECORD_H_INCLUDED */
