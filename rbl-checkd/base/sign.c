/*
 * HMAC-SHA256 (RFC 2104) of OpenSSL, fed in pieces so that the body is never
 * copied.
 */

#include "sign.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "rbl_hex.h"
#include "rbl_out.h"


#define SIGN_DIGEST   32
#define SIGN_KEY_MAX  512


/* One context for all signatures: fetching HMAC and SHA-256 takes long. */

static EVP_MAC_CTX *
sign_context(void)
{
    EVP_MAC             *mac;
    OSSL_PARAM           params[2];
    static EVP_MAC_CTX  *ctx;

    if (ctx != NULL) {
        return ctx;
    }

    mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    ctx = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);

    params[0] = OSSL_PARAM_construct_utf8_string("digest", (char *) "SHA256",
                                                 0);
    params[1] = OSSL_PARAM_construct_end();

    if (ctx != NULL && !EVP_MAC_CTX_set_params(ctx, params)) {
        EVP_MAC_CTX_free(ctx);
        ctx = NULL;
    }

    return ctx;
}


/* HMAC-SHA256 over the n parts with "." between them. */

static rbl_err_t
sign_hmac(unsigned char digest[SIGN_DIGEST], rbl_str_t key,
    const rbl_str_t *part, size_t n)
{
    int           good;
    size_t        i, len;
    EVP_MAC_CTX  *ctx;

    /* A key of NULL would mean the key of the last signature. */

    ctx = sign_context();
    good = ctx != NULL
           && EVP_MAC_init(ctx, (const unsigned char *)
                                (key.n > 0 ? key.p : ""), key.n, NULL);

    for (i = 0; good && i < n; i++) {
        good = (i == 0 || EVP_MAC_update(ctx, (unsigned char *) ".", 1))
               && EVP_MAC_update(ctx, (const unsigned char *) part[i].p,
                                 part[i].n);
    }

    return good && EVP_MAC_final(ctx, digest, &len, SIGN_DIGEST)
           ? RBL_OK : RBL_ENOMEM;
}


/* The bytes behind "whsec_<base64>"; the secret itself if it is not that. */

static rbl_str_t
sign_key(unsigned char buf[SIGN_KEY_MAX], rbl_str_t secret)
{
    int        n;
    rbl_str_t  text;

    if (secret.n <= 6 || memcmp(secret.p, "whsec_", 6) != 0) {
        return secret;
    }

    text.p = secret.p + 6;
    text.n = secret.n - 6;

    if (text.n % 4 != 0 || text.n / 4 * 3 > SIGN_KEY_MAX) {
        return secret;
    }

    n = EVP_DecodeBlock(buf, (const unsigned char *) text.p, (int) text.n);

    if (n < 3) {
        return secret;
    }

    /* DecodeBlock counts the padding as bytes */

    n -= text.p[text.n - 1] == '=';
    n -= text.p[text.n - 2] == '=';

    return (rbl_str_t) { (const char *) buf, (size_t) n };
}


/* Appends both signatures of one secret; SIGN_MAX has room for two of each and
   a time of twenty digits. */

static rbl_err_t
sign_add(sign_t *sign, rbl_str_t secret, const rbl_str_t part[3])
{
    char          *p;
    rbl_err_t      err;
    unsigned char  digest[SIGN_DIGEST], key[SIGN_KEY_MAX];

    err = sign_hmac(digest, secret, part + 1, 2);
    if (err != RBL_OK) {
        return err;
    }

    p = stpcpy(sign->own + strlen(sign->own), ",v1=");
    rbl_hex(p, digest, SIGN_DIGEST);
    p[2 * SIGN_DIGEST] = '\0';

    err = sign_hmac(digest, sign_key(key, secret), part, 3);
    OPENSSL_cleanse(key, sizeof(key));
    if (err != RBL_OK) {
        return err;
    }

    p = sign->standard + strlen(sign->standard);
    p = stpcpy(p, p > sign->standard ? " v1," : "v1,");
    EVP_EncodeBlock((unsigned char *) p, digest, SIGN_DIGEST);

    return RBL_OK;
}


rbl_err_t
sign_make(sign_t *sign, rbl_str_t secret, rbl_str_t old, rbl_str_t id,
    int64_t t, rbl_str_t body)
{
    char       text[RBL_OUT_INT];
    rbl_err_t  err;
    rbl_str_t  part[3];

    part[0] = id;
    part[1] = rbl_out_int_text(text, t);
    part[2] = body;

    memcpy(sign->own, "t=", 2);
    rbl_copy(sign->own + 2, SIGN_MAX - 2, part[1]);
    sign->standard[0] = '\0';

    err = sign_add(sign, secret, part);

    return err == RBL_OK && old.n > 0 ? sign_add(sign, old, part) : err;
}
