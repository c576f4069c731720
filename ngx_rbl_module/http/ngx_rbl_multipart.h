/*
 * Between ngx_rbl_params.c and ngx_rbl_multipart.c: a body of the type
 * multipart/form-data.
 */

#ifndef NGX_RBL_MULTIPART_H_INCLUDED
#define NGX_RBL_MULTIPART_H_INCLUDED

#include "ngx_rbl_http.h"


/* Takes the fields of the body, or refuses.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_multipart_parse(ngx_rbl_ctx_t *ctx);

/* Takes a copy of the text for the field of that name, if the call has one, or
   refuses.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_params_take(ngx_rbl_ctx_t *ctx, const u_char *name,
    size_t len, rbl_str_t text);

#endif /* NGX_RBL_MULTIPART_H_INCLUDED */
