/*
 * Judges the addresses of receivers (netaddr.h), and the ports.  Stateless; own
 * addresses are read from the kernel each time, since they come and go.
 */

#include "address.h"
#include "base/nat64.h"

#include <ifaddrs.h>


/*
 * Ports above 1023 of databases, caches, message queues, file services and
 * cluster interfaces, which may act on a posted request.
 */

static const unsigned short  address_ports[] = {
    1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 5060, 5061, 5432,
    5672, 5984, 6000, 6379, 6380, 6667, 9042, 9092, 9200, 9300, 10250, 11211,
    26379, 27017
};


int
address_is_own(const rbl_addr_t *a)
{
    int              own, is_inside;
    unsigned         port;
    rbl_addr_t       mine, inside;
    struct ifaddrs  *list, *i;

    if (getifaddrs(&list) != 0) {
        return -1;
    }

    own = 0;
    is_inside = nat64_inside(&inside, a);

    for (i = list; i != NULL && !own; i = i->ifa_next) {
        own = i->ifa_addr != NULL
              && address_from_sockaddr(&mine, &port, i->ifa_addr) == 0
              && (address_equal(&mine, a)
                  || (is_inside && address_equal(&mine, &inside)));
    }

    freeifaddrs(list);

    return own;
}


/* 0: no; 1: at the ports that any receiver may have; 2: at this one. */

static int
address_allowed(const rbl_addr_t *a, unsigned port,
    const config_reach_t *reach)
{
    int                    allowed;
    unsigned               i;
    const config_range_t  *range;

    allowed = 0;

    for (i = 0; i < reach->n_allow && allowed < 2; i++) {
        range = &reach->allow[i];

        if ((range->port == 0 || range->port == port)
            && rbl_subnet_has(&range->net, a))
        {
            allowed = range->port == 0 ? 1 : 2;
        }
    }

    return allowed;
}


static int
address_denied(const rbl_addr_t *a, const config_reach_t *reach)
{
    unsigned    i;
    rbl_addr_t  inside;

    for (i = 0; i < reach->n_deny; i++) {
        if (rbl_subnet_has(&reach->deny[i], a)
            || (nat64_inside(&inside, a)
                && rbl_subnet_has(&reach->deny[i], &inside)))
        {
            return 1;
        }
    }

    return 0;
}


/* No receiver of webhooks is expected there. */

static int
address_port_refused(unsigned port)
{
    size_t  i;

    if (port < 1024) {
        return port != 80 && port != 443;
    }

    for (i = 0; i < sizeof(address_ports) / sizeof(address_ports[0]); i++) {
        if (port == address_ports[i]) {
            return 1;
        }
    }

    return 0;
}


const char *
address_refused(const rbl_addr_t *a, unsigned port,
    const config_reach_t *reach)
{
    int          allowed;
    const char  *what;

    if (address_denied(a, reach)) {
        return "deliver_deny names it";
    }

    allowed = address_allowed(a, port, reach);
    what = allowed > 0 ? NULL : address_special(a);

    if (what == NULL && allowed < 2 && address_port_refused(port)) {
        what = "a port of another service";
    }

    return what;
}


const char *
address_refused_own(const rbl_addr_t *a, unsigned port,
    const config_reach_t *reach)
{
    if (address_allowed(a, port, reach) > 0) {
        return NULL;
    }

    switch (address_is_own(a)) {

    case 0:
        return NULL;

    case 1:
        return "this machine's own";

    default:
        return "own addresses not known";
    }
}
