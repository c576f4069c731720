/*
 * Addresses and subnets.
 */

#include "rbl_name.h"
#include "rbl_out.h"

#include <arpa/inet.h>


static const unsigned char  rbl_mapped[12] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff
};


static unsigned
rbl_addr_len(const rbl_addr_t *a)
{
    return a->family == RBL_FAMILY_IPV4 ? 4 : 16;
}


static int
rbl_addr_is_mapped(const rbl_addr_t *a)
{
    return a->family == RBL_FAMILY_IPV6
           && memcmp(a->b, rbl_mapped, sizeof(rbl_mapped)) == 0;
}


/* As written: an IPv4-mapped address is not folded. */

static rbl_err_t
rbl_addr_read(rbl_addr_t *a, rbl_str_t text)
{
    char  z[INET6_ADDRSTRLEN];

    memset(a, 0, sizeof(*a));

    if (text.n == 0 || text.n >= sizeof(z)
        || memchr(text.p, '\0', text.n) != NULL)
    {
        return RBL_EINVAL;
    }

    memcpy(z, text.p, text.n);
    z[text.n] = '\0';

    if (inet_pton(AF_INET, z, a->b) == 1) {
        a->family = RBL_FAMILY_IPV4;
        return RBL_OK;
    }

    if (inet_pton(AF_INET6, z, a->b) == 1) {
        a->family = RBL_FAMILY_IPV6;
        return RBL_OK;
    }

    memset(a, 0, sizeof(*a));

    return RBL_EINVAL;
}


rbl_err_t
rbl_addr_parse(rbl_addr_t *a, rbl_str_t text)
{
    if (rbl_addr_read(a, text) != RBL_OK) {
        return RBL_EINVAL;
    }

    if (rbl_addr_is_mapped(a)) {
        memcpy(a->b, a->b + 12, 4);
        memset(a->b + 4, 0, 12);
        a->family = RBL_FAMILY_IPV4;
    }

    return RBL_OK;
}


rbl_str_t
rbl_addr_text(char buf[RBL_VALUE_MAX], const rbl_addr_t *a)
{
    unsigned   i;
    rbl_out_t  out = { buf, buf + RBL_VALUE_MAX, NULL, 0 };

    if (a->family == RBL_FAMILY_IPV4) {
        for (i = 0; i < 4; i++) {
            rbl_out_int(&out, a->b[i]);
            rbl_out_char(&out, i < 3 ? '.' : '\0');
        }

    } else if (inet_ntop(AF_INET6, a->b, buf, RBL_VALUE_MAX) == NULL) {
        buf[0] = '\0';
    }

    return rbl_str(buf);
}


/* Returns the bits of octet i that lie inside a prefix of that many bits. */

static unsigned char
rbl_prefix_mask(unsigned bits, unsigned i)
{
    if (bits >= (i + 1) * 8) {
        return 0xff;
    }

    if (bits <= i * 8) {
        return 0;
    }

    return (unsigned char) (0xff00 >> (bits - i * 8));
}


rbl_err_t
rbl_subnet_parse(rbl_subnet_t *net, rbl_str_t text)
{
    int            dirty;
    int64_t        bits;
    unsigned       i, len;
    rbl_str_t      number = text;
    unsigned char  mask;

    memset(net, 0, sizeof(*net));

    if (rbl_addr_read(&net->addr, rbl_until(&number, '/')) != RBL_OK
        || rbl_addr_is_mapped(&net->addr))
    {
        return RBL_EINVAL;
    }

    len = rbl_addr_len(&net->addr);

    if (rbl_int_parse(&bits, number, 0, len * 8) != RBL_OK
        || (number.n > 1 && number.p[0] == '0'))
    {
        return RBL_EINVAL;
    }

    net->bits = (unsigned) bits;
    dirty = 0;

    for (i = 0; i < len; i++) {
        mask = rbl_prefix_mask(net->bits, i);
        dirty |= net->addr.b[i] & ~mask;
        net->addr.b[i] &= mask;
    }

    return dirty ? RBL_EHOSTBITS : RBL_OK;
}


rbl_str_t
rbl_subnet_text(char buf[RBL_VALUE_MAX], const rbl_subnet_t *net)
{
    rbl_out_t  out = { NULL, buf + RBL_VALUE_MAX, NULL, 0 };

    out.pos = buf + rbl_addr_text(buf, &net->addr).n;
    rbl_out_char(&out, '/');
    rbl_out_int(&out, net->bits);
    rbl_out_char(&out, '\0');

    return rbl_str(buf);
}


