/*
 * The credential cache of a worker.
 *
 * A slot holds the account and the token's digest of one Authorization header
 * under a keyed hash of the header; or those of a session, under a hash of its
 * cookie.  Decoding and hashing the header again
 * would cost as much as all other work before the store is queried.  The key is
 * random and belongs to this process, so a client cannot construct a collision.
 * The slot does not hold the password.
 *
 * A slot is proven for a minute after its credentials succeeded.  Only then
 * does a request read records together with account and token; other requests
 * read account and token first (ngx_rbl_request.c).  A refusal ends the proof.
 *
 * A slot may also hold the data of account and token, with the version stamp of
 * the account's totals that were read with them.  Every script that changes
 * account or token changes the stamp in the same step, or deletes the totals,
 * and no stamp is used twice.  So the cached data are used only for a request
 * whose totals have that stamp.  They expire after a second, because an
 * operator may change the store by hand.  Suspended accounts are not cached,
 * nor are tokens with an allow list, which must be compared.
 *
 * The table belongs to the worker.  A header may use one of four slots; it
 * never replaces a slot whose credentials are proven, so a flood of wrong
 * tokens does not evict the clients that are served.
 */

#include "ngx_rbl_identity.h"
#include "ngx_rbl_logins.h"

#include <openssl/rand.h>
#include <sodium.h>


#define NGX_RBL_LOGIN_SETS    512
#define NGX_RBL_LOGIN_WAYS    4         /* slots in which a header may be */
#define NGX_RBL_LOGIN_HOLDS   1000      /* lifetime of cached data, ms */
#define NGX_RBL_LOGIN_PROVES  60000     /* lifetime of a proof, ms */
#define NGX_RBL_LOGIN_KEY     crypto_shorthash_siphashx24_KEYBYTES


struct ngx_rbl_login_s {
    ngx_rbl_login_name_t        name;
    rbl_sid_t                   account;    /* n 0: the slot is empty */
    u_char                      digest[32];

    ngx_msec_t                  proved; /* time of the last success */
    ngx_msec_t                  touched;    /* if `fresh`: when the session was
                                               last kept alive */
    const ngx_rbl_store_t      *store;
    ngx_uint_t                  epoch;  /* of the store */
    const ngx_rbl_main_conf_t  *conf;   /* configuration that owns the zone */
    int64_t                     limits[RBL_LIMITS];
    rbl_addr_t                  from;   /* if placed: the last allowed
                                           address */

    int64_t                     made;   /* stamp of the totals; 0: the fields
                                           below are not set */
    ngx_msec_t                  learned;
    const rbl_timezone_t       *timezone;
    rbl_sid_t                   app;    /* or, of a session, */
    ngx_rbl_user_t              user;
    rbl_sid_t                   profile;
    rbl_sid_t                   group;
    int64_t                     lapsed;
    int64_t                     kept;

    unsigned                    proven:1;
    unsigned                    fresh:1;
    unsigned                    placed:1;
    unsigned                    paid:1;
    unsigned                    settled:1;
};


static ngx_rbl_login_t  ngx_rbl_logins[NGX_RBL_LOGIN_SETS][NGX_RBL_LOGIN_WAYS];
static u_char           ngx_rbl_login_keys[2][NGX_RBL_LOGIN_KEY];
static ngx_uint_t       ngx_rbl_login_keyed;    /* 1: the keys are random */


/* Returns the i-th slot of a name; nearly always the first one matches. */

static ngx_rbl_login_t *
ngx_rbl_login_way(const ngx_rbl_login_name_t *name, ngx_uint_t i)
{
    return &ngx_rbl_logins[name->low % NGX_RBL_LOGIN_SETS]
                          [(name->high + i) % NGX_RBL_LOGIN_WAYS];
}


/* SipHash-2-4 of libsodium, because EVP_MAC of OpenSSL takes four times as
   long.  A cookie has another key than a header of the same bytes. */

static ngx_int_t
ngx_rbl_login_hash(const ngx_str_t *header, ngx_uint_t cookie,
    ngx_rbl_login_name_t *name)
{
    if (!ngx_rbl_login_keyed) {
        if (RAND_bytes((u_char *) ngx_rbl_login_keys,
                       sizeof(ngx_rbl_login_keys))
            != 1)
        {
            return NGX_ERROR;
        }

        ngx_rbl_login_keyed = 1;
    }

    (void) crypto_shorthash_siphashx24((u_char *) name, header->data,
                                       header->len,
                                       ngx_rbl_login_keys[cookie]);

    return NGX_OK;
}


