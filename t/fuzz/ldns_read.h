/*
 * The reference for replies: what ldns finds in a message that the screen has
 * let through, read by the rules of dns/decode.c.  Every field of the answer
 * must come out the same.
 */

#ifndef LDNS_READ_H_INCLUDED
#define LDNS_READ_H_INCLUDED

#include "dns/wire.h"

#include <ldns/ldns.h>
#include <string.h>

/* Where a walk along the CNAMEs stands: the name, and its least TTL so far. */
typedef struct {
    const uint8_t  *name;
    size_t          len;
    uint32_t        ttl;
    unsigned        hops;
} ref_chain_t;


/* RFC 2181, 8: a TTL with the top bit set counts as zero. */
static inline uint32_t
ref_ttl(ldns_rr *rr)
{
    uint32_t  ttl;

    ttl = ldns_rr_ttl(rr);
    return ttl & 0x80000000 ? 0 : ttl;
}


static inline int
ref_at(ldns_rr *rr, const ref_chain_t *chain)
{
    ldns_rdf  *owner;

    owner = ldns_rr_owner(rr);

    return ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN
           && dns_name_equal(ldns_rdf_data(owner), ldns_rdf_size(owner),
                             chain->name, chain->len);
}


static inline void
ref_txt(dns_answer_t *answer, ldns_rr *rr, unsigned nth)
{
    size_t          i, n, room;
    ldns_rdf       *rdf;
    const uint8_t  *p;

    if (nth && answer->txt_len < DNS_TXT_MAX) {
        answer->txt[answer->txt_len++] = '\n';
    }

    for (i = 0; i < ldns_rr_rd_count(rr); i++) {
        rdf = ldns_rr_rdf(rr, i);
        p = ldns_rdf_data(rdf);
        n = ldns_rdf_size(rdf);
        room = DNS_TXT_MAX - answer->txt_len;

        if (n < 1 || p[0] != n - 1) {
            return;
        }

        n = n - 1 < room ? n - 1 : room;
        memcpy(answer->txt + answer->txt_len, p + 1, n);
        answer->txt_len += n;
    }
}


static inline void
ref_take(dns_answer_t *answer, ldns_rr *rr, unsigned type, unsigned nth)
{
    ldns_rdf  *rdf;

    if (type == DNS_TYPE_TXT) {
        ref_txt(answer, rr, nth);
        return;
    }

    rdf = ldns_rr_rdf(rr, 0);

    if (rdf == NULL) {
        return;
    }

    if (type == DNS_TYPE_A && ldns_rdf_size(rdf) == 4
        && answer->n_a < DNS_MAX_CODES)
    {
        answer->a[answer->n_a++] = dns_get32(ldns_rdf_data(rdf));

    } else if (type == DNS_TYPE_AAAA && ldns_rdf_size(rdf) == 16
               && answer->n_aaaa < DNS_MAX_A)
    {
        memcpy(&answer->aaaa[answer->n_aaaa++], ldns_rdf_data(rdf), 16);
    }
}


/* The records of the asked type at the chain's name: how many. */
static inline unsigned
ref_collect(dns_answer_t *answer, ldns_rr_list *list, ref_chain_t *chain,
    unsigned type)
{
    size_t     i;
    ldns_rr   *rr;
    unsigned   n;
    uint32_t   ttl;

    n = 0;

    for (i = 0; i < ldns_rr_list_rr_count(list); i++) {
        rr = ldns_rr_list_rr(list, i);

        if (ldns_rr_get_type(rr) != (ldns_rr_type) type
            || !ref_at(rr, chain))
        {
            continue;
        }

        ttl = ref_ttl(rr);
        chain->ttl = ttl < chain->ttl ? ttl : chain->ttl;
        ref_take(answer, rr, type, n++);
    }

    return n;
}


/* One CNAME further: 1, or 0 at the end. */
static inline int
ref_follow(ldns_rr_list *list, ref_chain_t *chain)
{
    size_t     i;
    ldns_rr   *rr;
    ldns_rdf  *to;
    uint32_t   ttl;

    for (i = 0; i < ldns_rr_list_rr_count(list); i++) {
        rr = ldns_rr_list_rr(list, i);

        if (ldns_rr_get_type(rr) != LDNS_RR_TYPE_CNAME
            || !ref_at(rr, chain))
        {
            continue;
        }

        to = ldns_rr_rdf(rr, 0);

        if (to == NULL) {
            continue;
        }

        ttl = ref_ttl(rr);
        chain->ttl = ttl < chain->ttl ? ttl : chain->ttl;
        chain->name = ldns_rdf_data(to);
        chain->len = ldns_rdf_size(to);
        chain->hops++;
        return 1;
    }

    return 0;
}


