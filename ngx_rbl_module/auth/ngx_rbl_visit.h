/*
 * Operators, and what they do in other accounts.
 */

#ifndef _NGX_RBL_VISIT_H_INCLUDED_
#define _NGX_RBL_VISIT_H_INCLUDED_

#include "ngx_rbl_http.h"

/* Notes whether the request of the portal names an account (visiting). */
void ngx_rbl_visit_named(ngx_rbl_ctx_t *ctx);

/* The session is proven: may the user act in the account named?  Refuses (404)
   or sets it; of the user's own account nothing is to be done. */
void ngx_rbl_visit_judge(ngx_rbl_ctx_t *ctx);

/* From now on the request acts in the account named. */
void ngx_rbl_visit_begin(ngx_rbl_ctx_t *ctx);

/* Adds the script that logs the visit; its reply may refuse. */
void ngx_rbl_visit_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch);
void ngx_rbl_visit_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* NGX_DECLINED: refused (403), because the call is for operators, or is not for
   them here. */
ngx_int_t ngx_rbl_visit_may(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_VISIT_H_INCLUDED_ */
