/*
 * Headers of a response.
 *
 * nginx never makes an error page: each response has its own body.  So this
 * file also does what nginx does for its error pages: it closes the connection
 * after statuses that leave the state of the connection uncertain.
 */

#include "ngx_rbl_http.h"


static ngx_str_t  ngx_rbl_cache_control = ngx_string("Cache-Control");
static ngx_str_t  ngx_rbl_no_store = ngx_string("no-store");
static ngx_str_t  ngx_rbl_www_authenticate = ngx_string("WWW-Authenticate");
static ngx_str_t  ngx_rbl_retry_after = ngx_string("Retry-After");
static ngx_str_t  ngx_rbl_limit_header = ngx_string("RateLimit-Limit");
static ngx_str_t  ngx_rbl_left_header = ngx_string("RateLimit-Remaining");
static ngx_str_t  ngx_rbl_reset_header = ngx_string("RateLimit-Reset");
static ngx_str_t  ngx_rbl_allow = ngx_string("Allow");
static ngx_str_t  ngx_rbl_allow_get = ngx_string("GET, HEAD");
static ngx_str_t  ngx_rbl_allow_post = ngx_string("POST");


static ngx_int_t
ngx_rbl_number_header(ngx_rbl_ctx_t *ctx, ngx_str_t *name, int64_t value)
{
    ngx_str_t  text;

    text.data = ngx_pnalloc(ctx->request->pool, NGX_INT64_LEN);

    if (text.data == NULL) {
        return NGX_ERROR;
    }

    text.len = ngx_sprintf(text.data, "%L", value) - text.data;

    return ngx_rbl_header(ctx->request, name, &text) ? NGX_OK : NGX_ERROR;
}


/* RateLimit headers, sent with every response to a counted request. */

static ngx_int_t
ngx_rbl_rate_headers(ngx_rbl_ctx_t *ctx)
{
    if (ctx->rate_limit == 0) {
        return NGX_OK;
    }

    if (ngx_rbl_number_header(ctx, &ngx_rbl_limit_header, ctx->rate_limit)
        != NGX_OK
        || ngx_rbl_number_header(ctx, &ngx_rbl_left_header, ctx->rate_left)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_rbl_number_header(ctx, &ngx_rbl_reset_header, ctx->rate_reset);
}


/* An answer of the portal is for its own page: a browser renders and frames it
   nowhere. */

static ngx_int_t
ngx_rbl_portal_headers(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t  i;

    static ngx_str_t  headers[][2] = {
        { ngx_string("X-Content-Type-Options"), ngx_string("nosniff") },
        { ngx_string("Content-Security-Policy"),
          ngx_string("default-src 'none'; frame-ancestors 'none'") },
        { ngx_string("Cross-Origin-Resource-Policy"),
          ngx_string("same-origin") }
    };

    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        if (ngx_rbl_header(ctx->request, &headers[i][0], &headers[i][1])
            == NULL)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* By a challenge the page learns how users can sign in here, beside the links
   of rblctl. */

static const char *
ngx_rbl_doors(const ngx_rbl_loc_conf_t *conf)
{
    ngx_uint_t  i;

    static const char  *doors[] = {
        "", ", doors=\"mail\"", ", doors=\"identity\"",
        ", doors=\"mail identity\""
    };

    i = (conf->portal_url.len > 0) + 2 * (conf->portal_user >= 0);

    return conf->portal ? doors[i] : "";
}


/* At "Basic" a browser would ask for a password, which the portal does not
   have.  RFC 9470 is about a sign-in that is not recent. */

static ngx_int_t
ngx_rbl_challenge(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t            value;
    const char          *scheme, *doors, *more;
    ngx_http_request_t  *r;

    r = ctx->request;
    scheme = ctx->conf->portal ? "Session" : "Basic";
    doors = ngx_rbl_doors(ctx->conf);
    more = ctx->stale ? ", error=\"insufficient_user_authentication\"" : "";

    value.len = ngx_strlen(scheme) + sizeof(" realm=\"\"") - 1
                + ctx->conf->realm.len + ngx_strlen(doors) + ngx_strlen(more);
    value.data = ngx_pnalloc(r->pool, value.len);

    if (value.data == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf(value.data, "%s realm=\"%V\"%s%s", scheme,
                &ctx->conf->realm, doors, more);

    r->headers_out.www_authenticate =
        ngx_rbl_header(r, &ngx_rbl_www_authenticate, &value);

    return r->headers_out.www_authenticate ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_rbl_refusal_headers(ngx_rbl_ctx_t *ctx)
{
    ngx_table_elt_t     *h;
    ngx_http_request_t  *r;

    r = ctx->request;

    /* auth_request uses only the status */

    if (ctx->conf->legacy_errors && r == r->main) {
        r->headers_out.status = NGX_HTTP_OK;
    }

    switch (ctx->run.refusal) {

    case NGX_HTTP_BAD_REQUEST:
    case NGX_HTTP_REQUEST_ENTITY_TOO_LARGE:
    case NGX_HTTP_INTERNAL_SERVER_ERROR:
        r->keepalive = 0;
        return NGX_OK;

    case NGX_HTTP_UNAUTHORIZED:
        return ngx_rbl_challenge(ctx);

    case NGX_HTTP_NOT_ALLOWED:
        h = ngx_rbl_header(r, &ngx_rbl_allow,
                           ctx->allow == NGX_HTTP_POST ? &ngx_rbl_allow_post
                                                       : &ngx_rbl_allow_get);
        return h ? NGX_OK : NGX_ERROR;

    case NGX_HTTP_TOO_MANY_REQUESTS:
    case NGX_HTTP_SERVICE_UNAVAILABLE:
        return ctx->retry_after
               ? ngx_rbl_number_header(ctx, &ngx_rbl_retry_after,
                                       (int64_t) ctx->retry_after)
               : NGX_OK;

    default:
        return NGX_OK;
    }
}


ngx_int_t
ngx_rbl_headers(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_header(ctx->request, &ngx_rbl_cache_control, &ngx_rbl_no_store)
        == NULL)
    {
        return NGX_ERROR;
    }

    if (ngx_rbl_rate_headers(ctx) != NGX_OK
        || (ctx->conf->portal && ngx_rbl_portal_headers(ctx) != NGX_OK))
    {
        return NGX_ERROR;
    }

    return ctx->run.refusal ? ngx_rbl_refusal_headers(ctx) : NGX_OK;
}


ngx_table_elt_t *
ngx_rbl_header(ngx_http_request_t *r, ngx_str_t *key, ngx_str_t *value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NULL;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->hash = 1;
    h->key = *key;
    h->value = *value;

    return h;
}
