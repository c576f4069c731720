/*
 * The bounds of lists' texts in the results of a check: codes, details and
 * reasons.  Hosts on many lists keep small records, and the texts of an
 * account's own lists take no room from the system lists.
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

/* Bounds of one result. */
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
 * The bounds of a check's results.  Those of system lists depend on their
 * texts, so that nothing is cut while everything fits.  Those of own lists
 * depend on the number of own lists in the check, so that current listings from
 * other checks do not exceed the total.
 */
void texts_caps(texts_caps_t *caps, const check_t *check,
    const check_lists_t *lists);

/* The largest length to which `n` texts may be cut, so that all together fit
   `budget`. */
size_t texts_share(const size_t *len, size_t n, size_t budget);

#endif /* TEXTS_H_INCLUDED */
