/*
 * Is a text Punycode (RFC 3492)?  It is decoded as far as that needs: the
 * numbers of the code points, without their order.
 */

#include "rbl_name.h"


enum {
    BASE = 36,
    TMIN = 1,
    TMAX = 26,
    SKEW = 38,
    DAMP = 700,
    BIAS = 72,
    FIRST = 0x80,
    GRAPHIC = 0xa1                      /* before it: control characters and a
                                           space */
};


static int
rbl_punycode_digit(char c)
{
    if (c >= 'a' && c <= 'z') {
        return c - 'a';
    }

    return c >= '0' && c <= '9' ? c - '0' + 26 : BASE;
}


static uint32_t
rbl_punycode_adapt(uint32_t delta, uint32_t points, int first)
{
    uint32_t  k;

    delta = first ? delta / DAMP : delta / 2;
    delta += delta / points;

    for (k = 0; delta > (BASE - TMIN) * TMAX / 2; k += BASE) {
        delta /= BASE - TMIN;
    }

    return k + (BASE - TMIN + 1) * delta / (delta + SKEW);
}


/* Takes one number of variable length off the text and adds it to *i. */

static int
rbl_punycode_number(rbl_str_t *rest, uint32_t bias, uint32_t *i)
{
    int       digit;
    uint32_t  k, t, w;

    w = 1;

    for (k = BASE; rest->n > 0; k += BASE) {
        digit = rbl_punycode_digit(*rest->p);
        rest->p++;
        rest->n--;

        if (digit == BASE || (uint32_t) digit > (UINT32_MAX - *i) / w) {
            return 0;
        }

        *i += (uint32_t) digit * w;
        t = k <= bias ? TMIN : k >= bias + TMAX ? TMAX : k - bias;

        if ((uint32_t) digit < t) {
            return 1;
        }

        if (w > UINT32_MAX / (BASE - t)) {
            return 0;
        }

        w *= BASE - t;
    }

    return 0;
}


int
rbl_punycode_ok(rbl_str_t text)
{
    uint32_t     n, i, old, bias, points;
    rbl_str_t    rest;
    const char  *dash;

    rest = text;
    dash = text.n ? memrchr(text.p, '-', text.n) : NULL;
    points = 0;

    if (dash != NULL) {
        points = (uint32_t) (dash - text.p);
        rest.p = dash + 1;
        rest.n = text.n - points - 1;
    }

    if (rest.n == 0 || rest.n > RBL_DNS_LABEL_MAX || dash == text.p) {
        return 0;
    }

    n = FIRST;
    bias = BIAS;

    for (i = 0; rest.n > 0; i++) {
        old = i;

        if (!rbl_punycode_number(&rest, bias, &i)) {
            return 0;
        }

        points++;
        bias = rbl_punycode_adapt(i - old, points, old == 0);

        if (i / points > 0x10ffff - n) {
            return 0;
        }

        n += i / points;
        i %= points;

        if (n < GRAPHIC || (n >= 0xd800 && n <= 0xdfff)) {
            return 0;
        }
    }

    return 1;
}
