/*
 * Fields of a call from the query and the body.
 *
 * A call declares its fields (rbl_field_t); other fields are ignored,
 * whatever their size.  Values are decoded into the request's pool, trimmed and
 * checked for valid UTF-8.  The query is read first, then the body, which is a
 * form, urlencoded or multipart, or a flat JSON object.  The last value of a
 * field wins, unless the field is a list.
 */

#include "ngx_rbl_multipart.h"
#include "ngx_rbl_write.h"

#include <jansson.h>


#define NGX_RBL_NAME_MAX  64            /* bytes of a field name with
                                           brackets */


typedef enum {
    NGX_RBL_BODY_FORM = 0,
    NGX_RBL_BODY_JSON,
    NGX_RBL_BODY_MULTIPART,
    NGX_RBL_BODY_UNKNOWN
} ngx_rbl_body_e;


static ngx_int_t
ngx_rbl_params_encoded(const u_char *p, const u_char *last)
{
    for ( ;; ) {
        p = ngx_strlchr((u_char *) p, (u_char *) last, '%');

        if (p == NULL) {
            return NGX_OK;
        }

        if (last - p < 3 || ngx_hextoi((u_char *) p + 1, 2) == NGX_ERROR) {
            return NGX_DECLINED;
        }

        p += 3;
    }
}


/*
 * Decodes "+" and "%xx", whose syntax was checked, into at most `size` bytes.
 * Returns 0 for a longer text; no field has such a name.
 */

static size_t
ngx_rbl_params_decode(u_char *dst, size_t size, const u_char *p,
    const u_char *last)
{
    size_t  n;

    for (n = 0; p < last; n++) {

        if (n == size) {
            return 0;
        }

        if (*p == '%') {
            dst[n] = (u_char) ngx_hextoi((u_char *) p + 1, 2);
            p += 3;
            continue;
        }

        dst[n] = *p == '+' ? ' ' : *p;
        p++;
    }

    return n;
}


/* Finds a field by its name; a list may also be written "name[]" or
   "name[12]". */

