/*
 * Servers in responses: referrals with their glue, name servers and SOA that
 * were queried, aliases that lead elsewhere.
 */

#include "tap.h"
#include "dns_msg.h"
#include "dns/referral.h"

#include <stdlib.h>

static dns_referral_t  referral;


static int
read_referral(unsigned type)
{
    int       rc;
    uint8_t  *copy;

    copy = malloc(len);

    if (copy == NULL) {
        abort();
    }

    memcpy(copy, msg, len);
    memset(&referral, 0xa5, sizeof(referral));
    rc = dns_wire_referral(&referral, copy, len, qname, qlen,
                           (uint16_t) type);
    free(copy);

    return rc;
}


static int
is_name(const dns_name_t *name, const char *text)
{
    size_t   n;
    uint8_t  wire[DNS_NAME_MAX];

    n = dns_wire_name(wire, text);
    return name->len == n && memcmp(name->wire, wire, n) == 0;
}


static void
put_glue(const char *server, uint32_t ttl, uint32_t addr)
{
    put_name(server);
    fixed(2, DNS_TYPE_A, ttl, 4);
    put32(addr);
}


static void
put_glue6(const char *server, uint32_t ttl, unsigned last)
{
    put_name(server);
    fixed(2, DNS_TYPE_AAAA, ttl, 16);
    put32(0x20010db8);
    put32(0);
    put32(0);
    put32(last);
}


static void
test_referral(void)
{
    start(0x8000, DNS_TYPE_A);
    put_ns(1, "Zen.example", "A.ns.example", 300);
    put_ns(1, "zen.example", "b.ns.example", 200);
    put_ns(1, "zen.example", "a.ns.Example", 400);
    put_glue("b.ns.example", 50, 0xc0000201);
    put_glue6("a.NS.example", 60, 7);
    put_glue("c.ns.example", 60, 0xc0000202);
    put_opt(2, 0);

    ok(is_status(DNS_BADREPLY), "a referral is no answer");
    ok(read_referral(DNS_TYPE_A) == 0 && !referral.found
       && is_name(&referral.zone, "zen.example") && referral.ttl == 200
       && referral.apex.len == 0 && referral.target.len == 0,
       "but it names a zone");
    ok(referral.n_ns == 2 && is_name(&referral.ns[0], "a.ns.example")
       && is_name(&referral.ns[1], "b.ns.example"),
       "and its servers, each once, in lower case");
    ok(referral.n_glue == 2 && referral.glue[0].ns == 1
       && !referral.glue[0].v6 && referral.glue[0].ttl == 50
       && memcmp(referral.glue[0].addr, "\xc0\0\2\1", 4) == 0
       && referral.glue[1].ns == 0 && referral.glue[1].v6
       && referral.glue[1].addr[15] == 7, "and their addresses, no others");

    msg[2] |= 0x02;
    ok(read_referral(DNS_TYPE_A) == -1, "not when it is truncated");
    msg[2] &= 0xfd;
    msg[3] = 2;
    ok(read_referral(DNS_TYPE_A) == -1, "nor with SERVFAIL");
    msg[3] = 0;
    len--;
    ok(read_referral(DNS_TYPE_A) == -1, "nor cut");
}


static void
test_foreign(void)
{
    start(0x8000, DNS_TYPE_A);
    put_ns(1, "en.example", "ns.test", 60);
    put_ns(1, "sub." NAME, "ns.test", 60);
    ok(read_referral(DNS_TYPE_A) == 0 && referral.zone.len == 0
       && referral.n_ns == 0, "zones that the name is not in");

    put_ns(1, "example", "one.test", 60);
    put_ns(1, "zen.example", "two.test", 60);
    ok(read_referral(DNS_TYPE_A) == 0 && is_name(&referral.zone, "example")
       && referral.n_ns == 1 && is_name(&referral.ns[0], "one.test"),
       "the first one that it is in, alone");

    start(0x8000, DNS_TYPE_A);
    put8(0);
    fixed(1, DNS_TYPE_NS, 60, 1);
    put8(0);
    ok(read_referral(DNS_TYPE_A) == 0 && referral.zone.len == 1
       && referral.n_ns == 1 && referral.ns[0].len == 1,
       "upward, to the root, served by the root");

    start(0x8000, DNS_TYPE_A);
    put_name("zen.example");
    put16(DNS_TYPE_NS);
    put16(3);
    put32(60);
    put16(9);
    put_name("ns.test");
    count(1);
    ok(read_referral(DNS_TYPE_A) == 0 && referral.n_ns == 0,
       "of another class");
}


static void
test_bounds(void)
{
    char      server[32];
    unsigned  i;

    start(0x8000, DNS_TYPE_A);

    for (i = 0; i < 64; i++) {
        snprintf(server, sizeof(server), "n%u.test", i);
        put_ns(1, "zen.example", server, 60);
    }

    for (i = 0; i < 64; i++) {
        snprintf(server, sizeof(server), "n%u.test", 63 - i);
        put_glue(server, 60, i);
    }

    ok(read_referral(DNS_TYPE_A) == 0 && referral.n_ns == DNS_MAX_NS
       && is_name(&referral.ns[15], "n15.test")
       && referral.n_glue == DNS_MAX_NS && referral.glue[0].ns == 15,
       "64 servers: the first 16, with their glue");

    start(0x8000, DNS_TYPE_A);
    put_ns(1, "zen.example", "ns.test", 60);

    for (i = 0; i < 64; i++) {
        put_glue("ns.test", 60, i);
    }

    ok(read_referral(DNS_TYPE_A) == 0 && referral.n_glue == DNS_MAX_GLUE
       && referral.glue[31].addr[3] == 31, "64 addresses: the first 32");
}


