/*
 * Values of a call that need the request: hosts as texts, ids in the path.
 */

#include "ngx_rbl_write.h"


void *
ngx_rbl_data(ngx_rbl_ctx_t *ctx, size_t size)
{
    ctx->data = ngx_pcalloc(ctx->request->pool, size);

    if (ctx->data == NULL) {
        ngx_rbl_internal(ctx);
    }

    return ctx->data;
}


rbl_family_t
ngx_rbl_host_parse(char buf[RBL_VALUE_MAX], rbl_str_t *value, rbl_str_t text,
    ngx_uint_t addr)
{
    rbl_addr_t  parsed;

    if (addr && rbl_addr_parse(&parsed, text) == RBL_OK) {
        *value = rbl_addr_text(buf, &parsed);
        return ngx_rbl_host_family(&parsed);
    }

    return !rbl_range_like(text) && rbl_domain_parse(buf, value, text) == RBL_OK
           && rbl_domain_top_ok(*value) ? RBL_FAMILY_DOMAIN : RBL_FAMILY_NONE;
}


rbl_family_t
ngx_rbl_host_family(const rbl_addr_t *addr)
{
    return rbl_addr_local(addr) ? addr->family | RBL_FAMILY_LOCAL
                                : addr->family;
}


rbl_str_t
ngx_rbl_family_text(rbl_family_t family)
{
    return family > 9 ? RBL_STR("10") : rbl_digit(family);
}


void
ngx_rbl_invalid_host(ngx_rbl_ctx_t *ctx, rbl_str_t text)
{
    if (!rbl_range_like(text)) {
        rbl_invalid(&ctx->run, "host");
        return;
    }

    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid host value provided. Please try again. "
                   "A range is written as a subnet, such as 192.0.2.0/28.");
}


rbl_str_t
ngx_rbl_keep(ngx_pool_t *pool, rbl_str_t text)
{
    char  *p;

    p = ngx_pnalloc(pool, text.n + 1);

    if (p == NULL) {
        return (rbl_str_t) { NULL, 0 };
    }

    rbl_copy(p, text.n + 1, text);

    return (rbl_str_t) { p, text.n };
}


ngx_int_t
ngx_rbl_path_sid(ngx_rbl_ctx_t *ctx, rbl_sid_kind_t kind,
    const char *resource, rbl_sid_t *sid)
{
    if (rbl_sid_parse(sid, kind, ngx_rbl_str(&ctx->id)) == RBL_OK) {
        return NGX_OK;
    }

    ngx_rbl_unknown_id(ctx, resource);

    return NGX_DECLINED;
}


void
ngx_rbl_unknown_id(ngx_rbl_ctx_t *ctx, const char *resource)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_NOT_FOUND,
                   RBL_UNKNOWN_HEAD "%s" RBL_UNKNOWN_TAIL, resource);
}
