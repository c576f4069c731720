/*
 * Messages of the query engine: queries as they are sent, and the data of valid
 * responses.
 */

#include "tap.h"
#include "dns_msg.h"

#include <ldns/ldns.h>
#include <stdlib.h>


static void
test_names(void)
{
    char     name[300];
    size_t   i;
    uint8_t  wire[DNS_NAME_MAX];

    ok(dns_wire_name(wire, "a.bc") == 6
       && memcmp(wire, "\1a\2bc", 6) == 0, "a name in wire form");
    ok(dns_wire_name(wire, "") == 0, "no name");
    ok(dns_wire_name(wire, "a..b") == 0, "an empty label");
    ok(dns_wire_name(wire, ".a") == 0, "a leading dot");
    ok(dns_wire_name(wire, "a.") == 0, "a trailing dot");

    memset(name, 'x', sizeof(name));
    name[63] = '\0';
    ok(dns_wire_name(wire, name) == 65, "a label of 63");
    name[63] = 'x';
    name[64] = '\0';
    ok(dns_wire_name(wire, name) == 0, "a label of 64");

    memset(name, 'x', sizeof(name));

    for (i = 63; i < sizeof(name); i += 64) {
        name[i] = '.';
    }

    name[253] = '\0';
    ok(dns_wire_name(wire, name) == 255, "a name of 253");
    name[253] = 'x';
    name[254] = '\0';
    ok(dns_wire_name(wire, name) == 0, "a name of 254");
}


static void
test_question(void)
{
    size_t   n;
    uint8_t  out[DNS_QUESTION_MAX], wire[DNS_NAME_MAX];

    n = dns_wire_name(wire, "a.b");
    n = dns_wire_query(out, 0xabcd, wire, n, DNS_TYPE_TXT,
                          DNS_QUERY_EDNS | DNS_QUERY_RD);
    ok(n == 32 && memcmp(out, "\xab\xcd\1\0\0\1\0\0\0\0\0\1"
                         "\1a\1b\0\0\x10\0\1"
                         "\0\0\x29\4\xd0\0\0\0\0\0\0", 32) == 0,
       "a query with EDNS 1232");

    n = dns_wire_query(out, 1, wire, 5, DNS_TYPE_A, DNS_QUERY_RD);
    ok(n == 21 && out[2] == 1 && out[11] == 0, "a query without EDNS");

    n = dns_wire_query(out, 1, wire, 5, DNS_TYPE_A, 0);
    ok(n == 21 && out[2] == 0, "one without recursion");
}


/* Makes ldns the same octets for that name and type? */
static int
as_ldns(uint16_t id, const uint8_t *name, size_t n, uint16_t type,
    unsigned shape)
{
    int        same;
    size_t     size;
    uint8_t    out[DNS_QUESTION_MAX], *wire;
    ldns_pkt  *pkt;

    /* The packet owns the name. */
    pkt = ldns_pkt_query_new(ldns_rdf_new_frm_data(LDNS_RDF_TYPE_DNAME, n,
                                                   name),
                             (ldns_rr_type) type, LDNS_RR_CLASS_IN,
                             shape & DNS_QUERY_RD ? LDNS_RD : 0);

    if (pkt == NULL) {
        abort();
    }

    ldns_pkt_set_id(pkt, id);

    if (shape & DNS_QUERY_EDNS) {
        ldns_pkt_set_edns_udp_size(pkt, DNS_EDNS_SIZE);
    }

    if (ldns_pkt2wire(&wire, pkt, &size) != LDNS_STATUS_OK) {
        abort();
    }

    same = size == dns_wire_query(out, id, name, n, type, shape)
           && memcmp(out, wire, size) == 0;
    ldns_pkt_free(pkt);
    free(wire);

    return same;
}


