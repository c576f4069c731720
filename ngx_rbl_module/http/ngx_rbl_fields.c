/*
 * Fields of a call as texts, lists and ids in the path, the functions that
 * judge values, and the refusals that name a field.
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


char *
ngx_rbl_room(ngx_rbl_ctx_t *ctx, size_t size)
{
    char  *room;

    room = ngx_pnalloc(ctx->request->pool, size);

    if (room == NULL) {
        ngx_rbl_internal(ctx);
    }

    return room;
}


rbl_str_t
ngx_rbl_text(ngx_rbl_ctx_t *ctx, ngx_uint_t field)
{
    rbl_str_t  none = { NULL, 0 };

    const ngx_rbl_value_t  *value;

    value = ctx->round.given[field].first;

    return value ? value->text : none;
}


ngx_int_t
ngx_rbl_list(ngx_rbl_ctx_t *ctx, ngx_uint_t field, rbl_str_t **elements)
{
    rbl_str_t         rest, part, *out;
    ngx_int_t         n;
    const char       *comma;
    ngx_rbl_value_t  *value;

    n = 0;

    for (value = ctx->round.given[field].first; value; value = value->next) {
        n++;

        for (rest = value->text; rest.n; rest.p++, rest.n--) {
            n += *rest.p == ',';
        }
    }

    *elements = ngx_palloc(ctx->request->pool, n * sizeof(rbl_str_t) + 1);

    if (*elements == NULL) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    out = *elements;

    for (value = ctx->round.given[field].first; value; value = value->next) {
        rest = value->text;

        for ( ;; ) {
            comma = rest.n ? memchr(rest.p, ',', rest.n) : NULL;

            part = rest;
            part.n = comma ? (size_t) (comma - rest.p) : rest.n;

            *out++ = rbl_trim(part);

            if (comma == NULL) {
                break;
            }

            rest.p += part.n + 1;
            rest.n -= part.n + 1;
        }
    }

    return n;
}


ngx_int_t
ngx_rbl_judged(ngx_rbl_ctx_t *ctx, const ngx_rbl_field_t *field,
    rbl_str_t *text)
{
    *text = ngx_rbl_text(ctx, field - ctx->route->op->fields);

    if (text->p == NULL || field->judge == NULL
        || field->judge(ctx, text) == NGX_OK)
    {
        return NGX_OK;
    }

    if (ctx->refusal == 0) {
        ngx_rbl_invalid(ctx, (char *) field->name.data);
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_rbl_label(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    return text->n && rbl_utf8_count(*text) <= RBL_LABEL_MAX ? NGX_OK
                                                             : NGX_DECLINED;
}


ngx_int_t
ngx_rbl_flag(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    int  flag;

    if (rbl_flag_parse(&flag, *text) != RBL_OK) {
        return NGX_DECLINED;
    }

    *text = ngx_rbl_digit(flag);

    return NGX_OK;
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
    return family > 9 ? RBL_STR("10") : ngx_rbl_digit(family);
}


void
ngx_rbl_invalid_host(ngx_rbl_ctx_t *ctx, rbl_str_t text)
{
    if (!rbl_range_like(text)) {
        ngx_rbl_invalid(ctx, "host");
        return;
    }

    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid host value provided. Please try again. "
                   "A range is written as a subnet, such as 192.0.2.0/28.");
}


rbl_str_t
ngx_rbl_digit(ngx_uint_t n)
{
    static const char  digits[] = "0123456789";

    return (rbl_str_t) { digits + n, 1 };
}


ngx_int_t
ngx_rbl_path_sid(ngx_rbl_ctx_t *ctx, rbl_sid_kind_t kind,
    const char *resource, rbl_sid_t *sid)
{
    rbl_str_t  text;

    text.p = (const char *) ctx->id.data;
    text.n = ctx->id.len;

    if (rbl_sid_parse(sid, kind, text) == RBL_OK) {
        return NGX_OK;
    }

    ngx_rbl_unknown_id(ctx, resource);

    return NGX_DECLINED;
}


void
ngx_rbl_unknown_id(ngx_rbl_ctx_t *ctx, const char *resource)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_NOT_FOUND, "Invalid %s id provided.",
                   resource);
}


void
ngx_rbl_invalid(ngx_rbl_ctx_t *ctx, const char *which)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid %s value provided. Please try again.", which);
}


void
ngx_rbl_missing(ngx_rbl_ctx_t *ctx, const char *which)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "No %s value provided. Please try again.", which);
}
