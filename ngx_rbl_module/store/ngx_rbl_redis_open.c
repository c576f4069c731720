/*
 * How a connection begins: hiredis opens the socket, nginx connects it and
 * shakes hands for TLS; this file compares the certificate of the server.
 * redisConnectNonBlock with a name would block in getaddrinfo, so a link has
 * numeric addresses only.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_TLS_POOL  256           /* bytes */


/* The attempt to connect has ended. */

static void
ngx_rbl_wire_connected(ngx_event_t *ev)
{
    int                err;
    socklen_t          len;
    ngx_connection_t  *c;
    ngx_rbl_wire_t    *wire;

    c = ev->data;
    wire = c->data;

    if (c->close) {
        wire->on->shutdown(wire->link);
        return;
    }

    err = 0;
    len = sizeof(err);

    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len) == -1) {
        err = ngx_errno;
    }

    if (err != 0) {
        wire->on->failed(wire->link, strerror(err));
        return;
    }

    ngx_rbl_wire_serve(wire);

    if (ngx_del_event(c->write, NGX_WRITE_EVENT, 0) != NGX_OK
        || ngx_add_event(c->read, NGX_READ_EVENT, NGX_LEVEL_EVENT) != NGX_OK)
    {
        wire->on->failed(wire->link, "the read event cannot be added");
        return;
    }

    wire->on->connected(wire->link);
}


#if (NGX_SSL)

/* Begins the handshake; returns as ngx_ssl_handshake. */

static ngx_int_t
ngx_rbl_wire_shake(const ngx_rbl_link_t *link, ngx_connection_t *c)
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


/* The certificate is for the configured name, or for the address. */

static const char *
ngx_rbl_wire_verify(const ngx_rbl_link_t *link, ngx_connection_t *c)
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


/* Returns NULL, or why the handshake has failed or the server is another. */

static const char *
ngx_rbl_wire_refused(const ngx_rbl_link_t *link, ngx_connection_t *c)
{
    long  rc;

    if (!c->ssl->handshaked) {
        return "the TLS handshake has failed";
    }

    rc = SSL_get_verify_result(c->ssl->connection);

    if (rc != X509_V_OK) {
        return X509_verify_cert_error_string(rc);
    }

    return ngx_rbl_wire_verify(link, c);
}


/* The handshake is over, with success or not. */

static void
ngx_rbl_wire_shaken(ngx_connection_t *c)
{
    const char      *reason;
    ngx_rbl_wire_t  *wire;

    wire = c->data;
    ngx_rbl_wire_serve(wire);

    if (c->write->active) {
        (void) ngx_del_event(c->write, NGX_WRITE_EVENT, 0);
    }

    reason = ngx_rbl_wire_refused(wire->link, c);

    if (reason != NULL) {
        wire->on->failed(wire->link, reason);

    } else {
        wire->on->secured(wire->link);
    }
}


ngx_int_t
ngx_rbl_wire_secure(ngx_rbl_wire_t *wire)
{
    ngx_int_t  rc;

    rc = ngx_rbl_wire_shake(wire->link, wire->connection);

    if (rc == NGX_AGAIN) {
        wire->connection->ssl->handler = ngx_rbl_wire_shaken;

    } else if (rc == NGX_OK) {
        ngx_rbl_wire_shaken(wire->connection);
    }

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}

#endif


/* Returns a socket that has begun to connect; -1: the reason is set. */

static ngx_socket_t
ngx_rbl_wire_socket(const rbl_host_port_t *at, char *reason, size_t size)
{
    redisContext  *context;

    context = at->port != 0
              ? redisConnectNonBlock(at->host, (int) at->port)
              : redisConnectUnixNonBlock(at->host);

    if (context == NULL) {
        ngx_rbl_redis_clean(reason, size, "out of memory", 13);
        return -1;
    }

    if (context->err
        || (at->port != 0 && redisEnableKeepAlive(context) != REDIS_OK))
    {
        ngx_rbl_redis_clean(reason, size, context->errstr,
                            ngx_strlen(context->errstr));
        redisFree(context);
        return -1;
    }

    return redisFreeKeepFd(context);
}


ngx_rbl_wire_t *
ngx_rbl_wire_open(ngx_rbl_link_t *link, const ngx_rbl_wire_events_t *on,
    char *reason, size_t size)
{
    ngx_socket_t     s;
    ngx_rbl_wire_t  *wire;

    s = ngx_rbl_wire_socket(link->at, reason, size);
    if (s == -1) {
        return NULL;
    }

    wire = ngx_rbl_wire_create(link, on, s);

    if (wire == NULL) {
        ngx_rbl_redis_clean(reason, size,
                            "no connection is left (worker_connections)", 42);
        return NULL;
    }

    wire->connection->read->handler = ngx_rbl_wire_connected;
    wire->connection->write->handler = ngx_rbl_wire_connected;

    if (ngx_add_event(wire->connection->write, NGX_WRITE_EVENT, NGX_LEVEL_EVENT)
        != NGX_OK)
    {
        ngx_rbl_redis_clean(reason, size, "the event cannot be added", 25);
        ngx_rbl_wire_close(wire);
        return NULL;
    }

    return wire;
}
