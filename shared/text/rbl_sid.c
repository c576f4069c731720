/*
 * SIDs: their form, and new SIDs from random numbers of the kernel.
 */

#include "rbl_sid.h"

#include <errno.h>
#include <sys/random.h>


#define RBL_SID_BYTES_MAX  ((RBL_SID_MAX - 2) / 2)


static const char  rbl_sid_prefixes[][3] = {
    "AC", "AP", "HT", "RP", "RB", "CO", "CG", "PP", "EV", "WH",
    "US", "PK", "PY", "PS"
};


static size_t
rbl_sid_len(rbl_sid_kind_t kind)
{
    return kind == RBL_SID_CHECK ? RBL_SID_CHECK_LEN : RBL_SID_LEN;
}


static void
rbl_sid_write(rbl_sid_t *sid, rbl_sid_kind_t kind, const unsigned char *bytes)
{
    size_t             i;
    static const char  hex[] = "0123456789abcdef";

    sid->n = rbl_sid_len(kind);
    sid->s[0] = rbl_sid_prefixes[kind][0];
    sid->s[1] = rbl_sid_prefixes[kind][1];

    for (i = 2; i < sid->n; i += 2) {
        sid->s[i] = hex[*bytes >> 4];
        sid->s[i + 1] = hex[*bytes++ & 0x0f];
    }

    sid->s[i] = '\0';
}


int
rbl_sid_like(rbl_sid_kind_t kind, rbl_str_t text)
{
    return text.n == rbl_sid_len(kind)
           && memcmp(text.p, rbl_sid_prefixes[kind], 2) == 0;
}


/* Returns a hex digit in lower case; 0: not a hex digit. */

static const char  rbl_sid_digits[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4',
    ['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9',
    ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e',
    ['f'] = 'f',
    ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e',
    ['F'] = 'f',
};


rbl_err_t
rbl_sid_parse(rbl_sid_t *sid, rbl_sid_kind_t kind, rbl_str_t text)
{
    char    c;
    size_t  i;

    sid->n = 0;
    sid->s[0] = '\0';

    if (!rbl_sid_like(kind, text)) {
        return RBL_EINVAL;
    }

    memcpy(sid->s, text.p, 2);

    for (i = 2; i < text.n; i++) {
        c = rbl_sid_digits[(unsigned char) text.p[i]];

        if (c == 0) {
            sid->s[0] = '\0';
            return RBL_EINVAL;
        }

        sid->s[i] = c;
    }

    sid->s[i] = '\0';
    sid->n = i;

    return RBL_OK;
}


rbl_err_t
rbl_sid_make(rbl_sid_t *sid, rbl_sid_kind_t kind)
{
    size_t         want;
    ssize_t        n;
    unsigned char  bytes[RBL_SID_BYTES_MAX];

    want = (rbl_sid_len(kind) - 2) / 2;

    do {
        n = getrandom(bytes, want, 0);
    } while (n == -1 && errno == EINTR);

    /* getrandom returns up to 256 bytes completely or fails */

    if (n < 0 || (size_t) n != want) {
        sid->n = 0;
        sid->s[0] = '\0';
        return RBL_EINVAL;
    }

    rbl_sid_write(sid, kind, bytes);

    return RBL_OK;
}


void
rbl_sid_from_digest(rbl_sid_t *sid, rbl_sid_kind_t kind,
    const unsigned char digest[16])
{
    unsigned char  bytes[RBL_SID_BYTES_MAX];

    /* the longer SID of a check uses the same digest twice */

    memcpy(bytes, digest, 16);
    memcpy(bytes + 16, digest, sizeof(bytes) - 16);

    rbl_sid_write(sid, kind, bytes);
}


rbl_err_t
rbl_sid_to_digest(unsigned char digest[16], rbl_str_t sid)
{
    size_t    i;
    unsigned  n, c;

    if (sid.n < 2 + 2 * 16) {
        return RBL_EINVAL;
    }

    for (i = 0, n = 0; i < 2 * 16; i++) {
        c = (unsigned char) rbl_sid_digits[(unsigned char) sid.p[2 + i]];

        if (c == 0) {
            return RBL_EINVAL;
        }

        n = n << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
        digest[i / 2] = (unsigned char) n;
    }

    return RBL_OK;
}
