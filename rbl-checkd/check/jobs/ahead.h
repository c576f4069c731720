/*
 * A clock that was ahead and was set back leaves times behind at which hosts
 * would be checked far too late.  Every minute this looks at some of the
 * accounts of each partition, and at all of them when the daemon starts and
 * when the clock of a store has gone back (shared/lua/check/check_ahead.lua).
 */

#ifndef AHEAD_H_INCLUDED
#define AHEAD_H_INCLUDED

#include "checker.h"

typedef struct ahead_s  ahead_t;

/* `checker` must outlive it. */
ahead_t *ahead_new(const checker_t *checker);
void ahead_free(ahead_t *a);

/* Looks at once: the store is ready. */
void ahead_wake(ahead_t *a);

#endif /* AHEAD_H_INCLUDED */
