/*
 * The answer section of a reply, along its CNAMEs: from the asked name to the
 * one that has what was asked for, or to the last one that is known.
 */

#ifndef DNS_CHAIN_H_INCLUDED
#define DNS_CHAIN_H_INCLUDED

#include "record.h"

typedef struct {
    ldns_rr_list    *list;          /* the answer section */
    const ldns_rdf  *name;          /* the end: `asked`, or of a CNAME */
    uint32_t         ttl;           /* the least on the way and at the end;
                                       UINT32_MAX: nothing was there */
    unsigned         hops;          /* CNAMEs followed */
    unsigned         found:1;       /* `name` has the asked type */
    ldns_rdf         asked;
    uint8_t          buf[DNS_NAME_MAX];
} dns_chain_t;

/*
 * 0, or -1: more than DNS_CHAIN_MAX CNAMEs, a ring, or a record that cannot be
 * read.  To be given to dns_chain_free in any case, and not to be moved.
 */
int dns_chain_walk(dns_chain_t *chain, const dns_screen_t *msg,
    const uint8_t *name, size_t len, unsigned type);
void dns_chain_free(dns_chain_t *chain);

/* The next record of that type at the end, from `*i` on, or NULL. */
const ldns_rr *dns_chain_next(dns_chain_t *chain, unsigned type, size_t *i);

#endif /* DNS_CHAIN_H_INCLUDED */
