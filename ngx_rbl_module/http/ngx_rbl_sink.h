/*
 * The sink of a response: a chain of buffers from the request's pool.
 */

#ifndef _NGX_RBL_SINK_H_INCLUDED_
#define _NGX_RBL_SINK_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>

#include "rbl_out.h"


typedef struct {
    rbl_out_t      out;                 /* must be first: this is a sink */
    ngx_pool_t    *pool;
    ngx_chain_t   *chain;
    ngx_chain_t  **last;
    ngx_buf_t     *buf;                 /* holds the window; or NULL */
    ngx_buf_t     *filled;              /* last buffer of the chain */
    ngx_chain_t   *free;                /* buffers that may be reused */
    ngx_buf_tag_t  tag;                 /* of all buffers */
} ngx_rbl_sink_t;

ngx_int_t ngx_rbl_sink_open(ngx_rbl_sink_t *sink, ngx_pool_t *pool,
    size_t size, ngx_buf_tag_t tag);

/* Appends the window to the chain.  NULL: out of memory. */
ngx_buf_t *ngx_rbl_sink_flush(ngx_rbl_sink_t *sink);

/* Appends bytes that live as long as the pool, without a copy.  NGX_ERROR: out
   of memory. */
ngx_int_t ngx_rbl_sink_lend(ngx_rbl_sink_t *sink, rbl_str_t bytes);

/* Moves the written output out of the sink; *out is NULL if there is none.
   `last`: this ends the response.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_sink_take(ngx_rbl_sink_t *sink, ngx_chain_t **out,
    ngx_uint_t last);

/* Returns the number of bytes in the chain. */
off_t ngx_rbl_sink_length(const ngx_rbl_sink_t *sink);

#endif /* _NGX_RBL_SINK_H_INCLUDED_ */
