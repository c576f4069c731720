/*
 * Passkeys: keys of Ed25519 whose point is off the curve, has a small order or
 * is not in its only form.
 */

#include "rbl_passkey.h"
#include "tap.h"


/* y with the lowest octet first; the highest bit is the sign of x */
static const struct { const char *name, *y; } bad[] = {
    { "order 1", "01" },
    { "order 2", "ecffffffffffffffffffffffffffffff"
                 "ffffffffffffffffffffffffffffff7f" },
    { "order 4", "" },
    { "order 8", "26e8958fc2b227b045c3f489f2ef98f0"
                 "d5dfac05d3c63339b13802886d53fc05" },
    { "order 8 with another y", "c7176a703d4dd84fba3c0b760d10670f"
                                "2a2053fa2c39ccc64ec7fd7792ac037a" },
    { "the prime instead of 0", "edffffffffffffffffffffffffffffff"
                                "ffffffffffffffffffffffffffffff7f" },
    { "the prime and 1", "eeffffffffffffffffffffffffffffff"
                         "ffffffffffffffffffffffffffffff7f" },
    { "the prime and 3", "f0ffffffffffffffffffffffffffffff"
                         "ffffffffffffffffffffffffffffff7f" },
    { "the largest number", "ffffffffffffffffffffffffffffffff"
                            "ffffffffffffffffffffffffffffff7f" },
    { "a y without an x", "02" }, { "another y without an x", "07" },
};

/* The base point, and small y that have an x. */
static const char *const  good[] = {
    "5866666666666666666666666666666666666666666666666666666666666666",
    "03", "04", "05", "06"
};


/* Reads the key with that y. */
static rbl_err_t
read_key(const char *y, unsigned sign)
{
    size_t         k;
    int64_t        algorithm;
    unsigned char  cose[42] = { 0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32 };

    for (k = 0; y[2 * k] != '\0'; k++) {
        sscanf(y + 2 * k, "%2hhx", &cose[10 + k]);
    }

    cose[41] |= (unsigned char) (sign << 7);

    return rbl_passkey_key(&algorithm, (rbl_str_t) { (const char *) cose,
                                                     sizeof(cose) });
}


int
main(void)
{
    size_t    i;
    unsigned  sign;

    for (sign = 0; sign < 2; sign++) {
        for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
            ok(read_key(bad[i].y, sign) == RBL_EINVAL,
               "a point is refused: %s, sign %u", bad[i].name, sign);
        }

        for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
            ok(read_key(good[i], sign) == RBL_OK,
               "the point with y %.8s and sign %u is taken", good[i], sign);
        }
    }

    return tap_done();
}
