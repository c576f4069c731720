/*
 * For the tests of DNS messages: a response to the query for NAME, made octet
 * by octet.
 */

#ifndef DNS_MSG_H_INCLUDED
#define DNS_MSG_H_INCLUDED

#include "dns/wire.h"

#include <stdlib.h>
#include <string.h>

#define NAME  "2.0.0.127.zen.example"

static uint8_t       msg[65536];
static size_t        len;
static uint8_t       qname[DNS_NAME_MAX];
static size_t        qlen;
static dns_answer_t  answer;


static void
put8(unsigned v)
{
    msg[len++] = (uint8_t) v;
}


static void
put16(unsigned v)
{
    put8(v >> 8);
    put8(v & 255);
}


static void
put32(uint32_t v)
{
    put16(v >> 16);
    put16(v & 65535);
}


static void
put_name(const char *name)
{
    len += dns_wire_name(msg + len, name);
}


static void
count(unsigned section)
{
    unsigned  n;

    n = dns_get16(msg + 6 + 2 * section) + 1;
    msg[6 + 2 * section] = (uint8_t) (n >> 8);
    msg[7 + 2 * section] = (uint8_t) n;
}


/* Header and question section; flags as in the second 16-bit word. */
static void
start(unsigned flags, unsigned type)
{
    qlen = dns_wire_name(qname, NAME);
    memset(msg, 0, DNS_HEADER);
    len = 0;
    put16(0x1234);
    put16(flags);
    put16(1);
    len = DNS_HEADER;
    put_name(NAME);
    put16(type);
    put16(1);
}


/* The fixed part of a record, after its owner. */
static void
fixed(unsigned section, unsigned type, uint32_t ttl, unsigned rdlength)
{
    put16(type);
    put16(1);
    put32(ttl);
    put16(rdlength);
    count(section);
}


__attribute__((unused))
static void
put_a(uint32_t ttl, uint32_t addr)
{
    put16(0xc00c);
    fixed(0, DNS_TYPE_A, ttl, 4);
    put32(addr);
}


/* A CNAME between names that are not compressed; "" is the queried one. */
__attribute__((unused))
static void
put_cname(const char *from, const char *to, uint32_t ttl)
{
    size_t   at;
    uint8_t  wire[DNS_NAME_MAX];

    if (*from) {
        put_name(from);
    } else {
        put16(0xc00c);
    }

    at = dns_wire_name(wire, to);
    fixed(0, DNS_RR_CNAME, ttl, (unsigned) at);
    put_name(to);
}


__attribute__((unused))
static void
put_named_a(const char *owner, uint32_t addr)
{
    put_name(owner);
    fixed(0, DNS_TYPE_A, 60, 4);
    put32(addr);
}


__attribute__((unused))
static void
put_soa(const char *zone, uint32_t ttl, uint32_t minimum)
{
    size_t  at;

    put_name(zone);
    fixed(1, DNS_TYPE_SOA, ttl, 0);
    at = len;
    put_name("ns.example");
    put_name("admin.example");
    put32(1);
    put32(2);
    put32(3);
    put32(4);
    put32(minimum);
    msg[at - 1] = (uint8_t) (len - at);
}


/* A name server of `zone`, in any section. */
__attribute__((unused))
static void
put_ns(unsigned section, const char *zone, const char *server, uint32_t ttl)
{
    uint8_t  wire[DNS_NAME_MAX];

    put_name(zone);
    fixed(section, DNS_TYPE_NS, ttl, (unsigned) dns_wire_name(wire, server));
    put_name(server);
}


__attribute__((unused))
static void
put_opt(unsigned section, uint32_t ttl)
{
    put8(0);
    put16(DNS_RR_OPT);
    put16(1232);
    put32(ttl);
    put16(0);
    count(section);
}


static dns_wire_t
read_type(unsigned type)
{
    dns_wire_t   rc;
    uint8_t     *copy;

    /* An exact copy on the heap: a sanitizer reports the first octet beyond
       it. */
    copy = malloc(len);

    if (copy == NULL) {
        abort();
    }

    memcpy(copy, msg, len);
    memset(&answer, 0xa5, sizeof(answer));
    rc = dns_wire_read(&answer, copy, len, qname, qlen, (uint16_t) type);
    free(copy);

    return rc;
}


__attribute__((unused))
static int
is_status(dns_status_t status)
{
    if (read_type(DNS_TYPE_A) != DNS_WIRE_DONE) {
        return 0;
    }

    return answer.status == status
           && (status == DNS_NOERROR || answer.n_a == 0);
}


__attribute__((unused))
static int
matches(void)
{
    return dns_wire_match(msg, len, qname, qlen, DNS_TYPE_A);
}

#endif /* DNS_MSG_H_INCLUDED */