/* Labels of random octets, up to the longest name. */
static size_t
random_name(uint8_t name[DNS_NAME_MAX])
{
    size_t  n, size, most;

    n = 0;
    most = 1 + (size_t) random() % (DNS_NAME_MAX - 1);

    while (n + 2 < most) {
        size = 1 + (size_t) random() % 63;
        size = size < most - n - 1 ? size : most - n - 2;
        name[n++] = (uint8_t) size;

        while (size--) {
            name[n++] = (uint8_t) random();
        }
    }

    name[n++] = 0;

    return n;
}


static void
test_templates(void)
{
    size_t    n;
    unsigned  i, shape, wrong;
    uint8_t   name[DNS_NAME_MAX];

    static const uint16_t  types[] = { DNS_TYPE_A, DNS_TYPE_NS, DNS_TYPE_SOA,
                                       DNS_TYPE_TXT, DNS_TYPE_AAAA };

    srandom(1);

    for (shape = 0; shape < DNS_QUERY_SHAPES; shape++) {
        wrong = 0;

        for (i = 0; i < 2000; i++) {
            n = random_name(name);
            wrong += !as_ldns((uint16_t) random(), name, n, types[i % 5],
                              shape);
        }

        ok(wrong == 0, "2,000 queries equal those of ldns, shape %u", shape);
    }
}


static void
test_match(void)
{
    size_t  i;

    start(0x8180, DNS_TYPE_A);
    ok(matches(), "the response has the question");

    for (i = DNS_HEADER; i < DNS_HEADER + qlen; i++) {
        if (msg[i] >= 'a' && msg[i] <= 'z') {
            msg[i] -= 32;
        }
    }

    ok(matches(), "in capitals");

    msg[2] &= 0x7f;
    ok(!matches(), "not a reply");
    start(0x8980, DNS_TYPE_A);
    ok(!matches(), "another opcode");
    start(0x8180, DNS_TYPE_TXT);
    ok(!matches(), "another type");
    start(0x8180, DNS_TYPE_A);
    msg[len - 1] = 3;
    ok(!matches(), "another class");
    start(0x8180, DNS_TYPE_A);
    msg[DNS_HEADER + 1] = '3';
    ok(!matches(), "another name");
    start(0x8180, DNS_TYPE_A);
    msg[DNS_HEADER + 10] ^= 0x20;
    ok(!matches(), "32 apart, but no letter");
    start(0x8180, DNS_TYPE_A);
    msg[5] = 2;
    ok(!matches(), "two questions");
    msg[5] = 0;
    ok(!matches(), "no question");
    start(0x8180, DNS_TYPE_A);
    len--;
    ok(!matches(), "one octet short");
}


/* Names that differ in their last label, compared once for each alias. */
static void
test_work(void)
{
    char      from[64], to[64];
    size_t    decoy;
    unsigned  i;

    start(0x8180, DNS_TYPE_A);
    from[0] = '\0';

    for (i = 0; i < DNS_CHAIN_MAX; i++) {
        snprintf(to, sizeof(to), "2.0.0.127.zen.a%u", i);
        put_cname(from, to, 60);
        memcpy(from, to, sizeof(to));
    }

    put_named_a(to, 0x7f000002);
    decoy = len;
    put_named_a("2.0.0.127.zen.z0", 0x7f000003);

    for (i = 1; i < 3900; i++) {
        put16((unsigned) (0xc000 | decoy));
        fixed(0, DNS_TYPE_A, 60, 4);
        put32(0x7f000003);
    }

    ok(is_status(DNS_NOERROR) && answer.n_a == 1 && answer.a[0] == 0x7f000002,
       "the right one among 3,900 addresses of another name");
}


