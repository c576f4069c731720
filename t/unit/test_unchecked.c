/* Values that no list can be asked about: the last label of domains, texts that
   look like ranges, addresses that are not public. */

#include "rbl_validate.h"

#include "tap.h"

#define N(a)  (sizeof(a) / sizeof((a)[0]))


static const struct {
    const char  *domain;
    int          ok;
} tops[] = {
    { "example.com", 1 }, { "a.xn--p1ai", 1 }, { "1.2.example", 1 },
    { "192.0.2.1o", 0 }, { "192.0.2.10-20", 0 }, { "192.0.2.1_24", 0 },
    { "198.51.100.5-eth0", 0 }, { "a.c0m", 0 }, { "a.b_c", 0 }, { "a.b-c", 0 },
    { "1-20.example", 1 }, { "a.0", 0 }, { "a..b", 0 }
};

static const struct {
    const char  *text;
    int          range;
} ranges[] = {
    { "192.0.2.10-192.0.2.20", 1 }, { "192.0.2.10 - 192.0.2.20", 1 },
    { "192.0.2.10-20", 1 }, { "192.0.2.0-255", 1 }, { "192.0.2.10 - 20", 1 },
    { "192.0.2.*", 1 }, { "192.0.*.*", 1 }, { "10.*", 1 }, { "192.0.2.x", 1 },
    { "192.0.2.X", 1 }, { "192.0.0-3.1", 1 }, { "192.0.1-2.0-255", 1 },
    { "2001:db8::1-2001:db8::f", 1 }, { "2001:db8::1-20", 1 },
    { "", 0 }, { "-", 0 }, { "192.0.2.1", 0 }, { "192.0.2.0/24", 0 },
    { "192.0.2.1-", 0 }, { "1-20.example.com", 0 }, { "a-b.example", 0 },
    { "192.0.2.10-20.example.com", 0 }, { "1-2-3-4.example.net", 0 },
    { "198.51.100.5-eth0", 0 }, { "192.0.2.1O", 0 }, { "*.example.com", 0 },
    { "x.example", 0 }, { "1.2.3.4.5-6", 0 }, { "example.x", 0 }
};

static const struct {
    const char  *first, *last;          /* of the network */
    const char  *before, *after;        /* NULL: there is none, or it is local,
                                           too */
} locals[] = {
    { "0.0.0.0", "0.255.255.255", NULL, "1.0.0.0" },
    { "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0" },
    { "100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0" },
    { "127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0" },
    { "169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0" },
    { "172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0" },
    { "192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0" },
    { "224.0.0.0", "239.255.255.255", "223.255.255.255", "240.0.0.0" },
    { "255.255.255.255", "255.255.255.255", "255.255.255.254", NULL },
    { "::", "::1", NULL, "::2" },
    { "fc00::", "fdff:ffff::1", "fbff::1", "fe00::" },
    { "fe80::1", "febf::1", "fe7f::1", NULL },
    { "fec0::1", "feff::1", NULL, NULL },
    { "ff00::", "ffff::1", NULL, NULL },
    { "::ffff:10.0.0.1", "::ffff:192.168.0.1", "::ffff:192.0.2.1",
      "::ffff:198.18.0.1" }
};


static int
is_local(const char *text)
{
    rbl_addr_t  a;

    return rbl_addr_parse(&a, rbl_str(text)) == RBL_OK && rbl_addr_local(&a);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < N(tops); i++) {
        ok(rbl_domain_top_ok(rbl_str(tops[i].domain)) == tops[i].ok,
           "the last label of '%s' is %s", tops[i].domain,
           tops[i].ok ? "accepted" : "refused");
    }

    for (i = 0; i < N(ranges); i++) {
        ok(rbl_range_like(rbl_str(ranges[i].text)) == ranges[i].range,
           "the text '%s' is %s", ranges[i].text,
           ranges[i].range ? "like a range" : "no range");
    }

    for (i = 0; i < N(locals); i++) {
        ok(is_local(locals[i].first) && is_local(locals[i].last),
           "%s and %s are not public", locals[i].first, locals[i].last);
        ok(locals[i].before == NULL || !is_local(locals[i].before),
           "the address before %s is public", locals[i].first);
        ok(locals[i].after == NULL || !is_local(locals[i].after),
           "the address after %s is public", locals[i].last);
    }

    ok(!is_local("192.0.2.1") && !is_local("198.18.0.1")
       && !is_local("2001:db8::1"),
       "documentation and benchmark networks are queried like others");

    return tap_done();
}