static void
test_asked(void)
{
    start(0x8400, DNS_TYPE_NS);
    put_ns(0, NAME, "one.test", 60);
    put_ns(0, "other.example", "two.test", 60);
    put_ns(1, "zen.example", "three.test", 60);
    put_glue("one.test", 60, 0xc0000201);
    ok(read_referral(DNS_TYPE_NS) == 0 && referral.found
       && is_name(&referral.zone, NAME) && referral.n_ns == 1
       && is_name(&referral.ns[0], "one.test") && referral.n_glue == 1,
       "name servers of the queried name come first");

    start(0x8400, DNS_TYPE_SOA);
    put_soa("zen.example", 60, 60);
    ok(read_referral(DNS_TYPE_SOA) == 0 && !referral.found
       && is_name(&referral.apex, "zen.example")
       && read_type(DNS_TYPE_SOA) == DNS_WIRE_DONE && answer.serial == 1,
       "the SOA of a negative answer");
    msg[len - 17] = 0xff;
    msg[len - 20] = 0xff;
    ok(read_type(DNS_TYPE_SOA) == DNS_WIRE_DONE && answer.serial == 0xff0000ff,
       "a serial of any size");

    start(0x8400, DNS_TYPE_SOA);
    put_soa(NAME, 60, 60);
    msg[7] = 1;
    msg[9] = 0;
    put_soa("zen.example", 60, 60);
    msg[len - 17] = 2;
    ok(read_referral(DNS_TYPE_SOA) == 0 && referral.found
       && is_name(&referral.apex, NAME)
       && read_type(DNS_TYPE_SOA) == DNS_WIRE_DONE && answer.serial == 1,
       "the SOA of the queried name");

    start(0x8400, DNS_TYPE_SOA);
    put_soa("en.example", 60, 60);
    ok(read_referral(DNS_TYPE_SOA) == 0 && referral.apex.len == 0,
       "that of another zone");
}


static void
test_alias(void)
{
    start(0x8400, DNS_TYPE_A);
    put_cname("", "a.example", 60);
    put_cname("a.example", "Far.test", 60);
    ok(read_referral(DNS_TYPE_A) == 0 && !referral.found
       && is_name(&referral.target, "far.test"), "the target of the aliases");
    ok(is_status(DNS_NOERROR) && answer.n_a == 0,
       "the target has no address here");

    put_named_a("far.test", 0x7f000002);
    ok(read_referral(DNS_TYPE_A) == 0 && referral.found
       && is_name(&referral.target, "far.test"), "or has");

    start(0x8400, DNS_TYPE_A);
    put_cname("", NAME, 60);
    ok(read_referral(DNS_TYPE_A) == -1, "in a ring they lead nowhere");
}


static dns_name_t
name_of(const char *text)
{
    dns_name_t  name;

    name.wire[0] = 0;
    name.len = *text ? (uint8_t) dns_wire_name(name.wire, text) : 1;
    return name;
}


/* A referral for NAME is followed if its zone is below that of its sender; its
   glue counts for names inside of its zone. */
static void
test_below(void)
{
    size_t      i;
    dns_name_t  from;

    static const struct {
        const char  *what, *from, *zone, *server;
        int          below, inside;
    } t[] = {
        { "from the root", "", "example", "ns.example", 1, 1 },
        { "from above", "example", "zen.example", "ns.zen.example", 1, 1 },
        { "its server is the zone", "example", "zen.example", "zen.example",
          1, 1 },
        { "two levels", "", "zen.example", "a.b.zen.example", 1, 1 },
        { "in another case", "EXAMPLE", "zEn.example", "NS.zen.EXAMPLE", 1,
          1 },
        { "the name itself", "zen.example", NAME, "ns." NAME, 1, 1 },
        { "a server beside it", "example", "zen.example", "ns.example", 1, 0 },
        { "a foreign server", "example", "zen.example", "ns.test", 1, 0 },
        { "a longer label", "example", "zen.example", "ns.xzen.example", 1,
          0 },
        { "a circle", "zen.example", "zen.example", "ns.zen.example", 0, 1 },
        { "upwards", "zen.example", "example", "ns.example", 0, 1 },
        { "to the side", "127.zen.example", "zen.example", "ns.zen.example",
          0, 1 },
        { "from another zone", "test", "zen.example", "ns.zen.example", 0, 1 },
        { "a part of a label", "xample", "zen.example", "ns.zen.example", 0,
          1 }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        start(0x8000, DNS_TYPE_NS);
        put_ns(1, t[i].zone, t[i].server, 60);
        put_glue(t[i].server, 60, 0xc0000201);
        from = name_of(t[i].from);

        ok(read_referral(DNS_TYPE_NS) == 0
           && dns_referral_below(&referral, &from) == t[i].below,
           t[i].below ? "%s: the referral is followed"
                      : "%s: the referral is not followed", t[i].what);
        ok(referral.n_glue == 1
           && dns_referral_inside(&referral, referral.glue[0].ns)
              == t[i].inside,
           t[i].inside ? "%s: the glue counts" : "%s: the glue does not count",
           t[i].what);
    }

    start(0x8000, DNS_TYPE_NS);
    from = name_of("example");
    ok(read_referral(DNS_TYPE_NS) == 0
       && !dns_referral_below(&referral, &from),
       "a response without name servers is no referral");
    put_cname("", "far.zen.example", 60);
    put_ns(1, "zen.example", "ns.zen.example", 60);
    ok(read_referral(DNS_TYPE_NS) == 0
       && !dns_referral_below(&referral, &from),
       "a referral behind an alias is not followed");
}


int
main(void)
{
    test_referral();
    test_below();
    test_foreign();
    test_bounds();
    test_asked();
    test_alias();

    return tap_done();
}