static void
test_answers(void)
{
    start(0x8180, DNS_TYPE_A);
    put_a(300, 0x7f000002);
    put_a(120, 0x7f000004);
    put_opt(2, 0);
    ok(is_status(DNS_NOERROR) && answer.n_a == 2
       && answer.a[0] == 0x7f000002 && answer.a[1] == 0x7f000004
       && answer.ttl == 120, "two addresses, the lesser TTL");

    start(0x8180, DNS_TYPE_A);
    put_a(0x80000001, 0x7f000002);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1 && answer.ttl == 0,
       "a TTL with the top bit is zero");

    start(0x8180, DNS_TYPE_A);

    while (dns_get16(msg + 6) < 4000) {
        put_a(60, 0x7f000000u + dns_get16(msg + 6));
    }

    ok(is_status(DNS_NOERROR) && answer.n_a == 4000
       && answer.a[3999] == 0x7f000000 + 3999, "4,000 addresses");

    start(0x8180, DNS_TYPE_AAAA);
    put16(0xc00c);
    fixed(0, DNS_TYPE_AAAA, 60, 16);
    memcpy(msg + len, "\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
    len += 16;
    read_type(DNS_TYPE_AAAA);
    ok(answer.status == DNS_NOERROR && answer.n_aaaa == 1
       && answer.aaaa[0].s6_addr[15] == 1, "an IPv6 address");
    ok(is_status(DNS_NOERROR) && answer.n_a == 0 && answer.n_aaaa == 0,
       "which is no answer to an A query");

    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    msg[len - 11] = 3;
    ok(is_status(DNS_NOERROR) && answer.n_a == 0, "of another class");

    start(0x8180, DNS_TYPE_A);
    put_named_a("other.example", 0x7f000002);
    ok(is_status(DNS_BADREPLY), "of another name");
}


/* Queries about zones: existence, and time to cache. */
static void
test_zones(void)
{
    start(0x8580, DNS_TYPE_NS);
    put_ns(0, NAME, "ns.example", 90);
    read_type(DNS_TYPE_NS);
    ok(answer.status == DNS_NOERROR && answer.ttl == 90 && answer.soa == 0
       && answer.n_a == 0, "name servers");

    start(0x8580, DNS_TYPE_SOA);
    put_soa("zen.example", 80, 70);
    read_type(DNS_TYPE_SOA);
    ok(answer.status == DNS_NOERROR && answer.ttl == 70 && answer.soa == 3,
       "no SOA of its own: the zone is above");

    start(0x8580, DNS_TYPE_SOA);
    put_soa(NAME, 80, 70);
    msg[7] = 1;
    msg[9] = 0;
    read_type(DNS_TYPE_SOA);
    ok(answer.status == DNS_NOERROR && answer.ttl == 80 && answer.soa == 0,
       "an SOA");
}


