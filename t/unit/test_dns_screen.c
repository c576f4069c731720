/*
 * Responses that must not reach a parser: truncated, looping, with wrong
 * counts, or with types that were not queried.
 */

#include "tap.h"
#include "dns_msg.h"


static void
test_broken(void)
{
    size_t    whole;
    unsigned  bad;

    start(0x8180, DNS_TYPE_A);
    put_cname("", "end.example", 30);
    put_named_a("end.example", 0x7f000003);
    put_soa("example", 60, 60);
    put_opt(2, 0);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "a whole reply");
    whole = len;
    bad = 0;

    for (len = DNS_HEADER + qlen + 4; len < whole; len++) {
        bad += is_status(DNS_BADREPLY);
    }

    ok(bad == whole - DNS_HEADER - qlen - 4, "cut after every octet");
    len = whole;
    put8(0);
    ok(is_status(DNS_BADREPLY), "an octet too many");

    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    msg[len - 5] = 3;
    len--;
    ok(is_status(DNS_BADREPLY), "an address of three octets");
    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    msg[len - 5] = 5;
    put8(0);
    ok(is_status(DNS_BADREPLY), "an address of five octets");
    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    msg[len - 6] = 0xff;
    ok(is_status(DNS_BADREPLY), "rdata that goes past the end");

    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    msg[6] = 0xfd;
    msg[7] = 0xe8;
    ok(is_status(DNS_BADREPLY), "65,000 answers announced");
    start(0x8180, DNS_TYPE_A);
    msg[8] = 0xff;
    ok(is_status(DNS_BADREPLY), "65,280 authorities announced");
    start(0x8180, DNS_TYPE_A);
    msg[11] = 65;
    ok(is_status(DNS_BADREPLY), "65 additional records announced");
}


/* A response with an A record whose owner is the given pointer. */
static void
pointer(unsigned to)
{
    start(0x8180, DNS_TYPE_A);
    put16(0xc000 | to);
    fixed(0, DNS_TYPE_A, 60, 4);
    put32(0x7f000002);
}


/*
 * An address whose owner is a chain of `n` pointers to the queried name; all
 * but the first are in the rdata of a text.
 */
static void
ladder(unsigned n)
{
    unsigned  i;

    start(0x8180, DNS_TYPE_A);
    put16(0xc00c);
    fixed(0, DNS_TYPE_TXT, 60, 1 + 2 * (n - 1));
    put8(2 * (n - 1));
    put16(0xc00c);

    for (i = 1; i < n - 1; i++) {
        put16(0xc000 | (unsigned) (len - 2));
    }

    put16(0xc000 | (unsigned) (len - 2));
    fixed(0, DNS_TYPE_A, 60, 4);
    put32(0x7f000002);
}


static void
test_pointers(void)
{
    unsigned  self;

    self = (unsigned) (DNS_HEADER + dns_wire_name(qname, NAME) + 4);

    pointer(self);
    ok(is_status(DNS_BADREPLY), "a pointer to itself");
    pointer(self + 2);
    ok(is_status(DNS_BADREPLY), "a pointer forward");
    pointer(0x3fff);
    ok(is_status(DNS_BADREPLY), "a pointer past the end");
    pointer(4);
    ok(is_status(DNS_BADREPLY), "a pointer into the header");
    pointer(DNS_HEADER);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "a pointer back");
    msg[self] = 0x80;
    ok(is_status(DNS_BADREPLY), "a length octet of neither kind");

    /* The label before the pointer makes the name longer in each loop. */
    start(0x8180, DNS_TYPE_A);
    put8(1);
    put8('x');
    put16(0xc000 | self);
    fixed(0, DNS_TYPE_A, 60, 4);
    put32(0x7f000002);
    ok(is_status(DNS_BADREPLY), "a loop through a label");

    ladder(127);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "127 pointers to a name");
    ladder(128);
    ok(is_status(DNS_BADREPLY), "128 pointers");

    /* The same in rdata, where only the parser would follow. */
    start(0x8180, DNS_TYPE_A);
    put16(0xc00c);
    fixed(0, DNS_RR_CNAME, 60, 2);
    put16(0xc000 | (unsigned) len);
    ok(is_status(DNS_BADREPLY), "a loop in rdata");
    start(0x8180, DNS_TYPE_A);
    put16(0xc00c);
    fixed(0, DNS_RR_CNAME, 60, 3);
    put16(0xc00c);
    put8(0);
    ok(is_status(DNS_BADREPLY), "an octet behind the name");
}


/* A text of so many empty strings. */
static void
strings(unsigned n)
{
    start(0x8180, DNS_TYPE_A);
    put16(0xc00c);
    fixed(0, DNS_TYPE_TXT, 60, n);

    while (n--) {
        put8(0);
    }

    put_a(60, 0x7f000002);
}


static void
test_types(void)
{
    strings(255);
    ok(is_status(DNS_NOERROR) && answer.n_a == 1, "255 strings in a text");
    strings(256);
    ok(is_status(DNS_BADREPLY), "256 strings");

    start(0x8180, DNS_TYPE_MX);
    ok(read_type(DNS_TYPE_MX) == DNS_WIRE_DONE && answer.status == DNS_NOERROR
       && !answer.found, "no MX record");
    put16(0xc00c);
    fixed(0, DNS_TYPE_MX, 60, 4);
    put16(10);
    put16(0xc00c);
    ok(read_type(DNS_TYPE_MX) == DNS_WIRE_DONE && answer.status == DNS_NOERROR
       && answer.found, "an MX record");
    start(0x8180, DNS_TYPE_MX);
    put16(0xc00c);
    fixed(0, DNS_TYPE_MX, 60, 2);
    put16(10);
    ok(read_type(DNS_TYPE_MX) == DNS_WIRE_DONE
       && answer.status == DNS_BADREPLY, "an MX record without a name");

    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    put8(0);
    fixed(2, 250, 0, 4);
    put32(0);
    ok(is_status(DNS_BADREPLY), "TSIG");
    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    put8(0);
    fixed(2, 24, 0, 4);
    put32(0);
    ok(is_status(DNS_BADREPLY), "SIG(0)");
    start(0x8180, DNS_TYPE_A);
    put16(0xc00c);
    fixed(0, 65280, 0, 4);
    put32(0);
    ok(is_status(DNS_BADREPLY), "a type that was not queried");

    start(0x8180, DNS_TYPE_A);
    put_a(60, 0x7f000002);
    put_opt(2, 0);
    put_opt(2, 0);
    ok(is_status(DNS_BADREPLY), "two OPT");
    start(0x8180, DNS_TYPE_A);
    put_opt(0, 0);
    ok(is_status(DNS_BADREPLY), "OPT among the answers");
    start(0x8180, DNS_TYPE_A);
    put16(0xc00c);
    fixed(2, DNS_RR_OPT, 0, 0);
    ok(is_status(DNS_BADREPLY), "OPT with a name");
    start(0x8180, DNS_TYPE_A);
    put_opt(2, 0);
    msg[len - 1] = 5;
    put16(10);
    put16(2);
    put8(0);
    ok(is_status(DNS_BADREPLY), "an option longer than OPT");
    put8(0);
    msg[len - 7] = 6;
    ok(is_status(DNS_NOERROR), "an option that fits");
}


int
main(void)
{
    test_broken();
    test_pointers();
    test_types();

    return tap_done();
}
