/*
 * Events that a daemon has read or claimed on the connection of the outbox
 * leave only when no failover can undo them: when the replicas have them
 * (store_wait).  A receiver never gets an event that the service has not
 * stored.
 */

#ifndef DELIVER_SAFE_H_INCLUDED
#define DELIVER_SAFE_H_INCLUDED

#include "base/link.h"
#include "store/store.h"

typedef struct safe_s  safe_t;
typedef struct safe_item_s  safe_item_t;

/* good: 1 it is safe; 0 that is not known, and it must not leave. */
typedef void (*safe_pt)(safe_item_t *item, int good);

struct safe_item_s {
    link_t   link;
    safe_pt  done;
};

/* `rest` is called after all items of a reply are done.  `store` must outlive
   it. */
safe_t *safe_new(store_t *store, void (*rest)(void *data), void *data);
void safe_free(safe_t *safe);           /* items that wait are not called */

/*
 * Holds an item that was read from the node of `key` in the reply that is
 * handled now.  Returns 1; 0: nothing can undo it, so nothing waits.
 */
int safe_hold(safe_t *safe, rbl_str_t key, safe_item_t *item);

#endif /* DELIVER_SAFE_H_INCLUDED */
