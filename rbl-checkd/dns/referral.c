/*
 * Reads name servers out of a response.  Keeps no objects of ldns.
 */

#include "referral.h"
#include "record.h"

#include <string.h>


static void
referral_name(dns_name_t *name, const ldns_rdf *dname)
{
    name->len = (uint8_t) ldns_rdf_size(dname);
    memcpy(name->wire, ldns_rdf_data(dname), name->len);
}


static int
referral_same(const dns_name_t *name, const ldns_rdf *dname)
{
    return name->len == ldns_rdf_size(dname)
           && memcmp(name->wire, ldns_rdf_data(dname), name->len) == 0;
}


/* The index of the server with that name, or `n_ns`. */
static unsigned
referral_find(const dns_referral_t *referral, const ldns_rdf *dname)
{
    unsigned  i;

    for (i = 0; i < referral->n_ns; i++) {
        if (referral_same(&referral->ns[i], dname)) {
            break;
        }
    }

    return i;
}


static void
referral_ns(dns_referral_t *referral, const ldns_rr *rr)
{
    unsigned         i;
    uint32_t         ttl;
    const ldns_rdf  *server;

    if (referral->zone.len == 0) {
        referral_name(&referral->zone, ldns_rr_owner(rr));
        referral->ttl = UINT32_MAX;

    } else if (!referral_same(&referral->zone, ldns_rr_owner(rr))) {
        return;
    }

    ttl = dns_rr_ttl(rr);
    referral->ttl = ttl < referral->ttl ? ttl : referral->ttl;
    server = ldns_rr_rdf(rr, 0);
    i = referral_find(referral, server);

    if (i == referral->n_ns && i < DNS_MAX_NS) {
        referral_name(&referral->ns[i], server);
        referral->n_ns++;
    }
}


static void
referral_take(dns_referral_t *referral, const ldns_rr *rr)
{
    if (ldns_rr_get_type(rr) == LDNS_RR_TYPE_NS) {
        referral_ns(referral, rr);

    } else if (ldns_rr_get_type(rr) == LDNS_RR_TYPE_SOA
               && referral->apex.len == 0)
    {
        referral_name(&referral->apex, ldns_rr_owner(rr));
    }
}


static void
referral_glue(dns_referral_t *referral, const ldns_rr *rr)
{
    unsigned          ns;
    dns_glue_t       *glue;
    const ldns_rdf   *addr;

    ns = referral_find(referral, ldns_rr_owner(rr));

    if ((ldns_rr_get_type(rr) != LDNS_RR_TYPE_A
         && ldns_rr_get_type(rr) != LDNS_RR_TYPE_AAAA)
        || ns == referral->n_ns || referral->n_glue == DNS_MAX_GLUE)
    {
        return;
    }

    glue = &referral->glue[referral->n_glue++];
    glue->ns = ns;
    glue->v6 = ldns_rr_get_type(rr) == LDNS_RR_TYPE_AAAA;
    glue->ttl = dns_rr_ttl(rr);
    addr = ldns_rr_rdf(rr, 0);
    memset(glue->addr, 0, sizeof(glue->addr));
    memcpy(glue->addr, ldns_rdf_data(addr), ldns_rdf_size(addr));
}


/* The authority or the additional section. */
static int
referral_section(dns_referral_t *referral, const dns_screen_t *msg,
    int section, const ldns_rdf *end)
{
    size_t    off;
    ldns_rr  *rr;
    unsigned  i;

    off = msg->at[section];

    for (i = 0; i < msg->count[section]; i++) {
        rr = dns_rr_read(msg, &off);

        if (rr == NULL) {
            return -1;
        }

        if (ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN) {
            if (section == DNS_ADDITIONAL) {
                referral_glue(referral, rr);

            } else if (dns_dname_within(end, ldns_rr_owner(rr))) {
                referral_take(referral, rr);
            }
        }

        dns_rr_free(rr);
    }

    return 0;
}


static int
referral_sections(dns_referral_t *referral, const dns_screen_t *msg,
    dns_chain_t *chain, unsigned type)
{
    size_t          i;
    const ldns_rr  *rr;

    referral->found = chain->found;

    if (chain->hops) {
        referral_name(&referral->target, chain->name);
        referral->target_ttl = chain->ttl;
    }

    i = 0;

    if (type == DNS_TYPE_NS || type == DNS_TYPE_SOA) {
        while ((rr = dns_chain_next(chain, type, &i)) != NULL) {
            referral_take(referral, rr);
        }
    }

    if (referral_section(referral, msg, DNS_AUTHORITY, chain->name) != 0) {
        return -1;
    }

    return referral_section(referral, msg, DNS_ADDITIONAL, chain->name);
}


static void
referral_clear(dns_referral_t *referral)
{
    referral->found = 0;
    referral->target.len = 0;
    referral->target_ttl = 0;
    referral->apex.len = 0;
    referral->zone.len = 0;
    referral->ttl = 0;
    referral->n_ns = 0;
    referral->n_glue = 0;
}


int
dns_wire_referral(dns_referral_t *referral, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type)
{
    int           rc;
    dns_chain_t   chain;
    dns_screen_t  screen;

    referral_clear(referral);

    if (LDNS_TC_WIRE(msg) || dns_screen(&screen, msg, n) != 0
        || (screen.rcode != DNS_RCODE_NOERROR
            && screen.rcode != DNS_RCODE_NXDOMAIN))
    {
        return -1;
    }

    rc = dns_chain_walk(&chain, &screen, name, len, type);

    if (rc == 0) {
        rc = referral_sections(referral, &screen, &chain, type);
    }

    dns_chain_free(&chain);

    return rc;
}


unsigned
dns_name_labels(const dns_name_t *name)
{
    unsigned  at, labels;

    labels = 0;

    for (at = 0; at < name->len; at += name->wire[at] + 1u) {
        labels++;
    }

    return labels;
}


int
dns_name_within(const dns_name_t *name, const dns_name_t *zone)
{
    unsigned  at;

    for (at = 0; at < name->len; at += name->wire[at] + 1u) {
        if (dns_name_equal(name->wire + at, name->len - at, zone->wire,
                           zone->len))
        {
            return 1;
        }
    }

    return 0;
}


int
dns_referral_below(const dns_referral_t *referral, const dns_name_t *apex)
{
    return referral->n_ns != 0 && referral->target.len == 0
           && referral->zone.len > apex->len
           && dns_name_within(&referral->zone, apex);
}


int
dns_referral_inside(const dns_referral_t *referral, unsigned ns)
{
    return dns_name_within(&referral->ns[ns], &referral->zone);
}
