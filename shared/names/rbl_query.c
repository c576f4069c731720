/*
 * Query names and links for a host at a list.  All output goes into the
 * caller's buffers.
 */

#include "rbl_query.h"
#include "rbl_name.h"

#include <arpa/inet.h>


/* A name being built, in buf[RBL_VALUE_MAX]. */

typedef struct {
    char    *buf;
    size_t   n;
    int      full;
} rbl_query_t;


static void
rbl_query_add(rbl_query_t *q, rbl_str_t s)
{
    if (q->full || s.n > RBL_DOMAIN_MAX - q->n) {
        q->full = 1;
        return;
    }

    rbl_name_lower(q->buf + q->n, s);
    q->n += s.n;
}


static rbl_err_t
rbl_query_ipv4(rbl_query_t *q, const char *z)
{
    int            i;
    size_t         n;
    char           part[4];
    unsigned char  b[4];
    unsigned       v, div;

    if (inet_pton(AF_INET, z, b) != 1) {
        return RBL_EINVAL;
    }

    for (i = 3; i >= 0; i--) {
        n = 0;
        v = b[i];

        for (div = 100; div > 0; div /= 10) {
            if (div == 1 || v >= div) {
                part[n++] = (char) ('0' + v / div % 10);
            }
        }

        part[n++] = '.';
        rbl_query_add(q, (rbl_str_t) { part, n - (i == 0) });
    }

    return RBL_OK;
}


static rbl_err_t
rbl_query_ipv6(rbl_query_t *q, const char *z)
{
    int                i;
    char               part[4];
    unsigned char      b[16];
    static const char  hex[] = "0123456789abcdef";

    /* not folded: the test point of an IPv6 list is a mapped address */

    if (inet_pton(AF_INET6, z, b) != 1) {
        return RBL_EINVAL;
    }

    part[1] = part[3] = '.';

    for (i = 15; i >= 0; i--) {
        part[0] = hex[b[i] & 0x0f];
        part[2] = hex[b[i] >> 4];
        rbl_query_add(q, (rbl_str_t) { part, sizeof(part) - (i == 0) });
    }

    return RBL_OK;
}


static rbl_err_t
rbl_query_value(rbl_query_t *q, rbl_family_t family, rbl_str_t value)
{
    char  z[INET6_ADDRSTRLEN];

    if (value.n == 0) {
        return RBL_EINVAL;
    }

    if (family == RBL_FAMILY_DOMAIN) {
        rbl_query_add(q, value);
        return RBL_OK;
    }

    if (value.n >= sizeof(z) || memchr(value.p, '\0', value.n) != NULL) {
        return RBL_EINVAL;
    }

    memcpy(z, value.p, value.n);
    z[value.n] = '\0';

    switch (family) {

    case RBL_FAMILY_IPV4:
        return rbl_query_ipv4(q, z);

    case RBL_FAMILY_IPV6:
        return rbl_query_ipv6(q, z);

    default:
        return RBL_EINVAL;
    }
}


rbl_str_t
rbl_zone_slot(rbl_str_t zone)
{
    int        more;
    rbl_str_t  label;

    do {
        label = rbl_label_next(&zone, &more);

        if (rbl_str_is(label, RBL_KEY_SLOT)
            || rbl_str_is(label, RBL_KEY_HIDDEN))
        {
            return label;
        }
    } while (more);

    return (rbl_str_t) { NULL, 0 };
}


static rbl_err_t
rbl_query_key(rbl_query_t *q, rbl_str_t zone, rbl_str_t key)
{
    size_t     before;
    rbl_str_t  slot;

    slot = rbl_zone_slot(zone);

    if (slot.p == NULL) {
        rbl_query_add(q, zone);
        return zone.n ? RBL_OK : RBL_EINVAL;
    }

    if (key.n == 0) {
        return RBL_EINVAL;
    }

    before = (size_t) (slot.p - zone.p);

    rbl_query_add(q, (rbl_str_t) { zone.p, before });
    rbl_query_add(q, key);

    before += slot.n;
    rbl_query_add(q, (rbl_str_t) { zone.p + before, zone.n - before });

    return RBL_OK;
}


