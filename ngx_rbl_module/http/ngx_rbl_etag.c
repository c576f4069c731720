/*
 * ETag of a response: a hash of the body, so two responses have the same ETag
 * only if they are equal, including values that depend on the time.  nginx's
 * filter compares it with If-None-Match and answers 304; its gzip filter
 * weakens it.  A response in slices (ngx_rbl_stream.c) has no ETag, because it
 * is never complete here.
 *
 * If-Match and If-Unmodified-Since have no effect: nginx would answer a failed
 * condition with its own error page.
 */

#include "ngx_rbl_http.h"

#include "rbl_hash.h"


#define NGX_RBL_ETAG_LEN  (sizeof("\"0123456789abcdef\"") - 1)


static ngx_str_t  ngx_rbl_etag_name = ngx_string("ETag");


ngx_int_t
ngx_rbl_etag(ngx_rbl_ctx_t *ctx)
{
    uint64_t             hash;
    rbl_str_t            part;
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
        part.p = (const char *) cl->buf->pos;
        part.n = cl->buf->last - cl->buf->pos;
        hash = rbl_hash(part, hash);
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
