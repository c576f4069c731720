/*
 * How sessions begin: declarations of ngx_rbl_portal_session.c and
 * ngx_rbl_portal_identity.c.
 */

#ifndef _NGX_RBL_PORTAL_SESSION_H_INCLUDED_
#define _NGX_RBL_PORTAL_SESSION_H_INCLUDED_

#include "ngx_rbl_session.h"

#define NGX_RBL_IDENTITY_UNKNOWN                                              \
    "The server vouches for a mail address that no user of the portal has. "  \
    "Please ask its operator to add it (rblctl user add ACCOUNT MAIL)."

/* The state of session/start, or its first member. */
typedef struct {
    u_char   cookie[NGX_RBL_COOKIE_LEN];
    void   (*read)(ngx_rbl_ctx_t *ctx, const redisReply *reply);
                                        /* gets the reply of this round; NULL:
                                           it is that of the script */
} ngx_rbl_session_start_t;

/* Makes the secret of a session, and adds the script that starts it: sets field
   and digest of its arguments. */
void ngx_rbl_session_begin(ngx_rbl_ctx_t *ctx, rbl_session_start_args_t *args);

/* Adds the rounds of a sign-in by the identity that nginx vouches for.
   `account` is the one that the client has chosen, or "". */
void ngx_rbl_enter(ngx_rbl_ctx_t *ctx, rbl_str_t account);

#endif /* _NGX_RBL_PORTAL_SESSION_H_INCLUDED_ */
