/*
 * Addresses of the store: names of hosts are resolved once, when the program
 * starts.
 */

#include "config_int.h"

#include <netdb.h>
#include <stdio.h>


/* Returns 0 or an error of getaddrinfo. */

static int
resolve(rbl_host_port_t *at, int family)
{
    int               rc;
    struct addrinfo   hints, *found;

    memset(&hints, 0, sizeof(hints));
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;

    rc = getaddrinfo(at->host, NULL, &hints, &found);

    if (rc != 0) {
        return rc;
    }

    rc = getnameinfo(found->ai_addr, found->ai_addrlen, at->host,
                     sizeof(at->host), NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(found);

    return rc;
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
