/*
 * Opens a hiredis context for a store: address, descriptor, reader.
 */

#include "ngx_rbl_redis.h"


ngx_int_t
ngx_rbl_redis_set_address(ngx_rbl_store_t *store)
{
    size_t                  n;
    struct sockaddr        *sa;
#if (NGX_HAVE_UNIX_DOMAIN)
    struct sockaddr_un     *saun;
#endif

    sa = store->conf->addr->sockaddr;

#if (NGX_HAVE_UNIX_DOMAIN)
    if (sa->sa_family == AF_UNIX) {
        saun = (struct sockaddr_un *) sa;
        n = ngx_strlen(saun->sun_path);
        if (n >= sizeof(store->host)) {
            return NGX_ERROR;
        }

        ngx_memcpy(store->host, saun->sun_path, n + 1);
        return NGX_OK;
    }
#endif

    n = ngx_sock_ntop(sa, store->conf->addr->socklen, (u_char *) store->host,
                      sizeof(store->host) - 1, 0);
    store->host[n] = '\0';
    store->port = ngx_inet_get_port(sa);

    return n != 0 && store->port != 0 ? NGX_OK : NGX_ERROR;
}


redisAsyncContext *
ngx_rbl_redis_open(ngx_rbl_link_t *link, char *reason, size_t size)
{
    const char         *text;
    ngx_rbl_store_t    *store;
    redisAsyncContext  *ac;

    store = link->store;

    ac = store->port != 0 ? redisAsyncConnect(store->host, store->port)
                          : redisAsyncConnectUnix(store->host);
    if (ac == NULL) {
        ngx_rbl_redis_clean(reason, size, "out of memory", 13);
        return NULL;
    }

    if (ac->err
        || (store->port != 0 && redisEnableKeepAlive(&ac->c) != REDIS_OK))
    {
        text = ac->c.errstr;

    } else if (ngx_rbl_redis_event_attach(ac, store->log) != NGX_OK) {
        text = "no connection is left (worker_connections)";

    } else {
        ngx_rbl_redis_read_replies(link, ac);
        return ac;
    }

    ngx_rbl_redis_clean(reason, size, text, ngx_strlen(text));
    redisAsyncFree(ac);

    return NULL;
}
