/*
 * Reads the body of a POST into memory.
 *
 * The body is read unbuffered: errors (too large, bad framing) are reported
 * here and not by an error page of nginx, and nothing is written to a file.  A
 * body in one buffer of nginx stays there; a body in several buffers is copied
 * into one of ours.
 */

#include "ngx_rbl_http.h"


#define NGX_RBL_BODY_FIRST  4096


typedef struct {
    u_char  *start;
    size_t   len;
    size_t   size;
} ngx_rbl_gather_t;


static ngx_int_t
ngx_rbl_body_append(ngx_rbl_ctx_t *ctx, ngx_rbl_gather_t *gather,
    const ngx_buf_t *b)
{
    u_char  *start;
    size_t   len, size;

    /* another module has made a file of it; reading a file would block */

    if (b->in_file) {
        return NGX_HTTP_REQUEST_ENTITY_TOO_LARGE;
    }

    len = b->last - b->pos;

    if (len == 0) {
        return NGX_OK;
    }

    if (len > NGX_RBL_BODY_MAX - gather->len) {
        return NGX_HTTP_REQUEST_ENTITY_TOO_LARGE;
    }

    if (len > gather->size - gather->len) {
        size = ngx_max(gather->size, NGX_RBL_BODY_FIRST);

        while (size < gather->len + len) {
            size *= 2;
        }

        start = ngx_palloc(ctx->request->pool, size);
        if (start == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        if (gather->len) {
            ngx_memcpy(start, gather->start, gather->len);
        }

        gather->start = start;
        gather->size = size;
    }

    ngx_memcpy(gather->start + gather->len, b->pos, len);
    gather->len += len;

    return NGX_OK;
}


/* NGX_OK: bytes were taken; NGX_DONE: there were none; else an HTTP status. */

static ngx_int_t
ngx_rbl_body_take(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t                 rc;
    ngx_chain_t              *cl;
    ngx_rbl_gather_t         *gather;
    ngx_http_request_body_t  *rb;

    rb = ctx->request->request_body;
    gather = ctx->data;

    if (rb->bufs == NULL) {
        return NGX_DONE;
    }

    if (gather == NULL) {
        gather = ngx_pcalloc(ctx->request->pool, sizeof(ngx_rbl_gather_t));

        if (gather == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ctx->data = gather;
    }

    for (cl = rb->bufs; cl; cl = cl->next) {
        rc = ngx_rbl_body_append(ctx, gather, cl->buf);

        if (rc != NGX_OK) {
            return rc;
        }

        /* marks nginx's buffer as free */

        if (ctx->request == ctx->request->main) {
            cl->buf->pos = cl->buf->last;
        }
    }

    if (ctx->request == ctx->request->main) {
        rb->bufs = NULL;
    }

    ctx->body.p = (const char *) gather->start;
    ctx->body.n = gather->len;

    return NGX_OK;
}


/* The body is complete at once.  In a subrequest it may belong to the main
   request, so it is not modified. */

static ngx_int_t
ngx_rbl_body_whole(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t     rc;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    if (ctx->request->request_body == NULL) {
        return NGX_OK;
    }

    cl = ctx->request->request_body->bufs;

    if (cl && cl->next == NULL && !cl->buf->in_file
        && ngx_buf_size(cl->buf) <= NGX_RBL_BODY_MAX)
    {
        b = cl->buf;
        ctx->body.p = (const char *) b->pos;
        ctx->body.n = b->last - b->pos;

        return NGX_OK;
    }

    rc = ngx_rbl_body_take(ctx);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_OK;
}


/* Takes the bytes that have arrived and reads on until the body is complete or
   no more bytes are available. */

static void
ngx_rbl_body_event(ngx_http_request_t *r)
{
    ngx_int_t       rc, taken;
    ngx_rbl_ctx_t  *ctx;

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0, "rbl body");

    ctx = ngx_http_get_module_ctx(r, ngx_rbl_module);

    for ( ;; ) {
        rc = ngx_http_read_unbuffered_request_body(r);

        if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
            break;
        }

        taken = ngx_rbl_body_take(ctx);

        if (taken >= NGX_HTTP_SPECIAL_RESPONSE) {
            rc = taken;
            break;
        }

        if (rc == NGX_OK) {
            break;
        }

        if (taken == NGX_DONE) {
            return;
        }
    }

    r->read_event_handler = ngx_http_block_reading;

    ctx->body_done(ctx, rc);
}


static void
ngx_rbl_body_ready(ngx_http_request_t *r)
{
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_rbl_module);

    if (!r->reading_body) {
        ctx->body_done(ctx, ngx_rbl_body_whole(ctx));
        return;
    }

    r->read_event_handler = ngx_rbl_body_event;

    ngx_rbl_body_event(r);
}


ngx_int_t
ngx_rbl_body_read(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = ctx->request;

    if (r->headers_in.content_length_n > NGX_RBL_BODY_MAX) {

        /* do not send "100 Continue" */

        r->expect_tested = 1;

        return NGX_HTTP_REQUEST_ENTITY_TOO_LARGE;
    }

    r->request_body_no_buffering = 1;

    rc = ngx_http_read_client_request_body(r, ngx_rbl_body_ready);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_OK;
}
