/*
 * The store of a location.
 */

#include "ngx_rbl_conf.h"


ngx_rbl_store_t *
ngx_rbl_store_of(ngx_http_request_t *r)
{
    ngx_rbl_store_t     **stores;
    ngx_rbl_loc_conf_t   *rlcf;
    ngx_rbl_main_conf_t  *rmcf;

    rlcf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);
    rmcf = ngx_http_get_module_main_conf(r, ngx_rbl_module);

    /* a status location uses the only store without naming it */

    if (rlcf->status != NGX_RBL_STATUS_OFF && rlcf->store_index < 0
        && rmcf->live != NULL && rmcf->live->nelts == 1)
    {
        stores = rmcf->live->elts;

        return stores[0];
    }

    if (rmcf->live == NULL || rlcf->store_index < 0
        || (ngx_uint_t) rlcf->store_index >= rmcf->live->nelts)
    {
        return NULL;
    }

    stores = rmcf->live->elts;

    return stores[rlcf->store_index];
}
