/*
 * Fields of a call as texts, lists, flags and ids in the path, and the refusals
 * that name a field.
 */

#include "ngx_rbl_http.h"


void *
ngx_rbl_data(ngx_rbl_ctx_t *ctx, size_t size)
{
    ctx->data = ngx_pcalloc(ctx->request->pool, size);

    if (ctx->data == NULL) {
        ngx_rbl_internal(ctx);
    }

    return ctx->data;
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
ngx_rbl_sids(ngx_rbl_ctx_t *ctx, ngx_uint_t field, rbl_sid_kind_t kind,
    rbl_sid_t **sids)
{
    ngx_int_t   i, n;
    rbl_str_t  *texts;

    n = ngx_rbl_list(ctx, field, &texts);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    *sids = ngx_palloc(ctx->request->pool, n * sizeof(rbl_sid_t) + 1);

    if (*sids == NULL) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {
        if (rbl_sid_parse(&(*sids)[i], kind, texts[i]) != RBL_OK) {
            ngx_rbl_invalid(ctx,
                         (char *) ctx->route->op->fields[field].name.data);
            return NGX_DECLINED;
        }
    }

    return n;
}


ngx_int_t
ngx_rbl_flag(ngx_rbl_ctx_t *ctx, ngx_uint_t field, int *flag)
{
    rbl_str_t  text;

    text = ngx_rbl_text(ctx, field);

    if (text.p == NULL || rbl_flag_parse(flag, text) == RBL_OK) {
        return NGX_OK;
    }

    ngx_rbl_invalid(ctx, (char *) ctx->route->op->fields[field].name.data);

    return NGX_DECLINED;
}


ngx_int_t
ngx_rbl_label(ngx_rbl_ctx_t *ctx, rbl_str_t name)
{
    if (name.n && rbl_utf8_count(name) <= RBL_LABEL_MAX) {
        return NGX_OK;
    }

    ngx_rbl_invalid(ctx, "name");

    return NGX_DECLINED;
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
