/*
 * Source addresses of the queries of this daemon, as far as it can know them.
 * It reports them to every partition of the store when the store becomes ready,
 * and every hour, since the store forgets them after a day.
 */

#ifndef SOURCES_H_INCLUDED
#define SOURCES_H_INCLUDED

#include "store/store.h"

#define SOURCES_MAX  (2 * DNS_MAX_RESOLVERS)

typedef struct sources_s  sources_t;

sources_t *sources_new(struct ev_loop *loop, const config_t *conf,
    store_t *store);
void sources_free(sources_t *sources);

/* The store has become ready (1) or was lost (0). */
void sources_state(sources_t *sources, int ready);

/*
 * The configured addresses; otherwise the local addresses of sockets that are
 * connected to the resolvers.  A resolver on this machine sends queries itself:
 * then those of sockets connected to the root servers.  Sends nothing.  Returns
 * the number.
 */
size_t sources_addresses(const config_t *conf, rbl_addr_t addr[SOURCES_MAX]);

#endif /* SOURCES_H_INCLUDED */
