/*
 * TLS below hiredis, which has none: the handshake between connecting and
 * greeting, then bytes between OpenSSL and the buffers of hiredis.
 *
 * An error of TLS is put into the context of hiredis, which then ends the
 * connection as after an error of its own.  hiredis must not read the socket:
 * bytes that the peer has sent outside of TLS would count as replies.
 */

#include "ngx_rbl_redis.h"

#include <hiredis/sds.h>

#if (NGX_SSL)

/* hiredis exports it, but does not declare it */
void redisProcessCallbacks(redisAsyncContext *ac);

#define NGX_RBL_TLS_POOL   256          /* bytes */
#define NGX_RBL_TLS_READ   16384        /* bytes of one read */
#define NGX_RBL_TLS_READS  16           /* reads in one event */


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

    /* the buffer of hiredis grows and moves between two attempts to write it */

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
ngx_rbl_redis_tls_read(redisAsyncContext *ac, ngx_connection_t *c,
    const unsigned *closed)
{
    u_char      buf[NGX_RBL_TLS_READ];
    ssize_t     n;
    ngx_uint_t  i;

    for (i = 0; i < NGX_RBL_TLS_READS; i++) {
        n = c->recv(c, buf, sizeof(buf));

        if (n == NGX_AGAIN) {
            return;
        }

        if (n <= 0) {
            ngx_rbl_redis_tls_fail(ac);
            redisAsyncHandleRead(ac);
            return;
        }

        (void) redisReaderFeed(ac->c.reader, (char *) buf, (size_t) n);
        redisProcessCallbacks(ac);

        if (*closed) {
            return;
        }
    }

    /* decrypted bytes may wait, which no event announces */

    ngx_post_event(c->read, &ngx_posted_next_events);
}


ngx_int_t
ngx_rbl_redis_tls_write(redisAsyncContext *ac, ngx_connection_t *c)
{
    ssize_t        n;
    redisContext  *context;

    context = &ac->c;

    while (sdslen(context->obuf) != 0) {
        n = c->send(c, (u_char *) context->obuf, sdslen(context->obuf));

        if (n == NGX_AGAIN) {
            return NGX_AGAIN;
        }

        if (n <= 0) {
            return NGX_ERROR;
        }

        sdsrange(context->obuf, n, -1);
    }

    return NGX_OK;
}


void
ngx_rbl_redis_tls_fail(redisAsyncContext *ac)
{
    ac->c.err = REDIS_ERR_EOF;
    (void) ngx_cpystrn((u_char *) ac->c.errstr,
                       (u_char *) "the TLS connection has ended",
                       sizeof(ac->c.errstr));
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
