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
    ngx_buf_t     *buf;                 /* holds the window; or NULL */
    ngx_buf_t     *filled;              /* the last one of the chain */
    ngx_chain_t   *free;                /* buffers that may be used again */
    ngx_buf_tag_t  tag;                 /* of all its buffers */
} ngx_rbl_sink_t;

ngx_int_t ngx_rbl_sink_open(ngx_rbl_sink_t *sink, ngx_pool_t *pool,
    size_t size, ngx_buf_tag_t tag);

/* Puts the window into the chain; NULL: no memory. */
ngx_buf_t *ngx_rbl_sink_flush(ngx_rbl_sink_t *sink);

/* Takes what has been written out of the sink; NULL in *out: nothing.  `last`:
   it ends the answer.  NGX_ERROR: no memory. */
ngx_int_t ngx_rbl_sink_take(ngx_rbl_sink_t *sink, ngx_chain_t **out,
    ngx_uint_t last);

/* Octets in the chain. */
off_t ngx_rbl_sink_length(const ngx_rbl_sink_t *sink);

#endif /* _NGX_RBL_SINK_H_INCLUDED_ */
