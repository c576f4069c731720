/*
 * Query names, look-up links, zones.
 */

#include "rbl_query.h"
#include "tap.h"

#include <stdlib.h>


#define L63   "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"
#define L50   "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx"
#define ZERO  "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0."
#define V4    RBL_FAMILY_IPV4
#define V6    RBL_FAMILY_IPV6
#define DOM   RBL_FAMILY_DOMAIN


static const struct {
    rbl_family_t  family;
    const char   *value, *zone, *key;
    rbl_err_t     rc;
    const char   *want;
} names[] = {
    { V4, "192.0.2.99", "bl.example", "", RBL_OK, "99.2.0.192.bl.example" },
    { V4, "127.0.0.2", "BL.Example", "", RBL_OK, "2.0.0.127.bl.example" },
    { V4, "255.10.0.1", "bl.example", "", RBL_OK, "1.0.10.255.bl.example" },
    { V6, "2001:db8:1:2:3:4:567:89ab", "bl.example", "", RBL_OK,
      "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2."
      "bl.example" },
    { V6, "::ffff:7f00:2", "bl.example", "", RBL_OK,
      "2.0.0.0.0.0.f.7.f.f.f.f." ZERO "bl.example" },
    { DOM, "www.example.org", "dbl.example", "", RBL_OK,
      "www.example.org.dbl.example" },
    { DOM, "TEST", "dbl.example", "", RBL_OK, "test.dbl.example" },
    { DOM, "_x.example.org", "dbl.example", "", RBL_OK,
      "_x.example.org.dbl.example" },
    { V4, "192.0.2.1", "{key}.zen.example", "k3y", RBL_OK,
      "1.2.0.192.k3y.zen.example" },
    { V4, "192.0.2.1", "a.{key}.zen.example", "k3.y", RBL_OK,
      "1.2.0.192.a.k3.y.zen.example" },
    { V4, "192.0.2.1", "{key}.zen.example", "", RBL_EINVAL, NULL },
    { V4, "192.0.2.1", "{key}.zen.example", "a b", RBL_EINVAL, NULL },
    { V4, "192.0.2.1", "{key}.zen.example", "a..b", RBL_EINVAL, NULL },
    { V4, "192.0.2.1", "{key}.zen.example", ".", RBL_EINVAL, NULL },
    { V4, "192.0.2.1", "{key}.zen.example", "{key}", RBL_EINVAL, NULL },
    { V4, "192.0.2.1", "{key}.zen.example", L63 "x", RBL_ETOOBIG, NULL },
    { V4, "192.0.2.1", "", "", RBL_EINVAL, NULL },
    { V4, "192.0.2.1", ".bl.example", "", RBL_EINVAL, NULL },
    { V4, "192.0.2.1", "bl.example.", "", RBL_EINVAL, NULL },
    { V4, "", "bl.example", "", RBL_EINVAL, NULL },
    { V4, "192.0.2", "bl.example", "", RBL_EINVAL, NULL },
    { V4, "2001:db8::1", "bl.example", "", RBL_EINVAL, NULL },
    { V6, "192.0.2.1", "bl.example", "", RBL_EINVAL, NULL },
    { V6, "fe80::1%eth0", "bl.example", "", RBL_EINVAL, NULL },
    { V4, L63, "bl.example", "", RBL_EINVAL, NULL },
    { RBL_FAMILY_NONE, "192.0.2.1", "bl.example", "", RBL_EINVAL, NULL },
    { DOM, "", "bl.example", "", RBL_EINVAL, NULL },
    { DOM, ".", "bl.example", "", RBL_EINVAL, NULL },
    { DOM, "a b", "bl.example", "", RBL_EINVAL, NULL },
    { DOM, "a..b", "bl.example", "", RBL_EINVAL, NULL },
    { DOM, L63 "x", "bl.example", "", RBL_ETOOBIG, NULL },
    { DOM, L63 "." L63 "." L63, L50 ".example.org", "", RBL_ETOOBIG, NULL },
    { DOM, L63 "." L63 "." L63, L50 ".example.or", "", RBL_OK,
      L63 "." L63 "." L63 "." L50 ".example.or" },
    { DOM, L63 "." L63 "." L63 "." L63, "bl.example", "", RBL_ETOOBIG,
      NULL },
};


