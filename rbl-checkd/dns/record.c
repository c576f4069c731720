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


int
dns_rr_list_read(ldns_rr_list **list, const dns_screen_t *msg, size_t *off,
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


void
dns_rr_list_free(ldns_rr_list *list)
{
    ldns_rr_list_deep_free(list);
}


void
dns_dname_set(ldns_rdf *dname, uint8_t buf[DNS_NAME_MAX], const uint8_t *name,
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
int
dns_dname_same(const ldns_rdf *a, const ldns_rdf *b)
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


int
dns_rr_is(const ldns_rr *rr, unsigned type, const ldns_rdf *owner)
{
    return ldns_rr_get_type(rr) == (ldns_rr_type) type
           && ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN
           && dns_dname_same(ldns_rr_owner(rr), owner);
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
