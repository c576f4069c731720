/*
 * Large responses: read from the store and sent to the client slice by slice
 * (ngx_rbl_stream.c), and the limit on their memory per account and worker
 * (ngx_rbl_places.c).
 */

#ifndef _NGX_RBL_STREAM_H_INCLUDED_
#define _NGX_RBL_STREAM_H_INCLUDED_

#include "ngx_rbl_http.h"


#define NGX_RBL_SLICE        262144     /* bytes of records in a slice, about */
#define NGX_RBL_PLACES_MAX   33554432   /* bytes of large responses per account
                                           and worker */
#define NGX_RBL_PLACE_LARGE  131072     /* bytes from which a response counts */
#define NGX_RBL_PLACE_SLICE  1048576    /* bytes counted for one in slices */


/* Memory of the worker reserved for a large response of an account. */

struct ngx_rbl_place_s {
    ngx_queue_t             queue;
    ngx_rbl_ctx_t          *ctx;
    size_t                  size;
    ngx_event_t             event;      /* posted: the place is free; timer:
                                           while waiting for it */
    void                  (*handler)(ngx_rbl_ctx_t *ctx);
    unsigned                waits:1;
};


struct ngx_rbl_stream_s {

    /* Adds the commands of the next slice to the batch.  May refuse. */
    void        (*ask)(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch);

    /* Writes the contents of a reply; i counts from 0 in each slice.  May
       refuse. */
    void        (*read)(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
                    const redisReply *reply);

    /* Ends the response with ngx_rbl_close, after the last slice. */
    void        (*close)(ngx_rbl_ctx_t *ctx);

    ngx_chain_t  *busy;                 /* not sent yet */
    unsigned      headed:1;             /* the header has been sent */
    unsigned      over:1;               /* set by ask or read: this slice is the
                                           last */
};


/* ngx_rbl_ask.c */

/* Makes the rest of the response come in slices.  The caller sets the three
   functions.  NULL: out of memory (refused). */
ngx_rbl_stream_t *ngx_rbl_stream(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_places.c */

/*
 * Reserves `size` bytes for the request's response.  NGX_OK: reserved.
 * NGX_AGAIN: `handler` is called later, either with the place reserved, or
 * after a refusal (429) because the request waited too long.  NGX_ERROR: out of
 * memory.  Without a handler the request does not wait: NGX_DECLINED, and it is
 * refused.
 */
ngx_int_t ngx_rbl_place_take(ngx_rbl_ctx_t *ctx, size_t size,
    void (*handler)(ngx_rbl_ctx_t *ctx));

/* Releases the place, or stops waiting for it.  Does nothing without one. */
void ngx_rbl_place_leave(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_STREAM_H_INCLUDED_ */
