/*
 * The mail server: the parts of its address, and whether TLS is required.
 */

#include "base/netaddr.h"
#include "config_int.h"

#define PORT_SUBMISSION   587           /* RFC 6409 */
#define PORT_SUBMISSIONS  465           /* RFC 8314 */

#define LABEL  "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"


static int
set_host(config_smtp_t *server, rbl_str_t host)
{
    rbl_addr_t  addr;

    if (host.n == 0 || host.n >= sizeof(server->host)) {
        return -1;
    }

    memcpy(server->host, host.p, host.n);
    server->host[host.n] = '\0';

    if (rbl_addr_parse(&addr, host) == RBL_OK) {
        server->loopback = address_loopback(&addr);
        return memchr(host.p, ':', host.n) != NULL || !server->literal6
               ? 0 : -1;
    }

    server->loopback = strcmp(server->host, "localhost") == 0;

    return !server->literal6 && host.n <= RBL_DOMAIN_MAX
           && config_matches(server->host, "^" LABEL "([.]" LABEL ")*$")
           ? 0 : -1;
}


int
config_smtp_server(config_smtp_t *server, const char *url)
{
    int64_t      port;
    rbl_str_t    host;
    const char  *rest;

    memset(server, 0, sizeof(config_smtp_t));

    if (strncmp(url, "smtps://", 8) == 0) {
        server->implicit = 1;

    } else if (strncmp(url, "smtp://", 7) != 0) {
        return -1;
    }

    host.p = url + 7 + server->implicit;
    host.n = strcspn(host.p, ":");
    port = server->implicit ? PORT_SUBMISSIONS : PORT_SUBMISSION;

    if (host.p[0] == '[') {
        server->literal6 = 1;
        host.p++;
        host.n = strcspn(host.p, "]");
    }

    rest = host.p + host.n;

    if (server->literal6 && *rest++ != ']') {
        return -1;
    }

    if (*rest == ':' ? rbl_int_parse(&port, rbl_str(rest + 1), 1, 65535)
                       != RBL_OK
                     : *rest != '\0')
    {
        return -1;
    }

    server->port = (unsigned) port;

    return set_host(server, host);
}


config_tls_t
config_smtp_tls(const config_t *conf)
{
    config_smtp_t  server;

    if (conf->smtp_tls != CONFIG_TLS_AUTO) {
        return (config_tls_t) conf->smtp_tls;
    }

    return config_smtp_server(&server, conf->smtp_url) == 0
           && server.loopback && !server.implicit
           ? CONFIG_TLS_OFF : CONFIG_TLS_REQUIRED;
}
