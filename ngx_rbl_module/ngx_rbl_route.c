/*
 * The routes of the API: one table, and the matching of a request's path.
 *
 * A path is what follows the location's prefix: [segments][/][.format].  The
 * slash before the format is what some clients write ("host/add/.json") and
 * means nothing.  A row whose path ends with "/" takes an id as the last
 * segment; rows without an id go first, so "host/add" is never a host's id.
 */

#include "ngx_rbl_api.h"


static ngx_int_t ngx_rbl_route_format(ngx_rbl_ctx_t *ctx, ngx_str_t *path);
static ngx_int_t ngx_rbl_route_match(const ngx_rbl_route_t *route,
    const ngx_str_t *path, ngx_str_t *id);


static const ngx_rbl_route_t  ngx_rbl_routes[] = {

    { ngx_string("hosts"), ngx_string("hosts"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_hosts },

    { ngx_string("listings"), ngx_string("listings"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_listings },

    { ngx_string("listings"), ngx_string("listings"),
      NGX_HTTP_GET, NGX_RBL_PLAIN, &ngx_rbl_op_listings_plain, NULL },

    { ngx_string("host/add"), ngx_string("host/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_add, NULL },

    { ngx_string("check/start"), ngx_string("check/start"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_check_start, NULL },

    { ngx_string("check/status"), ngx_string("check/status"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_check_status, NULL },

    { ngx_string("check/status/"), ngx_string("check/status"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_check_status, NULL },

    { ngx_string("host/update/"), ngx_string("host/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_update, NULL },

    { ngx_string("host/pause/"), ngx_string("host/pause"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_pause, NULL },

    { ngx_string("host/resume/"), ngx_string("host/resume"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_resume, NULL },

    { ngx_string("host/delete/"), ngx_string("host/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_delete, NULL },

    { ngx_string("rblprofiles"), ngx_string("rblprofiles"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/add"), ngx_string("rblprofile/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_add,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/update/"), ngx_string("rblprofile/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_update,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/delete/"), ngx_string("rblprofile/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_delete,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/"), ngx_string("rblprofile"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofiles"), ngx_string("rblprofiles"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/add"), ngx_string("rblprofile/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_add,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/update/"), ngx_string("rblprofile/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_update,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/delete/"), ngx_string("rblprofile/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_delete,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/"), ngx_string("rblprofile"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_profiles },

    { ngx_string("rbls"), ngx_string("rbls"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbls,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/add"), ngx_string("rbl/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_add,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/update/"), ngx_string("rbl/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_update,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/pause/"), ngx_string("rbl/pause"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_pause,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/resume/"), ngx_string("rbl/resume"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_resume,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/delete/"), ngx_string("rbl/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_delete,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/"), ngx_string("rbl"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl,
      &ngx_rbl_family_rbls },

    { ngx_string("acls"), ngx_string("acls"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_acls, NULL },

    { ngx_string("contacts"), ngx_string("contacts"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/add"), ngx_string("contact/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_add, NULL },

    { ngx_string("contact/update/"), ngx_string("contact/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_update, NULL },

    { ngx_string("contact/pause/"), ngx_string("contact/pause"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_pause, NULL },

    { ngx_string("contact/resume/"), ngx_string("contact/resume"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_resume, NULL },

    { ngx_string("contact/resend/"), ngx_string("contact/resend"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_resend, NULL },

    { ngx_string("contact/confirm/"), ngx_string("contact/confirm"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_confirm, NULL },

    { ngx_string("contact/delete/"), ngx_string("contact/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_delete, NULL },

    { ngx_string("contact/"), ngx_string("contact"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_contacts },

    { ngx_string("contactgroups"), ngx_string("contactgroups"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroup/add"), ngx_string("contactgroup/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_add, NULL },

    { ngx_string("contactgroup/update/"), ngx_string("contactgroup/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_update, NULL },

    { ngx_string("contactgroup/delete/"), ngx_string("contactgroup/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_delete, NULL },

    { ngx_string("contactgroup/"), ngx_string("contactgroup"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroups/add"), ngx_string("contactgroup/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_add, NULL },

    { ngx_string("contactgroups/update/"), ngx_string("contactgroup/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_update, NULL },

    { ngx_string("contactgroups/delete/"), ngx_string("contactgroup/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_delete, NULL },

    { ngx_string("contactgroups/"), ngx_string("contactgroup"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_groups },

    { ngx_string("host/"), ngx_string("host"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_hosts }
};


static const struct {
    ngx_str_t         suffix;
    ngx_rbl_format_e  format;
} ngx_rbl_suffixes[] = {
    { ngx_string(".json"), NGX_RBL_JSON },
    { ngx_string(".xml"), NGX_RBL_XML },
    { ngx_string(".nagios"), NGX_RBL_NAGIOS },
    { ngx_string(".zabbix"), NGX_RBL_ZABBIX }
};


ngx_int_t
ngx_rbl_route(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t               path, id;
    ngx_uint_t              i;
    const ngx_rbl_route_t  *route;

    if (ngx_rbl_route_format(ctx, &path) != NGX_OK) {
        return NGX_DECLINED;
    }

    for (i = 0; i < sizeof(ngx_rbl_routes) / sizeof(ngx_rbl_routes[0]); i++) {
        route = &ngx_rbl_routes[i];

        /* most rows are not meant: their first letter tells */

        if (path.len == 0 || path.data[0] != route->path.data[0]
            || ngx_rbl_route_match(route, &path, &id) != NGX_OK)
        {
            continue;
        }

        /* another row may have this path in other formats */

        if (!(route->formats & (1 << ctx->format))) {
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
    return number == 0
           || number > sizeof(ngx_rbl_routes) / sizeof(ngx_rbl_routes[0])
           ? NULL : &ngx_rbl_routes[number - 1].endpoint;
}


/* The path below the location's prefix, without format and stray slash. */

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

    if (ngx_memcmp(path->data, route->path.data, len) != 0) {
        return NGX_DECLINED;
    }

    id->data = path->data + len;
    id->len = path->len - len;

    return ngx_strlchr(id->data, id->data + id->len, '/') ? NGX_DECLINED
                                                          : NGX_OK;
}
