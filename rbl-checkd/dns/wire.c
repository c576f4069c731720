/*
 * Queries, and the frame of responses: the match with a query, and the
 * header.  A query is a template with id, name and type filled in, which costs
 * a hundredth of the same in ldns (t/unit/test_dns_wire.c compares the octets).
 * Responses go through dns_screen(), then dns_decode() reads them.
 */

#include "wire.h"

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

    status = dns_decode(answer, &screen, name, len, type);

    if (status == DNS_BADREPLY) {
        dns_answer_clear(answer, status);
    }

    return DNS_WIRE_DONE;
}
