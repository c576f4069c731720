/*
 * The directives that say where the store is.  Names of hosts are resolved now,
 * because at run time it would block the worker.
 */

#include "ngx_rbl_module.h"

#define NGX_RBL_STORE       "127.0.0.1:6379"
#define NGX_RBL_STORE_PORT  6379
#define NGX_RBL_TLS_DEPTH   4           /* certificates in a chain */


static ngx_int_t
ngx_rbl_place_host(rbl_host_port_t *host, ngx_addr_t *addr)
{
    size_t               n;
#if (NGX_HAVE_UNIX_DOMAIN)
    struct sockaddr_un  *saun;

    if (addr->sockaddr->sa_family == AF_UNIX) {
        saun = (struct sockaddr_un *) addr->sockaddr;
        rbl_copy(host->host, sizeof(host->host), rbl_str(saun->sun_path));
        return NGX_OK;
    }
#endif

    n = ngx_sock_ntop(addr->sockaddr, addr->socklen, (u_char *) host->host,
                      sizeof(host->host) - 1, 0);
    host->host[n] = '\0';
    host->port = ngx_inet_get_port(addr->sockaddr);

    return n != 0 && host->port != 0 ? NGX_OK : NGX_ERROR;
}


/* Adds the addresses of a host, or those that are still missing to `most`. */

static const char *
ngx_rbl_place_add(ngx_conf_t *cf, rbl_place_t *place, ngx_str_t *text,
    ngx_uint_t most)
{
    ngx_url_t   u;
    ngx_uint_t  i;

    ngx_memzero(&u, sizeof(ngx_url_t));
    u.url.len = text->len;
    u.url.data = ngx_pstrdup(cf->pool, text);
    u.default_port = NGX_RBL_STORE_PORT;

    if (u.url.data == NULL || ngx_parse_url(cf->pool, &u) != NGX_OK
        || u.naddrs == 0)
    {
        return u.err != NULL ? u.err : "it is no address";
    }

    for (i = 0; i < u.naddrs && place->n < most; i++) {
        if (ngx_rbl_place_host(&place->hosts[place->n], &u.addrs[i])
            != NGX_OK)
        {
            return "it is no address of a server";
        }

        place->n++;
    }

    return NULL;
}


static const char *
ngx_rbl_place_resolve(ngx_conf_t *cf, rbl_place_t *place,
    const rbl_place_t *named)
{
    char         text[RBL_HOST_PORT_TEXT];
    ngx_str_t    url;
    ngx_uint_t   i;
    const char  *why;

    place->kind = named->kind;
    place->tls = named->tls;
    ngx_memcpy(place->name, named->name, sizeof(place->name));

    for (i = 0; i < named->n; i++) {
        rbl_host_port_text(text, &named->hosts[i]);
        url.data = (u_char *) text;
        url.len = ngx_strlen(text);
        why = ngx_rbl_place_add(cf, place, &url, RBL_PLACE_HOSTS);

        if (why != NULL) {
            return why;
        }
    }

    return NULL;
}


static const char *
ngx_rbl_place_read(ngx_conf_t *cf, ngx_rbl_loc_conf_t *rlcf, ngx_str_t *text)
{
    ngx_str_t     address;
    const char   *why;
    rbl_place_t   named, *place;

    place = ngx_pcalloc(cf->pool, sizeof(rbl_place_t));
    if (place == NULL) {
        return "out of memory";
    }

    why = rbl_place_parse(&named, ngx_rbl_str(text));

    if (why == NULL && named.kind != RBL_PLACE_ONE) {
        why = ngx_rbl_place_resolve(cf, place, &named);

    } else if (why == NULL || ngx_strlchr(text->data, text->data + text->len,
                                          ',') == NULL)
    {
        /* nginx knows more forms of one address: the port may be missing */

        address = *text;
        place->tls = named.tls;

        if (named.tls) {
            address.data += sizeof("tls:") - 1;
            address.len -= sizeof("tls:") - 1;
        }

        why = ngx_rbl_place_add(cf, place, &address, 1);
    }

    rlcf->store.place = place;
    rlcf->store.name = *text;

    return why;
}


char *
ngx_rbl_set_store(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    ngx_str_t   *value;
    const char  *why;

    if (rlcf->store.place != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    why = ngx_rbl_place_read(cf, rlcf, &value[1]);

    if (why != NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid value \"%V\" in \"%V\" directive, it must "
                           "be \"address[:port]\", \"unix:/path\", "
                           "\"sentinel:name@address:port,...\" or "
                           "\"cluster:address:port,...\": %s",
                           &value[1], &cmd->name, why);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


const char *
ngx_rbl_place_default(ngx_conf_t *cf, ngx_rbl_loc_conf_t *rlcf)
{
    static ngx_str_t  text = ngx_string(NGX_RBL_STORE);

    return ngx_rbl_place_read(cf, rlcf, &text);
}


char *
ngx_rbl_set_store_nodes(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    ngx_str_t   *value;
    ngx_uint_t   i;
    const char  *why;

    if (rlcf->store.map == NULL) {
        rlcf->store.map = ngx_pcalloc(cf->pool, sizeof(rbl_place_map_t));
        if (rlcf->store.map == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        why = rbl_place_map_add(rlcf->store.map, ngx_rbl_str(&value[i]));

        if (why != NULL) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid value \"%V\" in \"%V\" directive: %s",
                               &value[i], &cmd->name, why);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


#if (NGX_SSL)

static char *
ngx_rbl_place_ssl(ngx_conf_t *cf, ngx_rbl_store_conf_t *store)
{
    ngx_ssl_t           *ssl;
    ngx_pool_cleanup_t  *cleanup;

    if (store->ca.len == 0
        || (store->cert.len == 0) != (store->key.len == 0))
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rbl_store\" with \"tls:\" needs"
                           " \"rbl_store_tls_ca\", and both or none of"
                           " \"rbl_store_tls_certificate\" and"
                           " \"rbl_store_tls_key\"");
        return NGX_CONF_ERROR;
    }

    ssl = ngx_pcalloc(cf->pool, sizeof(ngx_ssl_t));
    cleanup = ngx_pool_cleanup_add(cf->pool, 0);

    if (ssl == NULL || cleanup == NULL) {
        return NGX_CONF_ERROR;
    }

    ssl->log = cf->log;

    if (ngx_ssl_create(ssl, NGX_SSL_TLSv1_2|NGX_SSL_TLSv1_3, NULL) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    cleanup->handler = ngx_ssl_cleanup_ctx;
    cleanup->data = ssl;

    if (ngx_ssl_trusted_certificate(cf, ssl, &store->ca,
                                    NGX_RBL_TLS_DEPTH)
        != NGX_OK
        || (store->cert.len != 0
            && ngx_ssl_certificate(cf, ssl, &store->cert,
                                   &store->key, NULL)
               != NGX_OK))
    {
        return NGX_CONF_ERROR;
    }

    store->ssl = ssl;

    return NGX_CONF_OK;
}

#endif


char *
ngx_rbl_place_tls(ngx_conf_t *cf, ngx_rbl_store_conf_t *store)
{
    if (!store->place->tls) {
        return NGX_CONF_OK;
    }

#if (NGX_SSL)
    return ngx_rbl_place_ssl(cf, store);
#else
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"rbl_store\" has \"tls:\", but this nginx was built"
                       " without TLS");
    return NGX_CONF_ERROR;
#endif
}
