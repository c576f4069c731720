/*
 * Work of accounts that the store does in slices (shared/lua/part/_work.lua).
 * The request that adds work also runs its slices.  If work makes no progress
 * for a few seconds, because the nginx worker died or its client went away, a
 * daemon finishes it.
 */

#ifndef WORKS_H_INCLUDED
#define WORKS_H_INCLUDED

#include "store/visits.h"

/* Its data is not used. */
extern const visits_kind_t  works_kind;

#endif /* WORKS_H_INCLUDED */
