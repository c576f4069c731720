/*
 * Follows the CNAMEs in the answer section of a response: from the queried name
 * to the name that has the queried type, or to the last known name.
 */

#ifndef DNS_CHAIN_H_INCLUDED
#define DNS_CHAIN_H_INCLUDED

#include "record.h"

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

#endif /* DNS_CHAIN_H_INCLUDED */
