/*
 * The network of the daemon while it runs.
 *
 * The resolvers of /etc/resolv.conf: it reads the file every few seconds, and
 * takes other resolvers when two looks in a row have found the same.  If the
 * file has none, as while it is written, the former resolvers stay, which is a
 * condition of the service.  If the operator gave the resolvers, they stay.
 *
 * The prefixes of a translator from IPv6 to IPv4 (base/nat64.h), learned from
 * the resolvers every hour, and when these change, if this machine has a route
 * to IPv6.
 */

#ifndef NETWORK_H_INCLUDED
#define NETWORK_H_INCLUDED

#include "config/config.h"
#include "dns/engine.h"

typedef struct network_s  network_t;

/* Changes the resolvers in `conf`, and the word `system` there.  The arguments
   must outlive it. */
network_t *network_new(struct ev_loop *loop, config_t *conf,
    dns_engine_t *dns);
void network_free(network_t *network);

#endif /* NETWORK_H_INCLUDED */
