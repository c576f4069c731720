/*
 * DNS names, and the canonical form of domains.  Only names with an octet above
 * 127 go through libidn2.  The rules are checked on its output, so that they
 * also see characters (dots, slashes, digits) that a mapping produces.  A name
 * of A-labels is taken as it is if they are Punycode: the DNS has names that
 * IDNA2008 would not make, such as those of emoji.
 */

#include "rbl_name.h"

#include <idn2.h>


/* Longest input: 253 octets of A-labels never come from more than this. */
#define RBL_DOMAIN_INPUT_MAX  1024


void
rbl_name_lower(char *buf, rbl_str_t name)
{
    char    c;
    size_t  i;

    for (i = 0; i < name.n; i++) {
        c = name.p[i];
        buf[i] = c >= 'A' && c <= 'Z' ? (char) (c | 0x20) : c;
    }
}


static int
rbl_label_char_ok(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '-' || c == '_';
}


int
rbl_label_ok(rbl_str_t label)
{
    size_t  i;

    if (label.n == 0 || label.n > RBL_DNS_LABEL_MAX
        || label.p[0] == '-' || label.p[label.n - 1] == '-')
    {
        return 0;
    }

    for (i = 0; i < label.n; i++) {
        if (!rbl_label_char_ok(label.p[i])) {
            return 0;
        }
    }

    return 1;
}


int
rbl_label_numeric(rbl_str_t label)
{
    size_t  i;

    for (i = 0; i < label.n; i++) {
        if (label.p[i] < '0' || label.p[i] > '9') {
            return 0;
        }
    }

    return label.n > 0;
}


size_t
rbl_name_labels(rbl_str_t name, rbl_str_t *last)
{
    size_t  n;

    if (name.n == 0 || name.n > RBL_DOMAIN_MAX) {
        return 0;
    }

    n = 0;

    do {
        *last = rbl_until(&name, '.');

        if (!rbl_label_ok(*last)) {
            return 0;
        }

        n++;
    } while (name.p != NULL);

    return n;
}


static rbl_err_t
rbl_domain_canonical(char buf[RBL_VALUE_MAX], rbl_str_t *out, rbl_str_t name)
{
    rbl_str_t  last;

    if (name.n > 0 && name.p[name.n - 1] == '.') {
        name.n--;
    }

    if (rbl_name_labels(name, &last) < 2 || rbl_label_numeric(last)) {
        return RBL_EINVAL;
    }

    rbl_name_lower(buf, name);
    buf[name.n] = '\0';

    out->p = buf;
    out->n = name.n;

    return RBL_OK;
}


/* True if the name needs libidn2; -1: it has a NUL or a control character. */

static int
rbl_domain_is_idn(rbl_str_t name)
{
    int            idn;
    size_t         i;
    unsigned char  c;

    idn = 0;

    for (i = 0; i < name.n; i++) {
        c = (unsigned char) name.p[i];

        if (c < 0x20 || c == 0x7f) {
            return -1;
        }

        idn |= c >= 0x80;
    }

    return idn;
}


static int
rbl_label_is_ace(rbl_str_t label)
{
    return rbl_str_begins(label, "xn--");
}


static int
rbl_domain_aces_ok(rbl_str_t name)
{
    rbl_str_t  label;

    do {
        label = rbl_until(&name, '.');

        if (rbl_label_is_ace(label)
            && !rbl_punycode_ok((rbl_str_t) { label.p + 4, label.n - 4 }))
        {
            return 0;
        }
    } while (name.p != NULL);

    return 1;
}


rbl_err_t
rbl_domain_parse(char buf[RBL_VALUE_MAX], rbl_str_t *out, rbl_str_t text)
{
    int         idn;
    char        lower[RBL_DOMAIN_INPUT_MAX + 1];
    uint8_t    *ascii;
    rbl_err_t   rc;
    rbl_str_t   name;

    out->p = buf;
    out->n = 0;
    buf[0] = '\0';

    if (text.n == 0 || text.n > RBL_DOMAIN_INPUT_MAX) {
        return RBL_EINVAL;
    }

    rbl_name_lower(lower, text);
    lower[text.n] = '\0';
    name.p = lower;
    name.n = text.n;

    idn = rbl_domain_is_idn(name);

    if (idn < 0) {
        return RBL_EINVAL;
    }

    if (!idn) {
        return rbl_domain_aces_ok(name) ? rbl_domain_canonical(buf, out, name)
                                        : RBL_EINVAL;
    }

    switch (idn2_lookup_u8((const uint8_t *) lower, &ascii,
                           IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL))
    {
    case IDN2_OK:
        break;

    case IDN2_MALLOC:
        return RBL_ENOMEM;

    default:
        return RBL_EINVAL;
    }

    /* libidn2 leaves A-labels beside those that it makes as they are */

    name = rbl_str((const char *) ascii);
    rc = rbl_domain_aces_ok(name) ? rbl_domain_canonical(buf, out, name)
                                  : RBL_EINVAL;

    idn2_free(ascii);

    return rc;
}


int
rbl_domain_top_ok(rbl_str_t domain)
{
    size_t     i;
    rbl_str_t  last;

    if (rbl_name_labels(domain, &last) == 0) {
        return 0;
    }

    if (rbl_label_is_ace(last)) {
        return 1;
    }

    for (i = 0; i < last.n; i++) {
        if (last.p[i] < 'a' || last.p[i] > 'z') {
            return 0;
        }
    }

    return 1;
}
