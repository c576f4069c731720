/*
 * Sessions of the portal: the cookie, and the record that proves it.
 */

#ifndef _NGX_RBL_SESSION_H_INCLUDED_
#define _NGX_RBL_SESSION_H_INCLUDED_

#include "ngx_rbl_auth.h"

/* A session is kept alive once in this time at most, by each worker (ms). */
#define NGX_RBL_SESSION_FRESH  (5 * 60 * 1000)

/* "<SID of the account>.<64 hex digits>": the value of the cookie, and the text
   of a link. */
#define NGX_RBL_COOKIE_LEN  (RBL_SID_LEN + 1 + NGX_RBL_SECRET_LEN)

/* True if the client's connection has TLS, or rbl_portal_url says that it has
   at the outside. */
ngx_uint_t ngx_rbl_session_tls(ngx_http_request_t *r);

/* Reads the cookie of the request.  NGX_DECLINED: it has none. */
ngx_int_t ngx_rbl_session_cookie(ngx_http_request_t *r, ngx_str_t *value);

/* Takes such a text apart.  NGX_DECLINED: malformed; the form of the secret is
   not checked. */
ngx_int_t ngx_rbl_session_parse(const ngx_str_t *text, rbl_sid_t *account,
    ngx_str_t *secret);

/* Authenticates the request if the record, of ctx->digest, proves it. */
void ngx_rbl_session_record(ngx_rbl_ctx_t *ctx, rbl_str_t raw);

/* Adds the command that keeps the session alive; its reply may refuse (401). */
void ngx_rbl_session_touch(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch);
void ngx_rbl_session_touched(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* Refuses a call that needs another role (403) or a recent sign-in (401). */
void ngx_rbl_session_may(ngx_rbl_ctx_t *ctx);

/* Refuses a POST that does not come from the portal's own page: 415 if it is
   not JSON, 403 if it comes from another site.  A page of another site cannot
   send JSON, nor the headers that are compared. */
void ngx_rbl_session_origin(ngx_rbl_ctx_t *ctx);

/* The session of ctx->account whose cookie came with a call that signs in.
   Both texts are "" if there is none; hex and digest have room for them. */
void ngx_rbl_session_before(ngx_rbl_ctx_t *ctx, char hex[NGX_RBL_FIELD_LEN],
    u_char digest[32], rbl_str_t *field, rbl_str_t *was);

/* Makes such a text with a new secret, and its digest.  NGX_ERROR: refused. */
ngx_int_t ngx_rbl_session_secret(ngx_rbl_ctx_t *ctx,
    u_char text[NGX_RBL_COOKIE_LEN], u_char digest[32]);

/* Adds the header that sets the cookie; "" removes it.  NGX_ERROR: refused. */
ngx_int_t ngx_rbl_session_set(ngx_rbl_ctx_t *ctx, rbl_str_t value);

/* The role of that name; and its name. */
ngx_rbl_role_e ngx_rbl_role(rbl_str_t name);
const char *ngx_rbl_role_name(ngx_rbl_role_e role);

#endif /* _NGX_RBL_SESSION_H_INCLUDED_ */
