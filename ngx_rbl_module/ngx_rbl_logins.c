/*
 * Credentials that were seen before: to decode and hash them again costs as
 * much as all the rest that is done before the store is asked.
 *
 * A slot holds the account and the digest of one Authorization header under a
 * keyed hash of the header.  The key is this process' own and random, so
 * nobody can make a header that is taken for another; nothing of the password
 * is kept, and who knows the slots cannot find it.
 *
 * Beside them it may hold what account and token said when they were read,
 * with the stamp of the account's totals that came with them.  Whoever changes
 * one of the two changes the stamp in the same step, or deletes the totals, and
 * no stamp comes twice: so it is used only for a request whose own totals have
 * that stamp, and one that comes after a token's end finds that end.  It is
 * read anew at least every second all the same, lest a change by other hands
 * be missed for good.  A suspended account is not kept, nor a token with an
 * allow list, which has to be compared.
 *
 * The table is the worker's own; the last header seen takes its slot.
 */

#include "ngx_rbl_logins.h"

#include <openssl/rand.h>


#define NGX_RBL_LOGINS      256
#define NGX_RBL_LOGIN_HOLDS  1000       /* ms */


struct ngx_rbl_login_s {
    rbl_hash_keyed_t            name;
    rbl_sid_t                   account;    /* n 0: the slot is empty */
    u_char                      digest[32];

    int64_t                     made;   /* of the totals; 0: all that follows
                                           is not known */
    ngx_msec_t                  learned;
    const ngx_rbl_store_t      *store;
    const ngx_rbl_main_conf_t  *conf;   /* whose the zone is */
    const rbl_zone_t           *zone;
    rbl_sid_t                   app;
    rbl_sid_t                   profile;
    rbl_sid_t                   group;
    int64_t                     limits[NGX_RBL_LIMITS];
    ngx_uint_t                  paid;
};


static ngx_int_t ngx_rbl_login_own(const ngx_rbl_ctx_t *ctx);


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

    ctx->login = login;
    ctx->account = login->account;
    ngx_memcpy(ctx->digest, login->digest, sizeof(ctx->digest));

    return NGX_OK;
}


void
ngx_rbl_login_keep(ngx_rbl_ctx_t *ctx, const rbl_hash_keyed_t *name)
{
    ngx_rbl_login_t  *login;

    if (!ngx_rbl_login_keyed) {
        return;
    }

    login = &ngx_rbl_logins[name->low % NGX_RBL_LOGINS];

    login->name = *name;
    login->account = ctx->account;
    ngx_memcpy(login->digest, ctx->digest, sizeof(login->digest));
    login->made = 0;

    ctx->login = login;
}


/* The slot may have been taken by others since the request came. */

static ngx_int_t
ngx_rbl_login_own(const ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_login_t  *login;

    login = ctx->login;

    return login != NULL
           && ngx_memcmp(login->digest, ctx->digest, sizeof(ctx->digest)) == 0
           && ngx_memcmp(login->account.s, ctx->account.s, RBL_SID_LEN) == 0;
}


ngx_int_t
ngx_rbl_login_known(const ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_login_t  *login;

    login = ctx->login;

    return ngx_rbl_login_own(ctx) && login->made != 0
           && login->store == ctx->store
           && login->conf == ngx_http_get_module_main_conf(ctx->request,
                                                           ngx_rbl_module)
           && ngx_current_msec - login->learned < NGX_RBL_LOGIN_HOLDS;
}


ngx_int_t
ngx_rbl_login_use(ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_login_t  *login;

    login = ctx->login;

    if (!ngx_rbl_login_own(ctx) || login->made != ctx->totals.made
        || login->store != ctx->store)
    {
        return NGX_DECLINED;
    }

    ctx->authenticated = 1;
    ctx->app = login->app;
    ctx->profile = login->profile;
    ctx->group = login->group;
    ctx->zone = login->zone;
    ctx->paid = login->paid;

    ngx_memcpy(ctx->limits, login->limits, sizeof(ctx->limits));
    ngx_rbl_admit_limits(ctx);

    return NGX_OK;
}


void
ngx_rbl_login_learn(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_login_t  *login;

    login = ctx->login;

    if (!ngx_rbl_login_own(ctx)) {
        return;
    }

    if (ctx->suspended || ctx->placed) {
        login->made = 0;
        return;
    }

    login->made = ctx->totals.made;
    login->learned = ngx_current_msec;
    login->store = ctx->store;
    login->conf = ngx_http_get_module_main_conf(ctx->request, ngx_rbl_module);
    login->zone = ctx->zone;
    login->app = ctx->app;
    login->profile = ctx->profile;
    login->group = ctx->group;
    login->paid = ctx->paid;
    ngx_memcpy(login->limits, ctx->limits, sizeof(login->limits));
}
