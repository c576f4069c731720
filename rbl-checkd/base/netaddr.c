/*
 * Judges addresses against the registries of special-purpose addresses (RFC
 * 6890 and its successors) and some well-known service addresses of cloud
 * providers.  For IPv6 only 2000::/3 is public, and the table has the special
 * ranges inside it.  An address of a translator (nat64.h) is judged by the IPv4
 * address inside.
 */

#include "nat64.h"
#include "netaddr.h"

#include <arpa/inet.h>
#include <string.h>


typedef struct {
    unsigned char  net[16];
    unsigned char  bits;
    const char    *what;
} address_range_t;


static const address_range_t  address_ipv4[] = {
    { { 0 },                  8, "this network" },
    { { 10 },                 8, "private" },
    { { 100, 64 },           10, "shared (carrier NAT)" },
    { { 127 },                8, "loopback" },
    { { 168, 63, 129, 16 },  32, "cloud service" },
    { { 169, 254 },          16, "link-local" },
    { { 172, 16 },           12, "private" },
    { { 192, 0, 0 },         24, "protocol assignments" },
    { { 192, 0, 2 },         24, "documentation" },
    { { 192, 31, 196 },      24, "AS112" },
    { { 192, 52, 193 },      24, "AMT" },
    { { 192, 88, 99 },       24, "6to4 relay" },
    { { 192, 168 },          16, "private" },
    { { 192, 175, 48 },      24, "AS112" },
    { { 198, 18 },           15, "benchmarking" },
    { { 198, 51, 100 },      24, "documentation" },
    { { 203, 0, 113 },       24, "documentation" },
    { { 224 },                4, "multicast" },
    { { 240 },                4, "reserved or broadcast" }
};


/* Only special ranges inside 2000::/3. */

static const address_range_t  address_ipv6[] = {
    { { 0x20, 0x01 },                         23, "Teredo or protocol" },
    { { 0x20, 0x01, 0x0d, 0xb8 },             32, "documentation" },
    { { 0x20, 0x02 },                         16, "6to4" },
    { { 0x26, 0x20, 0x00, 0x4f, 0x80, 0x00 }, 48, "AS112" },
    { { 0x3f, 0xfe },                         16, "6bone" },
    { { 0x3f, 0xff },                         20, "documentation" }
};


static int
address_in(const address_range_t *range, const unsigned char *b)
{
    unsigned       whole;
    unsigned char  mask;

    whole = range->bits / 8;

    if (memcmp(range->net, b, whole) != 0) {
        return 0;
    }

    if (range->bits % 8 == 0) {
        return 1;
    }

    mask = (unsigned char) (0xff << (8 - range->bits % 8));

    return (range->net[whole] & mask) == (b[whole] & mask);
}


static const char *
address_find(const address_range_t *range, size_t n, const unsigned char *b)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (address_in(&range[i], b)) {
            return range[i].what;
        }
    }

    return NULL;
}


static const char *
address_special_ipv6(const unsigned char *b)
{
    static const unsigned char  isatap[3] = { 0x00, 0x5e, 0xfe };

    if ((b[0] & 0xe0) != 0x20) {
        return "not a public IPv6 address";
    }

    /* ISATAP: an IPv4 address in the interface id, ::[02]00:5efe:a.b.c.d */

    if ((b[8] & 0xfd) == 0 && memcmp(b + 9, isatap, sizeof(isatap)) == 0) {
        return "ISATAP";
    }

    return address_find(address_ipv6,
                        sizeof(address_ipv6) / sizeof(address_ipv6[0]), b);
}


const char *
address_special(const rbl_addr_t *a)
{
    rbl_addr_t  inside;

    return address_special_net(nat64_inside(&inside, a) ? &inside : a);
}


const char *
address_special_net(const rbl_addr_t *a)
{
    if (a->family == RBL_FAMILY_IPV4) {
        return address_find(address_ipv4,
                            sizeof(address_ipv4) / sizeof(address_ipv4[0]),
                            a->b);
    }

    if (a->family == RBL_FAMILY_IPV6) {
        return address_special_ipv6(a->b);
    }

    return "not an address";
}


void
address_from_in6(rbl_addr_t *a, const struct in6_addr *in6)
{
    memset(a, 0, sizeof(*a));

    if (IN6_IS_ADDR_V4MAPPED(in6)) {
        a->family = RBL_FAMILY_IPV4;
        memcpy(a->b, in6->s6_addr + 12, 4);
        return;
    }

    a->family = RBL_FAMILY_IPV6;
    memcpy(a->b, in6->s6_addr, 16);
}


void
address_from_ipv4(rbl_addr_t *a, uint32_t host_order)
{
    uint32_t  net;

    memset(a, 0, sizeof(*a));

    net = htonl(host_order);
    a->family = RBL_FAMILY_IPV4;
    memcpy(a->b, &net, sizeof(net));
}


int
address_from_sockaddr(rbl_addr_t *a, unsigned *port, const struct sockaddr *sa)
{
    struct sockaddr_in   sin;
    struct sockaddr_in6  sin6;

    if (sa->sa_family == AF_INET) {
        memcpy(&sin, sa, sizeof(sin));
        address_from_ipv4(a, ntohl(sin.sin_addr.s_addr));
        *port = ntohs(sin.sin_port);
        return 0;
    }

    if (sa->sa_family == AF_INET6) {
        memcpy(&sin6, sa, sizeof(sin6));
        address_from_in6(a, &sin6.sin6_addr);
        *port = ntohs(sin6.sin6_port);
        return 0;
    }

    return -1;
}


int
address_equal(const rbl_addr_t *a, const rbl_addr_t *b)
{
    return a->family == b->family
           && memcmp(a->b, b->b, a->family == RBL_FAMILY_IPV4 ? 4 : 16) == 0;
}


int
address_loopback(const rbl_addr_t *a)
{
    return (a->family == RBL_FAMILY_IPV4 && a->b[0] == 127)
           || (a->family == RBL_FAMILY_IPV6
               && memcmp(a->b, &in6addr_loopback, 16) == 0);
}


/* Is the last label a number to some library: digits, or 0x and hex digits? */

static int
address_ends_in_number(rbl_str_t name)
{
    size_t       n;
    const char  *digits, *last;

    last = memrchr(name.p, '.', name.n);
    last = last != NULL ? last + 1 : name.p;
    n = (size_t) (name.p + name.n - last);

    digits = "0123456789";

    if (n >= 2 && last[0] == '0' && last[1] == 'x') {
        digits = "0123456789abcdef";
        last += 2;
        n -= 2;
    }

    for ( /* void */ ; n > 0; n--, last++) {
        if (*last == '\0' || strchr(digits, *last) == NULL) {
            return 0;
        }
    }

    return 1;
}


rbl_err_t
address_host(rbl_addr_t *literal, char buf[RBL_VALUE_MAX], rbl_str_t *name,
    rbl_str_t host)
{
    if (rbl_addr_parse(literal, host) == RBL_OK) {
        return RBL_OK;
    }

    literal->family = RBL_FAMILY_NONE;

    if (rbl_domain_parse(buf, name, host) != RBL_OK
        || address_ends_in_number(*name))
    {
        return RBL_EINVAL;
    }

    return RBL_OK;
}
