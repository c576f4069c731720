/*
 * The reply of the store is copied once, and all texts are views into the copy.
 */

#include "current.h"
#include "base/xalloc.h"

#include <stdlib.h>

#define LISTINGS_MAX  1024


static int
take_listing(check_listing_t *listing, rbl_mp_t *mp, int64_t now)
{
    size_t  n;

    n = rbl_mp_array(mp);
    listing->sid = rbl_mp_str(mp);
    listing->zone = rbl_mp_str(mp);
    listing->cleared = rbl_mp_int(mp);
    listing->now = now;

    if (n < 3) {
        return -1;
    }

    for (n -= 3; n > 0 && !mp->failed; n--) {
        rbl_mp_skip(mp);
    }

    return mp->failed ? -1 : 0;
}


static int
take_listings(check_before_t *before, rbl_str_t packed, int64_t now)
{
    size_t    i, n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);
    if (mp.failed || n > LISTINGS_MAX) {
        return -1;
    }

    before->listing = xcalloc(n + 1, sizeof(check_listing_t));

    for (i = 0; i < n; i++) {
        if (take_listing(&before->listing[i], &mp, now) != 0) {
            return -1;
        }
    }

    before->n = n;
    return 0;
}


/* Copies a text to *at, behind which the next one goes. */

static rbl_str_t
copy(char **at, rbl_str_t s)
{
    rbl_str_t  to = { *at, s.n };

    if (s.n != 0) {
        memcpy(*at, s.p, s.n);
        *at += s.n;
    }

    return to;
}


int
current_read(current_t *current, rbl_str_t packed, rbl_str_t troubled,
    rbl_str_t pending, rbl_str_t answers, int64_t checked, int64_t now)
{
    char  *at;

    current_free(current);
    current->checked = checked;
    current->now = now;

    if (packed.n + troubled.n + answers.n == 0) {
        return 0;
    }

    at = current->bytes = xmalloc(packed.n + troubled.n + pending.n
                                  + answers.n);
    packed = copy(&at, packed);
    current->troubled = copy(&at, troubled);
    current->before.pending = copy(&at, pending);
    current->answers = copy(&at, answers);

    if (packed.n != 0 && take_listings(&current->before, packed, now) != 0) {
        current_free(current);
        return -1;
    }

    return 0;
}


void
current_free(current_t *current)
{
    free(current->before.listing);
    free(current->bytes);
    memset(current, 0, sizeof(current_t));
}


int
current_open(const current_t *current, rbl_str_t sid)
{
    size_t                 i;
    const check_before_t  *before = &current->before;

    for (i = 0; i < before->n; i++) {
        if (before->listing[i].cleared != 0
            && rbl_str_eq(before->listing[i].sid, sid))
        {
            return 1;
        }
    }

    return sid.n != 0 && current->troubled.n != 0
           && memmem(current->troubled.p, current->troubled.n, sid.p, sid.n)
              != NULL;
}
