/*
 * Work of accounts that the store does in slices (shared/lua/part/_work.lua).
 * The request that adds work also runs its slices.  If work makes no progress
 * for a few seconds, because the nginx worker died or its client went away, a
 * daemon finishes it.
 */

#ifndef WORKS_H_INCLUDED
#define WORKS_H_INCLUDED

#include <ev.h>

#include "store/store.h"

typedef struct works_s  works_t;

/* NULL: out of memory. */
works_t *works_new(struct ev_loop *loop, store_t *store);
void works_free(works_t *works);

/* Begins no more slices. */
void works_stop(works_t *works);

#endif /* WORKS_H_INCLUDED */
