/*
 * The module: contexts, configurations, and the life of a worker's stores.
 *
 * Locations with the same store directives share one ngx_rbl_store_conf_t in
 * the main configuration, and thus one store per worker.  The stores live from
 * init_process to exit_process and belong to the main configuration.
 */

#include "ngx_rbl_module.h"

#include "ngx_rbl_api.h"
#include "ngx_rbl_auth.h"
#include "ngx_rbl_cache.h"
#include "ngx_rbl_meter.h"
#include "ngx_rbl_status.h"
#include "ngx_rbl_usage.h"
#include "ngx_rbl_verdict.h"

#define NGX_RBL_TIMEOUT       500                       /* ms */
#define NGX_RBL_ZONEINFO      "/usr/share/zoneinfo"
#define NGX_RBL_CHECK_KEEP    (7 * 24 * 3600 * 1000)    /* ms */


/* 1: the stores of ngx_cycle live in this process */
static ngx_uint_t  ngx_rbl_running;


static void *
ngx_rbl_create_main_conf(ngx_conf_t *cf)
{
    ngx_rbl_main_conf_t  *rmcf;

    rmcf = ngx_pcalloc(cf->pool, sizeof(ngx_rbl_main_conf_t));
    if (rmcf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     rmcf->live = NULL;
     *     rmcf->zoneinfo = { 0, NULL };
     *     rmcf->unknown_timezones = 0;
     *     rmcf->shm = NULL;
     */

    rmcf->realip = NGX_CONF_UNSET;
    ngx_rbl_timezones_init(rmcf, cf->pool);

    if (ngx_array_init(&rmcf->stores, cf->pool, 4,
                       sizeof(ngx_rbl_store_conf_t *))
        != NGX_OK)
    {
        return NULL;
    }

    return rmcf;
}


static char *
ngx_rbl_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_rbl_main_conf_t  *rmcf = conf;

    ngx_rbl_routes_set(ngx_rbl_calls);

    if (rmcf->zoneinfo.data == NULL) {
        ngx_str_set(&rmcf->zoneinfo, NGX_RBL_ZONEINFO);
    }

    return NGX_CONF_OK;
}


static void *
ngx_rbl_create_loc_conf(ngx_conf_t *cf)
{
    ngx_uint_t           i;
    ngx_rbl_loc_conf_t  *rlcf;

    rlcf = ngx_pcalloc(cf->pool, sizeof(ngx_rbl_loc_conf_t));
    if (rlcf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     rlcf->store: all but its timeout
     *     rlcf->realm = { 0, NULL };
     *     rlcf->base = { 0, NULL };
     *     rlcf->portal_url = { 0, NULL };
     *     rlcf->portal_name = { 0, NULL };
     *     rlcf->portal_logo = { 0, NULL };
     *     rlcf->portal_user_name = { 0, NULL };
     */

    rlcf->api = NGX_CONF_UNSET;
    rlcf->portal = NGX_CONF_UNSET;
    rlcf->portal_user = NGX_CONF_UNSET;
    rlcf->portal_trust = NGX_CONF_UNSET_PTR;
    rlcf->store.timeout = NGX_CONF_UNSET_MSEC;
    rlcf->legacy_errors = NGX_CONF_UNSET;
    rlcf->etag = NGX_CONF_UNSET;
    rlcf->max_page_size = NGX_CONF_UNSET_UINT;
    rlcf->max_expand = NGX_CONF_UNSET_UINT;
    rlcf->check_keep = NGX_CONF_UNSET_MSEC;
    rlcf->refuse_zones = NGX_CONF_UNSET_PTR;
    rlcf->allow_zones = NGX_CONF_UNSET_PTR;
    rlcf->store_index = NGX_CONF_UNSET;
    rlcf->status = NGX_CONF_UNSET_UINT;

    for (i = 0; i < RBL_CONTACT_TYPES; i++) {
        rlcf->contact_hosts[i] = NGX_CONF_UNSET_PTR;
    }

    return rlcf;
}


/* True if the location serves calls. */

static ngx_flag_t
ngx_rbl_serves(const ngx_rbl_loc_conf_t *conf)
{
    return conf->api == 1 || conf->portal == 1;
}


/*
 * A location has its own handler, so rbl_api and rbl_portal are not inherited.
 * Only the "if" and "limit_except" blocks inside a location inherit them.
 */

static char *
ngx_rbl_merge_api(ngx_conf_t *cf, ngx_rbl_loc_conf_t *prev,
    ngx_rbl_loc_conf_t *conf)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->noname && clcf->handler == NULL && ngx_rbl_serves(prev)) {
        conf->api = prev->api;
        conf->portal = prev->portal;
        conf->base = prev->base;
        clcf->handler = ngx_rbl_handler;
    }

    ngx_conf_merge_value(conf->api, NGX_CONF_UNSET, 0);
    ngx_conf_merge_value(conf->portal, NGX_CONF_UNSET, 0);

    if (conf->api && conf->portal) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rbl_portal\" and \"rbl_api\" cannot be in the "
                           "same location");
        return NGX_CONF_ERROR;
    }

    /*
     * nginx would answer a larger body with its own error page, so its limit is
     * off; ngx_rbl_body.c applies our limit and answers in the envelope.  The
     * core module has merged its value before.
     */

    if (ngx_rbl_serves(conf)) {
        clcf->client_max_body_size = 0;
    }

    return NGX_CONF_OK;
}


