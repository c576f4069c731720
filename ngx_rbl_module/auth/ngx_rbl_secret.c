/*
 * Secrets: tokens, and those of links and sessions.
 */

#include "ngx_rbl_auth.h"

#include <openssl/evp.h>
#include <openssl/rand.h>


/*
 * One digest context per process: looking up the algorithm for each request
 * costs more than hashing.
 */

static EVP_MD_CTX  *md;


void
ngx_rbl_secret_done(void)
{
    EVP_MD_CTX_free(md);
    md = NULL;
}


ngx_uint_t
ngx_rbl_secret_ok(const ngx_str_t *secret)
{
    u_char  *p, *last;

    if (secret->len != NGX_RBL_SECRET_LEN) {
        return 0;
    }

    last = secret->data + secret->len;

    for (p = secret->data; p < last; p++) {
        if ((*p < '0' || *p > '9') && (*p < 'a' || *p > 'f')) {
            return 0;
        }
    }

    return 1;
}


ngx_int_t
ngx_rbl_sha256(rbl_str_t text, u_char *digest)
{
    if (md == NULL) {
        md = EVP_MD_CTX_new();

        if (md == NULL) {
            return NGX_ERROR;
        }

        if (EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1) {
            EVP_MD_CTX_free(md);
            md = NULL;
            return NGX_ERROR;
        }
    }

    /* NULL: keep the algorithm of the context */

    if (EVP_DigestInit_ex(md, NULL, NULL) != 1
        || EVP_DigestUpdate(md, text.p, text.n) != 1
        || EVP_DigestFinal_ex(md, digest, NULL) != 1)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_rbl_secret_make(u_char text[NGX_RBL_SECRET_LEN], u_char digest[32])
{
    u_char  random[NGX_RBL_SECRET_LEN / 2];

    if (RAND_bytes(random, sizeof(random)) != 1) {
        return NGX_ERROR;
    }

    ngx_hex_dump(text, random, sizeof(random));
    ngx_explicit_memzero(random, sizeof(random));

    return ngx_rbl_sha256((rbl_str_t) { (char *) text, NGX_RBL_SECRET_LEN },
                          digest);
}


rbl_str_t
ngx_rbl_secret_field(char hex[NGX_RBL_FIELD_LEN], const u_char *digest)
{
    rbl_str_t  field = { hex, NGX_RBL_FIELD_LEN };

    ngx_hex_dump((u_char *) hex, (u_char *) digest, NGX_RBL_FIELD_LEN / 2);

    return field;
}