/* The zone's name is the end of the name, at a label's border. */
static inline int
ref_within(const ref_chain_t *chain, ldns_rdf *zone)
{
    size_t  off, len;

    len = ldns_rdf_size(zone);

    for (off = 0; off < chain->len; off += chain->name[off] + 1u) {
        if (chain->len - off == len) {
            return dns_name_equal(chain->name + off, len,
                                  ldns_rdf_data(zone), len);
        }
    }

    return 0;
}


/*
 * RFC 2308: how long "there is nothing" holds.  A reply without answer and
 * with name servers instead of an SOA is a referral: whoever sent it does not
 * know, which must not be taken for "no such record".
 */
static inline dns_status_t
ref_negative(dns_answer_t *answer, ldns_pkt *pkt, const ref_chain_t *chain)
{
    size_t         i;
    ldns_rr       *rr;
    uint32_t       ttl, least;
    unsigned       referral;
    ldns_rr_list  *list;

    list = ldns_pkt_authority(pkt);
    referral = 0;

    for (i = 0; i < ldns_rr_list_rr_count(list); i++) {
        rr = ldns_rr_list_rr(list, i);

        if (ldns_rr_get_class(rr) != LDNS_RR_CLASS_IN) {
            continue;
        }

        if (ldns_rr_get_type(rr) == LDNS_RR_TYPE_NS) {
            referral = 1;
        }

        if (ldns_rr_get_type(rr) != LDNS_RR_TYPE_SOA
            || ldns_rr_rd_count(rr) != 7
            || ldns_rdf_size(ldns_rr_rdf(rr, 6)) != 4
            || !ref_within(chain, ldns_rr_owner(rr)))
        {
            continue;
        }

        answer->soa = ldns_dname_label_count(ldns_rr_owner(rr)) + 1u;
        ttl = ref_ttl(rr);
        least = dns_get32(ldns_rdf_data(ldns_rr_rdf(rr, 6)));
        ttl = least < ttl ? least : ttl;
        answer->ttl = ttl < chain->ttl ? ttl : chain->ttl;
        return answer->status;
    }

    if (referral && answer->status == DNS_NOERROR && !ldns_pkt_aa(pkt)) {
        return DNS_BADREPLY;
    }

    return answer->status;
}


/* NOERROR or NXDOMAIN with something in its sections. */
static inline dns_status_t
ref_sections(dns_answer_t *answer, ldns_pkt *pkt, const uint8_t *name,
    size_t len, uint16_t type)
{
    size_t         i;
    ldns_rr       *rr;
    unsigned       n;
    ref_chain_t   chain;
    ldns_rr_list  *list;

    chain.name = name;
    chain.len = len;
    chain.ttl = UINT32_MAX;
    chain.hops = 0;

    list = ldns_pkt_answer(pkt);

    for ( ;; ) {
        n = ref_collect(answer, list, &chain, type);

        if (n || !ref_follow(list, &chain)) {
            break;
        }

        /* Too long or a ring: nothing is known about what it would say. */
        if (chain.hops > DNS_CHAIN_MAX) {
            return DNS_BADREPLY;
        }
    }

    for (i = 0; n == 0 && i < ldns_rr_list_rr_count(list); i++) {
        rr = ldns_rr_list_rr(list, i);

        if (ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN
            && (ldns_rr_get_type(rr) == (ldns_rr_type) type
                || (chain.hops == 0
                    && ldns_rr_get_type(rr) == LDNS_RR_TYPE_DNAME)))
        {
            return DNS_BADREPLY;
        }
    }

    if (n == 0) {
        return ref_negative(answer, pkt, &chain);
    }

    answer->ttl = chain.ttl;
    answer->alias = chain.hops != 0;

    /* "No such name", and here are its records: believe neither. */
    return answer->status == DNS_NXDOMAIN ? DNS_BADREPLY : answer->status;
}


/* NOERROR or NXDOMAIN with something in its sections; 0, or -1: ldns cannot
   read it. */
static inline int
ldns_read(dns_answer_t *answer, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type)
{
    ldns_pkt  *pkt;

    if (ldns_wire2pkt(&pkt, msg, n) != LDNS_STATUS_OK) {
        return -1;
    }

    answer->status = ref_sections(answer, pkt, name, len, type);
    ldns_pkt_free(pkt);

    return 0;
}

#endif /* LDNS_READ_H_INCLUDED */
