/*
 * The identity that nginx vouches for: a mail address, by rbl_portal_user.
 */

#ifndef _NGX_RBL_IDENTITY_H_INCLUDED_
#define _NGX_RBL_IDENTITY_H_INCLUDED_

#include "ngx_rbl_mail.h"

/* Sets the address of the request.  NGX_DECLINED: nginx vouches for none;
   NGX_ERROR: refused (500). */
ngx_int_t ngx_rbl_identity(ngx_rbl_ctx_t *ctx, ngx_rbl_mail_t *mail);

/* True if the session of the user is not bound to an identity, or is bound to
   that of the request. */
ngx_uint_t ngx_rbl_identity_same(ngx_rbl_ctx_t *ctx,
    const ngx_rbl_user_t *user);

#endif /* _NGX_RBL_IDENTITY_H_INCLUDED_ */
