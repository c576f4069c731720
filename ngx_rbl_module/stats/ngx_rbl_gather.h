/*
 * Statistics of applications, through shared memory, and their refusals (error
 * log); both are sent to the store once a second.
 *
 * A worker that has data runs a timer that is not cancelable, so that it sends
 * them before it exits.  While the store is away the timer is cancelable:
 * shared memory keeps the statistics for the next worker, and the refusals of
 * the last moment are lost.  So it is with those of a part that is away.
 *
 * Without shared memory nothing is collected.
 */

#ifndef _NGX_RBL_GATHER_H_INCLUDED_
#define _NGX_RBL_GATHER_H_INCLUDED_

#include "ngx_rbl_http.h"
#include "ngx_rbl_shm.h"

#define NGX_RBL_LOG_MAX    1000         /* per application; also in
                                           app_errors.lua */
#define NGX_RBL_LOG_LANES  64


/* ngx_rbl_refusals.c: queue of refusals that wait in this worker (FIFO) */

typedef struct {
    ngx_queue_t  queue;
    char         account[RBL_SID_LEN];
    char         app[RBL_SID_LEN];
    size_t       len;
    u_char       data[1];               /* a packed record */
} ngx_rbl_refusal_t;

/*
 * Applications share lanes.  Each lane keeps the last NGX_RBL_LOG_MAX refusals;
 * an application's log would not keep more.  If all lanes together are full,
 * the longest lane drops its first refusal.
 */

typedef struct {
    ngx_queue_t  lane[NGX_RBL_LOG_LANES];
    ngx_uint_t   length[NGX_RBL_LOG_LANES];
    ngx_uint_t   total;
} ngx_rbl_refusals_t;

void ngx_rbl_refusals_init(ngx_rbl_refusals_t *all);
void ngx_rbl_refusals_free(ngx_rbl_refusals_t *all);

/* Adds the refusal that was just sent. */
void ngx_rbl_refusals_add(ngx_rbl_refusals_t *all, ngx_rbl_ctx_t *ctx);

/*
 * Moves at most n refusals of one application, whose account fits, to the end
 * of a queue, and returns their number.  The caller frees them.
 */
ngx_uint_t ngx_rbl_refusals_take(ngx_rbl_refusals_t *all,
    const ngx_rbl_fits_t *fits, ngx_queue_t *queue, ngx_uint_t n);
void ngx_rbl_refusals_drop(ngx_queue_t *queue);


/* ngx_rbl_gather.c */

void ngx_rbl_gather_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle);
void ngx_rbl_gather_done(void);         /* exit_process, before the stores */

/* Counts a response whose headers are final. */
void ngx_rbl_gather(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_GATHER_H_INCLUDED_ */
