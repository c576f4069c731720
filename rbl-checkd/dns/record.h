/*
 * Records, read by ldns.  Everything of ldns that is made is made and freed
 * in record.c.  Only messages that dns_screen() has let through may be read.
 *
 * Names are dnames in lower case, whole and never compressed, so that two are
 * the same where their octets are.  Data of records are read as octets
 * (ldns_rdf_data, ldns_rdf_size): what ldns has to turn them into text is not
 * made for hostile ones.
 */

#ifndef DNS_RECORD_H_INCLUDED
#define DNS_RECORD_H_INCLUDED

#include "wire.h"

#include <ldns/ldns.h>

/* Fields of SOA. */
#define DNS_SOA_SERIAL   2
#define DNS_SOA_MINIMUM  6

/*
 * The record at `*off`, which moves behind it: to be given to dns_rr_free.
 * NULL: ldns cannot read it, or fields are missing.
 */
ldns_rr *dns_rr_read(const dns_screen_t *msg, size_t *off);
void dns_rr_free(ldns_rr *rr);

/*
 * So many of them, to be given to dns_rr_list_free; none at all is NULL, which
 * ldns takes for an empty list.  0, or -1: there is one that cannot be read.
 */
int dns_rr_list_read(ldns_rr_list **list, const dns_screen_t *msg,
    size_t *off, unsigned count);
void dns_rr_list_free(ldns_rr_list *list);

/* A dname over the octets in `buf`, which get those of the name. */
void dns_dname_set(ldns_rdf *dname, uint8_t buf[DNS_NAME_MAX],
    const uint8_t *name, size_t len);

int dns_dname_same(const ldns_rdf *a, const ldns_rdf *b);

/*
 * How many labels the zone's name has, the root's among them; 0: `dname` is
 * neither it nor below it.
 */
unsigned dns_dname_within(const ldns_rdf *dname, const ldns_rdf *zone);

/* The record has that type, class IN, and that owner. */
int dns_rr_is(const ldns_rr *rr, unsigned type, const ldns_rdf *owner);

/* RFC 2181, 8: a TTL with the top bit set counts as zero. */
uint32_t dns_rr_ttl(const ldns_rr *rr);

/* A field of four octets as a number. */
uint32_t dns_rr_get32(const ldns_rr *rr, size_t field);

#endif /* DNS_RECORD_H_INCLUDED */
