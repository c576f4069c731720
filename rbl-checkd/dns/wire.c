/*
 * Questions and replies.  Questions are written by hand: two small copies
 * cost a hundredth of what ldns takes to build one.  Replies go through
 * dns_screen() and are then parsed by ldns; the rdata octets are read as they
 * are, never through ldns's text functions, which assert on odd input.
 *
 * What ldns allocates is freed in the function that had it allocated.
 */

#include "wire.h"

#include <ldns/ldns.h>
#include <string.h>

#define WIRE_CLASS_IN  1

/* Where a walk along the CNAMEs stands: the name, and its least TTL so far. */
typedef struct {
    const uint8_t  *name;
    size_t          len;
    uint32_t        ttl;
    unsigned        hops;
} wire_chain_t;


size_t
dns_wire_name(uint8_t out[DNS_NAME_MAX], const char *name)
{
    size_t  n, len;

    n = 0;

    for ( ;; ) {
        len = strcspn(name, ".");

        if (len == 0 || len > 63 || n + len + 2 > DNS_NAME_MAX) {
            return 0;
        }

        out[n++] = (uint8_t) len;
        memcpy(out + n, name, len);
        n += len;
        name += len;

        if (*name == '\0') {
            out[n++] = 0;
            return n;
        }

        name++;
    }
}


size_t
dns_wire_question(uint8_t *out, uint16_t id, const uint8_t *name, size_t len,
    uint16_t type, int edns)
{
    static const uint8_t  head[] = { 1, 0, 0, 1, 0, 0, 0, 0, 0, 0 };
    static const uint8_t  opt[] = { 0, 0, DNS_RR_OPT, DNS_EDNS_SIZE >> 8,
                                    DNS_EDNS_SIZE & 255, 0, 0, 0, 0, 0, 0 };

    uint8_t  *p;

    out[0] = (uint8_t) (id >> 8);
    out[1] = (uint8_t) id;
    memcpy(out + 2, head, sizeof(head));
    memcpy(out + DNS_HEADER, name, len);

    p = out + DNS_HEADER + len;
    *p++ = (uint8_t) (type >> 8);
    *p++ = (uint8_t) type;
    *p++ = 0;
    *p++ = WIRE_CLASS_IN;

    if (edns) {
        out[11] = 1;
        memcpy(p, opt, sizeof(opt));
        p += sizeof(opt);
    }

    return (size_t) (p - out);
}


/* A length octet is at most 63 and so never looks like a capital letter. */
int
dns_name_equal(const uint8_t *a, size_t an, const uint8_t *b, size_t bn)
{
    size_t    i;
    unsigned  x, y;

    if (an != bn) {
        return 0;
    }

    if (memcmp(a, b, an) == 0) {
        return 1;
    }

    for (i = 0; i < an; i++) {
        x = a[i];
        y = b[i];
        x += x - 'A' < 26u ? 32 : 0;
        y += y - 'A' < 26u ? 32 : 0;

        if (x != y) {
            return 0;
        }
    }

    return 1;
}


int
dns_wire_match(const uint8_t *msg, size_t n, const uint8_t *name, size_t len,
    uint16_t type)
{
    const uint8_t  *p;

    if (n < DNS_HEADER + len + 4) {
        return 0;
    }

    /* QR set, opcode QUERY, one question. */
    if ((msg[2] & 0xf8) != 0x80 || dns_get16(msg + 4) != 1) {
        return 0;
    }

    p = msg + DNS_HEADER;

    return dns_name_equal(p, len, name, len)
           && dns_get16(p + len) == type
           && dns_get16(p + len + 2) == WIRE_CLASS_IN;
}


/* RFC 2181, 8: a TTL with the top bit set counts as zero. */
static uint32_t
wire_ttl(ldns_rr *rr)
{
    uint32_t  ttl;

    ttl = ldns_rr_ttl(rr);
    return ttl & 0x80000000 ? 0 : ttl;
}


static int
wire_at(ldns_rr *rr, const wire_chain_t *chain)
{
    ldns_rdf  *owner;

    owner = ldns_rr_owner(rr);

    return ldns_rr_get_class(rr) == LDNS_RR_CLASS_IN
           && dns_name_equal(ldns_rdf_data(owner), ldns_rdf_size(owner),
                             chain->name, chain->len);
}


static void
wire_txt(dns_answer_t *answer, ldns_rr *rr, unsigned nth)
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


static void
wire_take(dns_answer_t *answer, ldns_rr *rr, unsigned type, unsigned nth)
{
    ldns_rdf  *rdf;

    if (type == DNS_TYPE_TXT) {
        wire_txt(answer, rr, nth);
        return;
    }

    rdf = ldns_rr_rdf(rr, 0);

    if (rdf == NULL) {
        return;
    }

    if (type == DNS_TYPE_A && ldns_rdf_size(rdf) == 4
        && answer->n_a < DNS_MAX_A)
    {
        answer->a[answer->n_a++] = dns_get32(ldns_rdf_data(rdf));

    } else if (type == DNS_TYPE_AAAA && ldns_rdf_size(rdf) == 16
               && answer->n_aaaa < DNS_MAX_A)
    {
        memcpy(&answer->aaaa[answer->n_aaaa++], ldns_rdf_data(rdf), 16);
    }
}


