/*
 * Counts responses: in the meter of this worker, and for the applications of
 * each store, whose statistics and error logs wait in this worker.
 *
 * Once a second each partition that has something gets one script call with its
 * sums.  If the store refuses the call without a change, or the node of the
 * partition is away, the sums wait.  If the reply is lost, they are forgotten,
 * so that nothing is counted twice.
 *
 * A worker that exits sends what waits if the store is ready.  A worker that is
 * killed loses it.  The meter has the requests and refusals that are lost
 * otherwise (uncounted, unlogged).
 */

#ifndef _NGX_RBL_USAGE_H_INCLUDED_
#define _NGX_RBL_USAGE_H_INCLUDED_

#include "ngx_rbl_http.h"


/* ngx_rbl_usage.c */

/* Makes what counts for the stores of this worker, which needs rbl_zone. */
void ngx_rbl_usage_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle);
void ngx_rbl_usage_done(void);          /* exit_process, before the stores */

/* Counts a response whose headers are final. */
void ngx_rbl_gather(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_refusal.c: an entry of an error log */

typedef struct {
    ngx_queue_t  queue;
    size_t       len;
    u_char       data[1];               /* a packed record */
} ngx_rbl_refusal_t;

/* Returns the refusal that was just sent; the caller frees it (ngx_free).
   NULL: out of memory. */
ngx_rbl_refusal_t *ngx_rbl_refusal_create(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_USAGE_H_INCLUDED_ */
