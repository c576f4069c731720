/*
 * Query names: a table of hosts and lists, and one of test points.
 */

#include "check/lists/names.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

#define V4    RBL_FAMILY_IPV4
#define V6    RBL_FAMILY_IPV6
#define DOM   RBL_FAMILY_DOMAIN
#define BOTH  LIST_NAMES_BOTH
#define FULL  LIST_NAMES_FULL
#define REG   LIST_NAMES_REGISTERED

#define L50   "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx"
#define L63   L50 "yzabcdefghijk"
#define ZERO  "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0."
#define MAPPED(x)  x ".0.0.0.0.f.7.f.f.f.f." ZERO


/* The names: "": none, the list is skipped; "!": too long. */

static const struct {
    rbl_family_t   family;
    const char    *value;
    int            takes;               /* families of the list */
    const char    *zone, *key;
    list_names_t   names;
    const char    *one, *two;
} asked[] = {

    /* addresses */

    { V4, "192.0.2.99", V4, "bl.test", "", BOTH, "99.2.0.192.bl.test", NULL },
    { V4, "1.2.3.4", V4 | V6, "bl.test", "", BOTH, "4.3.2.1.bl.test", NULL },
    { V4, "255.0.10.200", V4, "BL.Test", "", FULL, "200.10.0.255.bl.test",
      NULL },
    { V4, "192.0.2.99", V4, "bl.test", "", REG, "99.2.0.192.bl.test", NULL },
    { V6, "2001:db8::1", V6, "bl.test", "", BOTH,
      "1.0.0.0." ZERO "8.b.d.0.1.0.0.2.bl.test", NULL },
    { V6, "2001:DB8:0:0::1", V4 | V6, "bl.test", "", REG,
      "1.0.0.0." ZERO "8.b.d.0.1.0.0.2.bl.test", NULL },
    { V6, "2001:db8:1:2:3:4:567:89ab", V6, "bl.test", "", BOTH,
      "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2."
      "bl.test", NULL },

    /* mapped addresses are IPv4, whatever the given family */

    { V6, "::ffff:192.0.2.99", V4, "bl.test", "", BOTH, "99.2.0.192.bl.test",
      NULL },
    { V6, "::ffff:c000:263", V4 | V6, "bl.test", "", BOTH,
      "99.2.0.192.bl.test", NULL },
    { V4, "::ffff:192.0.2.99", V4, "bl.test", "", BOTH, "99.2.0.192.bl.test",
      NULL },
    { V6, "::ffff:192.0.2.99", V6, "bl.test", "", BOTH, "", NULL },

    /* a list is queried only for its families */

    { V4, "192.0.2.99", V6, "bl.test", "", BOTH, "", NULL },
    { V6, "2001:db8::1", V4, "bl.test", "", BOTH, "", NULL },
    { V4, "192.0.2.99", DOM, "dbl.test", "", BOTH, "", NULL },
    { V6, "2001:db8::1", DOM, "dbl.test", "", BOTH, "", NULL },
    { DOM, "www.example.org", V4 | V6, "bl.test", "", BOTH, "", NULL },
    { DOM, "www.example.org", 0, "bl.test", "", BOTH, "", NULL },

    /* domains: both, where they differ */

    { DOM, "www.example.org", DOM, "dbl.test", "", BOTH,
      "www.example.org.dbl.test", "example.org.dbl.test" },
    { DOM, "www.example.org", DOM, "dbl.test", "", FULL,
      "www.example.org.dbl.test", NULL },
    { DOM, "www.example.org", DOM, "dbl.test", "", REG,
      "example.org.dbl.test", NULL },
    { DOM, "example.org", DOM, "dbl.test", "", BOTH, "example.org.dbl.test",
      NULL },
    { DOM, "example.org", DOM, "dbl.test", "", FULL, "example.org.dbl.test",
      NULL },
    { DOM, "example.org", DOM, "dbl.test", "", REG, "example.org.dbl.test",
      NULL },
    { DOM, "a.b.c.d.example.org", DOM, "dbl.test", "", BOTH,
      "a.b.c.d.example.org.dbl.test", "example.org.dbl.test" },
    { DOM, "a.b.c.d.example.org", V4 | DOM, "dbl.test", "", REG,
      "example.org.dbl.test", NULL },

    /* the public suffix list */

    { DOM, "www.example.co.uk", DOM, "dbl.test", "", BOTH,
      "www.example.co.uk.dbl.test", "example.co.uk.dbl.test" },
    { DOM, "example.co.uk", DOM, "dbl.test", "", BOTH,
      "example.co.uk.dbl.test", NULL },
    { DOM, "co.uk", DOM, "dbl.test", "", BOTH, "co.uk.dbl.test", NULL },
    { DOM, "co.uk", DOM, "dbl.test", "", REG, "co.uk.dbl.test", NULL },
    { DOM, "a.b.kobe.jp", DOM, "dbl.test", "", REG, "a.b.kobe.jp.dbl.test",
      NULL },
    { DOM, "x.a.b.kobe.jp", DOM, "dbl.test", "", REG, "a.b.kobe.jp.dbl.test",
      NULL },
    { DOM, "www.city.kobe.jp", DOM, "dbl.test", "", REG,
      "city.kobe.jp.dbl.test", NULL },
    { DOM, "www.ck", DOM, "dbl.test", "", REG, "www.ck.dbl.test", NULL },
    { DOM, "a.www.ck", DOM, "dbl.test", "", REG, "www.ck.dbl.test", NULL },
    { DOM, "a.b.ck", DOM, "dbl.test", "", REG, "a.b.ck.dbl.test", NULL },
    { DOM, "www.example.nosuchtld", DOM, "dbl.test", "", REG,
      "example.nosuchtld.dbl.test", NULL },

    /* with its private section */

    { DOM, "a.someone.github.io", DOM, "dbl.test", "", REG,
      "someone.github.io.dbl.test", NULL },
    { DOM, "a.someone.github.io", DOM, "dbl.test", "", BOTH,
      "a.someone.github.io.dbl.test", "someone.github.io.dbl.test" },
    { DOM, "someone.blogspot.com", DOM, "dbl.test", "", BOTH,
      "someone.blogspot.com.dbl.test", NULL },
    { DOM, "github.io", DOM, "dbl.test", "", REG, "github.io.dbl.test", NULL },
    { DOM, "b.s3.amazonaws.com", DOM, "dbl.test", "", REG,
      "b.s3.amazonaws.com.dbl.test", NULL },

    /* A-labels */

    { DOM, "www.b\xc3\xbc" "cher.example", DOM, "dbl.test", "", BOTH,
      "www.xn--bcher-kva.example.dbl.test", "xn--bcher-kva.example.dbl.test" },
    { DOM, "www.xn--bcher-kva.de", DOM, "dbl.test", "", REG,
      "xn--bcher-kva.de.dbl.test", NULL },
    { DOM, "www.xn--85x722f.xn--55qx5d.cn", DOM, "dbl.test", "", REG,
      "xn--85x722f.xn--55qx5d.cn.dbl.test", NULL },
    { DOM, "www.xn--85x722f.xn--fiqs8s", DOM, "dbl.test", "", REG,
      "xn--85x722f.xn--fiqs8s.dbl.test", NULL },
    { DOM, "WWW.Example.ORG", DOM, "dbl.test", "", BOTH,
      "www.example.org.dbl.test", "example.org.dbl.test" },
    { DOM, "www.example.org.", DOM, "dbl.test", "", REG,
      "example.org.dbl.test", NULL },
    { DOM, "_dmarc.example.org", DOM, "dbl.test", "", BOTH,
      "_dmarc.example.org.dbl.test", "example.org.dbl.test" },

    /* keys */

    { V4, "192.0.2.99", V4, "{key}.bl.test", "k3y", BOTH,
      "99.2.0.192.k3y.bl.test", NULL },
    { DOM, "www.example.org", DOM, "{key}.dbl.test", "k3y", BOTH,
      "www.example.org.k3y.dbl.test", "example.org.k3y.dbl.test" },
    { V4, "192.0.2.99", V4, "a.{key}.bl.test", "k3y", BOTH,
      "99.2.0.192.a.k3y.bl.test", NULL },
    { V4, "192.0.2.99", V4, "{key}.bl.test", "", BOTH, "", NULL },
    { DOM, "www.example.org", DOM, "{key}.dbl.test", "", BOTH, "", NULL },
    { V4, "192.0.2.99", V4, "{key}.bl.test", L63, BOTH,
      "99.2.0.192." L63 ".bl.test", NULL },

    /* 253 octets and no more; no query if one name is too long */

    { DOM, L63 "." L63 "." L63 "." L50 ".de", DOM, "bl.test", "", FULL,
      L63 "." L63 "." L63 "." L50 ".de.bl.test", NULL },
    { DOM, L63 "." L63 "." L63 "." L50 ".de", DOM, "dbl.test", "", FULL, "!",
      NULL },
    { DOM, L63 "." L63 "." L63 "." L50 ".de", DOM, "dbl.test", "", BOTH, "!",
      NULL },
    { DOM, L63 "." L63 "." L63 "." L50 ".de", DOM, "dbl.test", "", REG,
      L50 ".de.dbl.test", NULL },
    { DOM, L63 "." L63 "." L63 "." "abcd.abcdefghijk.de", DOM,
      L50 ".t", "", FULL, "!", NULL },
    { DOM, L63 "." L63 "." L50 ".de", DOM, L63 ".test", "", FULL,
      L63 "." L63 "." L50 ".de." L63 ".test", NULL },
    { DOM, L63 "." L63 "." L50 ".de", DOM, "a." L63 ".test", "", FULL,
      L63 "." L63 "." L50 ".de.a." L63 ".test", NULL },
    { DOM, L63 "." L63 "." L50 ".de", DOM, "ab." L63 ".test", "", FULL,
      L63 "." L63 "." L50 ".de.ab." L63 ".test", NULL },
    { DOM, L63 "." L63 "." L50 ".de", DOM, "abc." L63 ".test", "", FULL,
      "!", NULL },
    { V6, "2001:db8::1", V6, L63 "." L63 "." L63 ".test", "", BOTH, "!",
      NULL },
    { V4, "192.0.2.99", V4, "{key}." L63 "." L63 "." L63 "." L50, L63, BOTH,
      "!", NULL },

    /* invalid zones */

    { V4, "192.0.2.99", V4, "a..b", "", BOTH, "!", NULL },
    { V4, "192.0.2.99", V4, "", "", BOTH, "!", NULL },
    { V4, "192.0.2.99", V4, "a b.test", "", BOTH, "!", NULL },
    { V4, "192.0.2.99", V4, L63 "x.test", "", BOTH, "!", NULL },
};