rbl_err_t
rbl_network_parse(char buf[RBL_VALUE_MAX], rbl_str_t *net, rbl_str_t text)
{
    rbl_err_t     err;
    rbl_subnet_t  subnet;

    if (rbl_str_is(text, "unix:")) {
        *net = RBL_STR("unix:");
        return RBL_OK;
    }

    err = RBL_OK;

    if (rbl_addr_parse(&subnet.addr, text) == RBL_OK) {
        subnet.bits = rbl_addr_len(&subnet.addr) * 8;

    } else {
        err = rbl_subnet_parse(&subnet, text);
    }

    if (err == RBL_OK || err == RBL_EHOSTBITS) {
        *net = rbl_subnet_text(buf, &subnet);
    }

    return err;
}


uint64_t
rbl_subnet_size(const rbl_subnet_t *net)
{
    unsigned  host;

    host = rbl_addr_len(&net->addr) * 8 - net->bits;

    return host < 64 ? UINT64_C(1) << host : UINT64_MAX;
}


rbl_addr_t
rbl_subnet_addr(const rbl_subnet_t *net, uint64_t i)
{
    unsigned    at;
    uint64_t    carry;
    rbl_addr_t  a;

    a = net->addr;
    carry = 0;

    for (at = rbl_addr_len(&a); at > 0 && (i > 0 || carry > 0); at--) {
        carry += a.b[at - 1] + (i & 0xff);
        a.b[at - 1] = (unsigned char) carry;
        carry >>= 8;
        i >>= 8;
    }

    return a;
}


int
rbl_subnet_has(const rbl_subnet_t *net, const rbl_addr_t *a)
{
    unsigned  i, len;

    if (net->addr.family != a->family) {
        return 0;
    }

    len = rbl_addr_len(a);

    for (i = 0; i < len; i++) {
        if ((net->addr.b[i] ^ a->b[i]) & rbl_prefix_mask(net->bits, i)) {
            return 0;
        }
    }

    return 1;
}


int
rbl_addr_local(const rbl_addr_t *a)
{
    size_t  i;

    static const rbl_subnet_t  local[] = {
        { { RBL_FAMILY_IPV4, { 0 } }, 8 },
        { { RBL_FAMILY_IPV4, { 10 } }, 8 },
        { { RBL_FAMILY_IPV4, { 100, 64 } }, 10 },
        { { RBL_FAMILY_IPV4, { 127 } }, 8 },
        { { RBL_FAMILY_IPV4, { 169, 254 } }, 16 },
        { { RBL_FAMILY_IPV4, { 172, 16 } }, 12 },
        { { RBL_FAMILY_IPV4, { 192, 168 } }, 16 },
        { { RBL_FAMILY_IPV4, { 224 } }, 4 },
        { { RBL_FAMILY_IPV4, { 255, 255, 255, 255 } }, 32 },
        { { RBL_FAMILY_IPV6, { 0 } }, 127 },            /* :: and ::1 */
        { { RBL_FAMILY_IPV6, { 0xfc } }, 7 },
        { { RBL_FAMILY_IPV6, { 0xfe, 0x80 } }, 9 },     /* fec0::/10 too */
        { { RBL_FAMILY_IPV6, { 0xff } }, 8 }
    };

    for (i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
        if (rbl_subnet_has(&local[i], a)) {
            return 1;
        }
    }

    return 0;
}


/* A number of an address, or what people write for all or some numbers. */

static int
rbl_range_part(rbl_str_t part, int *open)
{
    rbl_str_t  low;

    if (rbl_label_numeric(part)) {
        return 1;
    }

    *open = 1;

    if (rbl_str_is(part, "*") || rbl_str_is(part, "x")
        || rbl_str_is(part, "X"))
    {
        return 1;
    }

    low = rbl_until(&part, '-');

    return rbl_label_numeric(low) && rbl_label_numeric(part);
}


/* 192.0.2.*, 192.0.*.*, 192.0.2.x, 192.0.0-3.1, 192.0.2.10-20 */

static int
rbl_range_parts(rbl_str_t text)
{
    int     open;
    size_t  n;

    n = 0;
    open = 0;

    do {
        if (!rbl_range_part(rbl_until(&text, '.'), &open)
            || (n++ == 0 && open))
        {
            return 0;
        }
    } while (text.p != NULL);

    return open && n <= 4;
}


int
rbl_range_like(rbl_str_t text)
{
    rbl_str_t   first, last;
    rbl_addr_t  a;

    last = text;
    first = rbl_trim(rbl_until(&last, '-'));

    if (last.p == NULL || rbl_addr_read(&a, first) != RBL_OK) {
        return rbl_range_parts(text);
    }

    last = rbl_trim(last);

    return rbl_label_numeric(last) || rbl_addr_read(&a, last) == RBL_OK;
}