/* As above.  The counters that are shown are in shared memory. */

static char *
ngx_rbl_merge_status(ngx_conf_t *cf, ngx_rbl_loc_conf_t *prev,
    ngx_rbl_loc_conf_t *conf)
{
    ngx_rbl_main_conf_t       *rmcf;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    rmcf = ngx_http_conf_get_module_main_conf(cf, ngx_rbl_module);

    if (clcf->noname && clcf->handler == NULL
        && prev->status != NGX_CONF_UNSET_UINT
        && prev->status != NGX_RBL_STATUS_OFF)
    {
        conf->status = prev->status;
        clcf->handler = ngx_rbl_status_handler;
    }

    ngx_conf_merge_uint_value(conf->status, NGX_CONF_UNSET_UINT,
                              NGX_RBL_STATUS_OFF);

    if (conf->status != NGX_RBL_STATUS_OFF && rmcf->shm == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rbl_status\" needs an \"rbl_zone\"");
        return NGX_CONF_ERROR;
    }

    if (conf->status != NGX_RBL_STATUS_OFF && ngx_rbl_serves(conf)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rbl_status\" and \"%s\" cannot be in the same "
                           "location", conf->api ? "rbl_api" : "rbl_portal");
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_rbl_merge_store(ngx_conf_t *cf, ngx_rbl_loc_conf_t *prev,
    ngx_rbl_loc_conf_t *conf)
{
    if (conf->store.place == NULL) {
        conf->store.place = prev->store.place;
        conf->store.name = prev->store.name;
    }

    if (conf->store.map == NULL) {
        conf->store.map = prev->store.map;
    }

    if (ngx_rbl_serves(conf) && conf->store.place == NULL
        && ngx_rbl_place_default(cf, conf) != NULL)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_merge_str_value(conf->store.ca, prev->store.ca, "");
    ngx_conf_merge_str_value(conf->store.cert, prev->store.cert, "");
    ngx_conf_merge_str_value(conf->store.key, prev->store.key, "");
    ngx_conf_merge_str_value(conf->store.tls_name, prev->store.tls_name, "");
    ngx_conf_merge_str_value(conf->store.user, prev->store.user, "");
    ngx_conf_merge_str_value(conf->store.password, prev->store.password, "");
    ngx_conf_merge_str_value(conf->store.prefix, prev->store.prefix, "rbl");
    ngx_conf_merge_msec_value(conf->store.timeout, prev->store.timeout,
                              NGX_RBL_TIMEOUT);

    if ((ngx_rbl_serves(conf) || conf->status != NGX_RBL_STATUS_OFF)
        && conf->store.user.len != 0 && conf->store.password.len == 0)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rbl_store_user\" is \"%V\", but there is no "
                           "\"rbl_store_password_file\"", &conf->store.user);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static ngx_uint_t
