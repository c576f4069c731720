/*
 * Owns the records of the answer section, which hold all names of the chain
 * except the queried name.
 */

#include "chain.h"


const ldns_rr *
dns_chain_next(dns_chain_t *chain, unsigned type, size_t *i)
{
    uint32_t        ttl;
    const ldns_rr  *rr;

    while (*i < ldns_rr_list_rr_count(chain->list)) {
        rr = ldns_rr_list_rr(chain->list, (*i)++);

        if (dns_rr_is(rr, type, chain->name)) {
            ttl = dns_rr_ttl(rr);
            chain->ttl = ttl < chain->ttl ? ttl : chain->ttl;
            return rr;
        }
    }

    return NULL;
}


int
dns_chain_walk(dns_chain_t *chain, const dns_screen_t *msg,
    const uint8_t *name, size_t len, unsigned type)
{
    size_t          i;
    const ldns_rr  *alias;

    dns_dname_set(&chain->asked, chain->buf, name, len);
    chain->name = &chain->asked;
    chain->ttl = UINT32_MAX;
    chain->hops = 0;
    chain->found = 0;

    i = msg->at[DNS_ANSWER];

    if (dns_rr_list_read(&chain->list, msg, &i, msg->count[DNS_ANSWER]) != 0) {
        return -1;
    }

    for ( ;; ) {
        i = 0;

        if (dns_chain_next(chain, type, &i) != NULL) {
            chain->found = 1;
            return 0;
        }

        i = 0;
        alias = dns_chain_next(chain, LDNS_RR_TYPE_CNAME, &i);

        if (alias == NULL) {
            return 0;
        }

        chain->name = ldns_rr_rdf(alias, 0);

        /* The chain is too long or a ring: the result is unknown. */
        if (++chain->hops > DNS_CHAIN_MAX) {
            return -1;
        }
    }
}


void
dns_chain_free(dns_chain_t *chain)
{
    dns_rr_list_free(chain->list);
}