/* No value of that family: no queries. */

static const struct {
    rbl_family_t   family;
    const char    *value;
} none[] = {
    { V4, "" }, { V4, "192.0.2" }, { V4, "192.0.2.256" },
    { V4, "192.0.2.1/32" }, { V4, "2001:db8::1" }, { V4, "example.org" },
    { V6, "192.0.2.1" },
    { V6, "2001:db8::1%eth0" }, { V6, ":::" }, { V6, "example.org" },
    { DOM, "192.0.2.1" }, { DOM, "2001:db8::1" }, { DOM, "localhost" },
    { DOM, "" }, { DOM, "." }, { DOM, "a..b" }, { DOM, "-a.test" },
    { DOM, "a-.test" }, { DOM, "a b.test" }, { DOM, "1.2" },
    { DOM, L63 "x.test" }, { DOM, "*.example.org" }, { RBL_FAMILY_NONE, "a.b" }
};


static list_t *
make(int families, const char *zone, const char *key, list_names_t names)
{
    list_t  *list;

    list = list_make(RBL_STR("RB1"), rbl_str(families == DOM ? "uribl" : "rbl"),
                     0, rbl_str(zone), RBL_STR(""), families);
    list->names = names;

    if (key[0] != '\0' && list_key_set(list, rbl_str(key)) != 0) {
        abort();
    }

    return list;
}


