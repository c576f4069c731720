/*
 * The calls of the API, and what they share; one file for each family.
 */

#ifndef _NGX_RBL_API_H_INCLUDED_
#define _NGX_RBL_API_H_INCLUDED_

#include "ngx_rbl_write.h"

#include "ngx_rbl_calls.h"


/* ngx_rbl_api_read.c; its shared declarations are in ngx_rbl_list.h */

/* Logs that a record of that kind cannot be decoded.  Returns 0. */
int ngx_rbl_undecoded(ngx_rbl_ctx_t *ctx, const char *kind);

/* ngx_rbl_api_hosts.c */

/* Decodes a record; a host that is stopped has host->stopped (schema.txt). */
rbl_err_t ngx_rbl_host_read(const ngx_rbl_ctx_t *ctx, rbl_host_t *host,
    rbl_str_t raw);

/* ngx_rbl_api_rbl_write.c */
extern const rbl_outcome_t  ngx_rbl_rbl_refusals[];

#endif /* _NGX_RBL_API_H_INCLUDED_ */
