/*
 * What is gathered about applications and brought to the store once a second:
 * their statistics, through the zone, and their refusals (error log).
 *
 * A worker that has gathered something has a timer for it, which is not
 * cancelable, so that it is brought away before the worker leaves.  While the
 * store is away the timer is cancelable: the zone keeps the statistics for the
 * next worker, and the refusals of the last moment are lost.
 *
 * Without a zone nothing is gathered.
 */

#ifndef _NGX_RBL_GATHER_H_INCLUDED_
#define _NGX_RBL_GATHER_H_INCLUDED_

#include "ngx_rbl_http.h"
#include "ngx_rbl_zone.h"

#define NGX_RBL_LOG_MAX    1000         /* of an application; in app_errors.lua
                                           too */
#define NGX_RBL_LOG_LANES  64


/* ngx_rbl_refusals.c: refusals that wait in this worker, first come first. */

typedef struct {
    ngx_queue_t  queue;
    char         account[RBL_SID_LEN];
    char         app[RBL_SID_LEN];
    size_t       len;
    u_char       data[1];               /* a packed record */
} ngx_rbl_refusal_t;

/*
 * Applications share lanes, and each lane keeps the last NGX_RBL_LOG_MAX: what
 * an application loses there its log would not have kept.  When there are too
 * many in all, the longest lane gives its first.
 */

typedef struct {
    ngx_queue_t  lane[NGX_RBL_LOG_LANES];
    ngx_uint_t   length[NGX_RBL_LOG_LANES];
    ngx_uint_t   total;
} ngx_rbl_refusals_t;

void ngx_rbl_refusals_init(ngx_rbl_refusals_t *all);
void ngx_rbl_refusals_free(ngx_rbl_refusals_t *all);

/* The refusal that was just answered. */
void ngx_rbl_refusals_add(ngx_rbl_refusals_t *all, ngx_rbl_ctx_t *ctx);

/*
 * Moves at most n refusals of one application into an empty queue; how many.
 * The caller frees them.
 */
ngx_uint_t ngx_rbl_refusals_take(ngx_rbl_refusals_t *all, ngx_queue_t *queue,
    ngx_uint_t n);
void ngx_rbl_refusals_drop(ngx_queue_t *queue);


/* ngx_rbl_gather.c */

void ngx_rbl_gather_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle);
void ngx_rbl_gather_done(void);         /* exit_process, before the stores */

/* Counts an answer, its headers decided. */
void ngx_rbl_gather(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_GATHER_H_INCLUDED_ */
