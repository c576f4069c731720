/*
 * The resolvers of /etc/resolv.conf while the daemon runs: it reads the file
 * every few seconds, and takes other resolvers when two looks in a row have
 * found the same.  If the file has none, as while it is written, the former
 * resolvers stay, which is a condition of the service.
 *
 * If this machine has a route to IPv6, it also learns from the resolvers, every
 * hour and when they change, the prefix of a translator (base/nat64.h).
 */

#ifndef NAMESERVERS_H_INCLUDED
#define NAMESERVERS_H_INCLUDED

#include "config/config.h"

typedef struct nameservers_s  nameservers_t;

/*
 * Changes the resolvers in `conf`, and the word `system` there.  Both must
 * outlive it.  If the operator gave the resolvers, it does nothing.  NULL: out
 * of memory.
 */
nameservers_t *nameservers_new(struct ev_loop *loop, config_t *conf,
    dns_engine_t *dns);
void nameservers_free(nameservers_t *s);

#endif /* NAMESERVERS_H_INCLUDED */
