/*
 * TLS to the store, the part that rbl-checkd and rblctl share: the context made
 * of the configuration (config_secure_store, config.h), a connection whose
 * handshake verifies the certificate of the server, and the reason why a
 * connection ended.
 *
 * The programs read no byte outside of TLS: none may become a reply.
 */

#ifndef CONFIG_TLS_H_INCLUDED
#define CONFIG_TLS_H_INCLUDED

#include <openssl/ssl.h>

#include "config.h"

#define CONFIG_TLS_WHY  128

/*
 * A connection on `fd`, before its handshake (SSL_do_handshake).  The
 * certificate must be for store_tls_name, or without that for the address `at`.
 * SSL_free does not close fd.  NULL: out of memory.
 */
SSL *config_tls_new(const config_t *conf, const rbl_host_port_t *at, int fd);

/*
 * Why a call of OpenSSL returned `rc`, an error.  To be called right after it,
 * and ERR_clear_error right before it.  Returns why.
 */
const char *config_tls_why(const SSL *ssl, int rc, char why[CONFIG_TLS_WHY]);

#endif /* CONFIG_TLS_H_INCLUDED */
