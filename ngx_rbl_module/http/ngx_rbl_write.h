/*
 * Calls that are one script: operations (rbl_op.h), run by the module.  The id
 * in the path, or a new one if the path has none, is the first argument of the
 * script.  An operation that rblctl runs as well is in shared/op/, and the
 * table of calls names it (CALL_OP, ITEM_OP).  One of the module alone:
 *
 *     const ngx_rbl_op_t  ngx_rbl_op_host_pause = {
 *         .script = &rbl_script_host_status,
 *         .value = "paused",
 *         .message = "Host paused successfully."
 *     };
 */

#ifndef _NGX_RBL_WRITE_H_INCLUDED_
#define _NGX_RBL_WRITE_H_INCLUDED_

#include "ngx_rbl_http.h"


/* ngx_rbl_fields.c */

/* A domain, or if `addr` an address, in its canonical form; RBL_FAMILY_NONE: it
   is neither. */
rbl_family_t ngx_rbl_host_parse(char buf[RBL_VALUE_MAX], rbl_str_t *value,
    rbl_str_t text, ngx_uint_t addr);

/* The family of an address, with RBL_FAMILY_LOCAL if it is not public. */
rbl_family_t ngx_rbl_host_family(const rbl_addr_t *addr);

/* A family as an argument. */
rbl_str_t ngx_rbl_family_text(rbl_family_t family);

/* The refusal of a text that ngx_rbl_host_parse does not take. */
void ngx_rbl_invalid_host(ngx_rbl_ctx_t *ctx, rbl_str_t text);


/* ngx_rbl_write.c */

/* Makes ctx->run for the call again; its refusal stays. */
void ngx_rbl_run_begin(ngx_rbl_ctx_t *ctx);

/* The functions of a call without a `prepare` or `proceed` of its own: one
   reads fields and id, one sends the script with the arguments of the run.
   ngx_rbl_write_fields reads fields only. */
void ngx_rbl_write_fields(ngx_rbl_ctx_t *ctx);
void ngx_rbl_write_prepare(ngx_rbl_ctx_t *ctx);
void ngx_rbl_write_proceed(ngx_rbl_ctx_t *ctx);

/* The same of a call without a `result`: the answer of the operation, or the
   message. */
void ngx_rbl_write_result(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* `result` of a script whose reply is OK and a record of the family: answers
   with `message` and the record. */
void ngx_rbl_write_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

#endif /* _NGX_RBL_WRITE_H_INCLUDED_ */
