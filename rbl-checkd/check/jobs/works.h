/*
 * Duties that a daemon has for nginx, account by account.
 *
 * Work that the store does in slices (shared/lua/part/_work.lua): the request
 * that adds it runs its slices.  If it makes no progress for a few seconds,
 * because the nginx worker died or its client went away, a daemon finishes it.
 *
 * Changes that nginx may not make (shared/lua/account/account_settle.lua): of
 * an account's record, and of the audit log of before the last hour.
 */

#ifndef WORKS_H_INCLUDED
#define WORKS_H_INCLUDED

#include "store/visits.h"

/* Their data is not used. */
extern const visits_kind_t  works_kind, settle_kind;

#endif /* WORKS_H_INCLUDED */
