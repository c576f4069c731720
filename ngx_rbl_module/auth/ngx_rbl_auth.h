/*
 * Credentials, allowed networks and rate limits of an application, and the time
 * zone of the account.
 */

#ifndef _NGX_RBL_AUTH_H_INCLUDED_
#define _NGX_RBL_AUTH_H_INCLUDED_

#include "ngx_rbl_http.h"


/* ngx_rbl_auth.c */

/* Account and digest from the request; NGX_DECLINED: not well-formed. */
ngx_int_t ngx_rbl_auth_parse(ngx_rbl_ctx_t *ctx);

/*
 * The read that tells who asks, of account and token, together with the
 * totals (counted), the mark (marking) and the records that are asked for in
 * ctx->round.  Its reply has these behind the first ctx->n_auth elements.
 * What is remembered of account and token is not asked for: the totals tell
 * whether it still holds, and if not, the round is repeated (ngx_rbl_again).
 */
void ngx_rbl_auth_ask(ngx_rbl_ctx_t *ctx);
void ngx_rbl_auth_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* Only the account's SID, as claimed; for variables.  NGX_DECLINED: none. */
ngx_int_t ngx_rbl_auth_claimed(ngx_http_request_t *r, rbl_sid_t *account);

/* Frees the memory that the process keeps for it. */
void ngx_rbl_auth_done(void);


/* ngx_rbl_logins.c; the rest of it is for ngx_rbl_auth.c alone */

/* Did these credentials succeed within the last minute, from an address that
   the application may use, and does no limit apply to this kind of request?
   Only then may records be asked for before account and token are read. */
ngx_int_t ngx_rbl_login_proven(const ngx_rbl_ctx_t *ctx);


/* ngx_rbl_timezones.c */

void ngx_rbl_timezones_init(ngx_rbl_main_conf_t *rmcf, ngx_pool_t *pool);

/* The time zone of that name; UTC if there is none, which is logged.  It
   lives as long as the configuration. */
const rbl_zone_t *ngx_rbl_timezone(ngx_http_request_t *r, rbl_str_t name);


/* ngx_rbl_admit.c */

/* Judges where the request comes from, and whether it has to be counted. */
void ngx_rbl_admit_token(ngx_rbl_ctx_t *ctx, const rbl_token_t *token);

/* The same of limits that are known already (ctx->limits). */
void ngx_rbl_admit_limits(ngx_rbl_ctx_t *ctx);

/* Does one of these limits apply to this kind of request? */
ngx_uint_t ngx_rbl_admit_counts(const ngx_rbl_ctx_t *ctx,
    const int64_t *limits);

/* The client's address as nginx knows it.  NGX_DECLINED: it is a client of a
   unix socket, and all of addr is 0. */
ngx_int_t ngx_rbl_admit_address(ngx_http_request_t *r, rbl_addr_t *addr);

/* Adds the script that counts; its reply may refuse (429). */
void ngx_rbl_admit_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch);
void ngx_rbl_admit_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply);

#endif /* _NGX_RBL_AUTH_H_INCLUDED_ */
