/*
 * From which addresses this daemon's questions reach the lists, as far as it
 * can know, and the telling of it to every partition of the store: when the
 * store becomes ready, and every hour, for what is not told for a day is
 * forgotten there.
 */

#ifndef SENDER_H_INCLUDED
#define SENDER_H_INCLUDED

#include "store/store.h"

#define SENDER_MAX  (2 * DNS_MAX_RESOLVERS)

typedef struct sender_s  sender_t;

/* NULL: out of memory. */
sender_t *sender_new(struct ev_loop *loop, const config_t *conf,
    store_t *store);
void sender_free(sender_t *sender);

/* The store has become ready (1) or was lost (0). */
void sender_state(sender_t *sender, int ready);

/*
 * The addresses that are configured; else the local addresses of sockets that
 * are connected to the resolvers.  A resolver on this machine asks for itself:
 * then those that lead to the servers of the root.  Nothing is sent.  How many.
 */
size_t sender_addresses(const config_t *conf, rbl_addr_t addr[SENDER_MAX]);

#endif /* SENDER_H_INCLUDED */
