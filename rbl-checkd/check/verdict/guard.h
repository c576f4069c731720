/*
 * The mass-listing guard: a list that turns positive for many hosts at once is
 * frozen, since a fault of the list is more likely.  The counts are in the
 * store (list_turn), so that all daemons share one guard.  While a list is
 * frozen none of its new listings is announced: they are unknown, "frozen".
 *
 * A daemon that finds the list frozen queries its test points again, and a
 * sample of addresses that no list should contain (HEALTH_FORCE), at most every
 * 30 s.  When these pass, the list is thawed, and the listings that wait may be
 * announced.  If the list was wildcarding before, their responses may be old
 * ones out of a cache: these checks query the list again.  The operator may
 * thaw the list, too (list_thaw).
 *
 * Only for system lists: new listings at custom lists are always announced.
 */

#ifndef GUARD_H_INCLUDED
#define GUARD_H_INCLUDED

#include "check/lists/lists.h"
#include "health.h"
#include "store/store.h"

typedef struct guard_s       guard_t;
typedef struct guard_wait_s  guard_wait_t;

/* go 1: the listing may be announced; 0: the list is frozen. */
typedef void (*guard_done_pt)(void *data, int go);

guard_t *guard_new(struct ev_loop *loop, store_t *store, health_t *health);
void guard_free(guard_t *guard);        /* not from a call back */

/*
 * Counts a response "clear" for a host without a current listing.  guard_ask
 * counts those that make a listing.
 */
void guard_count(guard_t *guard, const list_t *list);

/*
 * May a new listing of a host be announced?  The call back comes once, never
 * from inside this call, unless forgotten.  If the store does not reply, the
 * call is repeated; a caller with a deadline forgets the request.  While the
 * partition of the list is away the call back gets -1: it is not known.  The
 * result is valid until then.
 */
guard_wait_t *guard_ask(guard_t *guard, const list_t *list, rbl_family_t family,
    uint32_t server, guard_done_pt done, void *data);
/* Was the list frozen at the last reply of the store? */
int guard_frozen(const guard_t *guard, const list_t *list);

void guard_forget(guard_wait_t *wait);  /* NULL: no effect */

#endif /* GUARD_H_INCLUDED */
