/*
 * The calls of the API, and what they share; one file for each family.
 */

#ifndef _NGX_RBL_API_H_INCLUDED_
#define _NGX_RBL_API_H_INCLUDED_

#include "ngx_rbl_write.h"

#include "ngx_rbl_calls.h"


/* ngx_rbl_list_answer.c; its other declarations are in ngx_rbl_list.h */

/* Logs that a record of that kind cannot be decoded.  Returns 0. */
int ngx_rbl_undecoded(ngx_rbl_ctx_t *ctx, const char *kind);

#endif /* _NGX_RBL_API_H_INCLUDED_ */