ngx_rbl_same_store(ngx_rbl_store_conf_t *one, ngx_rbl_store_conf_t *two)
{
    ngx_uint_t   i;
    ngx_str_t   *a[] = { &one->user, &one->password, &one->prefix, &one->ca,
                         &one->cert, &one->key, &one->tls_name };
    ngx_str_t   *b[] = { &two->user, &two->password, &two->prefix, &two->ca,
                         &two->cert, &two->key, &two->tls_name };

    for (i = 0; i < sizeof(a) / sizeof(a[0]); i++) {
        if (a[i]->len != b[i]->len
            || ngx_memcmp(a[i]->data, b[i]->data, a[i]->len) != 0)
        {
            return 0;
        }
    }

    return one->timeout == two->timeout && one->map == two->map
           && ngx_memcmp(one->place, two->place, sizeof(rbl_place_t)) == 0;
}


static char *
ngx_rbl_register_store(ngx_conf_t *cf, ngx_rbl_loc_conf_t *conf)
{
    ngx_uint_t              i;
    ngx_rbl_main_conf_t    *rmcf;
    ngx_rbl_store_conf_t  **stores;

    rmcf = ngx_http_conf_get_module_main_conf(cf, ngx_rbl_module);
    stores = rmcf->stores.elts;

    for (i = 0; i < rmcf->stores.nelts; i++) {
        if (ngx_rbl_same_store(stores[i], &conf->store)) {
            conf->store_index = i;
            return NGX_CONF_OK;
        }
    }

    stores = ngx_array_push(&rmcf->stores);
    if (stores == NULL
        || ngx_rbl_place_tls(cf, &conf->store) != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    *stores = &conf->store;
    conf->store_index = i;

    return NGX_CONF_OK;
}


static char *
ngx_rbl_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_rbl_loc_conf_t  *prev = parent;
    ngx_rbl_loc_conf_t  *conf = child;

    ngx_uint_t  i;

    if (ngx_rbl_merge_api(cf, prev, conf) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    ngx_conf_merge_str_value(conf->realm, prev->realm,
                             "Blocklist Monitoring API");
    ngx_conf_merge_value(conf->legacy_errors, prev->legacy_errors, 0);
    ngx_conf_merge_value(conf->etag, prev->etag, 0);
    ngx_conf_merge_uint_value(conf->max_page_size, prev->max_page_size, 1000);
    ngx_conf_merge_uint_value(conf->max_expand, prev->max_expand, 1024);
    ngx_conf_merge_msec_value(conf->check_keep, prev->check_keep,
                              NGX_RBL_CHECK_KEEP);
    ngx_conf_merge_str_value(conf->portal_url, prev->portal_url, "");
    ngx_conf_merge_str_value(conf->portal_name, prev->portal_name, "");
    ngx_conf_merge_str_value(conf->portal_logo, prev->portal_logo, "");
    ngx_conf_merge_ptr_value(conf->refuse_zones, prev->refuse_zones, NULL);
    ngx_conf_merge_ptr_value(conf->allow_zones, prev->allow_zones, NULL);

    for (i = 0; i < RBL_CONTACT_TYPES; i++) {
        ngx_conf_merge_ptr_value(conf->contact_hosts[i],
                                 prev->contact_hosts[i], NULL);
    }

    if (ngx_rbl_merge_user(cf, prev, conf) != NGX_CONF_OK
        || ngx_rbl_merge_status(cf, prev, conf) != NGX_CONF_OK
        || ngx_rbl_merge_store(cf, prev, conf) != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (!ngx_rbl_serves(conf)
        && (conf->status == NGX_RBL_STATUS_OFF || conf->store.place == NULL))
    {
        return NGX_CONF_OK;
    }

    return ngx_rbl_register_store(cf, conf);
}


static ngx_http_module_t  ngx_rbl_module_ctx = {
    ngx_rbl_add_variables,                 /* preconfiguration */
    NULL,                                  /* postconfiguration */

    ngx_rbl_create_main_conf,              /* create main configuration */
    ngx_rbl_init_main_conf,                /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    ngx_rbl_create_loc_conf,               /* create location configuration */
    ngx_rbl_merge_loc_conf                 /* merge location configuration */
};


static void
ngx_rbl_exit_process(ngx_cycle_t *cycle)
{
    ngx_uint_t             i;
    ngx_rbl_store_t       *store, **live;
    ngx_rbl_main_conf_t   *rmcf;

    ngx_rbl_running = 0;
    ngx_rbl_secret_done();

    rmcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_rbl_module);
    if (rmcf == NULL) {
        return;
    }

    ngx_rbl_usage_done();
    ngx_rbl_verdict_done();

    live = rmcf->live ? rmcf->live->elts : NULL;

    for (i = 0; live != NULL && i < rmcf->live->nelts; i++) {
        store = live[i];

        /* requests answered from here on find no store */

        live[i] = NULL;
        ngx_rbl_store_destroy(store);
    }

    rmcf->live = NULL;
    ngx_rbl_pages_done();

    ngx_rbl_shm_leave(rmcf->shm ? rmcf->shm->data : NULL);
}


/*
 * With "master_process off" a reload changes the configuration of the stores
 * and frees the shared memory, but calls neither of the two functions below.
 * nginx then has no connections to serve, so nothing is restarted.
 */

static ngx_int_t
ngx_rbl_init_module(ngx_cycle_t *cycle)
{
    if (ngx_rbl_running) {
        ngx_rbl_exit_process((ngx_cycle_t *) ngx_cycle);
    }

    return NGX_OK;
}


/*
 * Never fails: the master does not replace a worker that exits here.  The cache
 * manager and loader run this, too, and need no stores.
 */

static ngx_int_t
ngx_rbl_init_process(ngx_cycle_t *cycle)
{
    ngx_uint_t              i;
    ngx_rbl_store_t       **live;
    ngx_rbl_main_conf_t    *rmcf;
    ngx_rbl_store_conf_t  **stores;

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    rmcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_rbl_module);
    if (rmcf == NULL) {
        return NGX_OK;
    }

    ngx_rbl_running = 1;
    ngx_rbl_shm_enter(rmcf->shm ? rmcf->shm->data : NULL, cycle->log);

    if (rmcf->stores.nelts == 0) {
        return NGX_OK;
    }

    rmcf->live = ngx_array_create(cycle->pool, rmcf->stores.nelts,
                                  sizeof(ngx_rbl_store_t *));
    if (rmcf->live == NULL) {
        return NGX_OK;
    }

    stores = rmcf->stores.elts;
    live = ngx_array_push_n(rmcf->live, rmcf->stores.nelts);

    for (i = 0; i < rmcf->stores.nelts; i++) {
        live[i] = ngx_rbl_store_create(stores[i], cycle->log);
    }

    ngx_rbl_usage_init(rmcf, cycle);
    ngx_rbl_verdict_init(rmcf, cycle);

    return NGX_OK;
}


ngx_module_t  ngx_rbl_module = {
    NGX_MODULE_V1,
    &ngx_rbl_module_ctx,                   /* module context */
    ngx_rbl_commands,                      /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    ngx_rbl_init_module,                   /* init module */
    ngx_rbl_init_process,                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    ngx_rbl_exit_process,                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};