static int
same(const names_t *name, const char *want)
{
    return strcmp(name->s, want) == 0 && name->n == strlen(want);
}


static void
test_asked(void)
{
    int               n, good;
    list_t           *list;
    size_t            i;
    names_t           out[NAMES_MAX];
    names_host_t      host;
    rbl_lookup_err_t  err;

    for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        list = make(asked[i].takes, asked[i].zone, asked[i].key,
                    asked[i].names);
        memset(out, 'x', sizeof(out));
        n = names_host(&host, asked[i].family, rbl_str(asked[i].value)) == 0
            ? names_make(out, list, &host, &err) : -1;

        if (asked[i].one[0] == '\0') {
            good = n == 0 && err == RBL_ERR_NONE;

        } else if (asked[i].one[0] == '!') {
            good = n == 0 && err == RBL_ERR_NAME;

        } else {
            good = n == (asked[i].two != NULL ? 2 : 1) && err == RBL_ERR_NONE
                   && same(&out[0], asked[i].one)
                   && (n == 1 || same(&out[1], asked[i].two));
        }

        ok(good, "%.40s at %.40s: %d names", asked[i].value, asked[i].zone, n);
        if (!good && n > 0) {
            printf("# %.*s, %.*s\n", (int) out[0].n, out[0].s,
                   n > 1 ? (int) out[1].n : 0, out[1].s);
        }

        list_unref(list);
    }

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ok(names_host(&host, none[i].family, rbl_str(none[i].value)) == -1,
           "\"%.20s\" is no value of family %d", none[i].value,
           none[i].family);
    }
}


