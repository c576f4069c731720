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
 * Reads `count` records; the caller frees the list by dns_rr_list_free.  An
 * empty list is NULL, which ldns accepts.  0, or -1: a record cannot be read.
 */
int dns_rr_list_read(ldns_rr_list **list, const dns_screen_t *msg,
    size_t *off, unsigned count);
void dns_rr_list_free(ldns_rr_list *list);

/* Makes a dname over `buf`, into which the octets of the name are copied. */
void dns_dname_set(ldns_rdf *dname, uint8_t buf[DNS_NAME_MAX],
    const uint8_t *name, size_t len);

int dns_dname_same(const ldns_rdf *a, const ldns_rdf *b);

/*
 * The number of labels of the zone's name, with the root's; 0: `dname` is
 * neither that name nor below it.
 */
unsigned dns_dname_within(const ldns_rdf *dname, const ldns_rdf *zone);

/* Does the record have that type, class IN, and that owner? */
int dns_rr_is(const ldns_rr *rr, unsigned type, const ldns_rdf *owner);

/* RFC 2181, 8: a TTL with the top bit set counts as zero. */
uint32_t dns_rr_ttl(const ldns_rr *rr);

/* A field of four octets as a number. */
uint32_t dns_rr_get32(const ldns_rr *rr, size_t field);

#endif /* DNS_RECORD_H_INCLUDED */
