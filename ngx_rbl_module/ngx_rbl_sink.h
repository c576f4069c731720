/*
 * The sink of an answer: a chain of buffers from the request's pool.
 */

#ifndef _NGX_RBL_SINK_H_INCLUDED_
#define _NGX_RBL_SINK_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>

#include "rbl_out.h"


typedef struct {
    rbl_out_t      out;                 /* first: a sink */
    ngx_pool_t    *pool;
    ngx_chain_t   *chain;
    ngx_chain_t  **last;
    ngx_buf_t     *buf;                 /* holds the window */
} ngx_rbl_sink_t;

ngx_int_t ngx_rbl_sink_open(ngx_rbl_sink_t *sink, ngx_pool_t *pool,
    size_t size);

/* Puts the window into the chain; NULL: no memory. */
ngx_buf_t *ngx_rbl_sink_flush(ngx_rbl_sink_t *sink);

/* Octets in the chain. */
off_t ngx_rbl_sink_length(const ngx_rbl_sink_t *sink);

#endif /* _NGX_RBL_SINK_H_INCLUDED_ */