static ngx_int_t
ngx_rbl_params_field(const ngx_rbl_ctx_t *ctx, const u_char *name, size_t len)
{
    size_t              i;
    const rbl_field_t  *f, *fields;

    fields = ctx->run.fields;

    for (f = fields; f && f->name.n; f++) {

        if (len < f->name.n
            || ngx_memcmp(name, f->name.p, f->name.n) != 0)
        {
            continue;
        }

        if (len == f->name.n) {
            return f - fields;
        }

        if (!(f->flags & RBL_LIST) || name[f->name.n] != '['
            || name[len - 1] != ']')
        {
            continue;
        }

        i = f->name.n + 1;

        while (i < len - 1 && name[i] >= '0' && name[i] <= '9') {
            i++;
        }

        if (i == len - 1) {
            return f - fields;
        }
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_rbl_params_add(ngx_rbl_ctx_t *ctx, ngx_uint_t field, rbl_str_t text)
{
    rbl_value_t        *value;
    rbl_given_t        *given;
    const rbl_field_t  *f;

    f = &ctx->run.fields[field];
    given = &ctx->run.given[field];

    text = rbl_trim(text);

    if (!rbl_text_ok(text)) {
        rbl_invalid(&ctx->run, f->name.p);
        return NGX_OK;
    }

    if (given->first && !(f->flags & RBL_LIST)) {
        given->first->text = text;
        return NGX_OK;
    }

    value = ngx_palloc(ctx->request->pool, sizeof(rbl_value_t));
    if (value == NULL) {
        return NGX_ERROR;
    }

    value->text = text;
    value->next = NULL;

    if (given->first) {
        given->last->next = value;

    } else {
        given->first = value;
    }

    given->last = value;

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_params_pair(ngx_rbl_ctx_t *ctx, u_char *p, u_char *last)
{
    size_t     len;
    u_char     name[NGX_RBL_NAME_MAX], *eq, *value;
    rbl_str_t  text;
    ngx_int_t  field;

    eq = ngx_strlchr(p, last, '=');

    if (eq == NULL) {
        eq = last;
    }

    /* a malformed name matches no field, and is ignored */

    if (ngx_rbl_params_encoded(p, eq) != NGX_OK) {
        return NGX_OK;
    }

    len = ngx_rbl_params_decode(name, sizeof(name), p, eq);
    field = ngx_rbl_params_field(ctx, name, len);

    if (field == NGX_DECLINED) {
        return NGX_OK;
    }

    value = eq < last ? eq + 1 : last;
    len = last - value;

    if (ngx_rbl_params_encoded(value, last) != NGX_OK) {
        rbl_invalid(&ctx->run, ctx->run.fields[field].name.p);
        return NGX_OK;
    }

    text = RBL_STR("");

    if (len) {
        text.p = ngx_pnalloc(ctx->request->pool, len);
        if (text.p == NULL) {
            return NGX_ERROR;
        }

        text.n = ngx_rbl_params_decode((u_char *) text.p, len, value, last);
    }

    return ngx_rbl_params_add(ctx, field, text);
}


static ngx_int_t
ngx_rbl_params_pairs(ngx_rbl_ctx_t *ctx, u_char *p, u_char *last)
{
    u_char  *amp;

    while (p < last) {
        amp = ngx_strlchr(p, last, '&');

        if (amp == NULL) {
            amp = last;
        }

        if (ngx_rbl_params_pair(ctx, p, amp) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ctx->run.refusal) {
            return NGX_OK;
        }

        p = amp + 1;
    }

    return NGX_OK;
}


static ngx_rbl_body_e
ngx_rbl_params_type(ngx_http_request_t *r)
{
    size_t            len;
    u_char           *end;
    ngx_uint_t        i;
    ngx_table_elt_t  *h;

    static const struct {
        ngx_str_t       name;
        ngx_rbl_body_e  type;
    } types[] = {
        { ngx_null_string, NGX_RBL_BODY_FORM },
        { ngx_string("application/x-www-form-urlencoded"), NGX_RBL_BODY_FORM },
        { ngx_string("application/json"), NGX_RBL_BODY_JSON },
        { ngx_string("multipart/form-data"), NGX_RBL_BODY_MULTIPART }
    };

    h = r->headers_in.content_type;

    if (h == NULL) {
        return NGX_RBL_BODY_FORM;
    }

    end = ngx_strlchr(h->value.data, h->value.data + h->value.len, ';');
    len = end ? (size_t) (end - h->value.data) : h->value.len;

    while (len && (h->value.data[len - 1] == ' '
                   || h->value.data[len - 1] == '\t'))
    {
        len--;
    }

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (len == types[i].name.len
            && ngx_strncasecmp(h->value.data, types[i].name.data, len) == 0)
        {
            return types[i].type;
        }
    }

    return NGX_RBL_BODY_UNKNOWN;
}


static ngx_int_t
ngx_rbl_params_scalar(ngx_rbl_ctx_t *ctx, ngx_uint_t field, json_t *value)
{
    u_char     number[NGX_INT64_LEN];
    rbl_str_t  text;

    switch (json_typeof(value)) {

    case JSON_NULL:
        return NGX_OK;

    case JSON_TRUE:
        return ngx_rbl_params_add(ctx, field, RBL_STR("1"));

    case JSON_FALSE:
        return ngx_rbl_params_add(ctx, field, RBL_STR("0"));

    case JSON_STRING:
        text.p = json_string_value(value);
        text.n = json_string_length(value);
        break;

    case JSON_INTEGER:
        text.p = (const char *) number;
        text.n = ngx_sprintf(number, "%L", (int64_t) json_integer_value(value))
                 - number;
        break;

    default:
        rbl_invalid(&ctx->run, ctx->run.fields[field].name.p);
        return NGX_OK;
    }

    /* the JSON tree is freed before the request ends */

    text = ngx_rbl_keep(ctx->request->pool, text);

    return text.p != NULL ? ngx_rbl_params_add(ctx, field, text) : NGX_ERROR;
}


static ngx_int_t
ngx_rbl_params_member(ngx_rbl_ctx_t *ctx, ngx_uint_t field, json_t *value)
{
    size_t              i;
    const rbl_field_t  *f;

    f = &ctx->run.fields[field];

    if (!json_is_array(value) || !(f->flags & RBL_LIST)) {
        return ngx_rbl_params_scalar(ctx, field, value);
    }

    if (json_array_size(value) == 0) {
        return ngx_rbl_params_add(ctx, field, RBL_STR(""));
    }

    for (i = 0; i < json_array_size(value); i++) {

        if (ngx_rbl_params_scalar(ctx, field, json_array_get(value, i))
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ctx->run.refusal) {
            break;
        }
    }

    return NGX_OK;
}


/*
 * The parser accepts NUL, so that the refusal can name the field.  It uses
 * jansson's own allocator, because the hooks concern the whole process.
 */

static ngx_int_t
ngx_rbl_params_json(ngx_rbl_ctx_t *ctx)
{
    json_t        *root, *value;
    ngx_int_t      rc, field;
    rbl_str_t      body;
    const char    *key;
    json_error_t   error;

    static const char  bom[] = "\xef\xbb\xbf";

    body = ctx->body;

    /* RFC 8259 allows to ignore it, and programs of Windows write it */

    if (body.n >= sizeof(bom) - 1
        && ngx_memcmp(body.p, bom, sizeof(bom) - 1) == 0)
    {
        body.p += sizeof(bom) - 1;
        body.n -= sizeof(bom) - 1;
    }

    root = json_loadb(body.p, body.n,
                      JSON_REJECT_DUPLICATES|JSON_ALLOW_NUL, &error);

    if (!json_is_object(root)) {
        json_decref(root);
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "The request body is not a JSON object.");
        return NGX_OK;
    }

    rc = NGX_OK;

    json_object_foreach(root, key, value) {
        field = ngx_rbl_params_field(ctx, (u_char *) key, ngx_strlen(key));

        if (field == NGX_DECLINED) {
            continue;
        }

        rc = ngx_rbl_params_member(ctx, field, value);

        if (rc != NGX_OK || ctx->run.refusal) {
            break;
        }
    }

    json_decref(root);

    return rc;
}


ngx_int_t
ngx_rbl_params_parse(ngx_rbl_ctx_t *ctx)
{
    u_char              *p;
    ngx_http_request_t  *r;

    r = ctx->request;

    /* a link in a query would be in logs */

    if (r->args.len && !(ctx->route->flags & NGX_RBL_SIGN_IN)
        && ngx_rbl_params_pairs(ctx, r->args.data, r->args.data + r->args.len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ctx->body.n == 0 || ctx->run.refusal) {
        return NGX_OK;
    }

    switch (ngx_rbl_params_type(r)) {

    case NGX_RBL_BODY_FORM:
        p = (u_char *) ctx->body.p;
        return ngx_rbl_params_pairs(ctx, p, p + ctx->body.n);

    case NGX_RBL_BODY_JSON:
        return ngx_rbl_params_json(ctx);

    case NGX_RBL_BODY_MULTIPART:
        return ngx_rbl_multipart_parse(ctx);

    default:
        ngx_rbl_refuse(ctx, NGX_HTTP_UNSUPPORTED_MEDIA_TYPE,
                       "The request body must be of type "
                       "application/x-www-form-urlencoded, application/json "
                       "or multipart/form-data.");
        return NGX_OK;
    }
}


ngx_int_t
ngx_rbl_params_take(ngx_rbl_ctx_t *ctx, const u_char *name, size_t len,
    rbl_str_t text)
{
    ngx_int_t  field;

    field = ngx_rbl_params_field(ctx, name, len);

    if (field == NGX_DECLINED) {
        return NGX_OK;
    }

    text = ngx_rbl_keep(ctx->request->pool, text);

    return text.p != NULL ? ngx_rbl_params_add(ctx, field, text) : NGX_ERROR;
}
