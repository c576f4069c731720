/*
 * Query names and links (shared/names/rbl_query.c).  Lines: family (4, 6 or d),
 * value, zone, key, pattern of a link, room for the link.
 *
 * A query name is valid in the DNS, and reversed again gives the value; a
 * canonical value at a valid zone always gives a name, or one that is too long.
 * A link has only bytes that a URL may have, and stays inside its room.
 */

#include "fuzz.h"
#include "dns/wire.h"
#include "rbl_name.h"
#include "rbl_query.h"

#include <arpa/inet.h>
#include <ctype.h>


/* Parses the address in the first labels of a name. */
static void
check_reverse(rbl_str_t name, rbl_family_t family, const char *value)
{
    int            i;
    char           z[8];
    size_t         n;
    rbl_str_t      label;
    unsigned char  got[16], want[16];

    n = family == RBL_FAMILY_IPV4 ? 4 : 16;
    memset(got, 0, sizeof(got));
    fuzz_check(inet_pton(n == 4 ? AF_INET : AF_INET6, value, want) == 1);

    for (i = (int) (n == 4 ? 3 : 31); i >= 0; i--) {
        label = rbl_until(&name, '.');
        fuzz_check(name.p != NULL && label.n < sizeof(z));
        memcpy(z, label.p, label.n);
        z[label.n] = '\0';

        if (n == 4) {
            got[i] = (unsigned char) strtoul(z, NULL, 10);
        } else {
            got[i / 2] |= (unsigned char) (strtoul(z, NULL, 16)
                                           << (i % 2 ? 0 : 4));
        }
    }

    fuzz_check(memcmp(got, want, n) == 0);
}


static void
try_name(fuzz_t *f, rbl_family_t family, rbl_str_t value, rbl_str_t zone,
    rbl_str_t key)
{
    char        buf[RBL_VALUE_MAX], domain[RBL_VALUE_MAX];
    char        part[RBL_VALUE_MAX], at[RBL_VALUE_MAX];
    uint8_t     wire[DNS_NAME_MAX];
    rbl_err_t   err;
    rbl_str_t   name, under, canonical;
    rbl_addr_t  a;

    err = rbl_query_host(part, &name, family, value);

    if (err == RBL_OK) {
        fuzz_check(dns_wire_name(wire, part) == name.n + 2);
        err = rbl_query_zone(at, &under, zone, key);
        name = err == RBL_OK ? name : under;
    }

    if (err == RBL_OK) {
        err = rbl_query_name(buf, &name, name, under);
    }

    if (err == RBL_OK) {
        fuzz_check(name.p == buf && strlen(buf) == name.n);
        fuzz_check(name.n <= RBL_DOMAIN_MAX);
        fuzz_check(dns_wire_name(wire, buf) == name.n + 2);

        if (family != RBL_FAMILY_DOMAIN) {
            check_reverse(name, family, fuzz_z(f, value));
        }

        return;
    }

    fuzz_check(name.n == 0);

    if (err == RBL_ETOOBIG || !rbl_zone_ok(zone) || !rbl_label_ok(key)) {
        return;
    }

    /* refused, so the value is not of that family */

    if (family == RBL_FAMILY_DOMAIN) {
        fuzz_check(rbl_domain_parse(domain, &canonical, value) != RBL_OK
                   || !rbl_str_eq(canonical, value));
        return;
    }

    fuzz_check(rbl_addr_parse(&a, value) != RBL_OK || a.family != family
               || (family == RBL_FAMILY_IPV4 && memchr(value.p, ':',
                                                       value.n)));
}


/* The expected link; at least 4096 bytes, longer than any room used here. */
static size_t
expected(char want[8192], rbl_str_t pattern, rbl_str_t value)
{
    size_t  i, j, n;

    for (i = n = 0; i < pattern.n && n < 4096; i++) {
        if (pattern.n - i < 2 || memcmp(pattern.p + i, "%s", 2) != 0) {
            want[n++] = pattern.p[i];
            continue;
        }

        for (j = 0, i++; j < value.n && n < 4096; j++) {
            if (value.p[j] > ' ' && value.p[j] < 127
                && (isalnum(value.p[j]) || strchr("-._~", value.p[j])))
            {
                want[n++] = value.p[j];
            } else {
                n += (size_t) snprintf(want + n, 4, "%%%02X",
                                       (unsigned char) value.p[j]);
            }
        }
    }

    want[n] = '\0';

    return n;
}


static void
try_url(rbl_str_t pattern, rbl_str_t value, size_t size)
{
    char       *buf, want[8192];
    size_t      n;
    rbl_err_t   err;
    rbl_str_t   out;

    buf = malloc(size ? size : 1);
    fuzz_check(buf != NULL);

    n = expected(want, pattern, value);
    err = rbl_lookup_url(buf, size, &out, pattern, value);

    if (err == RBL_OK) {
        fuzz_check(out.p == buf && out.n < size && buf[out.n] == '\0');
        fuzz_check(out.n == n && memcmp(buf, want, n + 1) == 0);

    } else {
        fuzz_check(pattern.n == 0 || n >= size);
    }

    free(buf);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t        f;
    int64_t       room;
    rbl_str_t     kind, value, zone, key, pattern;
    rbl_family_t  family;

    fuzz_init(&f, data, size);
    kind = fuzz_line(&f);
    value = fuzz_line(&f);
    zone = fuzz_line(&f);
    key = fuzz_line(&f);
    pattern = fuzz_line(&f);

    family = rbl_str_is(kind, "4") ? RBL_FAMILY_IPV4
             : rbl_str_is(kind, "6") ? RBL_FAMILY_IPV6
             : rbl_str_is(kind, "d") ? RBL_FAMILY_DOMAIN : RBL_FAMILY_NONE;

    try_name(&f, family, value, zone, key);

    if (rbl_int_parse(&room, fuzz_line(&f), 0, 4096) != RBL_OK) {
        room = 512;
    }

    try_url(pattern, value, (size_t) room);
    fuzz_done(&f);

    return 0;
}
