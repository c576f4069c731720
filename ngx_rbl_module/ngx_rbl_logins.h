/*
 * Between ngx_rbl_auth.c and ngx_rbl_logins.c: credentials that were seen
 * before.
 */

#ifndef _NGX_RBL_LOGINS_H_INCLUDED_
#define _NGX_RBL_LOGINS_H_INCLUDED_

#include "ngx_rbl_http.h"

#include "rbl_hash.h"

/* Account and digest of the request's credentials; or NGX_DECLINED, and the
   name to keep them by when they have been found well-formed. */
ngx_int_t ngx_rbl_login_recall(ngx_rbl_ctx_t *ctx, rbl_hash_keyed_t *name);
void ngx_rbl_login_keep(const ngx_rbl_ctx_t *ctx,
    const rbl_hash_keyed_t *name);

#endif /* _NGX_RBL_LOGINS_H_INCLUDED_ */
