/*
 * Large answers: read from the store and sent to the client slice by slice
 * (ngx_rbl_stream.c), and what an account may have of them in a worker
 * (ngx_rbl_places.c).
 */

#ifndef _NGX_RBL_STREAM_H_INCLUDED_
#define _NGX_RBL_STREAM_H_INCLUDED_

#include "ngx_rbl_http.h"


#define NGX_RBL_SLICE        262144     /* octets that a slice of records has,
                                           about */
#define NGX_RBL_PLACES_MAX   33554432   /* octets of an account's large answers
                                           in a worker */
#define NGX_RBL_PLACE_LARGE  131072     /* octets of an answer that counts */
#define NGX_RBL_PLACE_SLICE  1048576    /* octets that one in slices counts */


/* Octets of the worker's memory that belong to an account's large answer. */

struct ngx_rbl_place_s {
    ngx_queue_t             queue;
    ngx_rbl_ctx_t          *ctx;
    size_t                  size;
    ngx_event_t             event;      /* posted: it has its place; a timer
                                           while it waits for one */
    void                  (*handler)(ngx_rbl_ctx_t *ctx);
    unsigned                waits:1;
};


struct ngx_rbl_stream_s {

    /* Puts the commands of the next slice into the batch.  May refuse. */
    void        (*ask)(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch);

    /* Writes what a reply holds, i from 0 in each slice.  May refuse. */
    void        (*read)(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
                    const redisReply *reply);

    /* Ends the answer with ngx_rbl_close, behind the last slice. */
    void        (*close)(ngx_rbl_ctx_t *ctx);

    ngx_chain_t  *busy;                 /* not taken by the client yet */
    unsigned      headed:1;             /* the header has been sent */
    unsigned      over:1;               /* ask, read: no slice comes behind */
};


/* ngx_rbl_ask.c */

/* The rest of the answer comes in slices: the caller sets the three functions.
   NULL: no memory (refused). */
ngx_rbl_stream_t *ngx_rbl_stream(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_places.c */

/*
 * Takes a place of `size` octets for the request's answer.  NGX_OK: it has one;
 * NGX_AGAIN: `handler` is called when it has, or when it has waited too long,
 * after the call is refused (429); NGX_ERROR: no memory.  Without a handler
 * nobody waits: NGX_DECLINED, and the call is refused.
 */
ngx_int_t ngx_rbl_place_take(ngx_rbl_ctx_t *ctx, size_t size,
    void (*handler)(ngx_rbl_ctx_t *ctx));

/* Gives it back, or waits no longer.  Without one nothing happens. */
void ngx_rbl_place_leave(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_STREAM_H_INCLUDED_ */