static void
test_rcodes(void)
{
    start(0x8183, DNS_TYPE_A);
    ok(is_status(DNS_NXDOMAIN) && answer.ttl == 0, "NXDOMAIN without SOA");
    start(0x8182, DNS_TYPE_A);
    ok(is_status(DNS_SERVFAIL), "SERVFAIL");
    start(0x8185, DNS_TYPE_A);
    ok(is_status(DNS_REFUSED), "REFUSED");
    start(0x8186, DNS_TYPE_A);
    ok(is_status(DNS_BADREPLY), "an rcode of no interest");
    start(0x8181, DNS_TYPE_A);
    ok(read_type(DNS_TYPE_A) == DNS_WIRE_NO_EDNS
       && answer.status == DNS_BADREPLY, "FORMERR");
    start(0x8184, DNS_TYPE_A);
    ok(read_type(DNS_TYPE_A) == DNS_WIRE_NO_EDNS
       && answer.status == DNS_BADREPLY, "NOTIMP");
    start(0x8380, DNS_TYPE_A);
    put8(0xff);
    ok(read_type(DNS_TYPE_A) == DNS_WIRE_TC, "TC, cut anywhere");

    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    put_opt(2, 0x01000000);
    ok(read_type(DNS_TYPE_A) == DNS_WIRE_NO_EDNS && answer.n_a == 0,
       "BADVERS, by the upper bits in OPT");

    start(0x8183, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    ok(is_status(DNS_BADREPLY), "NXDOMAIN with an address");
}


static void
test_negative(void)
{
    start(0x8183, DNS_TYPE_A);
    put_soa("zen.example", 3600, 150);
    ok(is_status(DNS_NXDOMAIN) && answer.ttl == 150 && answer.soa == 3,
       "the SOA's minimum, and its owner's labels");
    start(0x8183, DNS_TYPE_A);
    put_soa("zen.example", 100, 150);
    ok(is_status(DNS_NXDOMAIN) && answer.ttl == 100, "the SOA's own TTL");
    start(0x8180, DNS_TYPE_A);
    put_soa("example", 200, 150);
    ok(is_status(DNS_NOERROR) && answer.ttl == 150 && answer.soa == 2,
       "no data, by the zone above");
    start(0x8183, DNS_TYPE_A);
    put_soa("en.example", 3600, 150);
    ok(is_status(DNS_NXDOMAIN) && answer.ttl == 0 && answer.soa == 0,
       "an SOA of another zone is ignored");

    start(0x8180, DNS_TYPE_A);
    put_ns(1, "example", "ns.example", 60);
    ok(is_status(DNS_BADREPLY), "a referral is not 'no data'");
    put_soa("example", 60, 60);
    ok(is_status(DNS_NOERROR) && answer.n_a == 0,
       "name servers with an SOA are");
}


/* A header without a question section. */

static void
test_denial(void)
{
    size_t  i;

    start(0x8185, DNS_TYPE_A);
    memset(msg + 4, 0, 8);
    len = DNS_HEADER;
    ok(dns_wire_denial(msg, len) && is_status(DNS_REFUSED) && answer.ttl == 0,
       "a client that is not served gets REFUSED");
    ok(!dns_wire_denial(msg, len - 1) && !dns_wire_denial(msg, len + 1),
       "in a header and nothing more");

    for (i = 4; i < DNS_HEADER; i++) {
        msg[i] = 1;
        ok(!dns_wire_denial(msg, len), "that counts nothing (%zu)", i);
        msg[i] = 0;
    }

    for (i = 0; i < 16; i++) {
        msg[3] = (uint8_t) (0x80 | i);
        ok(dns_wire_denial(msg, len) == (i == DNS_RCODE_REFUSED),
           "rcode %zu", i);
    }

    msg[3] = 0x85;
    msg[2] = 0x01;
    ok(!dns_wire_denial(msg, len), "a query is no denial");
    msg[2] = 0x83;
    ok(!dns_wire_denial(msg, len), "nor is a truncated response");
}


static void
test_chain(void)
{
    char      from[16], to[16];
    unsigned  i;

    start(0x8180, DNS_TYPE_A);
    put_named_a("end.example", 0x7f000003);
    put_cname("", "Next.example", 30);
    put_cname("nExt.example", "end.example", 45);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1
       && answer.a[0] == 0x7f000003 && answer.ttl == 30,
       "a chain in any order and case");

    /* Queried in capitals, which the response does not keep. */
    start(0x8180, DNS_TYPE_A);
    put_named_a(NAME, 0x7f000003);
    memcpy(qname, "\0012\0010\0010\003127\003ZEN\007EXAMPLE", qlen);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "a query in capitals");

    start(0x8180, DNS_TYPE_A);
    put_cname("", "end.example", 30);
    put_named_a("end.example", 0x7f000003);
    put_named_a("aside.example", 0x7f000009);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "with an unrelated record");

    start(0x8180, DNS_TYPE_A);
    put_cname("", NAME, 30);
    ok(is_status(DNS_BADREPLY), "a name that is its own alias");

    start(0x8180, DNS_TYPE_A);
    put_cname("", "a.example", 30);
    put_cname("a.example", "b.example", 30);
    put_cname("b.example", "a.example", 30);
    ok(is_status(DNS_BADREPLY), "a ring");

    start(0x8183, DNS_TYPE_A);
    put_cname("", "gone.test", 30);
    put_soa("test", 3600, 900);
    ok(is_status(DNS_NXDOMAIN) && answer.ttl == 30,
       "a chain to nowhere, no longer than its links");

    start(0x8180, DNS_TYPE_A);
    put_cname("", "n1", 30);

    for (i = 1; i < 8; i++) {
        snprintf(from, sizeof(from), "n%u", i);
        snprintf(to, sizeof(to), "n%u", i + 1);
        put_cname(from, to, 30);
    }

    put_named_a("n8", 0x7f000002);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "eight links");
    put_cname("n8", "n9", 30);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1,
       "an address beside an alias ends the chain");

    start(0x8180, DNS_TYPE_A);
    put_cname("", "n1", 30);

    for (i = 1; i < 9; i++) {
        snprintf(from, sizeof(from), "n%u", i);
        snprintf(to, sizeof(to), "n%u", i + 1);
        put_cname(from, to, 30);
    }

    put_named_a("n9", 0x7f000002);
    ok(is_status(DNS_BADREPLY), "nine links");

    /* DNAME with the CNAME that a resolver makes from it. */
    start(0x8180, DNS_TYPE_A);
    put_name("zen.example");
    fixed(0, DNS_RR_DNAME, 60, 10);
    put_name("new.test");
    put_cname("", "2.0.0.127.new.test", 60);
    put_named_a("2.0.0.127.new.test", 0x7f000002);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "a renamed zone");
}


