/*
 * Passkeys: public keys as OpenSSL takes them, and signatures.
 */

#include "rbl_passkey_int.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/sha.h>


#define PASSKEY_POINT  4                /* both coordinates follow */

/* The prime and the constant d of Ed25519 (RFC 8032, 5.1). */
#define PASSKEY_ED_P                                                          \
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"
#define PASSKEY_ED_D                                                          \
    "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3"


static EVP_PKEY *
passkey_from(const char *type, OSSL_PARAM *params)
{
    EVP_PKEY      *pkey;
    EVP_PKEY_CTX  *ctx;

    pkey = NULL;
    ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);

    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) != 1
        || EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_PUBLIC_KEY, params) != 1)
    {
        pkey = NULL;
    }

    EVP_PKEY_CTX_free(ctx);

    return pkey;
}


static EVP_PKEY *
passkey_ec(const passkey_key_t *key)
{
    char           group[] = "prime256v1";
    OSSL_PARAM     params[3];
    unsigned char  point[1 + 2 * PASSKEY_COORD];

    point[0] = PASSKEY_POINT;
    memcpy(point + 1, key->x.p, PASSKEY_COORD);
    memcpy(point + 1 + PASSKEY_COORD, key->y.p, PASSKEY_COORD);

    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
                                                 group, 0);
    params[1] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY,
                                                  point, sizeof(point));
    params[2] = OSSL_PARAM_construct_end();

    return passkey_from("EC", params);
}


/* Numbers of OpenSSL's parameters have the byte order of the machine. */

static int
passkey_number(unsigned char *buf, rbl_str_t s)
{
    int      rc;
    BIGNUM  *bn;

    bn = BN_bin2bn((const unsigned char *) s.p, (int) s.n, NULL);
    rc = bn != NULL && BN_bn2nativepad(bn, buf, (int) s.n) == (int) s.n;
    BN_free(bn);

    return rc;
}


static EVP_PKEY *
passkey_rsa(const passkey_key_t *key)
{
    OSSL_PARAM     params[3];
    unsigned char  n[PASSKEY_RSA_MAX], e[PASSKEY_EXP_MAX];

    if (key->x.p[0] == '\0' || !passkey_number(n, key->x)
        || !passkey_number(e, key->y))
    {
        return NULL;
    }

    params[0] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, n, key->x.n);
    params[1] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, e, key->y.n);
    params[2] = OSSL_PARAM_construct_end();

    return passkey_from("RSA", params);
}


/* NULL: malformed, or no point of the curve. */

static EVP_PKEY *
passkey_pkey(passkey_key_t *key, rbl_str_t raw)
{
    passkey_cbor_t  c;

    passkey_init(&c, raw);
    passkey_cose(key, &c);

    if (c.failed || c.p != c.end || raw.n > RBL_PASSKEY_KEY_MAX) {
        return NULL;
    }

    switch (key->algorithm) {

    case RBL_PASSKEY_ES256:
        return passkey_ec(key);

    case RBL_PASSKEY_RS256:
        return passkey_rsa(key);

    default:
        return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL,
                                           (const unsigned char *) key->x.p,
                                           key->x.n);
    }
}


/*
 * The y of an encoded point has to be of the curve of Ed25519 (RFC 8032,
 * 5.1.3).  OpenSSL 3.0 takes any 32 octets.  With a point of small order
 * anybody can make a signature that is right.  x^2 is a fraction, (y^2 - 1) /
 * (d * y^2 + 1), which is a square if the product of both is a square.
 */

static int
passkey_ed_y(const BIGNUM *y, BN_CTX *ctx)
{
    int      rc;
    BIGNUM  *p, *d, *u, *v;

    p = d = NULL;
    u = BN_CTX_get(ctx);
    v = BN_CTX_get(ctx);

    rc = v != NULL
         && BN_hex2bn(&p, PASSKEY_ED_P) && BN_hex2bn(&d, PASSKEY_ED_D)
         && BN_cmp(y, p) < 0
         && BN_mod_sqr(u, y, p, ctx) && BN_mod_mul(v, u, d, p, ctx)
         && BN_sub_word(u, 1) && BN_add_word(v, 1)
         && BN_mod_mul(u, u, v, p, ctx) && BN_kronecker(u, p, ctx) == 1;

    BN_free(d);
    BN_free(p);

    return rc;
}


/* The points of order 8 have two y; those of order 4, 2 and 1 have 0, -1, 1. */

static int
passkey_ed_ok(rbl_str_t x)
{
    int             rc;
    size_t          i;
    BIGNUM         *y, *small;
    BN_CTX         *ctx;
    unsigned char   le[PASSKEY_COORD];

    static const char *const  orders[] = {
        "0",
        "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826",
        "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7"
    };

    memcpy(le, x.p, PASSKEY_COORD);
    le[PASSKEY_COORD - 1] &= 0x7f;      /* the sign of x */

    y = BN_lebin2bn(le, PASSKEY_COORD, NULL);
    ctx = BN_CTX_new();
    rc = y != NULL && ctx != NULL && passkey_ed_y(y, ctx);

    for (i = 0, small = NULL; rc && i < sizeof(orders) / sizeof(*orders); i++) {
        rc = BN_hex2bn(&small, orders[i]) != 0 && BN_cmp(y, small) != 0;
    }

    BN_free(small);
    BN_CTX_free(ctx);
    BN_free(y);

    return rc;
}


/* OpenSSL refuses a point that is not of P-256; its order is a prime. */

rbl_err_t
rbl_passkey_key(int64_t *algorithm, rbl_str_t raw)
{
    EVP_PKEY       *pkey;
    passkey_key_t   key;

    pkey = passkey_pkey(&key, raw);

    if (pkey == NULL
        || (key.algorithm == RBL_PASSKEY_EDDSA && !passkey_ed_ok(key.x)))
    {
        EVP_PKEY_free(pkey);
        return RBL_EINVAL;
    }

    EVP_PKEY_free(pkey);
    *algorithm = key.algorithm;

    return RBL_OK;
}


rbl_err_t
rbl_passkey_verify(rbl_str_t raw, rbl_str_t data, rbl_str_t client,
    rbl_str_t signature)
{
    rbl_err_t       err;
    EVP_PKEY       *pkey;
    EVP_MD_CTX     *ctx;
    passkey_key_t   key;
    unsigned char   text[RBL_PASSKEY_DATA_MAX + SHA256_DIGEST_LENGTH];

    if (data.n > RBL_PASSKEY_DATA_MAX) {
        return RBL_EINVAL;
    }

    memcpy(text, data.p, data.n);
    SHA256((const unsigned char *) client.p, client.n, text + data.n);

    pkey = passkey_pkey(&key, raw);
    ctx = EVP_MD_CTX_new();

    err = ctx == NULL ? RBL_ENOMEM
          : pkey != NULL
            && EVP_DigestVerifyInit(ctx, NULL,
                                    key.algorithm == RBL_PASSKEY_EDDSA
                                    ? NULL : EVP_sha256(), NULL, pkey) == 1
            && EVP_DigestVerify(ctx, (const unsigned char *) signature.p,
                                signature.n, text,
                                data.n + SHA256_DIGEST_LENGTH) == 1
            ? RBL_OK : RBL_EINVAL;

    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pkey);

    return err;
}
