/*
 * The credential cache: internal header of ngx_rbl_auth.c and ngx_rbl_logins.c.
 */

#ifndef _NGX_RBL_LOGINS_H_INCLUDED_
#define _NGX_RBL_LOGINS_H_INCLUDED_

#include "ngx_rbl_auth.h"

/* Keyed hash of an Authorization header, or of the cookie of a session. */
typedef struct {
    uint64_t  low;
    uint64_t  high;
} ngx_rbl_login_name_t;

/* Sets account and digest from the cache.  NGX_DECLINED: not cached; `name` is
   then the key under which to store them once they are found well-formed. */
ngx_int_t ngx_rbl_login_recall(ngx_rbl_ctx_t *ctx, const ngx_str_t *header,
    ngx_rbl_login_name_t *name);
void ngx_rbl_login_keep(ngx_rbl_ctx_t *ctx, const ngx_rbl_login_name_t *name);

/* True if the cache has the data of account and token. */
ngx_int_t ngx_rbl_login_known(const ngx_rbl_ctx_t *ctx);

/* Uses the cached data of account and token if the totals that were read have
   the same stamp.  NGX_DECLINED: they do not. */
ngx_int_t ngx_rbl_login_use(ngx_rbl_ctx_t *ctx);

/* Stores the result of reading account and token, or their refusal, with the
   stamp of the totals if ctx->round.totalled. */
void ngx_rbl_login_learn(ngx_rbl_ctx_t *ctx);

/* True if this worker has kept the session alive within `age` (ms); and notes
   that it has. */
ngx_uint_t ngx_rbl_login_fresh(const ngx_rbl_ctx_t *ctx, ngx_msec_t age);
void ngx_rbl_login_touched(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_LOGINS_H_INCLUDED_ */
