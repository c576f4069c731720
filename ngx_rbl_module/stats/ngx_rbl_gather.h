/*
 * Counts responses: in the meter of this worker, and for the applications of
 * each store (ngx_rbl_usage.h), which needs rbl_zone.
 */

#ifndef _NGX_RBL_GATHER_H_INCLUDED_
#define _NGX_RBL_GATHER_H_INCLUDED_

#include "ngx_rbl_http.h"


void ngx_rbl_gather_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle);
void ngx_rbl_gather_done(void);         /* exit_process, before the stores */

/* Counts a response whose headers are final. */
void ngx_rbl_gather(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_GATHER_H_INCLUDED_ */
