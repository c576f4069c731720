/*
 * Messages: queries made from templates, responses screened and then read by
 * ldns (record.h).
 *
 * Names are in wire form: length octets and labels, ending with the root's zero
 * octet, never compressed, at most 255 octets.
 */

#ifndef DNS_WIRE_H_INCLUDED
#define DNS_WIRE_H_INCLUDED

#include "engine.h"

#define DNS_NAME_MAX      255
#define DNS_HEADER        12
#define DNS_QUESTION_MAX  (DNS_HEADER + DNS_NAME_MAX + 4 + 11)
#define DNS_EDNS_SIZE     1232
#define DNS_CHAIN_MAX     8         /* CNAMEs followed from the queried name */

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
    DNS_WIRE_TC,            /* truncated: repeat over TCP */
    DNS_WIRE_NO_EDNS        /* DNS_BADREPLY, typical of servers without EDNS */
} dns_wire_t;

/* Flags of a query's shape. */
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
    unsigned        rcode;      /* with the upper bits of OPT */
    unsigned        count[3];   /* records of each section */
    size_t          at[3];      /* offset of each section */
} dns_screen_t;

/*
 * Converts "a.example" to wire form.  Returns the length, or 0: empty, an empty
 * label, a label over 63 or a name over 253 octets.
 */
size_t dns_wire_name(uint8_t out[DNS_NAME_MAX], const char *name);

/*
 * Makes a query of that shape (DNS_QUERY_*), class IN.  Returns the length, at
 * most DNS_QUESTION_MAX.
 */
size_t dns_wire_query(uint8_t *out, uint16_t id, const uint8_t *name,
    size_t len, uint16_t type, unsigned shape);

/* 1: a response to exactly this query (the id is not compared), or 0. */
int dns_wire_match(const uint8_t *msg, size_t n, const uint8_t *name,
    size_t len, uint16_t type);

/*
 * 1: only a header with REFUSED, which unbound sends to clients that it does
 * not serve; only the id shows the query it belongs to.
 */
int dns_wire_denial(const uint8_t *msg, size_t n);

/*
 * `msg` was accepted by one of these two.  Sets every field of the answer
 * except `ms` and `tries`.
 */
dns_wire_t dns_wire_read(dns_answer_t *answer, const uint8_t *msg, size_t n,
    const uint8_t *name, size_t len, uint16_t type);

/*
 * Walks a matched reply (one question): counts in bounds, every name ending
 * inside the message without loops, known record types only, each with rdata of
 * the right shape, at most one OPT, nothing after the last record.  0, or -1:
 * the message must not reach a parser.
 */
int dns_screen(dns_screen_t *screen, const uint8_t *msg, size_t n);

/* Clears the records and sets the status; ms, tries and server are kept. */
void dns_answer_clear(dns_answer_t *answer, dns_status_t status);

/* Compares wire names, ignoring case. */
int dns_name_equal(const uint8_t *a, size_t an, const uint8_t *b, size_t bn);

static inline unsigned
dns_get16(const uint8_t *p)
{
    return (unsigned) p[0] << 8 | p[1];
}

#endif /* DNS_WIRE_H_INCLUDED */
