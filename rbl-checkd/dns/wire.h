/*
 * Messages: questions put together from templates, replies screened and then
 * read by ldns (record.h).
 *
 * Names are in wire form: length octets and labels, ending with the root's
 * zero octet, never compressed, at most 255 octets.
 */

#ifndef DNS_WIRE_H_INCLUDED
#define DNS_WIRE_H_INCLUDED

#include "engine.h"

#define DNS_NAME_MAX      255
#define DNS_HEADER        12
#define DNS_QUESTION_MAX  (DNS_HEADER + DNS_NAME_MAX + 4 + 11)
#define DNS_EDNS_SIZE     1232
#define DNS_CHAIN_MAX     8         /* CNAMEs followed from the asked name */

#define DNS_MAX_ANSWERS     DNS_MAX_CODES
#define DNS_MAX_AUTHORITY   64
#define DNS_MAX_ADDITIONAL  64

#define DNS_RR_CNAME  5
#define DNS_RR_DNAME  39
#define DNS_RR_OPT    41
#define DNS_RR_DS     43
#define DNS_RR_RRSIG  46
#define DNS_RR_NSEC   47
#define DNS_RR_NSEC3  50

#define DNS_RCODE_NOERROR   0
#define DNS_RCODE_FORMERR   1
#define DNS_RCODE_SERVFAIL  2
#define DNS_RCODE_NXDOMAIN  3
#define DNS_RCODE_NOTIMP    4
#define DNS_RCODE_REFUSED   5
#define DNS_RCODE_BADVERS   16

typedef enum {
    DNS_WIRE_DONE,          /* the answer holds the verdict */
    DNS_WIRE_TC,            /* truncated: ask again over TCP */
    DNS_WIRE_NO_EDNS        /* DNS_BADREPLY, of the kind that servers give
                               which do not know EDNS */
} dns_wire_t;

/* The shape of a query: any of these together. */
#define DNS_QUERY_EDNS  1u
#define DNS_QUERY_RD    2u      /* recursion is desired */
#define DNS_QUERY_SHAPES  4u

#define DNS_ANSWER      0
#define DNS_AUTHORITY   1
#define DNS_ADDITIONAL  2

/* A message that the screen has let through. */
typedef struct {
    const uint8_t  *p;
    size_t          n;
    unsigned        rcode;      /* with the upper bits from OPT */
    unsigned        count[3];   /* records of each section */
    size_t          at[3];      /* where they begin */
} dns_screen_t;

/*
 * "a.example" -> wire form.  The length, or 0: empty, an empty label, a label
 * over 63 or a name over 253 octets.
 */
size_t dns_wire_name(uint8_t out[DNS_NAME_MAX], const char *name);

/*
 * A query of that shape (DNS_QUERY_*), class IN.  The length, at most
 * DNS_QUESTION_MAX.
 */
size_t dns_wire_question(uint8_t *out, uint16_t id, const uint8_t *name,
    size_t len, uint16_t type, unsigned shape);

/* 1: a reply to exactly this question (the id is not looked at), or 0. */
int dns_wire_match(const uint8_t *msg, size_t n, const uint8_t *name,
    size_t len, uint16_t type);

/*
 * 1: a header alone with REFUSED, which unbound sends to clients that it does
 * not serve; only the id shows to which query it belongs.
 */
int dns_wire_denial(const uint8_t *msg, size_t n);

/*
 * A reply that one of these two has accepted.  Sets every field of the answer
 * but `ms` and `tries`.
 */
dns_wire_t dns_wire_read(dns_answer_t *answer, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type);

/*
 * Walks a matched reply (one question): counts in bounds, every name ending
 * inside the message without loops, known record types only, each with rdata
 * of the right shape, at most one OPT, nothing behind the last record.
 * 0, or -1: such a message must not reach a parser.
 */
int dns_screen(dns_screen_t *screen, const uint8_t *msg, size_t n);

/*
 * What the sections of a screened reply with NOERROR or NXDOMAIN hold; the
 * rest of the answer is cleared and has that status.
 */
dns_status_t dns_decode(dns_answer_t *answer, const dns_screen_t *msg,
    const uint8_t *name, size_t len, uint16_t type);

/* No records, and that status; ms, tries and server stay as they are. */
void dns_answer_clear(dns_answer_t *answer, dns_status_t status);

/* Wire names, without regard to case. */
int dns_name_equal(const uint8_t *a, size_t an, const uint8_t *b, size_t bn);

static inline unsigned
dns_get16(const uint8_t *p)
{
    return (unsigned) p[0] << 8 | p[1];
}


static inline uint32_t
dns_get32(const uint8_t *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16
           | (uint32_t) p[2] << 8 | p[3];
}

#endif /* DNS_WIRE_H_INCLUDED */
