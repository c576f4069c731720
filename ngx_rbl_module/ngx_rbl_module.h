/*
 * The root of the module: its directives and variables, and the way of a
 * request through the folders.
 */

#ifndef _NGX_RBL_MODULE_H_INCLUDED_
#define _NGX_RBL_MODULE_H_INCLUDED_

#include "ngx_rbl_http.h"


/* ngx_rbl_directives.c */
extern ngx_command_t  ngx_rbl_commands[];


/* ngx_rbl_variables.c */
ngx_int_t ngx_rbl_add_variables(ngx_conf_t *cf);


/* ngx_rbl_handler.c */

/* The content handler; installed by rbl_api on. */
ngx_int_t ngx_rbl_handler(ngx_http_request_t *r);

/* Sends the answer or refusal and ends the request, which frees ctx. */
void ngx_rbl_finish(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_round.c */

/* Sends the first round; ngx_rbl_finish ends the last one.  NGX_ERROR: no
   memory, and nothing is on its way. */
ngx_int_t ngx_rbl_round_begin(ngx_rbl_ctx_t *ctx);

/* No callback comes after it.  May be called again. */
void ngx_rbl_round_cancel(ngx_rbl_ctx_t *ctx);

/* Refuses: 503, or 429 if the account itself is too busy.  `rc` tells whether
   something may have been changed. */
void ngx_rbl_unavailable(ngx_rbl_ctx_t *ctx, ngx_rbl_store_rc_e rc);

/* Sends ctx->batch and waits; a client that goes away is noticed. */
void ngx_rbl_wait(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_stream.c */

/* Sends the answer of ctx->stream; it finalizes the request itself. */
void ngx_rbl_stream_begin(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_work.c */

/*
 * A script has left work (WORK and its id) or refused because too much waits
 * (BUSY); NGX_DECLINED: neither.  The work is done in slices, one a round; then
 * `result` gets the last slice's reply and those of the rounds that it begins.
 */
ngx_int_t ngx_rbl_work_begin(ngx_rbl_ctx_t *ctx, rbl_str_t word,
    const redisReply *reply);

/* The reply of a slice.  NGX_OK: the work is over. */
ngx_int_t ngx_rbl_work_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* Refuses (503): the request waits no longer; a daemon finishes the work. */
void ngx_rbl_work_late(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_MODULE_H_INCLUDED_ */
