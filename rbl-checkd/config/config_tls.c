/*
 * TLS to the store: its files are read once, at start.
 */

#include "config_int.h"
#include "config_tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>

#define DEPTH  4                        /* certificates in a chain */


/* The reason of the last error of OpenSSL, or of the system. */

static const char *
reason(int saved)
{
    const char     *text;
    unsigned long   e;

    e = ERR_peek_last_error();

    if (ERR_SYSTEM_ERROR(e)) {
        return strerror(ERR_GET_REASON(e));
    }

    text = ERR_reason_error_string(e);

    return text != NULL ? text : saved != 0 ? strerror(saved)
                                            : "unknown error";
}


/* OpenSSL would ask for the password of a key at the terminal. */

static int
no_password(char *buf, int size, int writing, void *data)
{
    (void) buf;
    (void) size;
    (void) writing;
    (void) data;

    return -1;
}


/* Returns NULL, or the key of the configuration that is wrong, and its file. */

static const char *
load(SSL_CTX *ctx, const config_t *conf, const char **file)
{
    *file = conf->store_tls_ca;

    if (SSL_CTX_load_verify_locations(ctx, *file, NULL) != 1) {
        return "store_tls_ca";
    }

    if (conf->store_tls_certificate[0] == '\0') {
        return NULL;
    }

    *file = conf->store_tls_certificate;

    if (SSL_CTX_use_certificate_chain_file(ctx, *file) != 1) {
        return "store_tls_certificate";
    }

    *file = conf->store_tls_key;

    return SSL_CTX_use_PrivateKey_file(ctx, *file, SSL_FILETYPE_PEM) == 1
           ? NULL : "store_tls_key";
}


static SSL_CTX *
make(void)
{
    SSL_CTX  *ctx;

    ctx = SSL_CTX_new(TLS_client_method());

    if (ctx == NULL
        || SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1)
    {
        SSL_CTX_free(ctx);
        return NULL;
    }

    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_verify_depth(ctx, DEPTH);
    SSL_CTX_set_default_passwd_cb(ctx, no_password);
    SSL_CTX_set_read_ahead(ctx, 1);

    /* RESP says itself where a reply ends */

    (void) SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION
                                    |SSL_OP_IGNORE_UNEXPECTED_EOF);

    /* the commands grow and move between two attempts to write them */

    (void) SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE
                                 |SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);

    return ctx;
}


int
config_secure_store(config_t *conf, char *err, size_t size)
{
    SSL_CTX           *ctx;
    const char        *key, *file;
    config_setting_t   s = { .conf = conf };

    if (config_check_tls(&s) != 0) {
        snprintf(err, size, "%s", s.why);
        return -1;
    }

    if (!conf->place.tls || conf->store_tls != NULL) {
        return 0;
    }

    ERR_clear_error();
    errno = 0;
    ctx = make();
    file = "TLS";
    key = ctx == NULL ? "store" : load(ctx, conf, &file);

    if (key != NULL) {
        snprintf(err, size, "%s: %s cannot be used: %s", key, file,
                 reason(errno));
        SSL_CTX_free(ctx);
        return -1;
    }

    conf->store_tls = ctx;
    return 0;
}


SSL *
config_tls_new(const config_t *conf, const rbl_host_port_t *at, int fd)
{
    int                 ok;
    SSL                *ssl;
    X509_VERIFY_PARAM  *param;

    ssl = SSL_new(conf->store_tls);
    if (ssl == NULL) {
        return NULL;
    }

    param = SSL_get0_param(ssl);
    ok = conf->store_tls_name[0] != '\0'
         ? X509_VERIFY_PARAM_set1_host(param, conf->store_tls_name, 0)
           && SSL_set_tlsext_host_name(ssl, conf->store_tls_name)
         : X509_VERIFY_PARAM_set1_ip_asc(param, at->host);

    if (!ok || SSL_set_fd(ssl, fd) != 1) {
        SSL_free(ssl);
        return NULL;
    }

    SSL_set_connect_state(ssl);
    return ssl;
}


/* NULL: the certificate is valid, or did not come. */

static const char *
refused(const SSL *ssl)
{
    long  rc;

    rc = SSL_get_verify_result(ssl);

    switch (rc) {

    case X509_V_OK:
        return NULL;

    case X509_V_ERR_HOSTNAME_MISMATCH:
        return "its certificate is not for store_tls_name";

    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return "its certificate is not for its address";

    default:
        return X509_verify_cert_error_string(rc);
    }
}


const char *
config_tls_why(const SSL *ssl, int rc, char why[CONFIG_TLS_WHY])
{
    int          saved = errno;
    const char  *text;

    text = refused(ssl);

    if (text == NULL) {
        switch (SSL_get_error(ssl, rc)) {

        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
            text = "no reply in time";
            break;

        case SSL_ERROR_ZERO_RETURN:
            text = SSL_is_init_finished(ssl)
                   ? "connection closed"
                   : "the server has ended the TLS handshake";
            break;

        case SSL_ERROR_SYSCALL:
            text = saved != 0 ? strerror(saved) : "connection closed";
            break;

        default:
            snprintf(why, CONFIG_TLS_WHY, "TLS: %s", reason(0));
            return why;
        }
    }

    snprintf(why, CONFIG_TLS_WHY, "%s", text);
    return why;
}
