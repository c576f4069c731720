/*
 * Validation: texts, numbers, addresses, subnets, domains, URLs.
 */

#include "rbl_validate.h"
#include "tap.h"

#include <stdlib.h>


#define N(a)        (sizeof(a) / sizeof((a)[0]))
#define BYTES(lit)  ((rbl_str_t) { (lit), sizeof(lit) - 1 })


/* The text in a block of exactly its size; freed with free((char *) s.p). */

static rbl_str_t
exact(rbl_str_t s)
{
    char  *copy;

    copy = malloc(s.n ? s.n : 1);
    memcpy(copy, s.p, s.n);
    s.p = copy;

    return s;
}


static void
release(rbl_str_t s)
{
    free((char *) (uintptr_t) s.p);
}


static const struct {
    rbl_str_t  text;
    int        good;
    size_t     count;
} texts[] = {
    { BYTES(""), 1, 0 },
    { BYTES("plain"), 1, 5 },
    { BYTES("\xc3\xa9t\xc3\xa9"), 1, 3 },
    { BYTES("\xe2\x82\xac"), 1, 1 },
    { BYTES("\xf0\x9f\x98\x80"), 1, 1 },
    { BYTES("\xf4\x8f\xbf\xbf"), 1, 1 },
    { BYTES("\xef\xbf\xbd"), 1, 1 },
    { BYTES("\xc2\xa0"), 1, 1 },
    { BYTES("a\0b"), 0, 0 },
    { BYTES("a\tb"), 0, 0 },
    { BYTES("a\x7f"), 0, 0 },
    { BYTES("a\x1f"), 0, 0 },
    { BYTES("\xc2\x80"), 0, 0 },
    { BYTES("\xc2\x9f"), 0, 0 },
    { BYTES("\x80"), 0, 0 },
    { BYTES("\xff"), 0, 0 },
    { BYTES("\xc0\x80"), 0, 0 },
    { BYTES("\xc1\xbf"), 0, 0 },
    { BYTES("\xe0\x9f\xbf"), 0, 0 },
    { BYTES("\xf0\x8f\xbf\xbf"), 0, 0 },
    { BYTES("\xed\xa0\x80"), 0, 0 },
    { BYTES("\xed\xbf\xbf"), 0, 0 },
    { BYTES("\xf4\x90\x80\x80"), 0, 0 },
    { BYTES("\xf5\x80\x80\x80"), 0, 0 },
    { BYTES("\xc3"), 0, 0 },
    { BYTES("\xe2\x82"), 0, 0 },
    { BYTES("\xf0\x9f\x98"), 0, 0 },
    { BYTES("\xe2\x28\xa1"), 0, 0 },
    { BYTES("\xe2\x82\x28"), 0, 0 },
};


static void
test_texts(void)
{
    size_t     i;
    rbl_str_t  s;

    for (i = 0; i < N(texts); i++) {
        s = exact(texts[i].text);
        ok(rbl_text_ok(s) == texts[i].good
           && (!texts[i].good || rbl_utf8_count(s) == texts[i].count),
           "text %zu", i);
        release(s);
    }

    is_str(rbl_trim(RBL_STR(" \t\r\n a b \v\f")), "a b", "trim");
    is_str(rbl_trim(RBL_STR("  ")), "", "trim to nothing");
    is_str(rbl_trim(RBL_STR("")), "", "trim nothing");
    is_str(rbl_trim(RBL_STR("\xc2\xa0x")), "\xc2\xa0x", "only ASCII space");
}


