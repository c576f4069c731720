/*
 * The calls of the portal.
 */

#ifndef _NGX_RBL_PORTAL_H_INCLUDED_
#define _NGX_RBL_PORTAL_H_INCLUDED_

#include "ngx_rbl_session.h"

#include "ngx_rbl_calls.h"


/* ngx_rbl_portal_session.c */

/* Answers the sign-in of this user, and sets the cookie. */
void ngx_rbl_session_answer(ngx_rbl_ctx_t *ctx,
    u_char cookie[NGX_RBL_COOKIE_LEN], rbl_str_t id, rbl_str_t mail,
    rbl_str_t name, rbl_str_t role);

/* True if a cookie may be set: the connection has TLS, or does not leave the
   machine. */
ngx_uint_t ngx_rbl_session_private(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_PORTAL_H_INCLUDED_ */
