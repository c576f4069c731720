/*
 * The keys of the mail server: their values and their dependencies.
 */

#include "config_int.h"
#include "rbl_contact.h"

#include <stdio.h>

#define PORT_SUBMISSION   587           /* RFC 6409 */
#define PORT_SUBMISSIONS  465           /* RFC 8314 */

static const char *const  tls_names[] = {
    [CONFIG_TLS_AUTO] = "auto",
    [CONFIG_TLS_REQUIRED] = "required",
    [CONFIG_TLS_OPPORTUNISTIC] = "opportunistic",
    [CONFIG_TLS_OFF] = "off"
};


int
config_set_tls(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    int  i;

    (void) err;
    (void) size;

    for (i = CONFIG_TLS_AUTO; i <= CONFIG_TLS_OFF; i++) {
        if (strcmp(value, tls_names[i]) == 0) {
            *(int *) (void *) ((char *) conf + key->offset) = i;
            return 0;
        }
    }

    return -1;
}


/* Is it a name of one or more labels of letters, digits and hyphens? */

static int
host_name_ok(const char *host)
{
    const char  *p;

    static const char  letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "abcdefghijklmnopqrstuvwxyz";

    for (p = host; *p != '\0'; p++) {
        if (strchr(letters, *p) != NULL) {
            continue;
        }

        /* strchr also finds the NUL */

        if ((*p != '-' && *p != '.') || p == host
            || strchr(*p == '.' ? "-." : ".", p[1]) != NULL)
        {
            return 0;
        }
    }

    return p != host && p - host <= RBL_DOMAIN_MAX;
}


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
        server->loopback = addr.family == RBL_FAMILY_IPV4
                           ? addr.b[0] == 127
                           : memcmp(addr.b, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1",
                                    16) == 0;
        return memchr(host.p, ':', host.n) != NULL || !server->literal6
               ? 0 : -1;
    }

    server->loopback = strcmp(server->host, "localhost") == 0;

    return !server->literal6 && host_name_ok(server->host) ? 0 : -1;
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


int
config_set_smtp_url(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    config_smtp_t  server;

    (void) err;
    (void) size;

    if (config_smtp_server(&server, value) != 0) {
        return -1;
    }

    return config_copy(conf, key, value);
}


int
config_set_mailbox(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    char       buf[RBL_CONTACT_MAX];
    rbl_str_t  mailbox;

    (void) err;
    (void) size;

    if (rbl_contact_parse(buf, &mailbox, RBL_CONTACT_EMAIL, rbl_str(value),
                          NULL, 0)
        != RBL_OK)
    {
        return -1;
    }

    return config_copy(conf, key, buf);
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


int
config_check_smtp(const config_t *conf, const char **key, char *err,
    size_t size)
{
    config_tls_t   tls;
    config_smtp_t  server;

    if (config_smtp_server(&server, conf->smtp_url) != 0) {
        return 0;                       /* no mail server */
    }

    tls = config_smtp_tls(conf);
    *key = "smtp_url";

    if (conf->smtp_from[0] == '\0') {
        snprintf(err, size, "smtp_url: smtp_from must be given too");
        return -1;
    }

    if (server.implicit && tls != CONFIG_TLS_REQUIRED) {
        *key = "smtp_tls";
        snprintf(err, size, "smtp_tls: smtps:// is always required");
        return -1;
    }

    *key = "smtp_user";

    if ((conf->smtp_user[0] == '\0') != (conf->smtp_password[0] == '\0')) {
        *key = conf->smtp_user[0] ? "smtp_user" : "smtp_password_file";
        snprintf(err, size, "%s: smtp_user and smtp_password_file go "
                 "together", *key);
        return -1;
    }

    if (conf->smtp_user[0] != '\0' && tls != CONFIG_TLS_REQUIRED
        && !server.loopback)
    {
        snprintf(err, size, "smtp_user: a password is not sent to another "
                 "machine unless smtp_tls is required");
        return -1;
    }

    return 0;
}
