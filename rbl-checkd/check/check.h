/*
 * One check of one value: a query to each list, a verdict for each response,
 * TXT for listings, one deadline for all.  Independent of the store: the daemon
 * uses it for jobs, and rblctl in the foreground.
 */

#ifndef CHECK_H_INCLUDED
#define CHECK_H_INCLUDED

#include <ev.h>

#include "check/lists/lists.h"
#include "check/lookup/lookup.h"
#include "check/lookup/quota.h"
#include "check/verdict/guard.h"
#include "check/verdict/health.h"
#include "check/verdict/evidence.h"
#include "dns/engine.h"
#include "rbl_codes.h"
#include "rbl_own.h"
#include "rbl_validate.h"

typedef struct check_s  check_t;

#define CHECK_CODES_MAX    16
#define CHECK_DETAILS_MAX  512
#define CHECK_REASON_MAX   1024

typedef struct {
    const list_t      *list;
    rbl_verdict_t      verdict;
    rbl_lookup_err_t   error;           /* reason of an unknown verdict */
    unsigned           n_codes;
    uint32_t           codes[CHECK_CODES_MAX];      /* host order */
    char               means[128];      /* texts of the codes */
    rbl_weight_t       weight;          /* of the codes, if they are a
                                           listing */
    char              *reason;          /* TXT, cleaned: valid UTF-8 without
                                           control characters; NULL: none */
    double             ms;
    uint32_t           ttl;
    health_state_t     health;          /* health of the list, through the
                                           resolver that responded; untried: not
                                           tested */
    double             recheck;         /* s after which to check again, since
                                           the response would end a listing and
                                           is not confirmed; 0: no need */
    int                moved;           /* the host has a listing of the list
                                           by another zone, which has ended */
    int                done;
} check_result_t;

/* The objects that checks use. */
typedef struct {
    struct ev_loop  *loop;
    dns_engine_t    *dns;
    lookup_t        *lookup;
    quota_t         *quota;             /* NULL: no limits */
    health_t        *health;
    evidence_t      *evidence;          /* NULL: none */
    guard_t         *guard;             /* NULL: no list is frozen */
    counters_t      *counters;          /* NULL: no counters */
    const rbl_own_t *own;               /* NULL: no restriction of names for
                                           accounts' lists */
} check_env_t;

/*
 * A current listing: the last known response of the list with this SID.  If the
 * list has another zone now, it is another list, and its listings are new.
 */
typedef struct {
    rbl_str_t  sid, zone;
    int64_t    cleared;     /* ms since 1970: first response that the listing
                               has ended, which is not confirmed; 0: none */
    int64_t    now;         /* by the store's clock, which may differ from
                               ours */
} check_listing_t;

/* The results of earlier checks of the host; NULL: none. */
typedef struct {
    size_t             n;
    check_listing_t   *listing;
    rbl_str_t          pending;         /* SIDs, one after the other, of lists
                                           with a new listing that is not
                                           confirmed */
} check_before_t;

#define CHECK_FRESH  1u     /* bypasses the cache: a client waits for the
                               result */
#define CHECK_ONCE   2u     /* no later check follows: a verdict that needs two
                               checks is given at once */

/* Called after each list (finished 0) and once at the end (finished 1). */
typedef void (*check_progress_pt)(void *data, check_t *check, int finished);

/*
 * Starts; `env` and the `lists` (n of them) must outlive the check; `value` is
 * shorter than RBL_VALUE_MAX.  `how`: CHECK_*.  The call back never comes from
 * inside this call.  A list that does not take the family is `skipped`.  Lists
 * not answered after `timeout` seconds are unknown, error timeout.
 */
check_t *check_start(const check_env_t *env, rbl_family_t family,
    rbl_str_t value, const list_t *const *lists, size_t n,
    const check_before_t *before, double timeout, unsigned how,
    check_progress_pt progress, void *data);

void check_free(check_t *check);        /* at any time */

size_t check_count(const check_t *check);
const check_result_t *check_result(const check_t *check, size_t i);
size_t check_done(const check_t *check);        /* lists answered so far */
size_t check_verdicts(const check_t *check, rbl_verdict_t verdict);

/* The `details` text of a result: look-up URL for the value, else the reason,
   else the meaning of the codes. */
rbl_str_t check_details(const check_t *check, size_t i,
    char buf[CHECK_DETAILS_MAX]);

#endif /* CHECK_H_INCLUDED */
