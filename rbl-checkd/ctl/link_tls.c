/*
 * rblctl: a connection with TLS.  The time limits of its socket hold for
 * OpenSSL too.
 */

#include "client.h"

#include <hiredis/sds.h>
#include <openssl/err.h>
#include <signal.h>
#include <stdio.h>

#include "config/config_tls.h"

#define LINK_READ  16384                /* bytes */


/* A server that has closed the connection must not end rblctl. */
static int
tls_call(ctl_link_t *link, int (*call)(ctl_link_t *link, char *buf), char *buf)
{
    int    n;
    char   why[CONFIG_TLS_WHY];
    void (*before)(int);

    before = signal(SIGPIPE, SIG_IGN);
    ERR_clear_error();
    n = call(link, buf);

    if (n <= 0) {
        link->redis->err = REDIS_ERR_IO;
        snprintf(link->redis->errstr, sizeof(link->redis->errstr), "%s",
                 config_tls_why(link->ssl, n, why));
    }

    signal(SIGPIPE, before);

    return n;
}


static int
tls_shake(ctl_link_t *link, char *buf)
{
    (void) buf;

    return SSL_do_handshake(link->ssl);
}


static int
tls_write(ctl_link_t *link, char *buf)
{
    size_t  n = sdslen(buf);

    return SSL_write(link->ssl, buf, n < INT_MAX ? (int) n : INT_MAX);
}


static int
tls_read(ctl_link_t *link, char *buf)
{
    return SSL_read(link->ssl, buf, LINK_READ);
}


int
ctl_tls_open(ctl_link_t *link, const config_t *conf, const rbl_host_port_t *at)
{
    link->ssl = config_tls_new(conf, at, link->redis->fd);

    if (link->ssl == NULL) {
        snprintf(link->redis->errstr, sizeof(link->redis->errstr),
                 "out of memory");
        return -1;
    }

    return tls_call(link, tls_shake, NULL) == 1 ? 0 : -1;
}


redisReply *
ctl_tls_reply(ctl_link_t *link)
{
    int            n;
    char           buf[LINK_READ];
    void          *reply;
    redisContext  *c = link->redis;

    while (sdslen(c->obuf) != 0) {
        n = tls_call(link, tls_write, c->obuf);
        if (n <= 0) {
            return NULL;
        }

        sdsrange(c->obuf, n, -1);
    }

    reply = NULL;

    while (redisGetReplyFromReader(c, &reply) == REDIS_OK && reply == NULL) {
        n = tls_call(link, tls_read, buf);
        if (n <= 0) {
            return NULL;
        }

        (void) redisReaderFeed(c->reader, buf, (size_t) n);
    }

    return reply;
}


void
ctl_tls_close(ctl_link_t *link)
{
    SSL_free(link->ssl);
    link->ssl = NULL;
}
