/*
 * The codes that confirm contacts.  A code is sent only to the contact.  The
 * store keeps the SHA-256 of the contact's SID and the code, so that equal
 * codes of two contacts have different digests.
 */

#include "ngx_rbl_api.h"

#include <openssl/evp.h>
#include <openssl/rand.h>


/* without i, l, o, 0 and 1 */

static const char  ngx_rbl_code_letters[] = "abcdefghjkmnpqrstuvwxyz23456789";

#define NGX_RBL_CODE_LETTERS  (sizeof(ngx_rbl_code_letters) - 1)


ngx_int_t
ngx_rbl_code_make(ngx_rbl_ctx_t *ctx, ngx_rbl_code_t *code,
    const rbl_sid_t *contact)
{
    u_char     byte;
    rbl_str_t  text;

    text.p = code->text;
    text.n = 0;

    /* large octets are skipped, so that all letters are equally likely */

    while (text.n < NGX_RBL_CODE_LEN) {
        if (RAND_bytes(&byte, 1) != 1) {
            ngx_rbl_internal(ctx);
            return NGX_ERROR;
        }

        if (byte < 256 / NGX_RBL_CODE_LETTERS * NGX_RBL_CODE_LETTERS) {
            code->text[text.n++] =
                           ngx_rbl_code_letters[byte % NGX_RBL_CODE_LETTERS];
        }
    }

    if (rbl_sid_make(&code->event, RBL_SID_EVENT) != RBL_OK) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return ngx_rbl_code_digest(ctx, code->digest, contact, text);
}


/* Users type the code, so capital letters are accepted. */

ngx_int_t
ngx_rbl_code_digest(ngx_rbl_ctx_t *ctx, u_char digest[32],
    const rbl_sid_t *contact, rbl_str_t text)
{
    u_char  *p;

    p = ngx_pnalloc(ctx->request->pool, contact->n + text.n);

    if (p != NULL) {
        ngx_memcpy(p, contact->s, contact->n);
        ngx_strlow(p + contact->n, (u_char *) text.p, text.n);
    }

    if (p == NULL
        || EVP_Digest(p, contact->n + text.n, digest, NULL, EVP_sha256(), NULL)
           != 1)
    {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return NGX_OK;
}
