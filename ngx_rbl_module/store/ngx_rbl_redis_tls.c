/*
 * TLS of a connection to a store: the handshake, which names the server and
 * compares its certificate, and the end.  nginx encrypts.
 */

#include "ngx_rbl_redis.h"

#if (NGX_SSL)

#define NGX_RBL_TLS_POOL  256          /* bytes */


static const char *ngx_rbl_redis_tls_verify(const ngx_rbl_link_t *link,
    ngx_connection_t *c);


ngx_int_t
ngx_rbl_redis_tls_start(const ngx_rbl_link_t *link, ngx_connection_t *c)
{
    ngx_str_t  *name;

    name = (ngx_str_t *) &link->store->conf->tls_name;
    c->pool = ngx_create_pool(NGX_RBL_TLS_POOL, c->log);

    if (c->pool == NULL
        || ngx_ssl_create_connection(link->store->conf->ssl, c, NGX_SSL_CLIENT)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* the commands grow and move between two attempts to write them */

    (void) SSL_set_mode(c->ssl->connection,
                        SSL_MODE_ENABLE_PARTIAL_WRITE
                        |SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);

    if (name->len != 0
        && SSL_set_tlsext_host_name(c->ssl->connection, (char *) name->data)
           == 0)
    {
        return NGX_ERROR;
    }

    return ngx_ssl_handshake(c);
}


const char *
ngx_rbl_redis_tls_refused(const ngx_rbl_link_t *link, ngx_connection_t *c)
{
    long  rc;

    if (!c->ssl->handshaked) {
        return "the TLS handshake has failed";
    }

    rc = SSL_get_verify_result(c->ssl->connection);

    if (rc != X509_V_OK) {
        return X509_verify_cert_error_string(rc);
    }

    return ngx_rbl_redis_tls_verify(link, c);
}


/* The certificate is for the configured name, or for the address. */

static const char *
ngx_rbl_redis_tls_verify(const ngx_rbl_link_t *link, ngx_connection_t *c)
{
    int         rc;
    X509       *cert;
    ngx_str_t  *name;

    name = (ngx_str_t *) &link->store->conf->tls_name;

    if (name->len != 0) {
        return ngx_ssl_check_host(c, name) == NGX_OK
               ? NULL : "its certificate is not for rbl_store_tls_name";
    }

    cert = SSL_get_peer_certificate(c->ssl->connection);
    rc = cert != NULL ? X509_check_ip_asc(cert, link->at->host, 0) : 0;
    X509_free(cert);

    return rc == 1 ? NULL : "its certificate is not for its address";
}


void
ngx_rbl_redis_tls_end(ngx_connection_t *c)
{
    if (c->ssl != NULL) {
        c->ssl->no_wait_shutdown = 1;
        c->ssl->no_send_shutdown = 1;
        (void) ngx_ssl_shutdown(c);
    }

    if (c->pool != NULL) {
        ngx_destroy_pool(c->pool);
        c->pool = NULL;
    }
}

#endif
