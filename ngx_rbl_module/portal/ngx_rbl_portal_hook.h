/*
 * Webhook receivers: declarations of the files ngx_rbl_portal_hook*.c.
 */

#ifndef _NGX_RBL_PORTAL_HOOK_H_INCLUDED_
#define _NGX_RBL_PORTAL_HOOK_H_INCLUDED_

#include "ngx_rbl_portal.h"

#include "rbl_hook.h"


/* Writes the members of a receiver; without its secret. */
void ngx_rbl_hook_members(ngx_rbl_ctx_t *ctx, const rbl_hook_t *hook,
    const rbl_hook_failing_t *failing);

/* Reads a receiver's record; NGX_DECLINED: refused, since it is damaged. */
ngx_int_t ngx_rbl_hook_decode(ngx_rbl_ctx_t *ctx, rbl_hook_t *hook,
    rbl_str_t raw);

/* Reads the id of the path, and asks in the first round whether the account has
   this receiver; the reply goes to ngx_rbl_hook_found. */
ngx_int_t ngx_rbl_hook_ask(ngx_rbl_ctx_t *ctx, rbl_sid_t *sid);
ngx_int_t ngx_rbl_hook_found(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* True for the id of a dead letter, "1795167000000-0". */
ngx_uint_t ngx_rbl_letter_id(rbl_str_t text);

/* Writes a time, or "" for 0. */
void ngx_rbl_hook_at(ngx_rbl_ctx_t *ctx, const char *key, int64_t ms);

#endif /* _NGX_RBL_PORTAL_HOOK_H_INCLUDED_ */