static int
rbl_query_label_too_long(rbl_str_t name)
{
    int  more;

    do {
        if (rbl_label_next(&name, &more).n > RBL_DNS_LABEL_MAX) {
            return 1;
        }
    } while (more);

    return 0;
}


static void
rbl_query_begin(rbl_query_t *q, char *buf, rbl_str_t *out)
{
    q->buf = buf;
    q->n = 0;
    q->full = 0;

    out->p = buf;
    out->n = 0;
}


/* True if the result is a valid name. */

static rbl_err_t
rbl_query_end(rbl_query_t *q, rbl_str_t *out, rbl_err_t rc)
{
    rbl_str_t  name, last;

    q->buf[q->n] = '\0';

    if (rc != RBL_OK) {
        return rc;
    }

    name = (rbl_str_t) { q->buf, q->n };

    if (q->full || rbl_query_label_too_long(name)) {
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
    rbl_query_t  q;

    rbl_query_begin(&q, buf, out);

    return rbl_query_end(&q, out, rbl_query_value(&q, family, value));
}


rbl_err_t
rbl_query_zone(char buf[RBL_VALUE_MAX], rbl_str_t *out, rbl_str_t zone,
    rbl_str_t key)
{
    rbl_query_t  q;

    rbl_query_begin(&q, buf, out);

    return rbl_query_end(&q, out, rbl_query_key(&q, zone, key));
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


static size_t
rbl_percent(char out[3], char c)
{
    unsigned char      u;
    static const char  hex[] = "0123456789ABCDEF";

    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-' || c == '.' || c == '_' || c == '~')
    {
        out[0] = c;
        return 1;
    }

    u = (unsigned char) c;
    out[0] = '%';
    out[1] = hex[u >> 4];
    out[2] = hex[u & 0x0f];

    return 3;
}


static size_t
rbl_url_value(char *buf, size_t size, rbl_str_t value)
{
    char    part[3];
    size_t  i, n, len;

    len = 0;

    for (i = 0; i < value.n; i++) {
        n = rbl_percent(part, value.p[i]);

        if (n > size - len) {
            return size + 1;
        }

        memcpy(buf + len, part, n);
        len += n;
    }

    return len;
}


rbl_err_t
rbl_lookup_url(char *buf, size_t size, rbl_str_t *out, rbl_str_t pattern,
    rbl_str_t value)
{
    size_t  i, n, len;

    out->p = buf;
    out->n = 0;

    if (size == 0) {
        return RBL_ETOOBIG;
    }

    buf[0] = '\0';

    if (pattern.n == 0) {
        return RBL_EINVAL;
    }

    size--;                             /* room for the NUL */
    len = 0;

    for (i = 0; i < pattern.n; i += n) {
        if (pattern.n - i >= 2 && memcmp(pattern.p + i, "%s", 2) == 0) {
            len += rbl_url_value(buf + len, size - len, value);
            n = 2;

        } else {
            if (len < size) {
                buf[len] = pattern.p[i];
            }

            len++;
            n = 1;
        }

        if (len > size) {
            buf[0] = '\0';
            return RBL_ETOOBIG;
        }
    }

    buf[len] = '\0';
    out->n = len;

    return RBL_OK;
}


int
rbl_zone_ok(rbl_str_t zone)
{
    int        more, keys;
    size_t     labels;
    rbl_str_t  label;

    if (zone.n == 0 || zone.n > RBL_DOMAIN_MAX) {
        return 0;
    }

    keys = 0;
    labels = 0;

    do {
        label = rbl_label_next(&zone, &more);

        if (rbl_str_is(label, RBL_KEY_SLOT)) {
            keys++;

        } else if (rbl_label_ok(label)) {
            labels++;

        } else {
            return 0;
        }
    } while (more);

    return keys <= 1 && labels >= 2 && !rbl_label_numeric(label)
           && !rbl_str_is(label, RBL_KEY_SLOT);
}