/* A list of domains whose record has address families is not queried for
   them. */

static void
test_uribl(void)
{
    list_t           *list;
    names_t           out[NAMES_MAX];
    names_host_t      host;
    rbl_lookup_err_t  err;

    list = list_make(RBL_STR("RB1"), RBL_STR("uribl"), 0, RBL_STR("dbl.test"),
                     RBL_STR(""), V4 | V6 | DOM);

    ok(names_host(&host, V4, RBL_STR("192.0.2.1")) == 0
       && names_make(out, list, &host, &err) == 0 && err == RBL_ERR_NONE,
       "no address goes to a list of domains, whatever its families are");
    ok(names_point(out, list, V4, NAMES_RANDOM, 1) == 0
       && names_point(out, list, DOM, NAMES_RANDOM, 1) == 1,
       "nor one of a test point");
    list_unref(list);
}


/* "*": varies with the random number, and has this suffix. */

static const struct {
    const char    *control;
    int            takes;
    rbl_family_t   family;
    names_point_t  kind;
    const char    *want;
} points[] = {
    { "ip", V4, V4, NAMES_POSITIVE, "2.0.0.127.z.test" },
    { "ip", V4, V4, NAMES_NEGATIVE, "1.0.0.127.z.test" },
    { "ip", V4, V4, NAMES_RANDOM, "*.127.z.test" },
    { "ip", V6, V6, NAMES_POSITIVE, MAPPED("2.0") "z.test" },
    { "ip", V6, V6, NAMES_NEGATIVE, MAPPED("1.0") "z.test" },
    { "ip", V6, V6, NAMES_RANDOM, "*.f.7.f.f.f.f." ZERO "z.test" },
    { "ip", V4, V6, NAMES_POSITIVE, NULL },
    { "ip", V4 | DOM, DOM, NAMES_POSITIVE, NULL },
    { "ip", V4 | DOM, DOM, NAMES_NEGATIVE, NULL },
    { "ip", V4 | DOM, DOM, NAMES_RANDOM, "*.invalid.z.test" },
    { "ip-positive-only", V4, V4, NAMES_POSITIVE, "2.0.0.127.z.test" },
    { "ip-positive-only", V4, V4, NAMES_NEGATIVE, NULL },
    { "ip-positive-only", V4, V4, NAMES_RANDOM, NULL },
    { "ip-positive-only", V4 | DOM, DOM, NAMES_RANDOM, NULL },
    { "name:test.z.test", DOM, DOM, NAMES_POSITIVE, "test.z.test.z.test" },
    { "name:TEST", DOM, DOM, NAMES_POSITIVE, "test.z.test" },
    { "name:test", DOM, DOM, NAMES_NEGATIVE, NULL },
    { "name:test", DOM, DOM, NAMES_RANDOM, "*.invalid.z.test" },
    { "name:test", V4 | DOM, V4, NAMES_POSITIVE, "2.0.0.127.z.test" },
    { "name:", DOM, DOM, NAMES_POSITIVE, NULL },
    { "name:a b", DOM, DOM, NAMES_POSITIVE, NULL },
    { "name:" L63 "x", DOM, DOM, NAMES_POSITIVE, NULL },
    { "name:" L63 "." L63 "." L63 "." L63 "." L63, DOM, DOM, NAMES_POSITIVE,
      NULL },
    { "none", V4, V4, NAMES_POSITIVE, NULL },
    { "none", V4, V4, NAMES_NEGATIVE, NULL },
    { "none", V4, V4, NAMES_RANDOM, NULL },
    { "none", DOM, DOM, NAMES_RANDOM, NULL },
    { "", V4, V4, NAMES_POSITIVE, "2.0.0.127.z.test" },
    { "", V6, V6, NAMES_POSITIVE, MAPPED("2.0") "z.test" },
    { "", DOM, DOM, NAMES_POSITIVE, "test.z.test" },
    { "", V4, V4, NAMES_NEGATIVE, "1.0.0.127.z.test" },
    { "", V4, V4, NAMES_RANDOM, "*.127.z.test" },
    { "", DOM, DOM, NAMES_RANDOM, "*.invalid.z.test" },
    { "none", V4, V4, NAMES_SAMPLE, "*.z.test" },
    { "none", V6, V6, NAMES_SAMPLE, "*.z.test" },
    { "none", DOM, DOM, NAMES_SAMPLE, "*.z.test" },
    { "none", DOM, V4, NAMES_SAMPLE, NULL },
};


