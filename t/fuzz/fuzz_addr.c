/*
 * Addresses and subnets (shared/text/rbl_addr.c).  The input is the text.
 *
 * inet_pton accepts an accepted address, which is never a mapped one; its text
 * is canonical: it parses to the same value and is its own text.  The same
 * holds for a subnet; its first and last address are inside and the next one is
 * not.  A subnet refused for host bits is returned cleared, as a valid subnet
 * that contains the address.
 */

#include "fuzz.h"
#include "rbl_validate.h"

#include <arpa/inet.h>


static int
same_addr(const rbl_addr_t *a, const rbl_addr_t *b)
{
    return a->family == b->family && memcmp(a->b, b->b, 16) == 0;
}


static void
try_addr(rbl_str_t text, const char *z)
{
    int            plain;
    char           buf[RBL_VALUE_MAX], again[RBL_VALUE_MAX];
    rbl_str_t      s;
    rbl_addr_t     a, b;
    unsigned char  raw[16];

    plain = strlen(z) == text.n
            && (inet_pton(AF_INET, z, raw) == 1
                || inet_pton(AF_INET6, z, raw) == 1);

    if (rbl_addr_parse(&a, text) != RBL_OK) {
        fuzz_check(!plain);
        fuzz_check(a.family == RBL_FAMILY_NONE);
        return;
    }

    fuzz_check(plain);
    fuzz_check(a.family == RBL_FAMILY_IPV4
               || (a.family == RBL_FAMILY_IPV6
                   && !IN6_IS_ADDR_V4MAPPED((struct in6_addr *) a.b)));

    s = rbl_addr_text(buf, &a);
    fuzz_check(s.n > 0 && buf[s.n] == '\0');
    fuzz_check(memchr(s.p, ':', s.n) == NULL || a.family == RBL_FAMILY_IPV6);
    fuzz_check(rbl_addr_parse(&b, s) == RBL_OK && same_addr(&a, &b));
    fuzz_check(rbl_str_eq(rbl_addr_text(again, &b), s));
}


static void
try_edges(const rbl_subnet_t *net)
{
    uint64_t    size;
    rbl_addr_t  a;

    a = rbl_subnet_addr(net, 0);
    fuzz_check(same_addr(&a, &net->addr));
    fuzz_check(rbl_subnet_has(net, &a));

    size = rbl_subnet_size(net);
    fuzz_check(size > 0);

    if (size == UINT64_MAX) {
        return;
    }

    a = rbl_subnet_addr(net, size - 1);
    fuzz_check(rbl_subnet_has(net, &a));

    a = rbl_subnet_addr(net, size);
    fuzz_check(net->bits == 0 || !rbl_subnet_has(net, &a));
}


static void
try_subnet(rbl_str_t text)
{
    char          buf[RBL_VALUE_MAX], again[RBL_VALUE_MAX];
    rbl_str_t     s;
    rbl_err_t     err;
    rbl_addr_t    a;
    rbl_subnet_t  net, b;
    const char   *slash;

    err = rbl_subnet_parse(&net, text);

    if (err != RBL_OK && err != RBL_EHOSTBITS) {
        fuzz_check(err == RBL_EINVAL);
        return;
    }

    s = rbl_subnet_text(buf, &net);
    fuzz_check(rbl_subnet_parse(&b, s) == RBL_OK);
    fuzz_check(same_addr(&net.addr, &b.addr) && net.bits == b.bits);
    fuzz_check(rbl_str_eq(rbl_subnet_text(again, &b), s));

    slash = memchr(text.p, '/', text.n);
    fuzz_check(slash != NULL);
    text.n = (size_t) (slash - text.p);
    fuzz_check(rbl_addr_parse(&a, text) == RBL_OK);
    fuzz_check(rbl_subnet_has(&net, &a));
    fuzz_check(same_addr(&a, &net.addr) == (err == RBL_OK));

    try_edges(&net);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t     f;
    rbl_str_t  text;

    fuzz_init(&f, data, size);
    text = fuzz_rest(&f);

    try_addr(text, fuzz_z(&f, text));
    try_subnet(text);
    fuzz_done(&f);

    return 0;
}
