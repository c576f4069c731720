/*
 * Queries, and responses: the match with a query, the header, and the records.
 * A query is a template with id, name and type filled in, which costs a
 * hundredth of the same in ldns (t/unit/test_dns_wire.c compares the octets).
 * Responses go through dns_screen(); only what it accepts is decoded.  ldns
 * reads the records (record.c): those of the answer section all at once, those
 * of the other sections as far as needed.
 */

#include "record.h"

#include <string.h>

#define WIRE_CLASS_IN  1

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
dns_wire_query(uint8_t *out, uint16_t id, const uint8_t *name, size_t len,
    uint16_t type, unsigned shape)
{
    /* The header after the id, and the octets behind the question section. */
    static const uint8_t  head[DNS_QUERY_SHAPES][10] = {
        { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 },
        { 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 },
        { 1, 0, 0, 1, 0, 0, 0, 0, 0, 0 },
        { 1, 0, 0, 1, 0, 0, 0, 0, 0, 1 }
    };
    static const uint8_t  opt[] = { 0, 0, DNS_RR_OPT, DNS_EDNS_SIZE >> 8,
                                    DNS_EDNS_SIZE & 255, 0, 0, 0, 0, 0, 0 };

    uint8_t  *p;

    out[0] = (uint8_t) (id >> 8);
    out[1] = (uint8_t) id;
    memcpy(out + 2, head[shape], sizeof(head[shape]));
    memcpy(out + DNS_HEADER, name, len);

    p = out + DNS_HEADER + len;
    *p++ = (uint8_t) (type >> 8);
    *p++ = (uint8_t) type;
    *p++ = 0;
    *p++ = WIRE_CLASS_IN;

    if (shape & DNS_QUERY_EDNS) {
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


int
dns_wire_denial(const uint8_t *msg, size_t n)
{
    static const uint8_t  counts[8];

    return n == DNS_HEADER && (msg[2] & 0xfa) == 0x80
           && (msg[3] & 0x0f) == DNS_RCODE_REFUSED
           && memcmp(msg + 4, counts, sizeof(counts)) == 0;
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


void
dns_answer_clear(dns_answer_t *answer, dns_status_t status)
{
    answer->status = status;
    answer->n_a = 0;
    answer->n_aaaa = 0;
    answer->txt_len = 0;
    answer->ttl = 0;
    answer->soa = 0;
    answer->has_serial = 0;
    answer->aa = 0;
    answer->search = DNS_NOERROR;
    answer->alias = 0;
    answer->found = 0;
}


/* --- records ------------------------------------------------------------- */

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
    answer->found = 1;

    /* NXDOMAIN together with records of the name: neither is trusted. */
    return answer->status == DNS_NXDOMAIN ? DNS_BADREPLY : answer->status;
}


/*
 * Decodes the sections of a response with NOERROR or NXDOMAIN into an answer
 * that is clear except for this status.
 */
static dns_status_t
wire_decode(dns_answer_t *answer, const dns_screen_t *msg,
    const uint8_t *name, size_t len, uint16_t type)
{
    dns_chain_t   chain;
    dns_status_t  status;

    status = dns_chain_walk(&chain, msg, name, len, type) == 0
             ? decode_chain(answer, msg, &chain, type) : DNS_BADREPLY;
    dns_chain_free(&chain);

    return status;
}


dns_wire_t
dns_wire_read(dns_answer_t *answer, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type)
{
    dns_status_t  status;
    dns_screen_t  screen;

    if (dns_wire_denial(msg, n)) {
        dns_answer_clear(answer, DNS_REFUSED);
        return DNS_WIRE_DONE;
    }

    dns_answer_clear(answer, DNS_BADREPLY);

    /* Checked before the walk, since a truncated message may end anywhere. */
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

    if (answer->status != DNS_NOERROR && answer->status != DNS_NXDOMAIN) {
        return DNS_WIRE_DONE;
    }

    status = wire_decode(answer, &screen, name, len, type);

    if (status == DNS_BADREPLY) {
        dns_answer_clear(answer, status);
    }

    return DNS_WIRE_DONE;
}