/* The records of the asked type at the chain's name: how many. */
static unsigned
wire_collect(dns_answer_t *answer, ldns_rr_list *list, wire_chain_t *chain,
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
            || !wire_at(rr, chain))
        {
            continue;
        }

        ttl = wire_ttl(rr);
        chain->ttl = ttl < chain->ttl ? ttl : chain->ttl;
        wire_take(answer, rr, type, n++);
    }

    return n;
}


/* One CNAME further: 1, or 0 at the end. */
static int
wire_follow(ldns_rr_list *list, wire_chain_t *chain)
{
    size_t     i;
    ldns_rr   *rr;
    ldns_rdf  *to;
    uint32_t   ttl;

    for (i = 0; i < ldns_rr_list_rr_count(list); i++) {
        rr = ldns_rr_list_rr(list, i);

        if (ldns_rr_get_type(rr) != LDNS_RR_TYPE_CNAME
            || !wire_at(rr, chain))
        {
            continue;
        }

        to = ldns_rr_rdf(rr, 0);

        if (to == NULL) {
            continue;
        }

        ttl = wire_ttl(rr);
        chain->ttl = ttl < chain->ttl ? ttl : chain->ttl;
        chain->name = ldns_rdf_data(to);
        chain->len = ldns_rdf_size(to);
        chain->hops++;
        return 1;
    }

    return 0;
}


/* The zone's name is the end of the name, at a label's border. */
static int
wire_within(const wire_chain_t *chain, ldns_rdf *zone)
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
static dns_status_t
wire_negative(dns_answer_t *answer, ldns_pkt *pkt, const wire_chain_t *chain)
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

        if (ldns_rr_get_type(rr) == LDNS_RR_TYPE_NS) {
            referral = 1;
        }

        if (ldns_rr_get_type(rr) != LDNS_RR_TYPE_SOA
            || ldns_rr_rd_count(rr) != 7
            || ldns_rdf_size(ldns_rr_rdf(rr, 6)) != 4
            || !wire_within(chain, ldns_rr_owner(rr)))
        {
            continue;
        }

        ttl = wire_ttl(rr);
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
static dns_status_t
wire_sections(dns_answer_t *answer, ldns_pkt *pkt, const uint8_t *name,
    size_t len, uint16_t type)
{
    unsigned       n;
    wire_chain_t   chain;
    ldns_rr_list  *list;

    chain.name = name;
    chain.len = len;
    chain.ttl = UINT32_MAX;
    chain.hops = 0;

    list = ldns_pkt_answer(pkt);

    for ( ;; ) {
        n = wire_collect(answer, list, &chain, type);

        if (n || !wire_follow(list, &chain)) {
            break;
        }

        /* Too long or a ring: nothing is known about what it would say. */
        if (chain.hops > DNS_CHAIN_MAX) {
            return DNS_BADREPLY;
        }
    }

    if (n == 0) {
        return wire_negative(answer, pkt, &chain);
    }

    answer->ttl = chain.ttl;

    /* "No such name", and here are its records: believe neither. */
    return answer->status == DNS_NXDOMAIN ? DNS_BADREPLY : answer->status;
}


static dns_status_t
wire_status(unsigned rcode)
{
    switch (rcode) {

    case DNS_RCODE_NOERROR:
        return DNS_NOERROR;

    case DNS_RCODE_NXDOMAIN:
        return DNS_NXDOMAIN;

    case DNS_RCODE_SERVFAIL:
        return DNS_SERVFAIL;

    case DNS_RCODE_REFUSED:
        return DNS_REFUSED;
    }

    return DNS_BADREPLY;
}


static void
wire_clear(dns_answer_t *answer, dns_status_t status)
{
    answer->status = status;
    answer->n_a = 0;
    answer->n_aaaa = 0;
    answer->txt_len = 0;
    answer->ttl = 0;
}


dns_wire_t
dns_wire_read(dns_answer_t *answer, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type)
{
    ldns_pkt      *pkt;
    dns_status_t   status;
    dns_screen_t   screen;

    wire_clear(answer, DNS_BADREPLY);

    /* Checked before the walk: a truncated message may end anywhere. */
    if (msg[2] & 0x02) {
        return DNS_WIRE_TC;
    }

    if (dns_screen(&screen, msg, n) != 0) {
        return DNS_WIRE_DONE;
    }

    answer->status = wire_status(screen.rcode);

    if (screen.rcode == DNS_RCODE_FORMERR || screen.rcode == DNS_RCODE_NOTIMP
        || screen.rcode == DNS_RCODE_BADVERS)
    {
        return DNS_WIRE_NO_EDNS;
    }

    if ((answer->status != DNS_NOERROR && answer->status != DNS_NXDOMAIN)
        || screen.an + screen.ns == 0)
    {
        return DNS_WIRE_DONE;
    }

    if (ldns_wire2pkt(&pkt, msg, n) != LDNS_STATUS_OK) {
        answer->status = DNS_BADREPLY;
        return DNS_WIRE_DONE;
    }

    status = wire_sections(answer, pkt, name, len, type);
    ldns_pkt_free(pkt);

    if (status == DNS_BADREPLY) {
        wire_clear(answer, status);
    }

    return DNS_WIRE_DONE;
}
