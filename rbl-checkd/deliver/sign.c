/*
 * HMAC-SHA256 by OpenSSL's EVP_MAC, fed in pieces so that the body is never
 * copied.  Key material that was decoded is wiped before it goes.
 */

#include "sign.h"

#include <inttypes.h>
#include <stdio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>


#define SIGN_DIGEST   32
#define SIGN_KEY_MAX  512


static rbl_err_t
sign_update(EVP_MAC_CTX *ctx, const rbl_str_t *part, size_t n,
    unsigned char digest[SIGN_DIGEST])
{
    size_t  i, len;

    for (i = 0; i < n; i++) {
        if (i > 0 && !EVP_MAC_update(ctx, (const unsigned char *) ".", 1)) {
            return RBL_ENOMEM;
        }

        if (!EVP_MAC_update(ctx, (const unsigned char *) part[i].p,
                            part[i].n))
        {
            return RBL_ENOMEM;
        }
    }

    if (!EVP_MAC_final(ctx, digest, &len, SIGN_DIGEST)
        || len != SIGN_DIGEST)
    {
        return RBL_ENOMEM;
    }

    return RBL_OK;
}


/*
 * One context for all signatures: to look HMAC and SHA-256 up takes OpenSSL 3
 * longer than to sign an event.  The key does not stay in it.
 */

static EVP_MAC_CTX *
sign_context(void)
{
    EVP_MAC             *mac;
    OSSL_PARAM           params[2];
    static char          sha256[] = "SHA256";
    static EVP_MAC_CTX  *ctx;

    if (ctx != NULL) {
        return ctx;
    }

    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
                                                 sha256, 0);
    params[1] = OSSL_PARAM_construct_end();

    mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    ctx = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);

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
    rbl_err_t             err;
    EVP_MAC_CTX          *ctx;
    static unsigned char  none[SIGN_DIGEST];

    ctx = sign_context();

    if (ctx == NULL
        || !EVP_MAC_init(ctx, (const unsigned char *) key.p, key.n, NULL))
    {
        return RBL_ENOMEM;
    }

    err = sign_update(ctx, part, n, digest);
    (void) EVP_MAC_init(ctx, none, sizeof(none), NULL);

    return err;
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


static void
sign_hex(char *out, const unsigned char digest[SIGN_DIGEST])
{
    size_t             i;
    static const char  hex[] = "0123456789abcdef";

    for (i = 0; i < SIGN_DIGEST; i++) {
        *out++ = hex[digest[i] >> 4];
        *out++ = hex[digest[i] & 0xf];
    }

    *out = '\0';
}


/* Both signatures of one secret; they are put behind what is there. */

static rbl_err_t
sign_add(sign_t *sign, rbl_str_t secret, const rbl_str_t part[3])
{
    char           hex[2 * SIGN_DIGEST + 1];
    size_t         n;
    rbl_err_t      err;
    unsigned char  digest[SIGN_DIGEST], key[SIGN_KEY_MAX];

    err = sign_hmac(digest, secret, part + 1, 2);
    if (err != RBL_OK) {
        return err;
    }

    sign_hex(hex, digest);
    n = strlen(sign->own);
    snprintf(sign->own + n, SIGN_MAX - n, ",v1=%s", hex);

    err = sign_hmac(digest, sign_key(key, secret), part, 3);
    OPENSSL_cleanse(key, sizeof(key));
    if (err != RBL_OK) {
        return err;
    }

    n = strlen(sign->standard);
    n += (size_t) snprintf(sign->standard + n, SIGN_MAX - n, "%sv1,",
                           n > 0 ? " " : "");
    EVP_EncodeBlock((unsigned char *) sign->standard + n, digest, SIGN_DIGEST);

    return RBL_OK;
}


rbl_err_t
sign_make(sign_t *sign, rbl_str_t secret, rbl_str_t old, rbl_str_t id,
    int64_t t, rbl_str_t body)
{
    int        n;
    char       time[24];
    rbl_err_t  err;
    rbl_str_t  part[3];

    n = snprintf(time, sizeof(time), "%" PRId64, t);

    part[0] = id;
    part[1] = (rbl_str_t) { time, (size_t) n };
    part[2] = body;

    snprintf(sign->own, SIGN_MAX, "t=%s", time);
    sign->standard[0] = '\0';

    err = sign_add(sign, secret, part);

    return err == RBL_OK && old.n > 0 ? sign_add(sign, old, part) : err;
}
