/*
 * The length limits of the texts of a check's results.
 */

#include "texts.h"
#include "base/xalloc.h"

#include <stdlib.h>


static size_t
at_least(size_t n, size_t least)
{
    return n > least ? n : least;
}


size_t
texts_share(const size_t *len, size_t n, size_t budget)
{
    size_t  i, sum, low, high, mid;

    low = 0;
    high = budget;

    while (low < high) {
        mid = high - (high - low) / 2;

        for (i = 0, sum = 0; i < n && sum <= budget; i++) {
            sum += len[i] < mid ? len[i] : mid;
        }

        if (sum <= budget) {
            low = mid;

        } else {
            high = mid - 1;
        }
    }

    return low;
}


size_t
texts_own(size_t lists)
{
    return at_least(TEXTS_OWN / at_least(lists, 1), TEXTS_OWN_LEAST);
}


/* Counts all results of system lists that have a text. */

static void
system_texts(texts_cap_t *cap, const check_t *check)
{
    char                   buf[CHECK_DETAILS_MAX];
    size_t                 i, k, n, *details, *reason;
    const check_result_t  *r;

    n = check_count(check);
    details = xcalloc(n + 1, sizeof(size_t));
    reason = xcalloc(n + 1, sizeof(size_t));
    k = 0;

    for (i = 0; i < n; i++) {
        r = check_result(check, i);

        if (r->verdict == RBL_LISTED && !r->list->custom) {
            details[k] = check_details(check, i, buf).n;
            reason[k++] = r->reason != NULL ? strlen(r->reason) : 0;
        }
    }

    cap->details = texts_share(details, k, TEXTS_SYSTEM);
    cap->reason = texts_share(reason, k, TEXTS_SYSTEM);
    cap->codes = (unsigned) at_least(TEXTS_SYSTEM_CODES / at_least(k, 1),
                                     TEXTS_CODES_LEAST);
    free(details);
    free(reason);
}


void
texts_caps(texts_caps_t *caps, const check_t *check, const check_lists_t *lists)
{
    size_t  i, own;

    for (i = 0, own = 0; i < lists->n; i++) {
        own += lists->list[i]->custom != 0;
    }

    own = at_least(own, 1);
    caps->own.details = texts_own(own);
    caps->own.reason = caps->own.details;
    caps->own.codes = (unsigned) at_least(TEXTS_OWN_CODES / own,
                                          TEXTS_CODES_LEAST);

    /* So few texts fit at any length. */

    if (check_verdicts(check, RBL_LISTED) * CHECK_REASON_MAX
        <= TEXTS_SYSTEM)
    {
        caps->system.details = CHECK_REASON_MAX;
        caps->system.reason = CHECK_REASON_MAX;
        caps->system.codes = CHECK_CODES_MAX;
        return;
    }

    system_texts(&caps->system, check);
}
