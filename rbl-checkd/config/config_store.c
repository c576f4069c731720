/*
 * Where the store is: parsed when the file is read, names of hosts resolved
 * once, when the program starts.
 */

#include "config_int.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>


int
config_set_store(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    const char   *why;
    rbl_place_t   place;

    why = rbl_place_parse(&place, rbl_str(value));

    if (why != NULL) {
        snprintf(err, size, "\"%.100s\": %s", value, why);
        return -1;
    }

    if (config_copy(conf, key, value) != 0) {
        return -1;
    }

    conf->place = place;
    return 0;
}


int
config_set_store_nodes(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    const char  *why;

    (void) key;

    why = rbl_place_map_add(&conf->store_map, rbl_str(value));

    if (why != NULL) {
        snprintf(err, size, "\"%.100s\": %s", value, why);
        return -1;
    }

    return 0;
}


/* Returns 0 or an error of getaddrinfo. */

static int
resolve(rbl_host_port_t *at, int family)
{
    int               rc;
    void             *addr;
    struct addrinfo   hints, *found;

    memset(&hints, 0, sizeof(hints));
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;

    rc = getaddrinfo(at->host, NULL, &hints, &found);

    if (rc != 0) {
        return rc;
    }

    addr = family == AF_INET
           ? (void *) &((struct sockaddr_in *) (void *) found->ai_addr)
             ->sin_addr
           : (void *) &((struct sockaddr_in6 *) (void *) found->ai_addr)
             ->sin6_addr;

    (void) inet_ntop(family, addr, at->host, sizeof(at->host));
    freeaddrinfo(found);

    return 0;
}


/* hiredis, which resolved the names before, prefers IPv4 too. */

int
config_resolve_store(config_t *conf, char *err, size_t size)
{
    int               rc;
    unsigned          i;
    rbl_addr_t        addr;
    rbl_host_port_t  *at;

    for (i = 0; i < conf->place.n; i++) {
        at = &conf->place.hosts[i];

        if (at->port == 0 || rbl_addr_parse(&addr, rbl_str(at->host)) == RBL_OK)
        {
            continue;
        }

        rc = resolve(at, AF_INET);

        if (rc != 0 && resolve(at, AF_INET6) != 0) {
            snprintf(err, size, "store: the name \"%.100s\" cannot be"
                     " resolved: %s", at->host, gai_strerror(rc));
            return -1;
        }
    }

    return 0;
}