static rbl_err_t
name_of(char *buf, rbl_str_t *out, rbl_family_t family, rbl_str_t value,
    rbl_str_t zone, rbl_str_t key)
{
    char       a[RBL_VALUE_MAX], b[RBL_VALUE_MAX];
    rbl_err_t  rc;
    rbl_str_t  at;

    rc = rbl_query_host(a, out, family, value);
    if (rc != RBL_OK) {
        return rc;
    }

    rc = rbl_query_zone(b, &at, zone, key);
    if (rc != RBL_OK) {
        *out = at;
        return rc;
    }

    return rbl_query_name(buf, out, *out, at);
}


static void
test_names(void)
{
    char       buf[RBL_VALUE_MAX];
    size_t     i;
    rbl_err_t  rc;
    rbl_str_t  out;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        rc = name_of(buf, &out, names[i].family, rbl_str(names[i].value),
                     rbl_str(names[i].zone), rbl_str(names[i].key));

        if (names[i].want == NULL) {
            ok(rc == names[i].rc && out.n == 0, "%zu: %s at %s: refused (%d)",
               i, names[i].value, names[i].zone, rc);
            continue;
        }

        is_str(rc == RBL_OK ? out : RBL_STR("refused"), names[i].want,
               names[i].value);
    }

    ok(rbl_query_host(buf, &out, V4, (rbl_str_t) { "192.0.2.1\0", 10 })
       == RBL_EINVAL,
       "NUL in an address");
    ok(rbl_query_host(buf, &out, DOM, (rbl_str_t) { "a\0b.org", 7 })
       == RBL_EINVAL,
       "NUL in a domain");
}


static const struct {
    const char  *pattern, *value, *want;
} links[] = {
    { "https://e.org/?q=%s", "192.0.2.1", "https://e.org/?q=192.0.2.1" },
    { "https://e.org/?q=%s", "2001:db8::1",
      "https://e.org/?q=2001%3Adb8%3A%3A1" },
    { "https://e.org/%s/%s%20x", "a b", "https://e.org/a%20b/a%20b%20x" },
    { "https://e.org/%S%%s", "x", "https://e.org/%S%x" },
    { "https://e.org/%", "x", "https://e.org/%" },
    { "https://e.org/", "x", "https://e.org/" },
    { "%s", "\xc3\xa9<\"'&?#/%s", "%C3%A9%3C%22%27%26%3F%23%2F%25s" },
    { "%s%s", "", "" },
    { "", "x", NULL },
};


static void
test_links(void)
{
    char       *fit;
    size_t      i, size, n;
    rbl_err_t   rc;
    rbl_str_t   out;

    for (i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        n = links[i].want ? strlen(links[i].want) : 0;

        for (size = 0; size <= n + 2; size++) {
            fit = malloc(size ? size : 1);
            rc = rbl_lookup_url(fit, size, &out, rbl_str(links[i].pattern),
                                rbl_str(links[i].value));

            if (links[i].want == NULL) {
                ok(rc == (size ? RBL_EINVAL : RBL_ETOOBIG), "no pattern");

            } else if (size <= n) {
                ok(rc == RBL_ETOOBIG && out.n == 0, "%s: %zu is too small",
                   links[i].pattern, size);

            } else {
                is_str(rc == RBL_OK ? out : RBL_STR("refused"),
                       links[i].want, links[i].pattern);
            }

            free(fit);
        }
    }
}


static const struct {
    const char  *zone;
    int          good;
} zones[] = {
    { "bl.example", 1 }, { "zen.bl.example.org", 1 },
    { "{key}.zen.example", 1 }, { "a.{key}.zen.example", 1 },
    { "_vouch.dwl.example", 1 }, { "BL.example", 1 },
    { L63 ".example", 1 }, { L63 "x.example", 0 },
    { "", 0 }, { "example", 0 }, { "{key}.example", 0 }, { "{key}", 0 },
    { "{key}.{key}.zen.example", 0 }, { "zen.example.{key}", 0 },
    { "x{key}.zen.example", 0 }, { "{KEY}.zen.example", 0 },
    { "{key.zen.example", 0 }, { ".bl.example", 0 }, { "bl.example.", 0 },
    { "bl..example", 0 }, { "-bl.example", 0 }, { "bl-.example", 0 },
    { "b l.example", 0 }, { "192.0.2.1", 0 }, { "bl.\xc3\xa9xample", 0 },
    { L63 "." L63 "." L63 "." L63, 0 },
};


int
main(void)
{
    size_t  i;

    test_names();
    test_links();

    for (i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
        ok(rbl_zone_ok(rbl_str(zones[i].zone)) == zones[i].good, "zone '%s'",
           zones[i].zone);
    }

    return tap_done();
}