static void
put_txt(const char *const *strings)
{
    size_t    at, n;

    put16(0xc00c);
    fixed(0, DNS_TYPE_TXT, 60, 0);
    at = len;

    while (*strings) {
        n = strlen(*strings);
        put8((unsigned) n);
        memcpy(msg + len, *strings++, n);
        len += n;
    }

    msg[at - 2] = (uint8_t) ((len - at) >> 8);
    msg[at - 1] = (uint8_t) (len - at);
}


static void
test_txt(void)
{
    char               big[256];
    static const char  want[] = "one two\xff\"\nthree";
    const char        *a[] = { "one ", "", "two\xff\"", NULL };
    const char        *b[] = { "three", NULL };
    const char        *c[] = { big, big, big, big, big, NULL };

    start(0x8180, DNS_TYPE_TXT);
    put_txt(a);
    put_txt(b);
    read_type(DNS_TYPE_TXT);
    ok(answer.status == DNS_NOERROR && answer.txt_len == sizeof(want) - 1
       && memcmp(answer.txt, want, sizeof(want) - 1) == 0,
       "strings joined, records by newline, octets raw");

    memset(big, 'x', 255);
    big[255] = '\0';
    start(0x8180, DNS_TYPE_TXT);
    put_txt(c);
    put_txt(b);
    read_type(DNS_TYPE_TXT);
    ok(answer.status == DNS_NOERROR && answer.txt_len == DNS_TXT_MAX
       && answer.txt[DNS_TXT_MAX - 1] == 'x', "a long text is cut");

    start(0x8180, DNS_TYPE_TXT);
    put_txt(b);
    msg[len - 6] = 6;
    read_type(DNS_TYPE_TXT);
    ok(answer.status == DNS_BADREPLY, "a string longer than its record");

    start(0x8180, DNS_TYPE_TXT);
    put16(0xc00c);
    fixed(0, DNS_TYPE_TXT, 60, 0);
    read_type(DNS_TYPE_TXT);
    ok(answer.status == DNS_BADREPLY, "a text without a string");
}


int
main(void)
{
    test_names();
    test_question();
    test_templates();
    test_match();
    test_answers();
    test_work();
    test_zones();
    test_rcodes();
    test_negative();
    test_denial();
    test_chain();
    test_txt();

    return tap_done();
}
