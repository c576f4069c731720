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

/* ngx_rbl_code.c */

#define NGX_RBL_CODE_LEN  6

/* A code that confirms a contact, its digest, and the SID of the event that
   carries it. */
typedef struct {
    char       text[NGX_RBL_CODE_LEN];
    u_char     digest[32];
    rbl_sid_t  event;
} ngx_rbl_code_t;

/* Makes a new code; NGX_ERROR: refused (500). */
ngx_int_t ngx_rbl_code_make(ngx_rbl_ctx_t *ctx, ngx_rbl_code_t *code,
    const rbl_sid_t *contact);

/* Makes the digest of a code that a client has sent; NGX_ERROR: refused
   (500). */
ngx_int_t ngx_rbl_code_digest(ngx_rbl_ctx_t *ctx, u_char digest[32],
    const rbl_sid_t *contact, rbl_str_t text);

#endif /* _NGX_RBL_API_H_INCLUDED_ */
