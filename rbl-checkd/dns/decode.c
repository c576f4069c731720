/*
 * Decodes the records of a response.  Only messages that dns_screen() has
 * accepted come here.  ldns reads the records (record.c): those of the answer
 * section all at once, those of the other sections as far as needed.
 */

#include "chain.h"

#include <string.h>

static void
decode_txt(dns_answer_t *answer, const ldns_rr *rr, unsigned nth)
{
    size_t           i, n, room;
    const ldns_rdf  *string;

    if (nth && answer->txt_len < DNS_TXT_MAX) {
        answer->txt[answer->txt_len++] = '\n';
    }

    for (i = 0; i < ldns_rr_rd_count(rr); i++) {
        string = ldns_rr_rdf(rr, i);

        /* The first octet of a string is its length. */
        n = ldns_rdf_size(string) - 1;
        room = DNS_TXT_MAX - answer->txt_len;
        n = n < room ? n : room;
        memcpy(answer->txt + answer->txt_len, ldns_rdf_data(string) + 1, n);
        answer->txt_len += n;
    }
}


static void
decode_take(dns_answer_t *answer, const ldns_rr *rr, unsigned nth)
{
    switch (ldns_rr_get_type(rr)) {

    case LDNS_RR_TYPE_TXT:
        decode_txt(answer, rr, nth);
        break;

    case LDNS_RR_TYPE_A:
        if (answer->n_a < DNS_MAX_CODES) {
            answer->a[answer->n_a++] = dns_rr_get32(rr, 0);
        }

        break;

    case LDNS_RR_TYPE_AAAA:
        if (answer->n_aaaa < DNS_MAX_A) {
            memcpy(&answer->aaaa[answer->n_aaaa++],
                   ldns_rdf_data(ldns_rr_rdf(rr, 0)), 16);
        }

        break;

    case LDNS_RR_TYPE_SOA:
        answer->has_serial = 1;
        answer->serial = dns_rr_get32(rr, DNS_SOA_SERIAL);
        answer->minimum = dns_rr_get32(rr, DNS_SOA_MINIMUM);
        break;

    default:
        break;
    }
}


/*
 * Does the answer section have the queried type for another name only, or a
 * DNAME that was not followed?  Then it says nothing about the queried name.
 */
static int
decode_astray(const dns_chain_t *chain, unsigned type)
{
    size_t          i;
    const ldns_rr  *rr;

    for (i = 0; i < ldns_rr_list_rr_count(chain->list); i++) {
        rr = ldns_rr_list_rr(chain->list, i);

        if (ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN
            && (ldns_rr_get_type(rr) == (ldns_rr_type) type
                || (ldns_rr_get_type(rr) == LDNS_RR_TYPE_DNAME
                    && chain->hops == 0)))
        {
            return 1;
        }
    }

    return 0;
}


/* The SOA limits the time to cache a negative response.  1; 0: not a valid
   SOA. */
static int
decode_soa(dns_answer_t *answer, const ldns_rr *rr,
    const dns_chain_t *chain)
{
    uint32_t  ttl, least;
    unsigned  labels;

    labels = dns_dname_within(chain->name, ldns_rr_owner(rr));

    if (labels == 0) {
        return 0;
    }

    /* The SOA of an alias' target says nothing of the queried zone. */
    answer->soa = chain->hops == 0 ? labels : 0;

    answer->has_serial = chain->hops == 0;
    answer->serial = dns_rr_get32(rr, DNS_SOA_SERIAL);
    least = dns_rr_get32(rr, DNS_SOA_MINIMUM);
    answer->minimum = least;
    ttl = dns_rr_ttl(rr);
    ttl = least < ttl ? least : ttl;
    answer->ttl = ttl < chain->ttl ? ttl : chain->ttl;

    return 1;
}


/*
 * RFC 2308: the time to cache a negative response.  A response with neither an
 * answer nor an SOA, but with name servers, is a referral: its sender does not
 * know the answer, so it is not "no such record".
 */
static dns_status_t
decode_negative(dns_answer_t *answer, const dns_screen_t *msg,
    const dns_chain_t *chain)
{
    int        found;
    size_t     off;
    ldns_rr   *rr;
    unsigned   i, referral;

    found = 0;
    referral = 0;
    off = msg->at[DNS_AUTHORITY];

    for (i = 0; !found && i < msg->count[DNS_AUTHORITY]; i++) {
        rr = dns_rr_read(msg, &off);

        if (rr == NULL) {
            return DNS_BADREPLY;
        }

        if (ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN) {
            referral |= ldns_rr_get_type(rr) == LDNS_RR_TYPE_NS;
            found = ldns_rr_get_type(rr) == LDNS_RR_TYPE_SOA
                    && decode_soa(answer, rr, chain);
        }

        dns_rr_free(rr);
    }

    /* AA: the sender is an authority. */
    if (!found && referral && answer->status == DNS_NOERROR
        && !LDNS_AA_WIRE(msg->p))
    {
        return DNS_BADREPLY;
    }

    return answer->status;
}


static dns_status_t
decode_chain(dns_answer_t *answer, const dns_screen_t *msg,
    dns_chain_t *chain, unsigned type)
{
    size_t          i;
    unsigned        n;
    const ldns_rr  *rr;

    if (!chain->found) {
        return decode_astray(chain, type) ? DNS_BADREPLY
               : decode_negative(answer, msg, chain);
    }

    i = 0;

    for (n = 0; (rr = dns_chain_next(chain, type, &i)) != NULL; n++) {
        decode_take(answer, rr, n);
    }

    answer->ttl = chain->ttl;
    answer->alias = chain->hops != 0;

    /* NXDOMAIN together with records of the name: neither is trusted. */
    return answer->status == DNS_NXDOMAIN ? DNS_BADREPLY : answer->status;
}


dns_status_t
dns_decode(dns_answer_t *answer, const dns_screen_t *msg,
    const uint8_t *name, size_t len, uint16_t type)
{
    dns_chain_t   chain;
    dns_status_t  status;

    status = dns_chain_walk(&chain, msg, name, len, type) == 0
             ? decode_chain(answer, msg, &chain, type) : DNS_BADREPLY;
    dns_chain_free(&chain);

    return status;
}
