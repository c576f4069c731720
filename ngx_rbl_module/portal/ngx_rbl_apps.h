/*
 * Applications: declarations for their calls.
 */

#ifndef _NGX_RBL_APPS_H_INCLUDED_
#define _NGX_RBL_APPS_H_INCLUDED_

#include "ngx_rbl_http.h"

#include "rbl_secret.h"

#define NGX_RBL_APP_DIGITS  RBL_TOKEN_DIGITS


/* Opens the object of a record, for more members.  NGX_DECLINED: it cannot be
   decoded (logged). */
ngx_int_t ngx_rbl_app_open(ngx_rbl_ctx_t *ctx, const char *key,
    rbl_str_t raw);

/* Writes a token into an array; `field` is the name of its record. */
void ngx_rbl_app_token(ngx_rbl_ctx_t *ctx, rbl_str_t field, rbl_str_t status,
    int64_t created);

#endif /* _NGX_RBL_APPS_H_INCLUDED_ */
