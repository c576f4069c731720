/*
 * SIDs: their form, and new SIDs from random numbers of the kernel.
 */

#include "rbl_sid.h"

#include "rbl_hex.h"

#include <errno.h>
#include <sys/random.h>


#define RBL_SID_BYTES_MAX  ((RBL_SID_MAX - 2) / 2)


static const char  rbl_sid_prefixes[][3] = {
    "AC", "AP", "HT", "RP", "RB", "CO", "CG", "PP", "EV", "WH",
    "US", "PK", "PY", "PS", "MU"
};


static size_t
rbl_sid_len(rbl_sid_kind_t kind)
{
    return kind == RBL_SID_CHECK ? RBL_SID_CHECK_LEN : RBL_SID_LEN;
}


static void
rbl_sid_write(rbl_sid_t *sid, rbl_sid_kind_t kind, const unsigned char *bytes)
{
    sid->n = rbl_sid_len(kind);
    sid->s[0] = rbl_sid_prefixes[kind][0];
    sid->s[1] = rbl_sid_prefixes[kind][1];

    rbl_hex(sid->s + 2, bytes, (sid->n - 2) / 2);
    sid->s[sid->n] = '\0';
}


int
rbl_sid_like(rbl_sid_kind_t kind, rbl_str_t text)
{
    return text.n == rbl_sid_len(kind)
           && memcmp(text.p, rbl_sid_prefixes[kind], 2) == 0;
}


rbl_err_t
rbl_sid_parse(rbl_sid_t *sid, rbl_sid_kind_t kind, rbl_str_t text)
{
    int     digit;
    size_t  i;

    sid->n = 0;
    sid->s[0] = '\0';

    if (!rbl_sid_like(kind, text)) {
        return RBL_EINVAL;
    }

    memcpy(sid->s, text.p, 2);

    for (i = 2; i < text.n; i++) {
        digit = rbl_hex_value(text.p[i]);

        if (digit < 0) {
            sid->s[0] = '\0';
            return RBL_EINVAL;
        }

        sid->s[i] = rbl_hex_digits[digit];
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
    int       digit;
    size_t    i;
    unsigned  n;

    if (sid.n < 2 + 2 * 16) {
        return RBL_EINVAL;
    }

    for (i = 0, n = 0; i < 2 * 16; i++) {
        digit = rbl_hex_value(sid.p[2 + i]);

        if (digit < 0) {
            return RBL_EINVAL;
        }

        n = n << 4 | (unsigned) digit;
        digest[i / 2] = (unsigned char) n;
    }

    return RBL_OK;
}
