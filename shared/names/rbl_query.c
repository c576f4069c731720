/*
 * Query names and links for a host at a list.  All output goes into the
 * caller's buffers.
 */

#include "rbl_query.h"

#include "rbl_hex.h"
#include "rbl_name.h"
#include "rbl_out.h"

#include <arpa/inet.h>


static void
rbl_query_add(rbl_out_t *name, rbl_str_t s)
{
    char  lower[RBL_DOMAIN_MAX];

    if (s.n > sizeof(lower)) {
        name->failed = 1;
        return;
    }

    rbl_name_lower(lower, s);
    rbl_out_bytes(name, lower, s.n);
}


static rbl_err_t
rbl_query_ipv4(rbl_out_t *name, const char *z)
{
    int            i;
    unsigned char  b[4];

    if (inet_pton(AF_INET, z, b) != 1) {
        return RBL_EINVAL;
    }

    for (i = 3; i > 0; i--) {
        rbl_out_int(name, b[i]);
        rbl_out_char(name, '.');
    }

    rbl_out_int(name, b[0]);

    return RBL_OK;
}


static rbl_err_t
rbl_query_ipv6(rbl_out_t *name, const char *z)
{
    int            i;
    char           part[4];
    unsigned char  b[16];

    /* not folded: the test point of an IPv6 list is a mapped address */

    if (inet_pton(AF_INET6, z, b) != 1) {
        return RBL_EINVAL;
    }

    part[1] = part[3] = '.';

    for (i = 15; i >= 0; i--) {
        part[0] = rbl_hex_digits[b[i] & 15];
        part[2] = rbl_hex_digits[b[i] >> 4];
        rbl_out_bytes(name, part, sizeof(part) - (i == 0));
    }

    return RBL_OK;
}


static rbl_err_t
rbl_query_value(rbl_out_t *name, rbl_family_t family, rbl_str_t value)
{
    char  z[INET6_ADDRSTRLEN];

    if (value.n == 0) {
        return RBL_EINVAL;
    }

    if (family == RBL_FAMILY_DOMAIN) {
        rbl_query_add(name, value);
        return RBL_OK;
    }

    if (value.n >= sizeof(z) || memchr(value.p, '\0', value.n) != NULL) {
        return RBL_EINVAL;
    }

    memcpy(z, value.p, value.n);
    z[value.n] = '\0';

    switch (family) {

    case RBL_FAMILY_IPV4:
        return rbl_query_ipv4(name, z);

    case RBL_FAMILY_IPV6:
        return rbl_query_ipv6(name, z);

    default:
        return RBL_EINVAL;
    }
}


rbl_str_t
rbl_zone_slot(rbl_str_t zone)
{
    rbl_str_t  label;

    do {
        label = rbl_until(&zone, '.');

        if (rbl_str_is(label, RBL_KEY_SLOT)
            || rbl_str_is(label, RBL_KEY_HIDDEN))
        {
            return label;
        }
    } while (zone.p != NULL);

    return (rbl_str_t) { NULL, 0 };
}


static rbl_err_t
rbl_query_key(rbl_out_t *name, rbl_str_t zone, rbl_str_t key)
{
    size_t     before;
    rbl_str_t  slot;

    slot = rbl_zone_slot(zone);

    if (slot.p == NULL) {
        rbl_query_add(name, zone);
        return zone.n ? RBL_OK : RBL_EINVAL;
    }

    if (key.n == 0) {
        return RBL_EINVAL;
    }

    before = (size_t) (slot.p - zone.p);

    rbl_query_add(name, (rbl_str_t) { zone.p, before });
    rbl_query_add(name, key);

    before += slot.n;
    rbl_query_add(name, (rbl_str_t) { zone.p + before, zone.n - before });

    return RBL_OK;
}


static int
rbl_query_label_too_long(rbl_str_t name)
{
    do {
        if (rbl_until(&name, '.').n > RBL_DNS_LABEL_MAX) {
            return 1;
        }
    } while (name.p != NULL);

    return 0;
}