static int
ends(const names_t *name, const char *end)
{
    size_t  n = strlen(end);

    return name->n > n && strcmp(name->s + name->n - n, end) == 0;
}


static void
test_points(void)
{
    int          found, good;
    size_t       i;
    list_t      *list;
    names_t      one, two;
    const char  *want;

    for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        list = make(points[i].takes, "z.test", "", BOTH);
        list->control = (char *) points[i].control;
        want = points[i].want;
        found = names_point(&one, list, points[i].family, points[i].kind,
                            0x123456789abcdef1);

        if (want == NULL) {
            good = !found;

        } else if (want[0] != '*') {
            good = found && same(&one, want);

        } else {
            good = found && ends(&one, want + 1)
                   && names_point(&two, list, points[i].family,
                                  points[i].kind, 0xfedcba9876543210)
                   && ends(&two, want + 1) && strcmp(one.s, two.s) != 0;
        }

        ok(good, "mode %.20s of %d, kind %d: %.60s", points[i].control,
           points[i].family, points[i].kind, found ? one.s : "none");
        list_unref(list);
    }
}


/* Many random names: never the same twice in a row, all in their network. */

static void
test_random(void)
{
    int         good;
    list_t     *list, *domains;
    names_t     name, last;
    unsigned    i, a, b, c;
    uint64_t    random = 1;

    list = make(V4 | V6, "z.test", "", BOTH);
    domains = make(DOM, "z.test", "", BOTH);
    list->control = domains->control = (char *) "ip";
    last.s[0] = '\0';

    for (good = 1, i = 0; i < 1000; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        good = good && names_point(&name, list, V4, NAMES_RANDOM, random)
               && sscanf(name.s, "%u.%u.%u.127.z.test", &a, &b, &c) == 3
               && c >= 128 && c <= 255 && strcmp(name.s, last.s) != 0;
        last = name;
        good = good && names_point(&name, list, V4, NAMES_SAMPLE, random)
               && names_point(&name, list, V6, NAMES_SAMPLE, random)
               && names_point(&name, list, V6, NAMES_RANDOM, random)
               && names_point(&name, domains, DOM, NAMES_SAMPLE, random)
               && names_point(&name, domains, DOM, NAMES_RANDOM, random)
               && strspn(name.s, "abcdefghijklmnopqrstuvwxyz234567") == 14;
    }

    ok(good, "1000 random test points");
    list_unref(list);
    list_unref(domains);

    list = make(V4, "{key}.z.test", "", BOTH);
    ok(!names_must(list), "an unknown list may have none");
    list->control = (char *) "ip";
    ok(names_must(list), "one that is known to have it must");
    ok(names_point(&name, list, V4, NAMES_POSITIVE, 0) == 0,
       "a list without its key has no test point");
    ok(list_key_set(list, RBL_STR("k3y")) == 0
       && names_point(&name, list, V4, NAMES_POSITIVE, 0) == 1
       && same(&name, "2.0.0.127.k3y.z.test"), "and with it one with the key");
    list_unref(list);
}


int
main(void)
{
    test_asked();                       /* with the list built into libpsl */
    names_open();
    names_open();
    test_asked();                       /* with the system's list */
    test_uribl();
    test_points();
    test_random();
    names_close();
    names_close();

    return tap_done();
}