ngx_int_t
ngx_rbl_login_recall(ngx_rbl_ctx_t *ctx, const ngx_str_t *header,
    ngx_rbl_login_name_t *name)
{
    ngx_uint_t        i;
    ngx_rbl_login_t  *login;

    ngx_memzero(name, sizeof(ngx_rbl_login_name_t));

    if (ngx_rbl_login_hash(header, ctx->conf->portal == 1, name)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    for (i = 0; i < NGX_RBL_LOGIN_WAYS; i++) {
        login = ngx_rbl_login_way(name, i);

        if (((login->name.low ^ name->low) | (login->name.high ^ name->high))
            == 0
            && login->account.n != 0)
        {
            ctx->login = login;
            ctx->account = login->account;
            ngx_memcpy(ctx->digest, login->digest, sizeof(ctx->digest));

            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static ngx_uint_t
ngx_rbl_login_lately(const ngx_rbl_login_t *login)
{
    return login->proven
           && ngx_current_msec - login->proved < NGX_RBL_LOGIN_PROVES;
}


void
ngx_rbl_login_keep(ngx_rbl_ctx_t *ctx, const ngx_rbl_login_name_t *name)
{
    ngx_uint_t        i;
    ngx_rbl_login_t  *login;

    if (!ngx_rbl_login_keyed) {
        return;
    }

    for (i = 0; i < NGX_RBL_LOGIN_WAYS; i++) {
        login = ngx_rbl_login_way(name, i);

        if (ngx_rbl_login_lately(login)) {
            continue;
        }

        login->name = *name;
        login->account = ctx->account;
        ngx_memcpy(login->digest, ctx->digest, sizeof(login->digest));
        login->made = 0;
        login->proven = 0;
        login->fresh = 0;

        ctx->login = login;
        return;
    }
}


/* True if the slot still holds the request's credentials; another request may
   have replaced them. */

static ngx_int_t
ngx_rbl_login_own(const ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_login_t  *login;

    login = ctx->login;

    return login != NULL
           && ngx_memcmp(login->digest, ctx->digest, sizeof(ctx->digest)) == 0
           && ngx_memcmp(login->account.s, ctx->account.s, RBL_SID_LEN) == 0;
}


/* True if the slot belongs to this store and configuration. */

static ngx_int_t
ngx_rbl_login_here(const ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_login_t  *login;

    login = ctx->login;

    return ngx_rbl_login_own(ctx) && login->store == ctx->store
           && login->epoch == ngx_rbl_store_epoch(ctx->store)
           && login->conf == ngx_http_get_module_main_conf(ctx->request,
                                                           ngx_rbl_module);
}


ngx_int_t
ngx_rbl_login_proven(const ngx_rbl_ctx_t *ctx)
{
    rbl_addr_t              addr;
    const ngx_rbl_login_t  *login;

    login = ctx->login;

    if (!ngx_rbl_login_here(ctx) || !ngx_rbl_login_lately(login)
        || ngx_rbl_admit_counts(ctx, login->limits))
    {
        return 0;
    }

    if (!login->placed) {
        return 1;
    }

    ngx_rbl_admit_address(ctx->request, &addr);

    return ngx_memcmp(&login->from, &addr, sizeof(rbl_addr_t)) == 0;
}


ngx_int_t
ngx_rbl_login_known(const ngx_rbl_ctx_t *ctx)
{
    return ngx_rbl_login_here(ctx) && ctx->login->made != 0
           && ngx_current_msec - ctx->login->learned < NGX_RBL_LOGIN_HOLDS;
}


ngx_int_t
ngx_rbl_login_use(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_login_t  *login;

    login = ctx->login;

    if (!ngx_rbl_login_own(ctx) || login->made != ctx->totals.made
        || login->store != ctx->store
        || login->epoch != ngx_rbl_store_epoch(ctx->store)
        || !ngx_rbl_identity_same(ctx, &login->user))
    {
        return NGX_DECLINED;
    }

    ctx->round.authenticated = 1;
    ctx->app = login->app;
    ctx->user = login->user;
    ctx->profile = login->profile;
    ctx->group = login->group;
    ctx->timezone = login->timezone;
    ctx->paid = login->paid;
    ctx->lapsed = login->lapsed;
    ctx->kept = login->kept;
    ctx->settled = login->settled;

    ngx_memcpy(ctx->limits, login->limits, sizeof(ctx->limits));
    ngx_rbl_admit_limits(ctx);

    login->proved = ngx_current_msec;

    return NGX_OK;
}


static void
ngx_rbl_login_prove(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_login_t  *login;

    login = ctx->login;

    login->proven = 1;
    login->proved = ngx_current_msec;
    login->store = ctx->store;
    login->epoch = ngx_rbl_store_epoch(ctx->store);
    login->conf = ngx_http_get_module_main_conf(ctx->request, ngx_rbl_module);
    login->placed = ctx->placed;

    ngx_memcpy(login->limits, ctx->limits, sizeof(login->limits));

    if (ctx->placed) {
        ngx_rbl_admit_address(ctx->request, &login->from);
    }
}


void
ngx_rbl_login_learn(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_login_t  *login;

    login = ctx->login;

    if (!ngx_rbl_login_own(ctx)) {
        return;
    }

    login->made = 0;
    login->proven = 0;

    if (!ctx->round.authenticated || ctx->suspended || ctx->denied) {
        return;
    }

    ngx_rbl_login_prove(ctx);

    if (!ctx->round.totalled || ctx->placed) {
        return;
    }

    login->made = ctx->totals.made;
    login->learned = ngx_current_msec;
    login->timezone = ctx->timezone;
    login->app = ctx->app;
    login->user = ctx->user;
    login->profile = ctx->profile;
    login->group = ctx->group;
    login->paid = ctx->paid;
    login->lapsed = ctx->lapsed;
    login->kept = ctx->kept;
    login->settled = ctx->settled;
}


ngx_uint_t
ngx_rbl_login_fresh(const ngx_rbl_ctx_t *ctx, ngx_msec_t age)
{
    return ngx_rbl_login_own(ctx) && ctx->login->fresh
           && ngx_current_msec - ctx->login->touched < age;
}


void
ngx_rbl_login_touched(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_login_own(ctx)) {
        ctx->login->fresh = 1;
        ctx->login->touched = ngx_current_msec;
    }
}
