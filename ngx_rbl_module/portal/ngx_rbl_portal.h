/*
 * The calls of the portal.
 */

#ifndef _NGX_RBL_PORTAL_H_INCLUDED_
#define _NGX_RBL_PORTAL_H_INCLUDED_

#include "ngx_rbl_session.h"

#include "ngx_rbl_calls.h"


/* ngx_rbl_portal_session.c */

/* The user of a session that has begun. */
typedef struct {
    rbl_str_t  id, mail, name, role;
} ngx_rbl_session_user_t;

/* Answers a sign-in, and sets the cookie. */
void ngx_rbl_session_answer(ngx_rbl_ctx_t *ctx,
    u_char cookie[NGX_RBL_COOKIE_LEN], const ngx_rbl_session_user_t *user);

/* True if a cookie may be set: the connection has TLS, or does not leave the
   machine. */
ngx_uint_t ngx_rbl_session_private(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_PORTAL_H_INCLUDED_ */
