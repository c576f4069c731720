/*
 * The bounds of what lists say in the results of a check: codes, details and
 * reasons.  Hosts that are on many lists keep small records, and what an
 * account's own lists answer takes no room from the system lists.
 */

#ifndef TEXTS_H_INCLUDED
#define TEXTS_H_INCLUDED

#include "check.h"
#include "check_lists.h"

/* Bytes of all details of one check's results, and of all reasons. */
#define TEXTS_SYSTEM     (16 * 1024)
#define TEXTS_OWN        (8 * 1024)
#define TEXTS_OWN_LEAST  40             /* of each own list, in any case */

/* Codes of all results. */
#define TEXTS_SYSTEM_CODES  512
#define TEXTS_OWN_CODES     512
#define TEXTS_CODES_LEAST   2           /* of each result, in any case */

/* Of one result. */
typedef struct {
    size_t    details, reason;          /* bytes */
    unsigned  codes;
} texts_cap_t;

typedef struct {
    texts_cap_t  system, own;
} texts_caps_t;

/* Bytes of one text of each of so many own lists of a check. */
size_t texts_own(size_t lists);

/*
 * The bounds of a check's results.  Those of system lists depend on what they
 * say, so that nothing is cut while all of it fits; those of own lists on how
 * many own lists the check asks, so that listings which stand from other
 * checks do not add up to more.  Out of memory the bounds are as for own lists.
 */
void texts_caps(texts_caps_t *caps, const check_t *check,
    const check_lists_t *lists);

/* The largest length to which `n` texts may be cut, so that all together fit
   `budget`. */
size_t texts_share(const size_t *len, size_t n, size_t budget);

#endif /* TEXTS_H_INCLUDED */
