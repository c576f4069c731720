/*
 * Fields from a body of the type multipart/form-data (RFC 7578), as curl -F and
 * the array of PHP's curl send it.  The whole body is in memory, and each octet
 * is looked at a bounded number of times.  Files are refused, and so is a body
 * that does not end with its boundary: a part of it is missing.
 */

#include "ngx_rbl_multipart.h"


#define NGX_RBL_BOUNDARY_MAX  70        /* RFC 2046 */
#define NGX_RBL_PART_MAX      256       /* octets of a name; others are no
                                           field's */


typedef struct {
    u_char  *last;                      /* end of the body */
    u_char   mark[4 + NGX_RBL_BOUNDARY_MAX];    /* CRLF, "--", boundary */
    size_t   len;
} ngx_rbl_multipart_t;

typedef struct {
    u_char    name[NGX_RBL_PART_MAX];
    size_t    len;
    unsigned  named:1;
    unsigned  file:1;
} ngx_rbl_part_t;


static ngx_uint_t
ngx_rbl_multipart_is(const u_char *p, const u_char *last, const char *word)
{
    size_t  len;

    len = ngx_strlen(word);

    return (size_t) (last - p) >= len
           && ngx_strncasecmp((u_char *) p, (u_char *) word, len) == 0;
}


/* Takes the boundary from a Content-Type; a parameter may be quoted. */

static ngx_int_t
ngx_rbl_multipart_boundary(ngx_rbl_multipart_t *m, const ngx_str_t *type)
{
    u_char      *p, *last, *value;
    size_t       len;
    ngx_uint_t   quoted;

    last = type->data + type->len;
    p = ngx_strlchr(type->data, last, ';');

    while (p && p < last && (*p == ';' || *p == ' ' || *p == '\t')) {
        p++;

        if (!ngx_rbl_multipart_is(p, last, "boundary=")) {
            if (p == last || (*p != ';' && *p != ' ' && *p != '\t')) {
                p = ngx_strlchr(p, last, ';');
            }

            continue;
        }

        value = p + sizeof("boundary=") - 1;
        quoted = value < last && *value == '"';
        value += quoted;
        len = 0;

        while (value + len < last && value[len] != '"'
               && (quoted || (value[len] != ';' && value[len] != ' '
                              && value[len] != '\t')))
        {
            len++;
        }

        if (len == 0 || len > NGX_RBL_BOUNDARY_MAX
            || (quoted && value + len == last))
        {
            return NGX_DECLINED;
        }

        ngx_memcpy(m->mark, "\r\n--", 4);
        ngx_memcpy(m->mark + 4, value, len);
        m->len = 4 + len;

        return NGX_OK;
    }

    return NGX_DECLINED;
}


static void
ngx_rbl_multipart_refuse(ngx_rbl_ctx_t *ctx, const char *why)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "The request body is not a form: %s.", why);
}


/* Returns where the part behind a boundary begins, m->last if that is the end,
   NULL if this is no boundary. */

static u_char *
ngx_rbl_multipart_after(const ngx_rbl_multipart_t *m, u_char *p)
{
    if (m->last - p >= 2 && p[0] == '-' && p[1] == '-') {
        return m->last;
    }

    while (p < m->last && (*p == ' ' || *p == '\t')) {
        p++;
    }

    return m->last - p > 2 && p[0] == '\r' && p[1] == '\n' ? p + 2 : NULL;
}


/* The same behind the next boundary; NULL: there is none.  *end: where the part
   before it ends. */

static u_char *
ngx_rbl_multipart_find(const ngx_rbl_multipart_t *m, u_char *p, u_char **end)
{
    u_char  *after;

    for ( /* void */ ; p < m->last; p = *end + 1) {
        *end = memmem(p, m->last - p, m->mark, m->len);

        if (*end == NULL) {
            return NULL;
        }

        after = ngx_rbl_multipart_after(m, *end + m->len);

        if (after) {
            return after;
        }
    }

    return NULL;
}


/* The first boundary has no line before it, or a preamble. */

static u_char *
ngx_rbl_multipart_first(const ngx_rbl_multipart_t *m, u_char *p)
{
    u_char  *after, *end;

    after = NULL;

    if ((size_t) (m->last - p) >= m->len - 2
        && ngx_memcmp(p, m->mark + 2, m->len - 2) == 0)
    {
        after = ngx_rbl_multipart_after(m, p + m->len - 2);
    }

    return after ? after : ngx_rbl_multipart_find(m, p, &end);
}


