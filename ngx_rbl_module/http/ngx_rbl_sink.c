/*
 * The sink of a response: output goes directly into nginx's buffers.
 */

#include "ngx_rbl_sink.h"

#include <assert.h>


#define NGX_RBL_CHUNK      16384        /* size of the buffers after the
                                           first */
#define NGX_RBL_FIRST_MAX  65536


/* Returns a free buffer that was sent, or a new one. */

static ngx_buf_t *
ngx_rbl_sink_buf(ngx_rbl_sink_t *sink)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    cl = sink->free;

    if (cl == NULL) {
        b = ngx_create_temp_buf(sink->pool, NGX_RBL_CHUNK);

        if (b != NULL) {
            b->tag = sink->tag;
        }

        return b;
    }

    b = cl->buf;
    sink->free = cl->next;
    ngx_free_chain(sink->pool, cl);
    b->flush = 0;

    return b;
}


static int
ngx_rbl_sink_more(rbl_out_t *out)
{
    ngx_buf_t       *b;
    ngx_rbl_sink_t  *sink = (ngx_rbl_sink_t *) out;

    if (sink->buf != NULL && ngx_rbl_sink_flush(sink) == NULL) {
        return -1;
    }

    b = ngx_rbl_sink_buf(sink);
    if (b == NULL) {
        return -1;
    }

    sink->buf = b;
    out->pos = (char *) b->start;
    out->end = (char *) b->end;

    return 0;
}


/* On failure the sink has no room and discards output. */

ngx_int_t
ngx_rbl_sink_open(ngx_rbl_sink_t *sink, ngx_pool_t *pool, size_t size,
    ngx_buf_tag_t tag)
{
    ngx_memzero(sink, sizeof(ngx_rbl_sink_t));

    sink->pool = pool;
    sink->tag = tag;
    sink->last = &sink->chain;

    size = ngx_min(size, NGX_RBL_FIRST_MAX);

    sink->buf = ngx_create_temp_buf(sink->pool, size);

    if (sink->buf == NULL) {
        sink->out.failed = 1;
        return NGX_ERROR;
    }

    sink->buf->tag = tag;

    sink->out.pos = (char *) sink->buf->start;
    sink->out.end = (char *) sink->buf->end;
    sink->out.more = ngx_rbl_sink_more;

    return NGX_OK;
}


/* Appends the buffer to the chain. */

static ngx_int_t
ngx_rbl_sink_append(ngx_rbl_sink_t *sink, ngx_buf_t *b)
{
    ngx_chain_t  *cl;

    cl = ngx_alloc_chain_link(sink->pool);
    if (cl == NULL) {
        return NGX_ERROR;
    }

    cl->buf = b;
    cl->next = NULL;

    *sink->last = cl;
    sink->last = &cl->next;
    sink->filled = b;

    return NGX_OK;
}


ngx_buf_t *
ngx_rbl_sink_flush(ngx_rbl_sink_t *sink)
{
    assert((u_char *) sink->out.pos <= sink->buf->end);

    sink->buf->last = (u_char *) sink->out.pos;

    return ngx_rbl_sink_append(sink, sink->buf) == NGX_OK ? sink->buf : NULL;
}


/* The next window is the rest of this one. */

ngx_int_t
ngx_rbl_sink_lend(ngx_rbl_sink_t *sink, rbl_str_t bytes)
{
    ngx_buf_t  *lent, *rest;

    lent = ngx_calloc_buf(sink->pool);
    rest = ngx_calloc_buf(sink->pool);

    if (lent == NULL || rest == NULL || sink->buf == NULL) {
        return NGX_ERROR;
    }

    lent->memory = 1;
    lent->tag = sink->tag;
    lent->start = (u_char *) bytes.p;
    lent->pos = lent->start;
    lent->end = lent->start + bytes.n;
    lent->last = lent->end;

    rest->temporary = 1;
    rest->tag = sink->tag;
    rest->start = (u_char *) sink->out.pos;
    rest->pos = rest->start;
    rest->last = rest->start;
    rest->end = sink->buf->end;

    if (ngx_rbl_sink_flush(sink) == NULL
        || ngx_rbl_sink_append(sink, lent) != NGX_OK)
    {
        return NGX_ERROR;
    }

    sink->buf = rest;

    return NGX_OK;
}


off_t
ngx_rbl_sink_length(const ngx_rbl_sink_t *sink)
{
    off_t         len;
    ngx_chain_t  *cl;

    len = 0;

    for (cl = sink->chain; cl; cl = cl->next) {
        len += cl->buf->last - cl->buf->pos;
    }

    return len;
}


ngx_int_t
ngx_rbl_sink_take(ngx_rbl_sink_t *sink, ngx_chain_t **out, ngx_uint_t last)
{
    ngx_buf_t  *b;

    if (sink->buf != NULL && sink->out.pos != (char *) sink->buf->start
        && ngx_rbl_sink_flush(sink) == NULL)
    {
        return NGX_ERROR;
    }

    *out = sink->chain;

    if (*out == NULL) {
        return last ? NGX_ERROR : NGX_OK;
    }

    assert(sink->filled != NULL);

    b = sink->filled;
    b->last_buf = last;
    b->last_in_chain = last;
    b->flush = !last;               /* nginx would delay a small slice */

    sink->chain = NULL;
    sink->last = &sink->chain;
    sink->buf = NULL;
    sink->out.pos = NULL;
    sink->out.end = NULL;

    return NGX_OK;
}
