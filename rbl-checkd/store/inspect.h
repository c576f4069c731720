/*
 * A short inspection after a failover, which may have undone the last writes of
 * some partitions: looks at the queues of each partition (fsck_sample.lua), and
 * compares their copies of the system lists.  It repairs nothing; the log has
 * what it found and the command that repairs it.
 */

#ifndef INSPECT_H_INCLUDED
#define INSPECT_H_INCLUDED

#include <ev.h>

#include "store/store.h"

typedef struct inspect_s  inspect_t;

inspect_t *inspect_new(struct ev_loop *loop, store_t *store);
void inspect_free(inspect_t *inspect);

/* The store, or a part of it, is ready: begins soon if it has failed over. */
void inspect_wake(inspect_t *inspect);

#endif /* INSPECT_H_INCLUDED */