/* A quoted text, in which a backslash stands before a quote, or a token.  No
   field has a name that is too long; such a name is left empty. */

static u_char *
ngx_rbl_multipart_value(ngx_rbl_part_t *part, u_char *p, u_char *last)
{
    ngx_uint_t  quoted;

    quoted = p < last && *p == '"';
    p += quoted;
    part->len = 0;

    for ( /* void */ ; p < last; p++) {

        if (quoted ? *p == '"' : *p == ';' || *p == ' ' || *p == '\t') {
            p += quoted;
            break;
        }

        if (quoted && *p == '\\' && last - p > 1
            && (p[1] == '"' || p[1] == '\\'))
        {
            p++;
        }

        if (part->len < NGX_RBL_PART_MAX) {
            part->name[part->len] = *p;
        }

        part->len++;
    }

    if (part->len > NGX_RBL_PART_MAX) {
        part->len = 0;
    }

    return p;
}


/* form-data; name="..."; filename="..." */

static void
ngx_rbl_multipart_disposition(ngx_rbl_part_t *part, u_char *p, u_char *last)
{
    part->named = 0;
    p = ngx_strlchr(p, last, ';');

    while (p && p < last) {

        if (*p == ';' || *p == ' ' || *p == '\t') {
            p++;
            continue;
        }

        if (ngx_rbl_multipart_is(p, last, "filename=")
            || ngx_rbl_multipart_is(p, last, "filename*="))
        {
            part->file = 1;
            return;
        }

        if (ngx_rbl_multipart_is(p, last, "name=")) {
            p = ngx_rbl_multipart_value(part, p + sizeof("name=") - 1, last);
            part->named = 1;
            continue;
        }

        p = ngx_strlchr(p, last, ';');
    }
}


/* Returns where the content begins; NULL: the headers do not end. */

static u_char *
ngx_rbl_multipart_headers(ngx_rbl_part_t *part, u_char *p, u_char *last)
{
    u_char  *end;

    static const char  disposition[] = "content-disposition:";

    for ( /* void */ ; p < last; p = end + 2) {
        end = memmem(p, last - p, "\r\n", 2);

        if (end == NULL) {
            return NULL;
        }

        if (end == p) {
            return p + 2;
        }

        if (ngx_rbl_multipart_is(p, end, disposition)) {
            ngx_rbl_multipart_disposition(part, p + sizeof(disposition) - 1,
                                          end);
        }
    }

    return NULL;
}


static ngx_int_t
ngx_rbl_multipart_part(ngx_rbl_ctx_t *ctx, u_char *p, u_char *last)
{
    rbl_str_t       text;
    ngx_rbl_part_t  part;

    ngx_memzero(&part, sizeof(ngx_rbl_part_t));

    p = ngx_rbl_multipart_headers(&part, p, last);

    if (p == NULL || (!part.named && !part.file)) {
        ngx_rbl_multipart_refuse(ctx, "a part of it has no name");
        return NGX_OK;
    }

    if (part.file) {
        ngx_rbl_refuse(ctx, NGX_HTTP_UNSUPPORTED_MEDIA_TYPE,
                       "A form with files is not accepted.");
        return NGX_OK;
    }

    text.p = (const char *) p;
    text.n = last - p;

    return ngx_rbl_params_take(ctx, part.name, part.len, text);
}


ngx_int_t
ngx_rbl_multipart_parse(ngx_rbl_ctx_t *ctx)
{
    u_char               *part, *next, *end;
    ngx_rbl_multipart_t   m;

    end = NULL;
    part = (u_char *) ctx->body.p;
    m.last = part + ctx->body.n;

    if (ngx_rbl_multipart_boundary(&m,
                                 &ctx->request->headers_in.content_type->value)
        != NGX_OK)
    {
        ngx_rbl_multipart_refuse(ctx, "its Content-Type has no valid boundary");
        return NGX_OK;
    }

    for (part = ngx_rbl_multipart_first(&m, part); part != m.last; part = next)
    {
        next = part ? ngx_rbl_multipart_find(&m, part, &end) : NULL;

        if (next == NULL) {
            ngx_rbl_multipart_refuse(ctx, "it does not end with its boundary");
            return NGX_OK;
        }

        if (ngx_rbl_multipart_part(ctx, part, end) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ctx->run.refusal) {
            return NGX_OK;
        }
    }

    return NGX_OK;
}
