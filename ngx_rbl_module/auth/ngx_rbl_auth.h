/*
 * Credentials, allowed networks and rate limits of an application, and the time
 * zone of the account.
 */

#ifndef _NGX_RBL_AUTH_H_INCLUDED_
#define _NGX_RBL_AUTH_H_INCLUDED_

#include "ngx_rbl_http.h"


/* ngx_rbl_secret.c */

#define NGX_RBL_SECRET_LEN  64          /* hex digits of a token, of a link or
                                           of the secret of a session */
#define NGX_RBL_FIELD_LEN   16          /* hex digits that name its record */

/* True if the text has the form of a secret. */
ngx_uint_t ngx_rbl_secret_ok(const ngx_str_t *secret);

/* Makes the SHA-256 of a text, 32 bytes.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_sha256(rbl_str_t text, u_char *digest);

/* Makes a secret, without a NUL, and its SHA-256.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_secret_make(u_char text[NGX_RBL_SECRET_LEN],
    u_char digest[32]);

/* Returns the name of the record in `hex`, without a NUL. */
rbl_str_t ngx_rbl_secret_field(char hex[NGX_RBL_FIELD_LEN],
    const u_char *digest);

/* Frees the memory that the process keeps for digests. */
void ngx_rbl_secret_done(void);


/* ngx_rbl_auth.c */

/* Sets account and digest from the request.  NGX_DECLINED: missing or
   malformed. */
ngx_int_t ngx_rbl_auth_parse(ngx_rbl_ctx_t *ctx);

/*
 * Adds the read of account and token, together with the totals (counted), the
 * version stamp (marking) and the records requested in ctx->round.  The reply
 * has these behind the first ctx->n_auth elements.  If the credential cache has
 * account and token, they are not read; if the totals then show that the cache
 * is outdated, the round is repeated (ngx_rbl_again).
 */
void ngx_rbl_auth_ask(ngx_rbl_ctx_t *ctx);
void ngx_rbl_auth_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/*
 * Refuses credentials that the store does not have.  It may
 * make ctx->gate, which reads the meta data of the store and ends with `done`;
 * that calls ngx_rbl_unproven_done.
 */
void ngx_rbl_unproven(ngx_rbl_ctx_t *ctx, ngx_rbl_done_pt done);
void ngx_rbl_unproven_done(ngx_rbl_ctx_t *ctx);

/* Sets only the account's SID as claimed; for variables.  NGX_DECLINED:
   none. */
ngx_int_t ngx_rbl_auth_claimed(ngx_http_request_t *r, rbl_sid_t *account);

/* ngx_rbl_logins.c; its other functions are for ngx_rbl_auth.c alone */

/* True if these credentials succeeded within the last minute, from an address
   that the application may use, and no rate limit applies to this kind of
   request.  Only then may records be read together with account and token. */
ngx_int_t ngx_rbl_login_proven(const ngx_rbl_ctx_t *ctx);


/* ngx_rbl_timezones.c */

void ngx_rbl_timezones_init(ngx_rbl_main_conf_t *rmcf, ngx_pool_t *pool);

/* Returns the time zone of that name; if there is none, logs that and returns
   UTC. The result lives as long as the configuration. */
const rbl_timezone_t *ngx_rbl_timezone(ngx_http_request_t *r, rbl_str_t name);

/* True if there is a time zone of that name. */
ngx_uint_t ngx_rbl_timezone_known(ngx_http_request_t *r, rbl_str_t name);


/* ngx_rbl_admit.c */

/* Checks the client's address, and whether the request must be counted. */
void ngx_rbl_admit_token(ngx_rbl_ctx_t *ctx, const rbl_token_t *token);

/* The same for limits that are already known (ctx->limits). */
void ngx_rbl_admit_limits(ngx_rbl_ctx_t *ctx);

/* True if one of these limits applies to this kind of request. */
ngx_uint_t ngx_rbl_admit_counts(const ngx_rbl_ctx_t *ctx,
    const int64_t *limits);

/* Sets the client's address as nginx knows it.  NGX_DECLINED: a client of a
   unix socket; addr is zeroed. */
ngx_int_t ngx_rbl_admit_address(ngx_http_request_t *r, rbl_addr_t *addr);

/* Sets the client's network: 24 bits of IPv4, 48 of IPv6; all clients of unix
   sockets are one. */
#define NGX_RBL_NETWORK_LEN  7
void ngx_rbl_admit_network(ngx_http_request_t *r,
    u_char octets[NGX_RBL_NETWORK_LEN]);

/* Adds the script that counts the request; its reply may refuse (429). */
void ngx_rbl_admit_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch);
void ngx_rbl_admit_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply);

#endif /* _NGX_RBL_AUTH_H_INCLUDED_ */
