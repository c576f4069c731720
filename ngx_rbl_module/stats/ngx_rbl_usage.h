/*
 * Statistics of applications and their error logs, of one store: what this
 * worker has counted and not yet sent.
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

typedef struct ngx_rbl_usage_s  ngx_rbl_usage_t;

/* NULL: there is no store, or out of memory.  destroy accepts NULL. */
ngx_rbl_usage_t *ngx_rbl_usage_create(ngx_rbl_store_t *store, ngx_log_t *log);
void ngx_rbl_usage_destroy(ngx_rbl_usage_t *u);     /* before the store */

/* Counts the response to a request of an application. */
void ngx_rbl_usage_count(ngx_rbl_usage_t *u, ngx_rbl_ctx_t *ctx);


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
