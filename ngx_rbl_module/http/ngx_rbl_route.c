/*
 * Matches the path of a request with the table of calls.  A location with
 * rbl_portal has all calls, one with rbl_api those that are not of the portal
 * only.
 *
 * The path relative to the location's prefix is [segments][/][.format].  Some
 * clients write a slash before the format ("host/add/.json"); it is ignored.
 */

#include "ngx_rbl_http.h"

#include <assert.h>


#define NGX_RBL_LETTERS  ('z' - 'a' + 1)

/* The table, and its rows by the first letter of the path: the number of the
   first row (from 1; 0: none), and of the next one after each row. */
static const ngx_rbl_route_t  *ngx_rbl_routes;
static ngx_uint_t              ngx_rbl_nroutes;
static u_char                  ngx_rbl_route_first[NGX_RBL_LETTERS];
static u_char                  ngx_rbl_route_next[NGX_RBL_ROUTES_MAX + 1];


static const struct {
    ngx_str_t         suffix;
    ngx_rbl_format_e  format;
} ngx_rbl_suffixes[] = {
    { ngx_string(".json"), NGX_RBL_JSON },
    { ngx_string(".xml"), NGX_RBL_XML },
    { ngx_string(".nagios"), NGX_RBL_NAGIOS },
    { ngx_string(".zabbix"), NGX_RBL_ZABBIX },
    { ngx_string(".csv"), NGX_RBL_CSV }
};


void
ngx_rbl_routes_set(const ngx_rbl_route_t *routes)
{
    u_char      *first;
    ngx_uint_t   i;

    ngx_rbl_routes = routes;
    ngx_memzero(ngx_rbl_route_first, sizeof(ngx_rbl_route_first));

    for (i = 0; routes[i].path.len; i++) { /* void */ }

    assert(i <= NGX_RBL_ROUTES_MAX);
    ngx_rbl_nroutes = i;

    for ( /* void */ ; i > 0; i--) {
        first = &ngx_rbl_route_first[routes[i - 1].path.data[0] - 'a'];
        ngx_rbl_route_next[i] = *first;
        *first = (u_char) i;
    }
}


/* Returns the path relative to the location's prefix, without the format and a
   slash before it. */

static ngx_int_t
ngx_rbl_route_format(ngx_rbl_ctx_t *ctx, ngx_str_t *path)
{
    ngx_str_t   *uri, *base, suffix;
    ngx_uint_t   i;

    uri = &ctx->request->uri;
    base = &ctx->conf->base;

    ctx->format = NGX_RBL_JSON;

    if (uri->len < base->len
        || ngx_strncmp(uri->data, base->data, base->len) != 0)
    {
        return NGX_DECLINED;
    }

    path->data = uri->data + base->len;
    path->len = uri->len - base->len;

    for (i = 0;
         i < sizeof(ngx_rbl_suffixes) / sizeof(ngx_rbl_suffixes[0]);
         i++)
    {
        suffix = ngx_rbl_suffixes[i].suffix;

        if (path->len >= suffix.len
            && (ctx->conf->portal || ngx_rbl_suffixes[i].format != NGX_RBL_CSV)
            && ngx_memcmp(path->data + path->len - suffix.len, suffix.data,
                          suffix.len)
               == 0)
        {
            path->len -= suffix.len;
            ctx->format = ngx_rbl_suffixes[i].format;
            break;
        }
    }

    if (path->len && path->data[path->len - 1] == '/') {
        path->len--;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_route_match(const ngx_rbl_route_t *route, const ngx_str_t *path,
    ngx_str_t *id)
{
    size_t  len;

    ngx_str_null(id);

    len = route->path.len;

    if (route->path.data[len - 1] != '/') {
        return path->len == len
               && ngx_memcmp(path->data, route->path.data, len) == 0
               ? NGX_OK : NGX_DECLINED;
    }

    /* "host/update" is "host/update/" with an empty id */

    if (path->len < len) {
        return path->len == len - 1
               && ngx_memcmp(path->data, route->path.data, len - 1) == 0
               ? NGX_OK : NGX_DECLINED;
    }

    /* most rows differ from the path at their last slash */

    if (path->data[len - 1] != '/'
        || ngx_memcmp(path->data, route->path.data, len) != 0)
    {
        return NGX_DECLINED;
    }

    id->data = path->data + len;
    id->len = path->len - len;

    return memchr(id->data, '/', id->len) ? NGX_DECLINED : NGX_OK;
}


ngx_int_t
ngx_rbl_route(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t               path, id;
    ngx_uint_t              i;
    const ngx_rbl_route_t  *route;

    if (ngx_rbl_route_format(ctx, &path) != NGX_OK || path.len == 0
        || path.data[0] < 'a' || path.data[0] > 'z')
    {
        return NGX_DECLINED;
    }

    for (i = ngx_rbl_route_first[path.data[0] - 'a'];
         i > 0;
         i = ngx_rbl_route_next[i])
    {
        route = &ngx_rbl_routes[i - 1];

        /* another row may have this path with other formats */

        if (!(route->flags & (1 << ctx->format))
            || ngx_rbl_route_match(route, &path, &id) != NGX_OK)
        {
            continue;
        }

        if (!ctx->conf->portal && route->flags & NGX_RBL_PORTAL_ONLY) {
            continue;
        }

        ctx->route = route;
        ctx->id = id;
        ctx->allow = route->method == NGX_HTTP_GET
                     ? NGX_HTTP_GET|NGX_HTTP_HEAD : route->method;

        return NGX_OK;
    }

    return NGX_DECLINED;
}


ngx_uint_t
ngx_rbl_route_number(const ngx_rbl_route_t *route)
{
    return route ? (ngx_uint_t) (route - ngx_rbl_routes) + 1 : 0;
}


const ngx_str_t *
ngx_rbl_route_endpoint(ngx_uint_t number)
{
    return number == 0 || number > ngx_rbl_nroutes
           ? NULL : &ngx_rbl_routes[number - 1].endpoint;
}