static const struct {
    rbl_str_t  text;
    int64_t    min, max;
    int        good;
    int64_t    v;
} ints[] = {
    { BYTES("1"), 1, 10, 1, 1 },
    { BYTES("10"), 1, 10, 1, 10 },
    { BYTES("007"), 1, 10, 1, 7 },
    { BYTES("0"), 1, 10, 0, 0 },
    { BYTES("11"), 1, 10, 0, 0 },
    { BYTES("9223372036854775807"), 0, INT64_MAX, 1, INT64_MAX },
    { BYTES("9223372036854775808"), 0, INT64_MAX, 0, 0 },
    { BYTES("99999999999999999999999"), 0, INT64_MAX, 0, 0 },
    { BYTES(""), 0, 10, 0, 0 },
    { BYTES("-1"), -5, 10, 0, 0 },
    { BYTES("+1"), 0, 10, 0, 0 },
    { BYTES(" 1"), 0, 10, 0, 0 },
    { BYTES("1 "), 0, 10, 0, 0 },
    { BYTES("1.0"), 0, 10, 0, 0 },
    { BYTES("1e0"), 0, 10, 0, 0 },
    { BYTES("0x1"), 0, 10, 0, 0 },
    { BYTES("1\0"), 0, 10, 0, 0 },
    { BYTES("\xd9\xa1"), 0, 10, 0, 0 },
};


static const struct {
    const char  *text;
    int          v;                     /* -1: no flag */
} flags[] = {
    { "0", 0 }, { "1", 1 }, { "true", 1 }, { "false", 0 }, { "", -1 },
    { "2", -1 }, { "TRUE", -1 }, { "yes", -1 }, { "01", -1 }, { "1 ", -1 },
};


static void
test_numbers(void)
{
    int        flag;
    size_t     i;
    int64_t    v;
    rbl_err_t  rc;
    rbl_str_t  s;

    for (i = 0; i < N(ints); i++) {
        v = 0;
        s = exact(ints[i].text);
        rc = rbl_int_parse(&v, s, ints[i].min, ints[i].max);
        ok((rc == RBL_OK) == ints[i].good && v == ints[i].v,
           "int '%s'", ints[i].text.p);
        release(s);
    }

    for (i = 0; i < N(flags); i++) {
        flag = -1;
        rc = rbl_flag_parse(&flag, rbl_str(flags[i].text));
        ok((rc == RBL_OK) == (flags[i].v >= 0) && flag == flags[i].v,
           "flag '%s'", flags[i].text);
    }
}


