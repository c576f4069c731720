/*
 * An entry of the error log of an application: a packed record (schema.txt:
 * refusal).  It holds no secrets: the path without the query, no header, no
 * body.  Bytes of the client are escaped.
 */

#include "ngx_rbl_usage.h"

#include "rbl_mp.h"

#define NGX_RBL_REFUSAL_PATH  256       /* bytes of a path before escaping */
#define NGX_RBL_REFUSAL_TEXT  256
#define NGX_RBL_REFUSAL_SIZE  2048      /* fits any record */


static int
ngx_rbl_refusal_full(rbl_out_t *out)
{
    return -1;
}


static rbl_str_t
ngx_rbl_refusal_cut(const ngx_str_t *text, size_t max)
{
    return (rbl_str_t) { (const char *) text->data, ngx_min(text->len, max) };
}


/* Returns 0 if it does not fit, which cannot happen. */

static size_t
ngx_rbl_refusal_pack(ngx_rbl_ctx_t *ctx, char *buf, size_t size)
{
    size_t               n;
    u_char               path[3 * NGX_RBL_REFUSAL_PATH], *last;
    rbl_out_t            out;
    ngx_http_request_t  *r;

    r = ctx->request;
    n = ngx_min(r->uri.len, NGX_RBL_REFUSAL_PATH);
    last = (u_char *) ngx_escape_uri(path, r->uri.data, n, NGX_ESCAPE_URI);

    out.pos = buf;
    out.end = buf + size;
    out.more = ngx_rbl_refusal_full;
    out.failed = 0;

    rbl_mp_put_array(&out, RBL_REFUSAL__N);
    rbl_mp_put_int(&out, RBL_RECORD_VERSION);
    rbl_mp_put_int(&out, ngx_rbl_now());
    rbl_mp_put_str(&out, ngx_rbl_refusal_cut(&r->method_name, 16));
    rbl_mp_put_str(&out, (rbl_str_t) { (char *) path, last - path });
    rbl_mp_put_int(&out, (int64_t) ctx->run.refusal);
    rbl_mp_put_str(&out, ngx_rbl_refusal_cut(&ctx->message,
                                             NGX_RBL_REFUSAL_TEXT));
    rbl_mp_put_str(&out, ngx_rbl_refusal_cut(&r->connection->addr_text,
                                             NGX_SOCKADDR_STRLEN));

    return out.failed ? 0 : out.pos - buf;
}


ngx_rbl_refusal_t *
ngx_rbl_refusal_create(ngx_rbl_ctx_t *ctx)
{
    char                buf[NGX_RBL_REFUSAL_SIZE];
    size_t              len;
    ngx_rbl_refusal_t  *refusal;

    len = ngx_rbl_refusal_pack(ctx, buf, sizeof(buf));
    if (len == 0) {
        return NULL;
    }

    refusal = ngx_alloc(offsetof(ngx_rbl_refusal_t, data) + len,
                        ctx->request->connection->log);
    if (refusal != NULL) {
        ngx_memcpy(refusal->data, buf, len);
        refusal->len = len;
    }

    return refusal;
}
