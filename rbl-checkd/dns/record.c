/*
 * Memory of ldns records.  ldns_rr_free() frees a record with its fields, and
 * ldns_rr_list_deep_free() a list with its records; the other functions that
 * free either leak or free borrowed memory.
 *
 * ldns_wire2rr() hardly bounds compression pointers, allocates the length of a
 * whole text for each of its strings, continues where it stopped reading rather
 * than at the end of the record, and accepts a record that lacks fields.
 * dns_screen() guards against all four.
 */

#include "record.h"

#include <string.h>


ldns_rr *
dns_rr_read(const dns_screen_t *msg, size_t *off)
{
    size_t    i;
    ldns_rr  *rr;

    if (ldns_wire2rr(&rr, msg->p, msg->n, off, LDNS_SECTION_ANSWER)
        != LDNS_STATUS_OK)
    {
        return NULL;
    }

    /* ldns ignores a field that is not a dname. */
    ldns_dname2canonical(ldns_rr_owner(rr));

    for (i = 0; i < ldns_rr_rd_count(rr); i++) {
        ldns_dname2canonical(ldns_rr_rdf(rr, i));
    }

    return rr;
}


void
dns_rr_free(ldns_rr *rr)
{
    ldns_rr_free(rr);
}


/* An empty list is NULL, which ldns accepts.  0, or -1: a record cannot be
   read. */
static int
rr_list_read(ldns_rr_list **list, const dns_screen_t *msg, size_t *off,
    unsigned count)
{
    ldns_rr  *rr;

    *list = NULL;

    if (count == 0) {
        return 0;
    }

    *list = ldns_rr_list_new();

    while (*list != NULL && count--) {
        rr = dns_rr_read(msg, off);

        if (rr == NULL || !ldns_rr_list_push_rr(*list, rr)) {
            ldns_rr_free(rr);
            ldns_rr_list_deep_free(*list);
            *list = NULL;
        }
    }

    return *list != NULL ? 0 : -1;
}


/* Makes a dname over `buf`, into which the octets of the name are copied. */
static void
dname_set(ldns_rdf *dname, uint8_t buf[DNS_NAME_MAX], const uint8_t *name,
    size_t len)
{
    memcpy(buf, name, len);
    ldns_rdf_set_type(dname, LDNS_RDF_TYPE_DNAME);
    ldns_rdf_set_size(dname, len);
    ldns_rdf_set_data(dname, buf);
    ldns_dname2canonical(dname);
}


/*
 * ldns_dname_compare() orders names, label by label from the end, and finds
 * each label from the front; that is slow for the longest names of IPv6.
 */
static int
dname_same(const ldns_rdf *a, const ldns_rdf *b)
{
    return ldns_rdf_size(a) == ldns_rdf_size(b)
           && memcmp(ldns_rdf_data(a), ldns_rdf_data(b), ldns_rdf_size(a))
              == 0;
}


/* ldns_dname_is_subdomain() makes copies of both names and of each label. */
unsigned
dns_dname_within(const ldns_rdf *dname, const ldns_rdf *zone)
{
    size_t          len, left;
    const uint8_t  *p;

    p = ldns_rdf_data(dname);
    left = ldns_rdf_size(dname);
    len = ldns_rdf_size(zone);

    while (left > len) {
        left -= *p + 1u;
        p += *p + 1u;
    }

    if (left != len || memcmp(p, ldns_rdf_data(zone), len) != 0) {
        return 0;
    }

    return ldns_dname_label_count(zone) + 1u;
}


/* Does the record have that type, class IN, and that owner? */
static int
rr_is(const ldns_rr *rr, unsigned type, const ldns_rdf *owner)
{
    return ldns_rr_get_type(rr) == (ldns_rr_type) type
           && ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN
           && dname_same(ldns_rr_owner(rr), owner);
}


uint32_t
dns_rr_ttl(const ldns_rr *rr)
{
    uint32_t  ttl;

    ttl = ldns_rr_ttl(rr);
    return ttl & 0x80000000 ? 0 : ttl;
}


uint32_t
dns_rr_get32(const ldns_rr *rr, size_t field)
{
    return ldns_rdf2native_int32(ldns_rr_rdf(rr, field));
}


const ldns_rr *
dns_chain_next(dns_chain_t *chain, unsigned type, size_t *i)
{
    uint32_t        ttl;
    const ldns_rr  *rr;

    while (*i < ldns_rr_list_rr_count(chain->list)) {
        rr = ldns_rr_list_rr(chain->list, (*i)++);

        if (rr_is(rr, type, chain->name)) {
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

    dname_set(&chain->asked, chain->buf, name, len);
    chain->name = &chain->asked;
    chain->ttl = UINT32_MAX;
    chain->hops = 0;
    chain->found = 0;

    i = msg->at[DNS_ANSWER];

    if (rr_list_read(&chain->list, msg, &i, msg->count[DNS_ANSWER]) != 0) {
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
    ldns_rr_list_deep_free(chain->list);
}
