/*
 * Credentials that were seen before: to decode and hash them again costs as
 * much as all the rest that is done before the store is asked.
 *
 * A slot holds the account and the digest of one Authorization header under a
 * keyed hash of the header.  The key is this process' own and random, so
 * nobody can make a header that is taken for another; nothing of the password
 * is kept, and who knows the slots cannot find it.  That credentials are
 * well-formed is all that a slot says: the store is asked for each request.
 *
 * The table is the worker's own and has no end of life; the last header seen
 * takes its slot.
 */

#include "ngx_rbl_logins.h"

#include <openssl/rand.h>


#define NGX_RBL_LOGINS  256


typedef struct {
    rbl_hash_keyed_t  name;
    rbl_sid_t         account;          /* n 0: the slot is empty */
    u_char            digest[32];
} ngx_rbl_login_t;


static ngx_rbl_login_t  ngx_rbl_logins[NGX_RBL_LOGINS];
static u_char           ngx_rbl_login_key[RBL_HASH_KEY];
static ngx_uint_t       ngx_rbl_login_keyed;


ngx_int_t
ngx_rbl_login_recall(ngx_rbl_ctx_t *ctx, rbl_hash_keyed_t *name)
{
    rbl_str_t         text;
    ngx_table_elt_t  *header;
    ngx_rbl_login_t  *login;

    ngx_memzero(name, sizeof(rbl_hash_keyed_t));

    header = ctx->request->headers_in.authorization;

    if (header == NULL) {
        return NGX_DECLINED;
    }

    if (!ngx_rbl_login_keyed) {
        if (RAND_bytes(ngx_rbl_login_key, RBL_HASH_KEY) != 1) {
            return NGX_DECLINED;
        }

        ngx_rbl_login_keyed = 1;
    }

    text.p = (const char *) header->value.data;
    text.n = header->value.len;
    *name = rbl_hash_keyed(text, ngx_rbl_login_key);

    login = &ngx_rbl_logins[name->low % NGX_RBL_LOGINS];

    if (((login->name.low ^ name->low) | (login->name.high ^ name->high)) != 0
        || login->account.n == 0)
    {
        return NGX_DECLINED;
    }

    ctx->account = login->account;
    ngx_memcpy(ctx->digest, login->digest, sizeof(ctx->digest));

    return NGX_OK;
}


void
ngx_rbl_login_keep(const ngx_rbl_ctx_t *ctx, const rbl_hash_keyed_t *name)
{
    ngx_rbl_login_t  *login;

    if (!ngx_rbl_login_keyed) {
        return;
    }

    login = &ngx_rbl_logins[name->low % NGX_RBL_LOGINS];

    login->name = *name;
    login->account = ctx->account;
    ngx_memcpy(login->digest, ctx->digest, sizeof(login->digest));
}
