/*
 * Webhook receivers: declarations of the files ngx_rbl_portal_hook*.c.
 */

#ifndef _NGX_RBL_PORTAL_HOOK_H_INCLUDED_
#define _NGX_RBL_PORTAL_HOOK_H_INCLUDED_

#include "ngx_rbl_portal.h"

#include "rbl_hook.h"

#define NGX_RBL_CONTACT_TEST  "contact.test"      /* type of an event */


/* Writes the members of a receiver; without its secret. */
void ngx_rbl_hook_members(ngx_rbl_ctx_t *ctx, const rbl_hook_t *hook,
    const rbl_hook_failing_t *failing);

/* Reads a receiver's record; NGX_DECLINED: refused, since it is damaged. */
ngx_int_t ngx_rbl_hook_decode(ngx_rbl_ctx_t *ctx, rbl_hook_t *hook,
    rbl_str_t raw);

/* Reads the id of the path, and asks in the first round whether the account has
   this record of the route's family; the reply goes to ngx_rbl_owned_found. */
ngx_int_t ngx_rbl_owned_ask(ngx_rbl_ctx_t *ctx, rbl_sid_t *sid);
ngx_int_t ngx_rbl_owned_found(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/*
 * `prepare` and `result` of a call that sends a test, for scripts whose second
 * argument and those behind it are event, type and body.  `body` writes the
 * body.
 */
void ngx_rbl_test_prepare(ngx_rbl_ctx_t *ctx, const char *type,
    void (*body)(rbl_out_t *out, const rbl_sid_t *event, int64_t now));
void ngx_rbl_tested(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

/* True for the id of a dead letter, "1795167000000-0". */
ngx_uint_t ngx_rbl_letter_id(rbl_str_t text);

/* Writes a time, or "" for 0. */
void ngx_rbl_hook_at(ngx_rbl_ctx_t *ctx, const char *key, int64_t ms);

#endif /* _NGX_RBL_PORTAL_HOOK_H_INCLUDED_ */
