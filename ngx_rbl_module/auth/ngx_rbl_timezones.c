/*
 * Cache of time zones by name.  A time zone is loaded when a request first
 * needs it, and kept as long as the configuration: a few kilobytes of the local
 * disk and some milliseconds, once per worker.  There are hundreds, and a site
 * uses a few.
 *
 * An unknown name is treated as UTC.  This is logged once per name.  The first
 * unknown names are kept, too, so that their files are not opened again.
 */

#include "ngx_rbl_auth.h"


#define NGX_RBL_TIMEZONES_UNKNOWN  64       /* unknown names kept and logged */

typedef struct {
    ngx_str_node_t     sn;
    const rbl_timezone_t  *timezone;
} ngx_rbl_timezone_node_t;


void
ngx_rbl_timezones_init(ngx_rbl_main_conf_t *rmcf, ngx_pool_t *pool)
{
    rmcf->pool = pool;

    ngx_rbtree_init(&rmcf->timezones, &rmcf->timezones_sentinel,
                    ngx_str_rbtree_insert_value);
}


/* NGX_DECLINED: no time zone of that name; NGX_ERROR: a temporary failure,
   logged. */

static ngx_int_t
ngx_rbl_timezone_load(ngx_rbl_main_conf_t *rmcf, ngx_str_t *name,
    ngx_log_t *log, const rbl_timezone_t **zone)
{
    u_char       path[NGX_MAX_PATH + RBL_TIMEZONE_NAME_MAX + 2];
    ngx_err_t    err;
    rbl_timezone_t  *made;

    if (!rbl_timezone_ok(ngx_rbl_str(name))
        || rmcf->zoneinfo.len > NGX_MAX_PATH)
    {
        return NGX_DECLINED;
    }

    made = ngx_palloc(rmcf->pool, sizeof(rbl_timezone_t));

    if (made == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf(path, "%V/%V%Z", &rmcf->zoneinfo, name);
    err = rbl_timezone_load(made, (const char *) path);

    if (err == 0) {
        *zone = made;
        return NGX_OK;
    }

    ngx_pfree(rmcf->pool, made);

    if (err == NGX_ENOENT) {
        return NGX_DECLINED;
    }

    ngx_log_error(NGX_LOG_ERR, log, err, "rbl: time zone \"%s\" cannot be read",
                  path);

    return NGX_ERROR;
}


/* Logs an unknown name.  NGX_OK: to be kept. */

static ngx_int_t
ngx_rbl_timezone_unknown(ngx_rbl_main_conf_t *rmcf, ngx_str_t *name,
    ngx_log_t *log)
{
    if (rmcf->unknown_timezones == NGX_RBL_TIMEZONES_UNKNOWN) {
        return NGX_DECLINED;
    }

    rmcf->unknown_timezones++;

    if (rbl_timezone_ok(ngx_rbl_str(name))) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "rbl: \"%V\" has no time zone \"%V\", UTC is shown",
                      &rmcf->zoneinfo, name);

    } else {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "rbl: an account's time zone cannot be one, UTC is "
                      "shown");
    }

    return NGX_OK;
}


static const rbl_timezone_t *
ngx_rbl_timezone_add(ngx_rbl_main_conf_t *rmcf, ngx_str_t *name, uint32_t hash,
    ngx_log_t *log, ngx_uint_t log_unknown)
{
    ngx_int_t                 rc;
    const rbl_timezone_t     *zone;
    ngx_rbl_timezone_node_t  *node;

    zone = &rbl_timezone_utc;
    rc = ngx_rbl_timezone_load(rmcf, name, log, &zone);

    if (rc == NGX_DECLINED && log_unknown) {
        rc = ngx_rbl_timezone_unknown(rmcf, name, log);
    }

    if (rc != NGX_OK) {
        return zone;
    }

    node = ngx_palloc(rmcf->pool, sizeof(ngx_rbl_timezone_node_t) + name->len);

    if (node) {
        node->timezone = zone;
        node->sn.node.key = hash;
        node->sn.str.len = name->len;
        node->sn.str.data = (u_char *) (node + 1);
        ngx_memcpy(node->sn.str.data, name->data, name->len);

        ngx_rbtree_insert(&rmcf->timezones, &node->sn.node);
    }

    return zone;
}


static const rbl_timezone_t *
ngx_rbl_timezone_find(ngx_http_request_t *r, rbl_str_t name,
    ngx_uint_t log_unknown)
{
    uint32_t              hash;
    ngx_str_t             s;
    ngx_str_node_t       *sn;
    ngx_rbl_main_conf_t  *rmcf;

    if (name.n == 0 || rbl_str_eq(name, RBL_STR("UTC"))) {
        return &rbl_timezone_utc;
    }

    s.data = (u_char *) name.p;
    s.len = ngx_min(name.n, RBL_TIMEZONE_NAME_MAX + 1);     /* a longer name
                                                               stays invalid */
    hash = ngx_crc32_short(s.data, s.len);

    rmcf = ngx_http_get_module_main_conf(r, ngx_rbl_module);
    sn = ngx_str_rbtree_lookup(&rmcf->timezones, &s, hash);

    if (sn) {
        return ((ngx_rbl_timezone_node_t *) sn)->timezone;
    }

    return ngx_rbl_timezone_add(rmcf, &s, hash, r->connection->log,
                                log_unknown);
}


const rbl_timezone_t *
ngx_rbl_timezone(ngx_http_request_t *r, rbl_str_t name)
{
    return ngx_rbl_timezone_find(r, name, 1);
}


ngx_uint_t
ngx_rbl_timezone_known(ngx_http_request_t *r, rbl_str_t name)
{
    return rbl_str_is(name, "UTC")
           || ngx_rbl_timezone_find(r, name, 0) != &rbl_timezone_utc;
}