static const struct {
    rbl_str_t    text;
    const char  *want;                  /* NULL: refused */
} addrs[] = {
    { BYTES("192.0.2.1"), "192.0.2.1" },
    { BYTES("0.0.0.0"), "0.0.0.0" },
    { BYTES("255.255.255.255"), "255.255.255.255" },
    { BYTES("2001:DB8::0001"), "2001:db8::1" },
    { BYTES("2001:db8:0:0:1:0:0:1"), "2001:db8::1:0:0:1" },
    { BYTES("::"), "::" },
    { BYTES("::ffff:192.0.2.1"), "192.0.2.1" },
    { BYTES("::FFFF:c000:201"), "192.0.2.1" },
    { BYTES("0:0:0:0:0:ffff:c000:0201"), "192.0.2.1" },
    { BYTES("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255"),
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
    { BYTES(""), NULL },
    { BYTES("192.0.2"), NULL },
    { BYTES("192.0.2.256"), NULL },
    { BYTES("192.0.2.01"), NULL },
    { BYTES("192.0.2.1."), NULL },
    { BYTES("192.0.2.1 "), NULL },
    { BYTES(" 192.0.2.1"), NULL },
    { BYTES("192.0.2.1\0"), NULL },
    { BYTES("192.0.2.1\0junk"), NULL },
    { BYTES("0xc0.0.2.1"), NULL },
    { BYTES("3221225985"), NULL },
    { BYTES("fe80::1%eth0"), NULL },
    { BYTES("[::1]"), NULL },
    { BYTES("1::2::3"), NULL },
    { BYTES("12345::"), NULL },
    { BYTES("::ffff:192.0.2.1111111111111111111111111111111111111"), NULL },
    { BYTES("example.org"), NULL },
};


static void
test_addrs(void)
{
    char        buf[RBL_VALUE_MAX];
    size_t      i;
    rbl_err_t   rc;
    rbl_str_t   s;
    rbl_addr_t  a;

    for (i = 0; i < N(addrs); i++) {
        s = exact(addrs[i].text);
        rc = rbl_addr_parse(&a, s);
        release(s);

        if (addrs[i].want == NULL) {
            ok(rc == RBL_EINVAL, "no address: '%s'", addrs[i].text.p);
            continue;
        }

        is_str(rc == RBL_OK ? rbl_addr_text(buf, &a) : RBL_STR("refused"),
               addrs[i].want, addrs[i].text.p);
    }
}


static const struct {
    rbl_str_t    text;
    rbl_err_t    rc;
    const char  *net;
    uint64_t     size;
    const char  *last;
} subnets[] = {
    { BYTES("192.0.2.0/24"), RBL_OK, "192.0.2.0/24", 256, "192.0.2.255" },
    { BYTES("192.0.2.7/32"), RBL_OK, "192.0.2.7/32", 1, "192.0.2.7" },
    { BYTES("192.0.2.6/31"), RBL_OK, "192.0.2.6/31", 2, "192.0.2.7" },
    { BYTES("192.0.0.0/22"), RBL_OK, "192.0.0.0/22", 1024, "192.0.3.255" },
    { BYTES("0.0.0.0/0"), RBL_OK, "0.0.0.0/0", UINT64_C(1) << 32,
      "255.255.255.255" },
    { BYTES("2001:DB8::/118"), RBL_OK, "2001:db8::/118", 1024,
      "2001:db8::3ff" },
    { BYTES("2001:db8::1/128"), RBL_OK, "2001:db8::1/128", 1,
      "2001:db8::1" },
    { BYTES("2001:db8::/65"), RBL_OK, "2001:db8::/65", UINT64_C(1) << 63,
      "2001:db8::7fff:ffff:ffff:ffff" },
    { BYTES("2001:db8::/64"), RBL_OK, "2001:db8::/64", UINT64_MAX, NULL },
    { BYTES("::/0"), RBL_OK, "::/0", UINT64_MAX, NULL },
    { BYTES("192.0.2.1/24"), RBL_EHOSTBITS, "192.0.2.0/24", 256, NULL },
    { BYTES("192.0.2.1/31"), RBL_EHOSTBITS, "192.0.2.0/31", 2, NULL },
    { BYTES("192.0.2.1/0"), RBL_EHOSTBITS, "0.0.0.0/0", UINT64_C(1) << 32,
      NULL },
    { BYTES("2001:db8::1/118"), RBL_EHOSTBITS, "2001:db8::/118", 1024,
      NULL },
    { BYTES("192.0.2.0"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2.0/"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("/24"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("/"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES(""), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2.0/33"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2.0/08"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2.0/-1"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2.0/24/24"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2.0/24\0"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2.0/255.255.255.0"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("192.0.2/24"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("2001:db8::/129"), RBL_EINVAL, NULL, 0, NULL },
    { BYTES("::ffff:192.0.2.0/120"), RBL_EINVAL, NULL, 0, NULL },
};


static const struct {
    const char  *text;
    rbl_err_t    rc;
    const char  *net;
} networks[] = {
    { "192.0.2.0/24", RBL_OK, "192.0.2.0/24" },
    { "192.0.2.7", RBL_OK, "192.0.2.7/32" },
    { "2001:DB8::1", RBL_OK, "2001:db8::1/128" },
    { "::ffff:192.0.2.7", RBL_OK, "192.0.2.7/32" },
    { "unix:", RBL_OK, "unix:" },
    { "192.0.2.7/24", RBL_EHOSTBITS, "192.0.2.0/24" },
    { "unix", RBL_EINVAL, NULL },
    { "unix:/run/x", RBL_EINVAL, NULL },
    { "a.example", RBL_EINVAL, NULL },
    { "", RBL_EINVAL, NULL },
};


static void
test_networks(void)
{
    char       buf[RBL_VALUE_MAX];
    size_t     i;
    rbl_err_t  rc;
    rbl_str_t  net;

    for (i = 0; i < N(networks); i++) {
        rc = rbl_network_parse(buf, &net, rbl_str(networks[i].text));
        ok(rc == networks[i].rc, "network '%s'", networks[i].text);

        if (networks[i].net) {
            is_str(net, networks[i].net, "as it is stored");
        }
    }
}


static void
test_subnets(void)
{
    char          buf[RBL_VALUE_MAX];
    size_t        i;
    rbl_err_t     rc;
    rbl_str_t     s;
    rbl_addr_t    a;
    rbl_subnet_t  net;

    for (i = 0; i < N(subnets); i++) {
        s = exact(subnets[i].text);
        rc = rbl_subnet_parse(&net, s);
        release(s);

        ok(rc == subnets[i].rc, "subnet '%s'", subnets[i].text.p);

        if (subnets[i].net == NULL) {
            continue;
        }

        is_str(rbl_subnet_text(buf, &net), subnets[i].net, "its text");
        ok(rbl_subnet_size(&net) == subnets[i].size, "its size");

        if (subnets[i].last == NULL) {
            continue;
        }

        a = rbl_subnet_addr(&net, subnets[i].size - 1);
        is_str(rbl_addr_text(buf, &a), subnets[i].last, "its last address");
        ok(rbl_subnet_has(&net, &a), "has it");
    }

    rbl_subnet_parse(&net, RBL_STR("192.0.2.0/23"));
    a = rbl_subnet_addr(&net, 256);
    is_str(rbl_addr_text(buf, &a), "192.0.3.0", "carry between octets");

    rbl_addr_parse(&a, RBL_STR("192.0.4.0"));
    ok(!rbl_subnet_has(&net, &a), "an address after it");
    rbl_addr_parse(&a, RBL_STR("192.0.1.255"));
    ok(!rbl_subnet_has(&net, &a), "an address before it");
    rbl_addr_parse(&a, RBL_STR("c000:200::"));
    ok(!rbl_subnet_has(&net, &a), "an address of the other family");
}


#define L63  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"
#define L61  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi"

static const struct {
    rbl_str_t    text;
    const char  *want;
} domains[] = {
    { BYTES("example.org"), "example.org" },
    { BYTES("EXAMPLE.Org."), "example.org" },
    { BYTES("_dmarc.example.org"), "_dmarc.example.org" },
    { BYTES("a-b.c--d.org"), "a-b.c--d.org" },
    { BYTES("1.2.example"), "1.2.example" },
    { BYTES("7.org"), "7.org" },
    { BYTES("b\xc3\xbc" "cher.example"), "xn--bcher-kva.example" },
    { BYTES("B\xc3\x9c" "CHER.example."), "xn--bcher-kva.example" },
    { BYTES("bu\xcc\x88" "cher.example"), "xn--bcher-kva.example" },
    { BYTES("stra\xc3\x9f" "e.example"), "xn--strae-oqa.example" },
    { BYTES("xn--bcher-kva.example"), "xn--bcher-kva.example" },
    { BYTES("XN--BCHER-KVA.example"), "xn--bcher-kva.example" },
    { BYTES("xn--ls8h.la"), "xn--ls8h.la" },            /* an emoji */
    { BYTES("XN--LS8H.la."), "xn--ls8h.la" },
    { BYTES("a.xn--i-7iq.ws"), "a.xn--i-7iq.ws" },      /* I and a heart */
    { BYTES("xn--bcher-kva.xn--ls8h.example"),
      "xn--bcher-kva.xn--ls8h.example" },
    { BYTES("xn--maana-pta.xn--wgbh1c"), "xn--maana-pta.xn--wgbh1c" },
    { BYTES("_x.b\xc3\xbc" "cher.example"), "_x.xn--bcher-kva.example" },
    { BYTES("\xe4\xbe\x8b\xe3\x81\x88\xe3\x80\x82\xe3\x83\x86\xe3\x82\xb9"
            "\xe3\x83\x88\xe3\x80\x82"), "xn--r8jz45g.xn--zckzah" },
    { BYTES(L63 ".org"), L63 ".org" },
    { BYTES(L63 "." L63 "." L63 "." L61),
      L63 "." L63 "." L63 "." L61 },
    { BYTES(L63 "." L63 "." L63 "." L61 "."),
      L63 "." L63 "." L63 "." L61 },
    { BYTES(L63 "." L63 "." L63 "." L61 "x"), NULL },
    { BYTES(L63 "x.org"), NULL },
    { BYTES(""), NULL },
    { BYTES("."), NULL },
    { BYTES(".."), NULL },
    { BYTES("org"), NULL },
    { BYTES("org."), NULL },
    { BYTES(".org"), NULL },
    { BYTES("example..org"), NULL },
    { BYTES("example.org.."), NULL },
    { BYTES("-a.org"), NULL },
    { BYTES("a-.org"), NULL },
    { BYTES("exa mple.org"), NULL },
    { BYTES("exa\0mple.org"), NULL },
    { BYTES("example.org\0"), NULL },
    { BYTES("example.org\n"), NULL },
    { BYTES("b\xc3\xbc\0" "cher.example"), NULL },
    { BYTES("ex/ample.org"), NULL },
    { BYTES("*.example.org"), NULL },
    { BYTES("user@example.org"), NULL },
    { BYTES("http://example.org"), NULL },
    { BYTES("192.0.2.1"), NULL },
    { BYTES("192.0.2.1."), NULL },
    { BYTES("999.999.999.999"), NULL },
    { BYTES("1.2"), NULL },
    { BYTES("example.123"), NULL },
    { BYTES("::1"), NULL },
    { BYTES("\xef\xbc\x91.\xef\xbc\x92.\xef\xbc\x93.\xef\xbc\x94"), NULL },
    { BYTES("\xe2\x84\x80.example"), NULL },
    { BYTES("xn--a.example"), NULL },
    { BYTES("xn--a.b\xc3\xbc" "cher.example"), NULL },
    { BYTES("xn--.example"), NULL },
    { BYTES("xn--abc-.example"), NULL },
    { BYTES("xn---abc.example"), NULL },
    { BYTES("xn--0.example"), NULL },
    { BYTES("xn--9999999999.example"), NULL },
    { BYTES("xn--ls8h_.example"), NULL },
    { BYTES("xn--ls8h.x n--a.la"), NULL },
    { BYTES("ok.xn--a.example"), NULL },
    { BYTES("xn--\xc3\xbc.example"), NULL },
    { BYTES("\xff\xfe.example"), NULL },
    { BYTES("\xed\xa0\x80.example"), NULL },
    { BYTES("a\xe2\x80\x8d" "b.example"), NULL },
};


static void
test_domains(void)
{
    char        buf[RBL_VALUE_MAX], long_name[4000];
    size_t      i;
    rbl_err_t   rc;
    rbl_str_t   s, out;

    for (i = 0; i < N(domains); i++) {
        s = exact(domains[i].text);
        rc = rbl_domain_parse(buf, &out, s);
        release(s);

        if (domains[i].want == NULL) {
            ok(rc == RBL_EINVAL && out.n == 0, "no domain %zu: '%s'", i,
               domains[i].text.p);
            continue;
        }

        is_str(rc == RBL_OK ? out : RBL_STR("refused"), domains[i].want,
               domains[i].text.p);
        ok(rc != RBL_OK || buf[out.n] == '\0', "ends with NUL");
    }

    memset(long_name, 'a', sizeof(long_name));
    ok(rbl_domain_parse(buf, &out, (rbl_str_t) { long_name, 4000 })
       == RBL_EINVAL, "4,000 octets");

    for (i = 0; i + 2 < sizeof(long_name); i += 3) {
        memcpy(long_name + i, "\xc3\xbc.", 3);
    }

    ok(rbl_domain_parse(buf, &out, (rbl_str_t) { long_name, 1023 })
       == RBL_EINVAL, "hundreds of labels");
}


static const struct {
    rbl_str_t    text;
    int          tls;                   /* -1: refused */
    const char  *host;
    unsigned     port;
    const char  *path;
} urls[] = {
    { BYTES("http://example.org"), 0, "example.org", 80, "/" },
    { BYTES("https://example.org/"), 1, "example.org", 443, "/" },
    { BYTES("HTTPS://Example.org:8443/a?b=c%20d"), 1, "Example.org", 8443,
      "/a?b=c%20d" },
    { BYTES("http://example.org?x=1"), 0, "example.org", 80, "?x=1" },
    { BYTES("http://localhost:1/@x:y"), 0, "localhost", 1, "/@x:y" },
    { BYTES("http://127.0.0.1:65535/"), 0, "127.0.0.1", 65535, "/" },
    { BYTES("http://[::1]:80/x"), 0, "::1", 80, "/x" },
    { BYTES("https://[2001:db8::1]"), 1, "2001:db8::1", 443, "/" },
    { BYTES("http://a_b.example.org./"), 0, "a_b.example.org.", 80, "/" },
    { BYTES(""), -1, NULL, 0, NULL },
    { BYTES("http"), -1, NULL, 0, NULL },
    { BYTES("http:/"), -1, NULL, 0, NULL },
    { BYTES("http://"), -1, NULL, 0, NULL },
    { BYTES("https://"), -1, NULL, 0, NULL },
    { BYTES("http:///x"), -1, NULL, 0, NULL },
    { BYTES("http://?x"), -1, NULL, 0, NULL },
    { BYTES("http://:80/"), -1, NULL, 0, NULL },
    { BYTES("ftp://example.org/"), -1, NULL, 0, NULL },
    { BYTES("file:///etc/passwd"), -1, NULL, 0, NULL },
    { BYTES("//example.org/"), -1, NULL, 0, NULL },
    { BYTES("/x"), -1, NULL, 0, NULL },
    { BYTES("http://user@example.org/"), -1, NULL, 0, NULL },
    { BYTES("http://user:pw@example.org/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/#x"), -1, NULL, 0, NULL },
    { BYTES("http://example.org#@evil/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org\\@evil/"), -1, NULL, 0, NULL },
    { BYTES("http://exa mple.org/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/ x"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/\r\nX: y"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/\0x"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/\x7f"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/\xc3\xa9"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/%"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/%0"), -1, NULL, 0, NULL },
    { BYTES("http://example.org/%zz"), -1, NULL, 0, NULL },
    { BYTES("http://ex%61mple.org/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org:/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org:0/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org:65536/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org:000080/"), -1, NULL, 0, NULL },
    { BYTES("http://example.org:8a/"), -1, NULL, 0, NULL },
    { BYTES("http://example..org/"), -1, NULL, 0, NULL },
    { BYTES("http://127.1/"), -1, NULL, 0, NULL },
    { BYTES("http://127.0.0.1./"), -1, NULL, 0, NULL },
    { BYTES("http://0x7f.0.0.1/"), -1, NULL, 0, NULL },
    { BYTES("http://1.0x7f/"), -1, NULL, 0, NULL },
    { BYTES("http://2130706433/"), -1, NULL, 0, NULL },
    { BYTES("http://0177.0.0.1/"), -1, NULL, 0, NULL },
    { BYTES("http://[::1/"), -1, NULL, 0, NULL },
    { BYTES("http://[127.0.0.1]/"), -1, NULL, 0, NULL },
    { BYTES("http://[fe80::1%25eth0]/"), -1, NULL, 0, NULL },
    { BYTES("http://[]/"), -1, NULL, 0, NULL },
    { BYTES("http://[::1]x/"), -1, NULL, 0, NULL },
    { BYTES("http://::1/"), -1, NULL, 0, NULL },
};


static void
test_urls(void)
{
    char       big[2049];
    size_t     i;
    rbl_err_t  rc;
    rbl_str_t  s;
    rbl_url_t  url;

    for (i = 0; i < N(urls); i++) {
        s = exact(urls[i].text);
        rc = rbl_url_parse(&url, s);

        if (urls[i].tls < 0) {
            ok(rc == RBL_EINVAL, "no URL %zu: '%s'", i, urls[i].text.p);

        } else if (ok(rc == RBL_OK, "URL '%s'", urls[i].text.p)) {
            ok(url.tls == urls[i].tls && url.port == urls[i].port
               && rbl_str_is(url.host, urls[i].host)
               && rbl_str_is(url.path, urls[i].path), "its parts");
        }

        release(s);
    }

    memset(big, 'a', sizeof(big));
    memcpy(big, "http://e.org/", 13);
    ok(rbl_url_parse(&url, (rbl_str_t) { big, 2048 }) == RBL_OK,
       "2,048 octets");
    ok(rbl_url_parse(&url, (rbl_str_t) { big, 2049 }) == RBL_ETOOBIG,
       "2,049 octets");
}


int
main(void)
{
    test_texts();
    test_numbers();
    test_addrs();
    test_subnets();
    test_networks();
    test_domains();
    test_urls();

    return tap_done();
}
