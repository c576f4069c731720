/*
 * Between ngx_rbl_auth.c and ngx_rbl_logins.c: credentials that were seen
 * before, and what the store said of them.
 */

#ifndef _NGX_RBL_LOGINS_H_INCLUDED_
#define _NGX_RBL_LOGINS_H_INCLUDED_

#include "ngx_rbl_auth.h"

/* The keyed hash of an Authorization header. */
typedef struct {
    uint64_t  low;
    uint64_t  high;
} ngx_rbl_login_name_t;

/* Account and digest of the request's credentials; or NGX_DECLINED, and the
   name to keep them by when they have been found well-formed. */
ngx_int_t ngx_rbl_login_recall(ngx_rbl_ctx_t *ctx, ngx_rbl_login_name_t *name);
void ngx_rbl_login_keep(ngx_rbl_ctx_t *ctx, const ngx_rbl_login_name_t *name);

/* Is there something that account and token need not be read for? */
ngx_int_t ngx_rbl_login_known(const ngx_rbl_ctx_t *ctx);

/* Whom the credentials serve, as it was learned, if the totals that were read
   say that it is so still; or NGX_DECLINED. */
ngx_int_t ngx_rbl_login_use(ngx_rbl_ctx_t *ctx);

/* Notes what account and token said, or that they were refused: both have been
   read, and the totals too if ctx->round.totalled. */
void ngx_rbl_login_learn(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_LOGINS_H_INCLUDED_ */
