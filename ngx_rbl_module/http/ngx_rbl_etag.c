/*
 * ETag of a response: a hash of the body, so two responses have the same ETag
 * only if they are equal, including values that depend on the time.  The
 * objects of a page have a hash of their own, which the page cache keeps with
 * their text.  nginx's filter compares the ETag with If-None-Match and answers
 * 304; its gzip filter weakens it.  A response in slices (ngx_rbl_stream.c) has
 * no ETag, because it is never complete here.
 *
 * If-Match and If-Unmodified-Since have no effect: nginx would answer a failed
 * condition with its own error page.
 */

#include "ngx_rbl_http.h"

#include "rbl_hash.h"


#define NGX_RBL_ETAG_LEN  (sizeof("\"0123456789abcdef\"") - 1)


static ngx_str_t  ngx_rbl_etag_name = ngx_string("ETag");


static uint64_t
ngx_rbl_etag_bytes(const char *from, const char *to, uint64_t hash)
{
    rbl_str_t  bytes = { from, (size_t) (to - from) };

    return bytes.n != 0 ? rbl_hash(bytes, hash) : hash;
}


/* Is the same whether the text of a page has a buffer of its own or not. */

static uint64_t
ngx_rbl_etag_buf(const ngx_rbl_ctx_t *ctx, const ngx_buf_t *b, uint64_t hash)
{
    uint64_t     own;
    const char  *from, *to, *text;

    from = (const char *) b->pos;
    to = (const char *) b->last;
    text = ctx->objects.p;

    if (text == NULL || text < from || text >= to) {
        return ngx_rbl_etag_bytes(from, to, hash);
    }

    own = ctx->objects_hash ? ctx->objects_hash : rbl_hash(ctx->objects, 0);

    hash = ngx_rbl_etag_bytes(from, text, hash);
    hash = ngx_rbl_etag_bytes((const char *) &own, (const char *) (&own + 1),
                              hash);

    return ngx_rbl_etag_bytes(text + ctx->objects.n, to, hash);
}


ngx_int_t
ngx_rbl_etag(ngx_rbl_ctx_t *ctx)
{
    uint64_t             hash;
    ngx_str_t            value;
    ngx_chain_t         *cl;
    ngx_http_request_t  *r;

    r = ctx->request;
    r->disable_not_modified = 1;

    if (!ctx->conf->etag || ctx->run.refusal
        || r->headers_out.content_length_n < 0
        || ctx->route->method != NGX_HTTP_GET
        || !(NGX_RBL_DOCUMENT & (1 << ctx->format)))
    {
        return NGX_OK;
    }

    hash = 0;

    for (cl = ctx->sink.chain; cl; cl = cl->next) {
        hash = ngx_rbl_etag_buf(ctx, cl->buf, hash);
    }

    value.len = NGX_RBL_ETAG_LEN;
    value.data = ngx_pnalloc(r->pool, NGX_RBL_ETAG_LEN);

    if (value.data == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf(value.data, "\"%016xL\"", hash);

    r->headers_out.etag = ngx_rbl_header(r, &ngx_rbl_etag_name, &value);

    if (r->headers_out.etag == NULL) {
        return NGX_ERROR;
    }

    r->disable_not_modified = r->headers_in.if_match
                              || r->headers_in.if_unmodified_since;

    return NGX_OK;
}
