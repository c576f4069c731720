/*
 * The prefixes of a translator from IPv6 to IPv4 (base/nat64.h), learned from
 * the resolvers every hour if this machine has a route to IPv6.
 */

#ifndef TRANSLATOR_H_INCLUDED
#define TRANSLATOR_H_INCLUDED

#include "dns/engine.h"

typedef struct translator_s  translator_t;

/* `dns` must outlive it. */
translator_t *translator_new(struct ev_loop *loop, dns_engine_t *dns);
void translator_free(translator_t *t);

/* The network is another one: learns them now. */
void translator_wake(translator_t *t);

#endif /* TRANSLATOR_H_INCLUDED */
