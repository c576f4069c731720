/*
 * The places of RFC 6052: the IPv4 address follows the prefix, and octet 8 is
 * left out, which is zero like all that follows.
 */

#include "nat64.h"
#include "netaddr.h"

#include <string.h>

#define ZERO  8                         /* the octet that is left out */


static const unsigned  nat64_bits[] = { 32, 40, 48, 56, 64, 96 };

static const nat64_prefix_t  nat64_known = {
    { 0x00, 0x64, 0xff, 0x9b }, 96
};

/* RFC 8215: for translators of a site, a part of no other network. */
static const unsigned char  nat64_local[6] = { 0x00, 0x64, 0xff, 0x9b, 0x00,
                                               0x01 };

static unsigned        nat64_n;
static nat64_prefix_t  nat64_learned[NAT64_PREFIXES];


/* The four octets behind the prefix.  -1: they are no IPv4 address. */

static int
nat64_take(unsigned char v4[4], const unsigned char *b, unsigned bits)
{
    unsigned  i, at;

    for (i = 0, at = bits / 8; i < 4; at++) {
        if (at != ZERO) {
            v4[i++] = b[at];
        }
    }

    if (b[ZERO] != 0) {
        return -1;
    }

    for ( /* void */ ; at < 16; at++) {
        if (b[at] != 0) {
            return -1;
        }
    }

    return 0;
}


static int
nat64_is_only(const unsigned char *v4)
{
    return v4[0] == 192 && v4[1] == 0 && v4[2] == 0
           && (v4[3] == 170 || v4[3] == 171);
}


/* May a resolver declare it? */

static int
nat64_permitted(const nat64_prefix_t *prefix)
{
    rbl_addr_t  net;

    if (memcmp(prefix->net, nat64_local, sizeof(nat64_local)) == 0) {
        return prefix->bits >= 48;
    }

    memset(&net, 0, sizeof(net));
    net.family = RBL_FAMILY_IPV6;
    memcpy(net.b, prefix->net, sizeof(prefix->net));

    return address_special_net(&net) == NULL;
}


int
nat64_prefix(nat64_prefix_t *prefix, const struct in6_addr *addr)
{
    size_t         i;
    unsigned       found;
    unsigned char  v4[4];

    for (i = found = 0; i < sizeof(nat64_bits) / sizeof(nat64_bits[0]); i++) {
        if (nat64_take(v4, addr->s6_addr, nat64_bits[i]) == 0
            && nat64_is_only(v4))
        {
            found++;
            prefix->bits = nat64_bits[i];
        }
    }

    if (found != 1) {
        return -1;
    }

    memset(prefix->net, 0, sizeof(prefix->net));
    memcpy(prefix->net, addr->s6_addr, prefix->bits / 8);

    return nat64_permitted(prefix) ? 0 : -1;
}


unsigned
nat64_learn(const struct in6_addr *addr, unsigned n)
{
    unsigned        i, k;
    nat64_prefix_t  prefix;

    nat64_n = 0;

    for (i = 0; i < n && nat64_n < NAT64_PREFIXES; i++) {
        if (nat64_prefix(&prefix, &addr[i]) != 0) {
            continue;
        }

        for (k = 0; k < nat64_n
                    && memcmp(&nat64_learned[k], &prefix, sizeof(prefix)) != 0;
             k++) { /* void */ }

        nat64_learned[k] = prefix;
        nat64_n += k == nat64_n;
    }

    return nat64_n;
}


/* If other octets stand where zeros should be, a translator does not serve the
   address; 0.0.0.0 is taken, which is not public. */

static int
nat64_below(rbl_addr_t *inside, const nat64_prefix_t *prefix,
    const rbl_addr_t *a)
{
    if (memcmp(a->b, prefix->net, prefix->bits / 8) != 0) {
        return 0;
    }

    memset(inside, 0, sizeof(*inside));
    inside->family = RBL_FAMILY_IPV4;

    if (nat64_take(inside->b, a->b, prefix->bits) != 0) {
        memset(inside->b, 0, sizeof(inside->b));
    }

    return 1;
}


int
nat64_inside(rbl_addr_t *inside, const rbl_addr_t *a)
{
    unsigned  i;

    if (a->family != RBL_FAMILY_IPV6) {
        return 0;
    }

    if (nat64_below(inside, &nat64_known, a)) {
        return 1;
    }

    for (i = 0; i < nat64_n; i++) {
        if (nat64_below(inside, &nat64_learned[i], a)) {
            return 1;
        }
    }

    return 0;
}