static rbl_out_t
rbl_query_begin(char *buf, rbl_str_t *out)
{
    out->p = buf;
    out->n = 0;

    return (rbl_out_t) { buf, buf + RBL_DOMAIN_MAX, NULL, 0 };
}


/* Takes the name if it is a valid one. */

static rbl_err_t
rbl_query_end(const rbl_out_t *made, rbl_str_t *out, rbl_err_t rc)
{
    rbl_str_t  name, last;

    name = (rbl_str_t) { out->p, (size_t) (made->pos - out->p) };
    *made->pos = '\0';

    if (rc != RBL_OK) {
        return rc;
    }

    if (made->failed || rbl_query_label_too_long(name)) {
        return RBL_ETOOBIG;
    }

    if (rbl_name_labels(name, &last) == 0) {
        return RBL_EINVAL;
    }

    *out = name;

    return RBL_OK;
}


rbl_err_t
rbl_query_host(char buf[RBL_VALUE_MAX], rbl_str_t *out, rbl_family_t family,
    rbl_str_t value)
{
    rbl_out_t  name = rbl_query_begin(buf, out);

    return rbl_query_end(&name, out, rbl_query_value(&name, family, value));
}


rbl_err_t
rbl_query_zone(char buf[RBL_VALUE_MAX], rbl_str_t *out, rbl_str_t zone,
    rbl_str_t key)
{
    rbl_out_t  name = rbl_query_begin(buf, out);

    return rbl_query_end(&name, out, rbl_query_key(&name, zone, key));
}


rbl_err_t
rbl_query_name(char buf[RBL_VALUE_MAX], rbl_str_t *out, rbl_str_t host,
    rbl_str_t zone)
{
    size_t  n;

    n = host.n + 1 + zone.n;
    out->p = buf;
    out->n = 0;
    buf[0] = '\0';

    if (host.n > RBL_DOMAIN_MAX || zone.n > RBL_DOMAIN_MAX
        || n > RBL_DOMAIN_MAX)
    {
        return RBL_ETOOBIG;
    }

    memcpy(buf, host.p, host.n);
    buf[host.n] = '.';
    memcpy(buf + host.n + 1, zone.p, zone.n);
    buf[n] = '\0';
    out->n = n;

    return RBL_OK;
}


rbl_err_t
rbl_lookup_url(char *buf, size_t size, rbl_str_t *out, rbl_str_t pattern,
    rbl_str_t value)
{
    size_t       n;
    rbl_out_t    url;
    const char  *at;

    out->p = buf;
    out->n = 0;

    if (size == 0) {
        return RBL_ETOOBIG;
    }

    buf[0] = '\0';

    if (pattern.n == 0) {
        return RBL_EINVAL;
    }

    url = (rbl_out_t) { buf, buf + size - 1, NULL, 0 };

    while ((at = memmem(pattern.p, pattern.n, "%s", 2)) != NULL) {
        n = (size_t) (at - pattern.p);
        rbl_out_bytes(&url, pattern.p, n);
        rbl_out_percent(&url, value);
        pattern.p += n + 2;
        pattern.n -= n + 2;
    }

    rbl_out_str(&url, pattern);

    if (url.failed) {
        buf[0] = '\0';
        return RBL_ETOOBIG;
    }

    *url.pos = '\0';
    out->n = (size_t) (url.pos - buf);

    return RBL_OK;
}


int
rbl_zone_ok(rbl_str_t zone)
{
    int        keys;
    size_t     labels;
    rbl_str_t  label;

    if (zone.n == 0 || zone.n > RBL_DOMAIN_MAX) {
        return 0;
    }

    keys = 0;
    labels = 0;

    do {
        label = rbl_until(&zone, '.');

        if (rbl_str_is(label, RBL_KEY_SLOT)) {
            keys++;

        } else if (rbl_label_ok(label)) {
            labels++;

        } else {
            return 0;
        }
    } while (zone.p != NULL);

    return keys <= 1 && labels >= 2 && !rbl_label_numeric(label)
           && !rbl_str_is(label, RBL_KEY_SLOT);
}
