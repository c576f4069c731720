/*
 * Addresses of servers: conversion to and from text, comparison.
 */

#include "dns_int.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


static int
address_port(const char *text, in_port_t *port)
{
    char  *end;
    long   n;

    if (*text < '0' || *text > '9') {
        return -1;
    }

    n = strtol(text, &end, 10);

    if (*end != '\0' || n < 1 || n > 65535) {
        return -1;
    }

    *port = htons((uint16_t) n);
    return 0;
}


/* Parses "host]" or "host]:port"; returns the length of the host, or 0. */
static size_t
address_bracket(const char *text, in_port_t *port)
{
    size_t  n;

    n = strcspn(text, "]");

    if (text[n] == '\0' || memchr(text, ':', n) == NULL) {
        return 0;
    }

    text += n + 1;

    if (*text == ':') {
        return address_port(text + 1, port) == 0 ? n : 0;
    }

    return *text == '\0' ? n : 0;
}


static size_t
address_plain(const char *text, in_port_t *port)
{
    size_t  n;

    n = strcspn(text, "@");

    if (text[n] == '@' && address_port(text + n + 1, port) != 0) {
        return 0;
    }

    return n;
}


/* The index of an interface by its name or number; 0: there is none. */
static uint32_t
address_scope(const char *text)
{
    char           *end;
    unsigned        scope;
    unsigned long   n;

    scope = if_nametoindex(text);

    if (scope != 0 || *text < '0' || *text > '9') {
        return scope;
    }

    n = strtoul(text, &end, 10);

    return *end == '\0' && n <= UINT32_MAX ? (uint32_t) n : 0;
}


/* A link-local address needs a scope ("fe80::1%eth0"); others have none. */
static int
address_ipv6(struct in6_addr *addr, uint32_t *scope, char *host)
{
    char  *percent;

    percent = strchr(host, '%');

    if (percent != NULL) {
        *percent++ = '\0';
    }

    if (inet_pton(AF_INET6, host, addr) != 1
        || IN6_IS_ADDR_LINKLOCAL(addr) != (percent != NULL))
    {
        return -1;
    }

    *scope = percent == NULL ? 0 : address_scope(percent);

    return percent == NULL || *scope != 0 ? 0 : -1;
}


int
dns_server_parse(struct sockaddr_storage *sa, const char *text)
{
    char                  host[INET6_ADDRSTRLEN + IF_NAMESIZE];
    size_t                n;
    in_port_t             port;
    struct sockaddr_in   *in;
    struct sockaddr_in6  *in6;

    port = htons(53);
    n = *text == '[' ? address_bracket(++text, &port)
                     : address_plain(text, &port);

    if (n == 0 || n >= sizeof(host)) {
        return -1;
    }

    memcpy(host, text, n);
    host[n] = '\0';
    memset(sa, 0, sizeof(*sa));

    in = (struct sockaddr_in *) sa;
    in6 = (struct sockaddr_in6 *) sa;

    if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
        in->sin_family = AF_INET;
        in->sin_port = port;
        return 0;
    }

    if (address_ipv6(&in6->sin6_addr, &in6->sin6_scope_id, host) == 0) {
        in6->sin6_family = AF_INET6;
        in6->sin6_port = port;
        return 0;
    }

    return -1;
}


static const void *
address_octets(const struct sockaddr_storage *sa, size_t *n, in_port_t *port)
{
    const struct sockaddr_in   *in;
    const struct sockaddr_in6  *in6;

    in = (const struct sockaddr_in *) sa;
    in6 = (const struct sockaddr_in6 *) sa;

    if (sa->ss_family == AF_INET6) {
        *n = sizeof(in6->sin6_addr);
        *port = in6->sin6_port;
        return &in6->sin6_addr;
    }

    *n = sizeof(in->sin_addr);
    *port = in->sin_port;
    return &in->sin_addr;
}


socklen_t
dns_address_len(const struct sockaddr_storage *sa)
{
    return sa->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                     : sizeof(struct sockaddr_in);
}


int
dns_address_same(const struct sockaddr_storage *a,
    const struct sockaddr_storage *b)
{
    size_t       an, bn;
    in_port_t    ap, bp;
    const void  *x, *y;

    x = address_octets(a, &an, &ap);
    y = address_octets(b, &bn, &bp);

    return an == bn && ap == bp && memcmp(x, y, an) == 0
           && (a->ss_family != AF_INET6
               || ((const struct sockaddr_in6 *) a)->sin6_scope_id
                  == ((const struct sockaddr_in6 *) b)->sin6_scope_id);
}


int
dns_address_routed(const struct sockaddr_storage *sa)
{
    int  fd, rc;

    fd = socket(sa->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return sa->ss_family == AF_INET;
    }

    rc = connect(fd, (const struct sockaddr *) sa, dns_address_len(sa));
    close(fd);

    return rc == 0;
}


void
dns_address_text(const struct sockaddr_storage *sa, char buf[DNS_SERVER_TEXT])
{
    char         host[INET6_ADDRSTRLEN], name[IF_NAMESIZE];
    size_t       n;
    uint32_t     scope;
    in_port_t    port;
    const void  *addr;

    buf[0] = '\0';
    addr = address_octets(sa, &n, &port);

    if (inet_ntop(sa->ss_family, addr, host, sizeof(host)) == NULL) {
        return;
    }

    scope = sa->ss_family == AF_INET6
            ? ((const struct sockaddr_in6 *) sa)->sin6_scope_id : 0;

    if (scope == 0) {
        snprintf(buf, DNS_SERVER_TEXT, "%s@%u", host, ntohs(port));

    } else if (if_indextoname(scope, name) != NULL) {
        snprintf(buf, DNS_SERVER_TEXT, "%s%%%s@%u", host, name, ntohs(port));

    } else {
        snprintf(buf, DNS_SERVER_TEXT, "%s%%%u@%u", host, (unsigned) scope,
                 ntohs(port));
    }
}
